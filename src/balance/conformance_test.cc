#include "balance/conformance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "balance/broken_subject_test.h"

namespace evener::conformance {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Case {
  const PolicyInfo* policy;
  const Property* property;
};

std::vector<Case> every_case() {
  std::vector<Case> cases;
  for (const PolicyInfo& policy : policy_catalog()) {
    for (const Property& property : properties()) cases.push_back({&policy, &property});
  }
  return cases;
}

// Sanitizers look at memory and threads, not at luck: one seed is enough under them.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr std::uint64_t kSeeds = 1;
#else
constexpr std::uint64_t kSeeds = 3;
#endif

class Catalog : public ::testing::TestWithParam<Case> {};

TEST_P(Catalog, HasTheProperty) {
  const std::uint64_t seed = seed_from_environment();
  for (std::uint64_t s = seed; s < seed + kSeeds; ++s) {
    EXPECT_THAT(GetParam().property->check(catalog_entry(*GetParam().policy), s), IsEmpty())
        << "EV_SEED=" << s;
  }
}

INSTANTIATE_TEST_SUITE_P(Conformance, Catalog, ::testing::ValuesIn(every_case()),
                         [](const auto& info) {
                           return std::string(info.param.policy->name) + "_" +
                                  info.param.property->name;
                         });

TEST(Settings, KeepEveryPropertyWithOtherSettings) {
  std::vector<PolicySettings> variants;
  for (const std::uint32_t choices : {2U, 3U, 8U, 64U, kChoicesAuto, kChoicesAll}) {
    variants.push_back({.choices = choices});
    variants.push_back({.choices = choices, .estimator = Estimator::kPeak});
    if (choices > kChoicesMax) continue;
    variants.push_back({.name = "p2c", .choices = choices});
    variants.push_back({.name = "p2c", .choices = choices, .replacement = true});
    variants.push_back({.name = "p2c_memory", .choices = choices});
    variants.push_back({.name = "go_left", .choices = choices});
    variants.push_back({.name = "reported", .choices = choices});
  }
  variants.push_back({.name = "p2c_memory", .choices = 1});
  variants.push_back({.name = "prequal", .estimator = Estimator::kPeak});
  for (const double beta : {0.0, 0.5, 0.9}) variants.push_back({.name = "p2c", .beta = beta});
  for (const PolicySettings& settings : variants) {
    EXPECT_THAT(check_all(catalog_entry(settings), seed_from_environment()), IsEmpty())
        << settings.name << ", choices " << settings.choices << ", beta " << settings.beta;
  }
}

TEST(Toy, PassesWithoutAFault) {
  const std::uint64_t seed = seed_from_environment();
  for (std::uint64_t s = seed; s < seed + kSeeds; ++s) {
    EXPECT_THAT(check_all(toy_entry(Fault::kNone), s), IsEmpty());
  }
}

struct Caught {
  Fault fault;
  const char* by;
};

class Zoo : public ::testing::TestWithParam<Caught> {};

TEST_P(Zoo, EveryFaultIsCaughtByItsProperty) {
  EXPECT_THAT(check_all(toy_entry(GetParam().fault), seed_from_environment()),
              Contains(StartsWith(GetParam().by)));
}

INSTANTIATE_TEST_SUITE_P(
    Conformance, Zoo,
    ::testing::Values(Caught{Fault::kWithReplacement, "accept_T01_two_are_compared"},
                      Caught{Fault::kWithReplacement, "accept_T05_rank_law"},
                      Caught{Fault::kBusierFirst, "accept_T05_rank_law"},
                      Caught{Fault::kFirstOnTies, "accept_T03_equal_shares"},
                      Caught{Fault::kFirstOnTies, "accept_T04_ties"},
                      Caught{Fault::kCountsLostOnApply, "accept_T09_T19_churn"},
                      Caught{Fault::kFeedbackById, "accept_T09_T19_churn"},
                      Caught{Fault::kPenaltyCompounds, "accept_T23_recovery"},
                      Caught{Fault::kIgnoresTried, "accept_T07_tried_is_honoured"},
                      Caught{Fault::kPicksDraining, "accept_T09_T19_churn"},
                      Caught{Fault::kLeaksDroppedTickets, "accept_T09_T19_churn"}),
    [](const auto& info) {
      return "fault_" + std::to_string(static_cast<int>(info.param.fault)) + "_" + info.param.by;
    });

}  // namespace
}  // namespace evener::conformance

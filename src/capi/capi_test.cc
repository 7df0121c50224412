#include <evener/evener.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "capi/handle.h"

namespace evener::capi {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMs = 1'000'000;

evener_endpoint named(const char* name, double weight = 1) {
  evener_endpoint endpoint{};
  endpoint.name = name;
  endpoint.weight = weight;
  return endpoint;
}

class Capi : public ::testing::Test {
 protected:
  void create(evener_options options = {}) {
    options.struct_size = sizeof options;
    ASSERT_EQ(evener_create(&options, &balancer_, text_, sizeof text_), EVENER_OK) << text_;
  }
  void apply(const std::vector<evener_endpoint>& endpoints) {
    ASSERT_EQ(evener_apply(balancer_, 0, endpoints.data(), endpoints.size(),
                           sizeof(evener_endpoint), text_, sizeof text_),
              EVENER_OK)
        << text_;
  }
  void TearDown() override { EXPECT_EQ(evener_destroy(balancer_), 0U) << "forgotten tickets"; }

  evener_balancer* balancer_ = nullptr;
  char text_[256] = {};
};

TEST(CapiEdge, TurnsExceptionsIntoErrors) {
  EXPECT_EQ(guarded([]() -> evener_error { throw std::bad_alloc(); }), EVENER_ERROR_NO_MEMORY);
  EXPECT_EQ(guarded([]() -> evener_error { throw 1; }), EVENER_ERROR_INTERNAL);
  EXPECT_EQ(guarded([] { return EVENER_OK; }), EVENER_OK);
}

TEST(CapiEdge, TextsAreCutOffAndTerminated) {
  char text[4] = {'x', 'x', 'x', 'x'};
  put_text("abcdef", text, sizeof text);
  EXPECT_STREQ(text, "abc");
  put_text("abc", text, 0);
  put_text("abc", nullptr, 3);
  EXPECT_STREQ(text, "abc");
}

TEST(CapiEdge, NamesAreTerminatedAndMatchTheLibrary) {
  EXPECT_EQ(evener_abi_version(), static_cast<std::uint32_t>(EVENER_ABI_VERSION));
  ASSERT_EQ(evener_policy_count(), policy_catalog().size());
  for (std::size_t i = 0; i < evener_policy_count(); ++i) {
    EXPECT_EQ(evener_policy_name(i), policy_catalog()[i].name);
    EXPECT_EQ(evener_policy_summary(i), policy_catalog()[i].summary);
  }
  EXPECT_EQ(evener_policy_name(evener_policy_count()), nullptr);
  EXPECT_EQ(evener_policy_summary(evener_policy_count()), nullptr);
  for (int i = 0; i < static_cast<int>(kOutcomes); ++i) {
    EXPECT_EQ(evener_outcome_text(i), to_string(static_cast<Outcome>(i)));
  }
  EXPECT_STREQ(evener_outcome_text(-1), "unknown outcome");
  EXPECT_STREQ(evener_outcome_text(kOutcomes), "unknown outcome");
  for (int i = EVENER_OK; i <= EVENER_ERROR_INTERNAL; ++i) {
    EXPECT_STRNE(evener_error_text(i), "unknown error");
  }
  EXPECT_STREQ(evener_error_text(EVENER_ERROR_INTERNAL + 1), "unknown error");
  EXPECT_STREQ(evener_error_text(-1), "unknown error");
}

TEST(CapiEdge, NullIsAnErrorEverywhere) {
  std::size_t n = 1;
  evener_ticket ticket = EVENER_TICKET_INIT;
  evener_endpoint endpoint = named("a");
  evener_set* set = nullptr;
  EXPECT_EQ(evener_create(nullptr, nullptr, nullptr, 0), EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(evener_set_create(&endpoint, 1, sizeof endpoint, 1, nullptr, nullptr, 0),
            EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(evener_set_create(nullptr, 1, sizeof endpoint, 1, &set, nullptr, 0),
            EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(evener_set_create(&endpoint, 1, 0, 1, &set, nullptr, 0), EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(set, nullptr);
  evener_set_free(nullptr);
  EXPECT_EQ(evener_apply(nullptr, 0, &endpoint, 1, sizeof endpoint, nullptr, 0),
            EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(evener_apply_set(nullptr, 0, nullptr), EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(evener_tick(nullptr, 0), EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(evener_in_flight(nullptr), 0U);
  EXPECT_EQ(evener_eligible(nullptr), 0U);
  EXPECT_EQ(evener_destroy(nullptr), 0U);
  EXPECT_EQ(evener_pick(nullptr, 0, nullptr, &ticket), EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(evener_pick_batch(nullptr, 0, nullptr, 2, &ticket, 1, &n), EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(n, 0U);
  EXPECT_EQ(evener_pick_batch(nullptr, 0, nullptr, 2, &ticket, 1, nullptr), EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(evener_ticket_held(nullptr), 0);
  EXPECT_EQ(evener_ticket_id(nullptr), 0U);
  EXPECT_EQ(evener_ticket_name(nullptr), nullptr);
  EXPECT_EQ(evener_first_byte(nullptr, 0), EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(evener_finish(nullptr, EVENER_SUCCESS, 0, 0), EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(evener_ticket_report(nullptr, 0, 0, 0, 0), EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(evener_report(nullptr, 1, 0, 0, 0, 0), EVENER_ERROR_ARGUMENT);
  evener_drop(nullptr);
  EXPECT_EQ(evener_explain(nullptr, nullptr, 0), 0U);
  EXPECT_EQ(evener_snapshot(nullptr, 0, nullptr, 0, sizeof(evener_status), &n),
            EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(evener_save(nullptr, 0, nullptr, 0, &n), EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(evener_restore(nullptr, 0, "", 0, nullptr, 0), EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(evener_endpoint_id(nullptr), 0U);
}

TEST_F(Capi, OptionsReachTheBalancer) {
  evener_options options{};
  options.policy = "p2c";
  options.choices = kChoicesMax + 1;
  options.struct_size = sizeof options;
  EXPECT_EQ(evener_create(&options, &balancer_, text_, sizeof text_), EVENER_ERROR_INVALID);
  EXPECT_THAT(text_, HasSubstr("choices"));
  EXPECT_EQ(balancer_, nullptr);
  options.choices = 0;
  options.policy = "p2d";
  EXPECT_EQ(evener_create(&options, &balancer_, text_, sizeof text_), EVENER_ERROR_INVALID);
  EXPECT_THAT(text_, HasSubstr("did you mean \"p2c\""));
  options.policy = nullptr;
  options.estimator = 2;
  EXPECT_EQ(evener_create(&options, &balancer_, text_, sizeof text_), EVENER_ERROR_ARGUMENT);
  options.estimator = EVENER_ESTIMATOR_PEAK;
  options.panic = 3;
  EXPECT_EQ(evener_create(&options, &balancer_, text_, sizeof text_), EVENER_ERROR_ARGUMENT);
  options = {};
  options.choices = EVENER_CHOICES_ALL;
  options.keyed_over = EVENER_OVER_RENDEZVOUS;
  options.max_in_flight = 1;
  create(options);
  EXPECT_STREQ(text_, "");
  apply({named("a")});
  evener_ticket first = EVENER_TICKET_INIT;
  evener_ticket second = EVENER_TICKET_INIT;
  EXPECT_EQ(evener_pick(balancer_, 0, nullptr, &first), EVENER_OK);
  EXPECT_EQ(evener_pick(balancer_, 0, nullptr, &second), EVENER_ERROR_ALL_BUSY);
  evener_drop(&first);
}

TEST_F(Capi, StructsOfOtherVersionsAreReadAsFarAsTheyAreKnown) {
  // A program of an older version: it ends after the seed.
  struct {
    std::size_t struct_size;
    const char* policy;
    std::uint64_t seed;
  } older = {sizeof older, "p2c", 7};
  ASSERT_EQ(evener_create(reinterpret_cast<const evener_options*>(&older), &balancer_, text_,
                          sizeof text_),
            EVENER_OK);
  // And of a newer one, whose last field we do not know.
  struct {
    evener_endpoint known;
    std::uint64_t more;
  } newer[2] = {{named("a"), 0}, {named("b"), 0}};
  EXPECT_EQ(evener_apply(balancer_, 0, &newer[0].known, 2, sizeof newer[0], text_, sizeof text_),
            EVENER_OK);
  EXPECT_EQ(evener_eligible(balancer_), 2U);
  newer[1].more = 1;
  EXPECT_EQ(evener_apply(balancer_, 0, &newer[0].known, 2, sizeof newer[0], text_, sizeof text_),
            EVENER_ERROR_ARGUMENT);
  EXPECT_THAT(text_, HasSubstr("number 2"));
  evener_request request{};
  EXPECT_EQ(request.struct_size, 0U);
  evener_ticket ticket = EVENER_TICKET_INIT;
  EXPECT_EQ(evener_pick(balancer_, 0, &request, &ticket), EVENER_ERROR_ARGUMENT) << "no size";
  // A status of an older program, and one of a newer one.
  std::array<std::uint64_t, 4> small{};
  std::size_t total = 0;
  EXPECT_EQ(
      evener_snapshot(balancer_, 0, reinterpret_cast<evener_status*>(small.data()), 2, 16, &total),
      EVENER_OK);
  EXPECT_EQ(total, 2U);
  EXPECT_EQ(small[1], evener_endpoint_id("a"));
  EXPECT_EQ(small[3], evener_endpoint_id("b"));
  struct {
    evener_status known;
    std::uint64_t more;
  } large[2];
  std::memset(large, 0xff, sizeof large);
  EXPECT_EQ(evener_snapshot(balancer_, 0, &large[0].known, 2, sizeof large[0], &total), EVENER_OK);
  EXPECT_STREQ(large[1].known.name, "b");
  EXPECT_STREQ(large[1].known.reason, "eligible");
  EXPECT_EQ(large[1].more, 0U);
}

TEST_F(Capi, BadEndpointsAreRefusedAndChangeNothing) {
  create();
  apply({named("a")});
  const auto refused = [&](evener_endpoint bad) {
    const std::array<evener_endpoint, 2> all = {named("a"), bad};
    return evener_apply(balancer_, 0, all.data(), 2, sizeof bad, text_, sizeof text_);
  };
  EXPECT_EQ(refused(named("b", 0)), EVENER_ERROR_INVALID);
  EXPECT_THAT(text_, HasSubstr("weight"));
  EXPECT_EQ(refused(named("a")), EVENER_ERROR_INVALID);
  EXPECT_THAT(text_, HasSubstr("same identity"));
  EXPECT_EQ(refused(named(nullptr)), EVENER_ERROR_ARGUMENT);
  evener_endpoint odd = named("b");
  odd.flags = 8;
  EXPECT_EQ(refused(odd), EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(evener_eligible(balancer_), 1U);
  evener_set* set = nullptr;
  EXPECT_EQ(evener_set_create(nullptr, std::numeric_limits<std::size_t>::max(), 1, 1, &set, text_,
                              sizeof text_),
            EVENER_ERROR_ARGUMENT);
  EXPECT_EQ(evener_set_create(&odd, std::numeric_limits<std::size_t>::max(), sizeof odd, 1, &set,
                              text_, sizeof text_),
            EVENER_ERROR_INVALID);
}

TEST_F(Capi, ATicketCannotBeOverwrittenOrFinishedTwice) {
  create();
  apply({named("a"), named("b")});
  evener_ticket ticket;
  std::memset(&ticket, 0xa5, sizeof ticket);
  EXPECT_EQ(evener_ticket_held(&ticket), 0) << "memory that was never set";
  EXPECT_EQ(evener_finish(&ticket, EVENER_SUCCESS, 0, 0), EVENER_ERROR_TICKET);
  EXPECT_EQ(evener_pick(balancer_, 0, nullptr, &ticket), EVENER_OK);
  EXPECT_EQ(evener_pick(balancer_, 0, nullptr, &ticket), EVENER_ERROR_TICKET);
  std::size_t placed = 9;
  EXPECT_EQ(evener_pick_batch(balancer_, 0, nullptr, 2, &ticket, 1, &placed), EVENER_ERROR_TICKET);
  EXPECT_EQ(placed, 0U);
  EXPECT_EQ(evener_in_flight(balancer_), 1U);
  EXPECT_EQ(evener_finish(&ticket, 6, 0, 0), EVENER_ERROR_ARGUMENT);
  evener_ticket moved = ticket;
  EXPECT_EQ(evener_first_byte(&moved, kMs), EVENER_OK);
  EXPECT_EQ(evener_finish(&moved, EVENER_SUCCESS, kMs, 0), EVENER_OK);
  EXPECT_EQ(evener_finish(&moved, EVENER_SUCCESS, kMs, 0), EVENER_ERROR_TICKET);
  EXPECT_EQ(evener_first_byte(&moved, kMs), EVENER_ERROR_TICKET);
  EXPECT_EQ(evener_ticket_report(&moved, kMs, 0.5, -1, -1), EVENER_ERROR_TICKET);
  EXPECT_EQ(evener_in_flight(balancer_), 0U);
}

TEST_F(Capi, TriedEndpointsAreNotPickedAgain) {
  create();
  apply({named("a"), named("b"), named("c")});
  std::array<std::uint64_t, EVENER_TRIED_MAX + 1> tried{};
  tried[0] = evener_endpoint_id("a");
  tried[1] = evener_endpoint_id("c");
  evener_request request{};
  request.struct_size = sizeof request;
  request.tried = tried.data();
  request.tried_count = 2;
  evener_ticket ticket = EVENER_TICKET_INIT;
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(evener_pick(balancer_, 0, &request, &ticket), EVENER_OK);
    EXPECT_STREQ(evener_ticket_name(&ticket), "b");
    evener_drop(&ticket);
  }
  tried[2] = evener_endpoint_id("b");
  request.tried_count = 3;
  EXPECT_EQ(evener_pick(balancer_, 0, &request, &ticket), EVENER_ERROR_ALL_TRIED);
  request.tried_count = tried.size();
  EXPECT_EQ(evener_pick(balancer_, 0, &request, &ticket), EVENER_ERROR_ARGUMENT);
  request.tried_count = 1;
  request.tried = nullptr;
  EXPECT_EQ(evener_pick(balancer_, 0, &request, &ticket), EVENER_ERROR_ARGUMENT);
}

TEST_F(Capi, KeysStayTogetherAsInTheLibrary) {
  evener_options options{};
  options.policy = "rendezvous";
  create(options);
  apply({named("a"), named("b"), named("c"), named("d")});
  evener_request request{};
  request.struct_size = sizeof request;
  request.key = "user 7";
  request.key_size = 6;
  std::string name;
  for (int i = 0; i < 20; ++i) {
    evener_ticket ticket = EVENER_TICKET_INIT;
    ASSERT_EQ(evener_pick(balancer_, 0, &request, &ticket), EVENER_OK);
    if (i == 0) name = evener_ticket_name(&ticket);
    EXPECT_EQ(evener_ticket_name(&ticket), name);
    evener_drop(&ticket);
  }
}

TEST_F(Capi, BatchesFillFromTheFront) {
  evener_options options{};
  options.max_in_flight = 2;
  create(options);
  apply({named("a"), named("b")});
  std::array<evener_ticket, 6> tickets{};
  std::size_t placed = 0;
  EXPECT_EQ(evener_pick_batch(balancer_, 0, nullptr, 2, tickets.data(), 6, &placed), EVENER_OK);
  EXPECT_EQ(placed, 4U);
  EXPECT_EQ(evener_ticket_held(&tickets[3]), 1);
  EXPECT_EQ(evener_ticket_held(&tickets[4]), 0);
  EXPECT_EQ(evener_pick_batch(balancer_, 0, nullptr, 2, tickets.data() + 4, 2, &placed),
            EVENER_ERROR_ALL_BUSY);
  EXPECT_EQ(placed, 0U);
  for (evener_ticket& ticket : tickets) evener_drop(&ticket);
}

TEST_F(Capi, BalancersOfOneSetSeeEachOther) {
  const evener_endpoint endpoints[] = {named("a"), named("b")};
  evener_set* set = nullptr;
  ASSERT_EQ(evener_set_create(endpoints, 2, sizeof endpoints[0], 2, &set, text_, sizeof text_),
            EVENER_OK);
  create();
  evener_options options{};
  options.struct_size = sizeof options;
  options.worker = 1;
  evener_balancer* other = nullptr;
  ASSERT_EQ(evener_create(&options, &other, nullptr, 0), EVENER_OK);
  EXPECT_EQ(evener_apply_set(balancer_, 0, set), EVENER_OK);
  EXPECT_EQ(evener_apply_set(other, 0, set), EVENER_OK);
  evener_set* alone = nullptr;
  ASSERT_EQ(evener_set_create(endpoints, 2, sizeof endpoints[0], 1, &alone, nullptr, 0), EVENER_OK);
  EXPECT_EQ(evener_apply_set(other, 0, alone), EVENER_ERROR_ARGUMENT) << "it has no second row";
  evener_set_free(alone);
  evener_set_free(set);
  evener_ticket ticket = EVENER_TICKET_INIT;
  ASSERT_EQ(evener_pick(balancer_, 0, nullptr, &ticket), EVENER_OK);
  EXPECT_EQ(evener_tick(other, kMs), EVENER_OK);
  evener_status status[2];
  std::size_t total = 0;
  EXPECT_EQ(evener_snapshot(other, kMs, status, 2, sizeof status[0], &total), EVENER_OK);
  EXPECT_EQ(status[0].elsewhere + status[1].elsewhere, 1U);
  evener_drop(&ticket);
  EXPECT_EQ(evener_destroy(other), 0U);
}

TEST_F(Capi, ForgottenTicketsAreCountedAndStayValid) {
  evener_balancer* balancer = nullptr;
  ASSERT_EQ(evener_create(nullptr, &balancer, nullptr, 0), EVENER_OK);
  const evener_endpoint endpoint = named("a");
  ASSERT_EQ(evener_apply(balancer, 0, &endpoint, 1, sizeof endpoint, nullptr, 0), EVENER_OK);
  evener_ticket ticket = EVENER_TICKET_INIT;
  ASSERT_EQ(evener_pick(balancer, 0, nullptr, &ticket), EVENER_OK);
  EXPECT_EQ(evener_destroy(balancer), 1U);
  EXPECT_STREQ(evener_ticket_name(&ticket), "a");
  EXPECT_EQ(evener_finish(&ticket, EVENER_SUCCESS, kMs, 0), EVENER_OK);
}

TEST_F(Capi, ReportsAreTakenAndNonsenseInThemIsNot) {
  create();
  apply({named("a")});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  evener_ticket ticket = EVENER_TICKET_INIT;
  ASSERT_EQ(evener_pick(balancer_, 0, nullptr, &ticket), EVENER_OK);
  EXPECT_EQ(evener_ticket_report(&ticket, 0, nan, -1, -1), EVENER_OK);
  EXPECT_EQ(evener_ticket_report(&ticket, 0, 0.5, std::numeric_limits<std::int64_t>::max(), 3),
            EVENER_OK);
  EXPECT_EQ(evener_report(balancer_, 12345, 0, 0.5, 1, 1), EVENER_OK) << "nobody's is ignored";
  evener_drop(&ticket);
}

}  // namespace
}  // namespace evener::capi

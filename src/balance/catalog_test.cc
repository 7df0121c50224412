#include <evener/policy.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace evener {
namespace {

using ::testing::HasSubstr;

TEST(Catalog, EveryEntryCanBeMadeAndIsDescribed) {
  std::set<std::string_view> names;
  for (const PolicyInfo& info : policy_catalog()) {
    PolicySettings settings;
    settings.name = info.name;
    EXPECT_TRUE(make_policy(settings).has_value()) << info.name;
    EXPECT_FALSE(info.summary.empty());
    EXPECT_FALSE(info.source.empty());
    names.insert(info.name);
  }
  EXPECT_EQ(names.size(), policy_catalog().size());
  EXPECT_TRUE(names.contains(PolicySettings().name));
}

TEST(Catalog, AnUnknownNameSuggestsTheNearest) {
  PolicySettings settings;
  settings.name = "peek_ewma";
  EXPECT_THAT(make_policy(settings).error().message, HasSubstr("did you mean \"peak_ewma\"?"));
  settings.name = "roundrobin";
  EXPECT_THAT(make_policy(settings).error().message, HasSubstr("did you mean \"round_robin\"?"));
  settings.name = "zzzzzzzzzzzz";
  EXPECT_THAT(make_policy(settings).error().message, HasSubstr("expected one of peak_ewma, p2c"));
}

TEST(Catalog, SettingsOutOfRangeAreNamed) {
  const auto message = [](auto change) {
    PolicySettings settings;
    change(settings);
    const auto made = make_policy(settings);
    return made.has_value() ? std::string() : made.error().message;
  };
  EXPECT_THAT(message([](auto& s) { s.choices = 0; }), HasSubstr("\"choices\": expected 1 to 64"));
  EXPECT_THAT(message([](auto& s) { s.choices = 65; }), HasSubstr("found 65"));
  for (const std::uint32_t word : {kChoicesAll, kChoicesAuto}) {
    EXPECT_EQ(message([word](auto& s) { s.choices = word; }), "");
    EXPECT_THAT(message([word](auto& s) { s.name = "p2c", s.choices = word; }),
                HasSubstr("only peak_ewma"));
  }
  EXPECT_THAT(message([](auto& s) { s.beta = -0.1; }), HasSubstr("\"beta\": expected 0 to 1"));
  EXPECT_THAT(message([](auto& s) { s.beta = std::nan(""); }), HasSubstr("\"beta\""));
  EXPECT_THAT(message([](auto& s) { s.tau = Duration(); }), HasSubstr("\"tau\""));
  EXPECT_THAT(message([](auto& s) { s.floor = -Duration::seconds(1); }), HasSubstr("\"floor\""));
  EXPECT_THAT(message([](auto& s) { s.prior = Duration::max(); }), HasSubstr("\"prior\""));
  EXPECT_THAT(message([](auto& s) { s.window = Duration(); }), HasSubstr("\"window\""));
  EXPECT_THAT(message([](auto& s) { s.points = 0; }), HasSubstr("\"points\": expected 1 to"));
  EXPECT_THAT(message([](auto& s) { s.points = 10'001; }), HasSubstr("found 10001"));
  for (const std::uint32_t size : {0U, 1U, 2U, 9U, 65'535U, 5'000'013U}) {
    EXPECT_THAT(message([size](auto& s) { s.table_size = size; }), HasSubstr("a prime, 3 to"));
  }
  EXPECT_EQ(message([](auto& s) { s.table_size = kTableSizeMax; }), "");
  EXPECT_THAT(message([](auto& s) { s.load_factor = 1; }), HasSubstr("\"load_factor\""));
  EXPECT_THAT(message([](auto& s) { s.load_factor = std::nan(""); }), HasSubstr("1.01 to 100"));
  EXPECT_THAT(message([](auto& s) { s.reprobe = Duration(); }), HasSubstr("\"reprobe\""));
}

}  // namespace
}  // namespace evener

#include "admin/render.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

namespace evener::admin {
namespace {

Snapshot sample() {
  Snapshot snapshot{.workers = 2, .engine = "epoll", .counters = {}, .pools = {}};
  PoolReport pool{.name = "we\"b\n\\", .policy = "p2c", .counters = {}, .endpoints = {}};
  pool.counters.total.record(Duration::milliseconds(10));
  EndpointReport a;
  a.name = "a";
  a.state = "eligible";
  a.picks = 3;
  a.successes = 2;
  EndpointReport b;
  b.name = "b";
  b.state = "down";
  b.picks = 1;
  b.failures = 1;
  pool.endpoints = {a, b};
  snapshot.pools.push_back(std::move(pool));
  return snapshot;
}

TEST(Render, every_line_of_the_exposition_is_a_comment_or_a_sample) {
  std::istringstream lines(prometheus_text(sample()));
  std::set<std::string> series;
  for (std::string line; std::getline(lines, line);) {
    ASSERT_FALSE(line.empty());
    if (line.starts_with('#')) continue;
    const std::size_t space = line.rfind(' ');
    ASSERT_NE(space, std::string::npos) << line;
    EXPECT_NO_THROW(static_cast<void>(std::stod(line.substr(space + 1)))) << line;
    EXPECT_TRUE(series.insert(line.substr(0, space)).second) << "twice: " << line;
  }
  EXPECT_TRUE(series.contains("evener_workers"));
}

TEST(Render, case_F61_the_number_of_series_does_not_depend_on_traffic) {
  const auto count = [](const Snapshot& snapshot) {
    const std::string text = prometheus_text(snapshot);
    return std::ranges::count(text, '\n');
  };
  Snapshot busy = sample();
  busy.counters.requests = 1'000'000;
  busy.counters.responses_by_class.fill(7);
  busy.counters.reasons.fill(9);
  for (int i = 1; i < 1000; ++i) busy.pools[0].counters.total.record(Duration::microseconds(i * i));
  EXPECT_EQ(count(busy), count(sample()));
}

TEST(Render, names_cannot_break_a_label) {
  const std::string text = prometheus_text(sample());
  EXPECT_NE(text.find("pool=\"we\\\"b \\\\\""), std::string::npos) << text;
}

TEST(Render, endpoints_are_json_with_their_counts) {
  const auto parsed = nlohmann::json::parse(endpoints_json(sample()));
  EXPECT_EQ(parsed["workers"], 2);
  const auto& endpoints = parsed["pools"][0]["endpoints"];
  ASSERT_EQ(endpoints.size(), 2u);
  EXPECT_EQ(endpoints[0]["picks"], 3);
  EXPECT_EQ(endpoints[1]["state"], "down");
}

TEST(Snapshot, merging_adds_counts_and_keeps_the_worst_estimates) {
  WorkerReport one{.counters = {}, .pools = sample().pools};
  WorkerReport two = one;
  one.counters.requests = 4;
  two.counters.requests = 5;
  one.pools[0].endpoints[0].latency = Duration::milliseconds(3);
  two.pools[0].endpoints[0].latency = Duration::milliseconds(8);
  two.pools[0].endpoints[0].success = 0.5;
  // A worker that never sent anything there knows nothing of it.
  two.pools[0].endpoints[1].picks = 0;
  two.pools[0].endpoints[1].latency = Duration::seconds(30);
  Snapshot merged;
  merge(merged, one);
  merge(merged, two);
  EXPECT_EQ(merged.workers, 2u);
  EXPECT_EQ(merged.counters.requests, 9u);
  EXPECT_EQ(merged.pools[0].counters.total.count(), 2u);
  EXPECT_EQ(merged.pools[0].endpoints[0].picks, 6u);
  EXPECT_EQ(merged.pools[0].endpoints[0].latency, Duration::milliseconds(8));
  EXPECT_EQ(merged.pools[0].endpoints[0].success, 0.5);
  EXPECT_LT(merged.pools[0].endpoints[1].latency, Duration::seconds(30));
}

}  // namespace
}  // namespace evener::admin

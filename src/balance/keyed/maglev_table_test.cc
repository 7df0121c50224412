#include "balance/keyed/maglev_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "balance/conformance.h"

namespace evener {
namespace {

constexpr std::uint32_t kSize = 65'537;

std::vector<KeyedMember> members(std::span<const double> weights) {
  std::vector<KeyedMember> out;
  for (std::uint32_t i = 0; i < weights.size(); ++i) out.push_back({7 * i, weights[i], i, 0});
  return out;
}

std::vector<double> counts(const MaglevTable& table, std::size_t n) {
  std::vector<double> out(n);
  for (const std::uint32_t slot : table.entries()) ++out.at(slot);
  return out;
}

// The share of the entries that changed hands though their owner stayed.
double moved(std::uint32_t n, std::uint32_t gone) {
  std::vector<KeyedMember> all = members(std::vector<double>(n, 1.0));
  MaglevTable before;
  before.build(all, kSize);
  all.erase(all.begin() + gone);
  MaglevTable after;
  after.build(all, kSize);
  double count = 0;
  for (std::size_t i = 0; i < kSize; ++i) {
    const std::uint32_t was = before.entries()[i];
    count += was != gone && was != after.entries()[i] ? 1 : 0;
  }
  return count / kSize;
}

TEST(MaglevTable, SharesFollowWeightsToAnEntryOrTwo) {
  for (const std::vector<double>& weights :
       {std::vector<double>(1, 1.0), std::vector<double>(7, 3.0), {1, 2, 4, 8}, {0.5, 100, 7.25}}) {
    MaglevTable table;
    table.build(members(weights), kSize);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    const std::vector<double> got = counts(table, weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      EXPECT_NEAR(got[i], kSize * weights[i] / sum, 2) << i << " of " << weights.size();
    }
  }
}

TEST(MaglevTable, EveryEndpointHasAnEntryWhileThereAreEnough) {
  std::vector<double> weights(250, 1e-6);
  weights[0] = 1e6;
  MaglevTable table;
  table.build(members(weights), 251);
  for (const double count : counts(table, weights.size())) EXPECT_GE(count, 1);
}

TEST(MaglevTable, FewKeysOfOthersMoveWhenOneLeaves) {
  for (const std::uint32_t n : {3U, 10U, 30U, 100U, 1000U}) {
    double most = 0;
    for (std::uint32_t i = 0; i < 3; ++i) most = std::max(most, moved(n, i * (n - 1) / 2));
    RecordProperty("moved_of_" + std::to_string(n), std::to_string(most));
    EXPECT_LT(most, 0.02) << n;
  }
}

TEST(MaglevTable, TheOrderOfTheMembersDoesNotMatter) {
  for (const std::vector<double>& weights : {std::vector<double>(9, 1.0), {1, 2, 3, 4, 5, 1, 1}}) {
    std::vector<KeyedMember> all = members(weights);
    MaglevTable one;
    one.build(all, 1009);
    std::ranges::reverse(all);
    MaglevTable other;
    other.build(all, 1009);
    EXPECT_TRUE(std::ranges::equal(one.entries(), other.entries()));
  }
}

}  // namespace
}  // namespace evener

#include "balance/keyed/jump_hash.h"

#include <gtest/gtest.h>

#include <vector>

#include "balance/conformance.h"

namespace evener {
namespace {

TEST(JumpHash, AgreesWithPublishedValues) {
  EXPECT_EQ(jump_hash(1, 1), 0U);
  EXPECT_EQ(jump_hash(42, 57), 43U);
  EXPECT_EQ(jump_hash(0xdead10cc, 1), 0U);
  EXPECT_EQ(jump_hash(0xdead10cc, 666), 361U);
  EXPECT_EQ(jump_hash(256, 1024), 520U);
}

TEST(JumpHash, AKeyStaysOrGoesToTheNewBucket) {
  Rng rng(conformance::seed_from_environment());
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t key = rng.u64();
    std::uint32_t before = 0;
    for (std::uint32_t buckets = 2; buckets < 60; ++buckets) {
      const std::uint32_t now = jump_hash(key, buckets);
      ASSERT_TRUE(now == before || now == buckets - 1) << "key " << key << ", " << buckets;
      before = now;
    }
  }
}

TEST(JumpHash, BucketsGetEqualShares) {
  Rng rng(conformance::seed_from_environment());
  for (const std::uint32_t buckets : {1U, 2U, 3U, 17U, 100U}) {
    std::vector<double> hits(buckets);
    for (int i = 0; i < 50'000; ++i) ++hits.at(jump_hash(rng.u64(), buckets));
    const std::vector<double> expected(buckets, 50'000.0 / buckets);
    if (buckets == 1) continue;
    EXPECT_LT(conformance::chi_square(hits, expected), conformance::chi_square_bound(buckets - 1));
  }
}

}  // namespace
}  // namespace evener

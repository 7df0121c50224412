#include "base/huge_vector.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace evener {
namespace {

bool begins_a_huge_page(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) % (std::uintptr_t{2} << 20) == 0;
}

TEST(HugeVector, BeginsAHugePageFromTwoMebibytesOn) {
  HugeVector<std::uint64_t> vector(std::size_t{1} << 18);
  EXPECT_TRUE(begins_a_huge_page(vector.data()));
  HugeVector<std::uint64_t> larger((std::size_t{1} << 18) + 1);
  EXPECT_TRUE(begins_a_huge_page(larger.data()));
}

TEST(HugeVector, KeepsItsValuesWhileItGrowsAndShrinks) {
  HugeVector<std::uint32_t> vector;
  for (std::uint32_t i = 0; i < 2'000'000; ++i) vector.push_back(i);
  vector.resize(1000);
  vector.shrink_to_fit();
  HugeVector<std::uint32_t> copy = vector;
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(copy[i], i);
}

}  // namespace
}  // namespace evener

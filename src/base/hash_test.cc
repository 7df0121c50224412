#include "base/hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>

namespace evener {
namespace {

TEST(Hash, LengthsAndPrefixesDiffer) {
  std::set<std::uint64_t> seen;
  for (std::size_t n = 0; n < 200; ++n) seen.insert(hash64(std::string(n, '\0')));
  for (std::size_t n = 1; n < 200; ++n) seen.insert(hash64(std::string(n, 'a')));
  EXPECT_EQ(seen.size(), 399U);
  EXPECT_NE(hash64("10.0.0.7:8080", 1), hash64("10.0.0.7:8080", 2));
}

TEST(Hash, ManyAddressesDoNotCollide) {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100'000; ++i) {
    seen.insert(hash64("10." + std::to_string(i / 256) + "." + std::to_string(i % 256) + ":80"));
  }
  EXPECT_EQ(seen.size(), 100'000U);
}

TEST(Hash, OneBitFlipsHalfTheBits) {
  for (std::size_t length : {1U, 7U, 8U, 9U, 16U, 17U, 33U}) {
    double flipped = 0;
    double trials = 0;
    for (std::size_t bit = 0; bit < 8 * length; ++bit) {
      std::string text(length, 'x');
      const std::uint64_t before = hash64(text);
      text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
      flipped += std::popcount(before ^ hash64(text));
      trials += 64;
    }
    EXPECT_NEAR(flipped / trials, 0.5, 0.11) << "length " << length;
  }
}

TEST(Hash, ValuesAreFixedForever) {
  // Instances of different releases must agree; a change here is a change of every identity.
  EXPECT_EQ(hash64("evener"), 0xeaabea2d0cf6fe33ULL);
}

}  // namespace
}  // namespace evener

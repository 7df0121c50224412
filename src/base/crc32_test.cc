#include "base/crc32.h"

#include <gtest/gtest.h>

#include <boost/crc.hpp>
#include <string>

#include "evener/rng.h"

namespace evener {
namespace {

TEST(Crc32, AgreesWithAnIndependentOneInOneAndInTwoPieces) {
  Rng rng(11);
  for (std::size_t n = 0; n < 300; ++n) {
    std::string bytes(n, '\0');
    for (char& c : bytes) c = static_cast<char>(rng.below(256));
    boost::crc_32_type expected;
    expected.process_bytes(bytes.data(), bytes.size());
    EXPECT_EQ(crc32(bytes), expected.checksum()) << n << " bytes";
    const std::size_t half = rng.below(n + 1);
    const std::string_view whole = bytes;
    EXPECT_EQ(crc32(whole.substr(half), crc32(whole.substr(0, half))), expected.checksum());
  }
}

TEST(Crc32, HasThePublishedCheckValue) { EXPECT_EQ(crc32("123456789"), 0xcbf4'3926U); }

}  // namespace
}  // namespace evener

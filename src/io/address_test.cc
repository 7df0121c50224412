#include "io/address.h"

#include <gtest/gtest.h>

namespace evener::io {
namespace {

TEST(Address, case_F44_text_survives_the_round_trip) {
  for (const char* text : {"127.0.0.1:80", "0.0.0.0:0", "[::1]:8080", "[2001:db8::1]:65535"}) {
    const auto address = Address::parse(text);
    ASSERT_TRUE(address.has_value()) << text;
    EXPECT_EQ(address->text(), text);
  }
  EXPECT_EQ(Address::parse("[2001:db8::2]:1")->host_text(), "2001:db8::2");
}

TEST(Address, case_F44_bad_text_is_named_in_the_error) {
  for (const char* text :
       {"", "localhost", "1.2.3.4", "::1", "::1:80", "[::1]", "[::1:80", "1.2.3:80",
        "1.2.3.4:", "1.2.3.4:65536", "1.2.3.4:-1", "1.2.3.4:8x", "[1.2.3.4]:80"}) {
    const auto address = Address::parse(text);
    ASSERT_FALSE(address.has_value()) << text;
    EXPECT_NE(address.error().find("expected"), std::string::npos) << address.error();
  }
}

TEST(Address, compares_by_value) {
  EXPECT_EQ(*Address::parse("127.0.0.1:80"), Address::loopback(80));
  EXPECT_NE(*Address::parse("127.0.0.2:80"), Address::loopback(80));
  EXPECT_NE(*Address::parse("[::1]:80"), Address::loopback(80));
  EXPECT_TRUE(Address::parse("[::1]:80")->is_loopback());
  EXPECT_FALSE(Address::parse("10.0.0.1:80")->is_loopback());
}

}  // namespace
}  // namespace evener::io

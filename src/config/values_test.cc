#include "config/values.h"

#include <gtest/gtest.h>

#include <array>

namespace evener::config {
namespace {

TEST(Values, durations) {
  EXPECT_EQ(parse_duration("250ms"), Duration::milliseconds(250));
  EXPECT_EQ(parse_duration("1.5s"), Duration::milliseconds(1500));
  EXPECT_EQ(parse_duration("1m"), Duration::seconds(60));
  EXPECT_EQ(parse_duration("2h"), Duration::seconds(7200));
  EXPECT_EQ(parse_duration("7us"), Duration::microseconds(7));
  EXPECT_EQ(parse_duration("0s"), Duration());
  for (const std::string_view text :
       {"", "s", "-1s", "+1s", "1", "1 s", "1S", "1s ", "1.2.3s", ".5s", "1.s", "1e3s", "nans",
        "infs", "1m30s", "1d", "0x1s", "99999999999999999h"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Values, a_bare_number_is_told_its_units) {
  EXPECT_EQ(parse_duration("5").error(),
            "expected a duration with a unit (ns, us, ms, s, m, h), found `5`: write `5s`");
  EXPECT_TRUE(parse_size("64").error().contains("B, KB, KiB, MB, MiB, GB, GiB"));
}

TEST(Values, sizes) {
  EXPECT_EQ(parse_size("512B"), 512u);
  EXPECT_EQ(parse_size("16KiB"), 16384u);
  EXPECT_EQ(parse_size("64KB"), 64000u);
  EXPECT_EQ(parse_size("1.5MiB"), 1572864u);
  EXPECT_EQ(parse_size("2GiB"), 2147483648u);
  for (const std::string_view text : {"", "KiB", "16", "16kib", "16 KiB", "-1B", "0.3B", "1TB",
                                      "1K", "99999999999999999999GiB"}) {
    EXPECT_FALSE(parse_size(text)) << text;
  }
}

TEST(Values, numbers) {
  EXPECT_EQ(parse_count("0"), 0u);
  EXPECT_EQ(parse_count("18446744073709551615"), 18446744073709551615u);
  for (const std::string_view text :
       {"", "-1", "+1", "1.0", "1e3", "0x1", "18446744073709551616"}) {
    EXPECT_FALSE(parse_count(text)) << text;
  }
  EXPECT_EQ(parse_number("0.5"), 0.5);
  EXPECT_EQ(parse_number("-2"), -2.0);
  for (const std::string_view text : {"", "nan", ".nan", "inf", "-", "1e9", "0x1", "1,5"}) {
    EXPECT_FALSE(parse_number(text)) << text;
  }
}

TEST(Values, case_F44_addresses) {
  EXPECT_EQ(parse_address("10.0.0.7:8080"), (Address{"10.0.0.7", 8080, false}));
  EXPECT_EQ(parse_address("0.0.0.0:0"), (Address{"0.0.0.0", 0, false}));
  EXPECT_EQ(parse_address("[2001:DB8:0::1]:65535"), (Address{"2001:db8::1", 65535, true}));
  EXPECT_EQ(to_string(*parse_address("[::1]:80")), "[::1]:80");
  EXPECT_TRUE(parse_address("::1:80").error().contains("brackets"));
  EXPECT_TRUE(parse_address("10.0.0.7:65536").error().contains("0 to 65535"));
  EXPECT_TRUE(parse_address("localhost:80").error().contains("names are not looked up"));
  for (const std::string_view text :
       {"", ":80", "10.0.0.7", "10.0.0.7:", "10.0.0:80", "10.0.0.256:80", "[::1]", "[::1]80",
        "[::1]x:80", "[::1", "[10.0.0.7]:80", "[fe80::1%eth0]:80", "10.0.0.7:-1", "10.0.0.7: 80",
        "10.0.0.7:0x50", "http://10.0.0.7:80", " 10.0.0.7:80"}) {
    EXPECT_FALSE(parse_address(text)) << text;
  }
}

TEST(Values, host_matches) {
  EXPECT_EQ(parse_host_match("API.example.com"), "api.example.com");
  EXPECT_EQ(parse_host_match("*.Example.com"), "*.example.com");
  EXPECT_EQ(parse_host_match("[::0:1]"), "::1");
  for (const std::string_view text :
       {"", "*", "*.", "a.*", "a:80", "a/b", "a b", "[::1", ".a", "a..b", "\xc3\xa9.example"}) {
    EXPECT_FALSE(parse_host_match(text)) << text;
  }
}

TEST(Values, names) {
  EXPECT_TRUE(parse_name("web-1_a.b"));
  EXPECT_FALSE(parse_name(""));
  EXPECT_FALSE(parse_name("a b"));
  EXPECT_FALSE(parse_name(std::string(65, 'a')));
}

TEST(Values, text_reads_back) {
  for (const std::int64_t ns : {0LL, 1LL, 1500LL, 250'000'000LL, 300'000'000'000LL}) {
    const Duration duration = Duration::nanoseconds(ns);
    EXPECT_EQ(parse_duration(duration_text(duration)), duration);
  }
  for (const std::uint64_t octets : {0ULL, 1ULL, 1023ULL, 65536ULL, 1ULL << 30}) {
    EXPECT_EQ(parse_size(size_text(octets)), octets);
  }
}

TEST(Values, the_nearest_word) {
  constexpr std::array<std::string_view, 3> kWords = {"endpoints", "policy", "timeouts"};
  EXPECT_EQ(nearest("endpoint", kWords), "endpoints");
  EXPECT_EQ(nearest("timeout", kWords), "timeouts");
  EXPECT_EQ(nearest("polcy", kWords), "policy");
  EXPECT_EQ(nearest("backend", kWords), "");
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

}  // namespace
}  // namespace evener::config

#include "http/retry_after.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evener::http {
namespace {

Duration asked(std::vector<Field> fields) {
  Head head;
  head.fields = fields;
  return retry_after(head);
}

Field field(std::string_view name, std::string_view value) {
  Field out;
  out.name = name;
  out.value = value;
  return out;
}

constexpr std::string_view kDate = "Mon, 30 Nov 2026 23:59:30 GMT";

TEST(RetryAfter, accept_T24_SecondsAndDates) {
  EXPECT_EQ(asked({field("Retry-After", "120")}), Duration::seconds(120));
  EXPECT_EQ(asked({field("RETRY-AFTER", " 7 ")}), Duration::seconds(7));
  EXPECT_EQ(asked({field("Date", kDate), field("Retry-After", "Tue, 01 Dec 2026 00:00:10 GMT")}),
            Duration::seconds(40));
  EXPECT_EQ(asked({field("retry-after", "999999999999")}), Duration::seconds(86'400));
}

TEST(RetryAfter, WhatIsNotOneAsksForNothing) {
  for (const std::string_view value :
       {"", "-1", "+5", "1.5", "5 s", "0x5", "99999999999999999999", "soon",
        "Tue, 01 Dec 2026 00:00:10 CET", "Tue, 31 Feb 2026 00:00:10 GMT",
        "Tue, 01 anF 2026 00:00:10 GMT", "Tuesday, 01-Dec-26 00:00:10 GMT",
        "Tue, 01 Dec 2026 24:00:10 GMT"}) {
    EXPECT_EQ(asked({field("Date", kDate), field("Retry-After", value)}), Duration()) << value;
  }
  EXPECT_EQ(asked({}), Duration());
  EXPECT_EQ(asked({field("Retry-After", "5"), field("Retry-After", "5")}), Duration());
  EXPECT_EQ(asked({field("Retry-After", "Tue, 01 Dec 2026 00:00:10 GMT")}), Duration())
      << "no Date to reckon from";
  EXPECT_EQ(asked({field("Date", kDate), field("Retry-After", "Sun, 29 Nov 2026 00:00:10 GMT")}),
            Duration())
      << "in the past";
}

}  // namespace
}  // namespace evener::http

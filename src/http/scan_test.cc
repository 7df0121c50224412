#include "http/scan.h"

#include <gtest/gtest.h>

#include <string>

#include "http/transcript.h"

namespace evener::http {
namespace {

using Skip = const char* (*)(const char*, const char*);

// Every octet at every place of strings around the sizes of a block, in an exact heap block so that
// reading behind the end is seen by AddressSanitizer.
void expect_like_the_table(Skip skip, CharClass wanted) {
  for (std::size_t size = 0; size <= 35; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (int octet = 0; octet < 256; ++octet) {
        std::vector<char> text(size, 'a');
        text[at] = static_cast<char>(octet);
        const char* const end = text.data() + size;
        ASSERT_EQ(skip(text.data(), end), skip_class(text.data(), end, wanted))
            << "octet " << octet << " at " << at << " of " << size;
      }
    }
  }
}

TEST(Scan, texts_end_where_the_table_says) { expect_like_the_table(skip_text, kTextChar); }
TEST(Scan, targets_end_where_the_table_says) { expect_like_the_table(skip_target, kTargetChar); }
TEST(Scan, names_end_where_the_table_says) { expect_like_the_table(skip_plain, kPlainChar); }

// A line read at once and a line put together from pieces take different ways through the parser.
TEST(Scan, any_octet_in_a_field_line_reads_the_same_whole_and_cut) {
  const std::string line = "X-Some-Longer_Name:  a value of some length, \"quoted\" \r\n";
  for (std::size_t at = 0; at < line.size(); ++at) {
    for (int octet = 0; octet < 256; ++octet) {
      std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n" + line + "\r\n";
      const std::size_t place = bytes.size() - line.size() - 2 + at;
      bytes[place] = static_cast<char>(octet);
      const TranscriptInput input{.role = Role::kRequest, .bytes = bytes};
      ASSERT_EQ(transcribe(input).text(), transcribe(input, {place}).text())
          << "octet " << octet << " at " << at;
      ASSERT_NE(transcribe(input).error, ParseError::kParserDisagreement);
    }
  }
}

TEST(Scan, a_parser_takes_the_memory_that_the_last_message_gave_back) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "the free list is off under AddressSanitizer";
#endif
#endif
  const std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  Parser parser(Role::kRequest);
  ASSERT_EQ(parser.feed(bytes).event, Event::kHead);
  const Field* const before = parser.head().fields.data();
  parser.reset();
  ASSERT_EQ(parser.feed(bytes).event, Event::kHead);
  EXPECT_EQ(parser.head().fields.data(), before);
}

TEST(Scan, more_fields_than_there_is_room_for_are_kept) {
  std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 100; ++i)
    bytes += "F" + std::to_string(i) + ": " + std::to_string(i) + "\r\n";
  bytes += "\r\n";
  Parser parser(Role::kRequest);
  ASSERT_EQ(parser.feed(bytes).event, Event::kHead);
  const std::span<const Field> fields = parser.head().fields;
  ASSERT_EQ(fields.size(), 101u);
  for (std::size_t i = 1; i < fields.size(); ++i) {
    EXPECT_EQ(fields[i].name, "F" + std::to_string(i - 1));
    EXPECT_EQ(fields[i].value, std::to_string(i - 1));
  }
}

}  // namespace
}  // namespace evener::http

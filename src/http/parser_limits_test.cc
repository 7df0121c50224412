// Each limit at limit - 1, limit and limit + 1, whole and octet by octet.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "http/transcript.h"

namespace evener::http {
namespace {

ParseError outcome(const std::string& bytes, const ParserLimits& limits) {
  const TranscriptInput input{.bytes = bytes, .limits = limits};
  const Transcript whole = transcribe(input);
  std::vector<std::size_t> cuts(bytes.size());
  std::iota(cuts.begin(), cuts.end(), std::size_t{0});
  EXPECT_EQ(whole.text(), transcribe(input, cuts).text());
  return whole.error;
}

// `make(n)` gives a message with n units of what is limited to `limit`.
template <typename Make>
void expect_limit(std::size_t limit, const ParserLimits& limits, ParseError error, Make make) {
  EXPECT_EQ(outcome(make(limit - 1), limits), ParseError::kNone);
  EXPECT_EQ(outcome(make(limit), limits), ParseError::kNone);
  EXPECT_EQ(outcome(make(limit + 1), limits), error);
  EXPECT_EQ(outcome(make(limit + 1000), limits), error);
}

TEST(Limits, case_F40_head_octets) {
  const ParserLimits limits{.head_bytes = 200};
  expect_limit(200, limits, ParseError::kHeadTooLarge, [](std::size_t n) {
    const std::string start = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
    return start + std::string(n - start.size() - 4, 'x') + "\r\n\r\n";
  });
}

TEST(Limits, case_F40_head_octets_by_default) {
  expect_limit(65536, {}, ParseError::kHeadTooLarge, [](std::size_t n) {
    const std::string start = "GET / HTTP/1.1\r\nHost: a\r\nX: ";
    return start + std::string(n - start.size() - 4, 'x') + "\r\n\r\n";
  });
}

TEST(Limits, target_octets) {
  const ParserLimits limits{.target_bytes = 100};
  expect_limit(100, limits, ParseError::kTargetTooLong, [](std::size_t n) {
    return "GET /" + std::string(n - 1, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n";
  });
}

TEST(Limits, a_start_line_over_the_whole_head_limit_is_a_long_target) {
  EXPECT_EQ(outcome("GET /" + std::string(500, 'x'), {.head_bytes = 200}),
            ParseError::kTargetTooLong);
}

TEST(Limits, case_F40_field_count) {
  const ParserLimits limits{.field_count = 20};
  expect_limit(20, limits, ParseError::kTooManyFields, [](std::size_t n) {
    std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n";
    for (std::size_t i = 1; i < n; ++i) bytes += "X: y\r\n";
    return bytes + "\r\n";
  });
}

TEST(Limits, trailer_octets) {
  const ParserLimits limits{.trailer_bytes = 50};
  expect_limit(50, limits, ParseError::kTrailersTooLarge, [](std::size_t n) {
    return "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: " +
           std::string(n - 7, 'x') + "\r\n\r\n";
  });
}

TEST(Limits, trailer_count) {
  const ParserLimits limits{.field_count = 10};
  expect_limit(10, limits, ParseError::kTooManyFields, [](std::size_t n) {
    std::string bytes = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n";
    for (std::size_t i = 0; i < n; ++i) bytes += "X: y\r\n";
    return bytes + "\r\n";
  });
}

TEST(Limits, chunk_extension_octets_of_each_chunk) {
  const ParserLimits limits{.chunk_extension_bytes = 30};
  expect_limit(30, limits, ParseError::kChunkExtensionTooLarge, [](std::size_t n) {
    const std::string extension = ";" + std::string(n - 1, 'x');
    return "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1" + extension +
           "\r\na\r\n1" + extension + "\r\nb\r\n0\r\n\r\n";
  });
}

TEST(Limits, chunk_size_digits) {
  const auto with_digits = [](std::size_t n) {
    return "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
           std::string(n - 1, '0') + "1\r\na\r\n0\r\n\r\n";
  };
  EXPECT_EQ(outcome(with_digits(15), {}), ParseError::kNone);
  EXPECT_EQ(outcome(with_digits(16), {}), ParseError::kBadChunk);
}

}  // namespace
}  // namespace evener::http

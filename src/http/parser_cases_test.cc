// The table of messages that must be refused, and with which word. Each runs whole and octet by
// octet.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "http/transcript.h"

namespace evener::http {
namespace {

using enum ParseError;

struct BadCase {
  const char* name;
  Role role;
  std::string bytes;
  ParseError error;
};

constexpr Role kReq = Role::kRequest;
constexpr Role kRes = Role::kResponse;

std::string get(const std::string& fields) {
  return "GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}
std::string post(const std::string& fields, const std::string& body = "") {
  return "POST / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" + body;
}
std::string ok(const std::string& fields, const std::string& body = "") {
  return "HTTP/1.1 200 OK\r\n" + fields + "\r\n" + body;
}
std::string chunked(const std::string& body) {
  return post("Transfer-Encoding: chunked\r\n", body);
}
std::string with_nul(std::string text) {
  for (char& c : text) {
    if (c == '\x01') c = '\0';
  }
  return text;
}

const std::vector<BadCase> kBadCases = {
    // Content-Length
    {"case_F26_twice_equal", kReq, post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"),
     kBadContentLength},
    {"case_F26_list_equal", kReq, post("Content-Length: 5, 5\r\n", "hello"), kBadContentLength},
    {"case_F26_twice_different", kReq, post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello"),
     kBadContentLength},
    {"case_F26_plus", kReq, post("Content-Length: +5\r\n", "hello"), kBadContentLength},
    {"case_F26_minus", kReq, post("Content-Length: -5\r\n", "hello"), kBadContentLength},
    {"case_F26_hex", kReq, post("Content-Length: 0x5\r\n", "hello"), kBadContentLength},
    {"case_F26_space_inside", kReq, post("Content-Length: 5 5\r\n", "hello"), kBadContentLength},
    {"case_F26_empty", kReq, post("Content-Length:\r\n", "hello"), kBadContentLength},
    {"case_F26_tab_behind", kReq, post("Content-Length: 5\t\r\n", "hello"), kBadHeaderValue},
    {"case_F26_20_digits", kReq, post("Content-Length: 18446744073709551621\r\n"),
     kBadContentLength},
    {"case_F26_over_63_bits", kReq, post("Content-Length: 9223372036854775808\r\n"),
     kBadContentLength},
    {"case_F26_response_twice_different", kRes,
     ok("Content-Length: 5\r\nContent-Length: 6\r\n", "hello"), kBadContentLength},
    {"case_F26_response_twice_equal", kRes, ok("Content-Length: 0\r\nContent-Length: 0\r\n"),
     kBadContentLength},
    {"case_F26_response_empty", kRes, ok("Content-Length:\r\n"), kBadContentLength},
    // Transfer-Encoding
    {"case_F27_http10_with_coding", kReq,
     "POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     kBadTransferEncoding},
    {"case_F27_http10_response_with_coding", kRes,
     "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", kBadTransferEncoding},
    {"case_F27_response_cut_short", kRes, ok("Content-Length: 10\r\n", "hello"), kTruncated},
    {"case_F27_chunked_without_last_chunk", kRes,
     ok("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n"), kTruncated},
    {"smuggling_length_and_coding", kReq,
     post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), kLengthAndCoding},
    {"smuggling_coding_and_length", kRes,
     ok("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"), kLengthAndCoding},
    {"smuggling_length_and_identity", kReq,
     post("Content-Length: 5\r\nTransfer-Encoding: identity\r\n", "hello"), kLengthAndCoding},
    {"coding_twice", kReq,
     post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
     kBadTransferEncoding},
    {"coding_chunked_chunked", kReq, post("Transfer-Encoding: chunked, chunked\r\n"),
     kBadTransferEncoding},
    {"coding_empty", kReq, post("Transfer-Encoding:\r\n"), kBadTransferEncoding},
    {"coding_leading_comma", kReq, post("Transfer-Encoding: , chunked\r\n"), kBadTransferEncoding},
    {"coding_gzip_chunked", kReq, post("Transfer-Encoding: gzip, chunked\r\n"), kUnsupportedCoding},
    {"coding_chunked_not_last", kReq, post("Transfer-Encoding: chunked, gzip\r\n"),
     kUnsupportedCoding},
    {"coding_identity", kReq, post("Transfer-Encoding: identity\r\n"), kUnsupportedCoding},
    {"coding_xchunked", kReq, post("Transfer-Encoding: xchunked\r\n"), kUnsupportedCoding},
    {"coding_with_parameter", kReq, post("Transfer-Encoding: chunked;q=1\r\n"), kUnsupportedCoding},
    {"coding_quoted", kReq, post("Transfer-Encoding: \"chunked\"\r\n"), kUnsupportedCoding},
    {"coding_vertical_tab", kReq,
     post("Transfer-Encoding: \x0b"
          "chunked\r\n"),
     kBadHeaderValue},
    {"coding_space_before_colon", kReq, post("Transfer-Encoding : chunked\r\n"), kSpaceBeforeColon},
    {"coding_tab_before_colon", kReq, post("Transfer-Encoding\t: chunked\r\n"), kSpaceBeforeColon},
    {"response_gzip_only", kRes, ok("Transfer-Encoding: gzip\r\n"), kUnsupportedCoding},
    // Host and target
    {"case_F36_no_host", kReq, "GET / HTTP/1.1\r\n\r\n", kMissingHost},
    {"case_F36_no_host_absolute", kReq, "GET http://b.example/x HTTP/1.1\r\n\r\n", kMissingHost},
    {"case_F36_two_hosts", kReq, "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", kDuplicateHost},
    {"case_F36_two_hosts_http10", kReq, "GET / HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n",
     kDuplicateHost},
    {"case_F36_userinfo", kReq, "GET http://u:p@b.example/x HTTP/1.1\r\nHost: b.example\r\n\r\n",
     kBadTarget},
    {"case_F36_empty_host", kReq, "GET / HTTP/1.1\r\nHost:\r\n\r\n", kBadHost},
    {"case_F36_host_list", kReq, "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", kBadHost},
    {"case_F36_host_with_path", kReq, "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", kBadHost},
    {"case_F36_bad_host_beside_absolute", kReq,
     "GET http://b.example/ HTTP/1.1\r\nHost: a b\r\n\r\n", kBadHost},
    {"case_F44_name_in_brackets", kReq, "GET / HTTP/1.1\r\nHost: [example.test]\r\n\r\n", kBadHost},
    {"case_F44_open_bracket", kReq, "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", kBadHost},
    {"case_F44_no_brackets", kReq, "GET / HTTP/1.1\r\nHost: 2001:db8::1\r\n\r\n", kBadHost},
    {"case_F44_bad_literal_in_target", kReq, "GET http://[::1/ HTTP/1.1\r\nHost: a\r\n\r\n",
     kBadTarget},
    {"target_other_scheme", kReq, "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", kBadTarget},
    {"target_relative", kReq, "GET a HTTP/1.1\r\nHost: a\r\n\r\n", kBadTarget},
    {"target_asterisk_for_get", kReq, "GET * HTTP/1.1\r\nHost: a\r\n\r\n", kBadTarget},
    {"target_fragment", kReq, "GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", kBadTarget},
    {"target_high_octet", kReq, "GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n", kBadTarget},
    {"target_nul", kReq, with_nul("GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n"), kBadTarget},
    {"target_tab", kReq, "GET /a\tb HTTP/1.1\r\nHost: a\r\n\r\n", kBadTarget},
    {"target_space", kReq, "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", kBadStartLine},
    {"target_empty", kReq, "GET  HTTP/1.1\r\nHost: a\r\n\r\n", kBadStartLine},
    {"target_delete_octet", kReq, "GET /\x7f HTTP/1.1\r\nHost: a\r\n\r\n", kBadTarget},
    {"connect", kReq, "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", kConnectNotSupported},
    // Start line
    {"http09", kReq, "GET /\r\n\r\n", kBadStartLine},
    {"http2_preface", kReq, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", kUnsupportedVersion},
    {"http12", kReq, "GET / HTTP/1.2\r\nHost: a\r\n\r\n", kUnsupportedVersion},
    {"http_lower_case", kReq, "GET / http/1.1\r\nHost: a\r\n\r\n", kBadStartLine},
    {"http_long_version", kReq, "GET / HTTP/1.10\r\nHost: a\r\n\r\n", kBadStartLine},
    {"http_trailing_space", kReq, "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", kBadStartLine},
    {"two_spaces_before_version", kReq, "GET /  HTTP/1.1\r\nHost: a\r\n\r\n", kBadStartLine},
    {"tabs_in_request_line", kReq, "GET\t/\tHTTP/1.1\r\nHost: a\r\n\r\n", kBadMethod},
    {"leading_space", kReq, " GET / HTTP/1.1\r\nHost: a\r\n\r\n", kBadMethod},
    {"method_with_colon", kReq, "GE:T / HTTP/1.1\r\nHost: a\r\n\r\n", kBadMethod},
    {"tls_client_hello", kReq, with_nul("\x16\x03\x01\x02"), kBadMethod},
    {"too_many_empty_lines", kReq, "\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
     kBadStartLine},
    {"leading_bare_lf", kReq, "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", kBareLf},
    {"leading_bare_cr", kReq, "\rGET / HTTP/1.1\r\nHost: a\r\n\r\n", kBareCr},
    {"status_two_digits", kRes, "HTTP/1.1 20 OK\r\n\r\n", kBadStatus},
    {"status_four_digits", kRes, "HTTP/1.1 2000 OK\r\n\r\n", kBadStatus},
    {"status_zero", kRes, "HTTP/1.1 099 OK\r\n\r\n", kBadStatus},
    {"status_letters", kRes, "HTTP/1.1 2x0 OK\r\n\r\n", kBadStatus},
    {"status_two_spaces", kRes, "HTTP/1.1  200 OK\r\n\r\n", kBadStatus},
    {"status_none", kRes, "HTTP/1.1\r\n\r\n", kBadStartLine},
    {"status_other_protocol", kRes, "ICY 200 OK\r\n\r\n", kBadStartLine},
    {"status_version", kRes, "HTTP/2.0 200 OK\r\n\r\n", kUnsupportedVersion},
    {"status_reason_control", kRes, "HTTP/1.1 200 O\x02K\r\n\r\n", kBadStartLine},
    {"status_leading_crlf", kRes, "\r\nHTTP/1.1 200 OK\r\n\r\n", kBadStartLine},
    // Lines and fields
    {"case_F41_host_folded", kReq, "GET / HTTP/1.1\r\nHost: ex\r\n\tample.test\r\n\r\n", kObsFold},
    {"case_F41_length_folded", kReq, post("Content-Length:\r\n 5\r\n", "hello"), kObsFold},
    {"case_F41_blank_line_in_response", kRes, ok("A: b\r\n \t\r\nC: d\r\n"), kObsFold},
    {"case_F41_line_begins_with_vertical_tab", kReq,
     get("A: b\r\n\x0b"
         "C: d\r\n"),
     kBadHeaderName},
    {"case_F41_bare_cr_in_value", kReq, get("A: b\rc\r\n"), kBareCr},
    {"case_F41_bare_cr_in_value_response", kRes, ok("A: b\rContent-Length: 5\r\n"), kBareCr},
    {"case_F41_first_line_folded", kReq, "GET / HTTP/1.1\r\n Host: a\r\n\r\n", kObsFold},
    {"bare_lf_start_line", kReq, "GET / HTTP/1.1\nHost: a\r\n\r\n", kBareLf},
    {"bare_lf_field", kReq, "GET / HTTP/1.1\r\nHost: a\n\r\n", kBareLf},
    {"bare_lf_end", kReq, "GET / HTTP/1.1\r\nHost: a\r\n\n", kBareLf},
    {"cr_cr_lf", kReq, get("A: b\r\r\n"), kBareCr},
    {"name_empty", kReq, get(": b\r\n"), kBadHeaderName},
    {"name_no_colon", kReq, get("abc\r\n"), kBadHeaderName},
    {"name_with_space", kReq, get("a b: c\r\n"), kBadHeaderName},
    {"name_with_nul", kReq, with_nul(get("a\x01: c\r\n")), kBadHeaderName},
    {"name_high_octet", kReq, get("a\xff: c\r\n"), kBadHeaderName},
    {"name_with_cr", kReq, get("a\r: c\r\n"), kBadHeaderName},
    {"name_quoted", kReq, get("\"a\": c\r\n"), kBadHeaderName},
    {"value_nul", kReq,
     with_nul(get("a: b\x01"
                  "c\r\n")),
     kBadHeaderValue},
    {"value_delete", kReq, get("a: b\x7f\r\n"), kBadHeaderValue},
    {"value_escape", kRes, ok("a: \x1b[0m\r\n"), kBadHeaderValue},
    {"value_form_feed", kReq,
     get("a: \x0c"
         "b\r\n"),
     kBadHeaderValue},
    // Chunks
    {"chunk_size_empty", kReq, chunked("\r\nhello"), kBadChunk},
    {"chunk_size_sign", kReq, chunked("+5\r\nhello\r\n0\r\n\r\n"), kBadChunk},
    {"chunk_size_0x", kReq, chunked("0x5\r\nhello\r\n0\r\n\r\n"), kBadChunk},
    {"chunk_size_leading_space", kReq, chunked(" 5\r\nhello\r\n0\r\n\r\n"), kBadChunk},
    {"chunk_size_trailing_space", kReq, chunked("5 \r\nhello\r\n0\r\n\r\n"), kBadChunk},
    {"chunk_size_overflow", kReq, chunked("10000000000000005\r\nhello\r\n"), kBadChunk},
    {"chunk_size_bare_lf", kReq, chunked("5\nhello\r\n0\r\n\r\n"), kBadChunk},
    {"chunk_size_bare_cr", kReq, chunked("5\rhello\r\n0\r\n\r\n"), kBareCr},
    {"chunk_size_underscore", kReq, chunked("5_0\r\nhello"), kBadChunk},
    {"chunk_data_too_long", kReq, chunked("5\r\nhello!\r\n0\r\n\r\n"), kBadChunk},
    {"chunk_data_bare_lf", kReq, chunked("5\r\nhello\n0\r\n\r\n"), kBadChunk},
    {"chunk_extension_lf", kReq, chunked("5;a\nhello\r\n0\r\n\r\n"), kBadChunk},
    {"chunk_extension_cr", kReq, chunked("5;a\rb\r\nhello\r\n0\r\n\r\n"), kBareCr},
    {"chunk_extension_open_quote", kReq, chunked("5;a=\"b\r\nhello\r\n0\r\n\r\n"), kBadChunk},
    {"chunk_extension_escaped_quote", kReq, chunked("5;a=\"b\\\"\r\nhello\r\n0\r\n\r\n"),
     kBadChunk},
    {"chunk_extension_nul", kReq, with_nul(chunked("5;a\x01\r\nhello\r\n0\r\n\r\n")), kBadChunk},
    {"trailer_length", kReq, chunked("0\r\nContent-Length: 5\r\n\r\n"), kBadTrailer},
    {"trailer_coding", kReq, chunked("0\r\nTransfer-Encoding: chunked\r\n\r\n"), kBadTrailer},
    {"trailer_host", kReq, chunked("0\r\nHost: b\r\n\r\n"), kBadTrailer},
    {"trailer_folded", kReq, chunked("0\r\nA: b\r\n c\r\n\r\n"), kObsFold},
    {"trailer_bare_lf", kReq, chunked("0\r\nA: b\n\r\n"), kBareLf},
    {"trailer_bad_name", kReq, chunked("0\r\nA b\r\n\r\n"), kBadHeaderName},
    // Ends
    {"cut_in_start_line", kReq, "GET / HT", kTruncated},
    {"cut_in_field", kReq, "GET / HTTP/1.1\r\nHo", kTruncated},
    {"cut_in_body", kReq, post("Content-Length: 5\r\n", "hell"), kTruncated},
    {"cut_in_trailers", kReq, chunked("0\r\nA: b\r\n"), kTruncated},
    {"case_F42_bad_third_request", kReq, get("") + post("Content-Length: 3\r\n", "abc") + "BAD\r\n",
     kBadStartLine},
};

class Refused : public testing::TestWithParam<BadCase> {};

TEST_P(Refused, whole_and_octet_by_octet) {
  const BadCase& c = GetParam();
  const TranscriptInput input{.role = c.role, .bytes = c.bytes};
  const Transcript whole = transcribe(input);
  EXPECT_EQ(reason_for(whole.error), reason_for(c.error)) << whole.text();
  std::vector<std::size_t> cuts(c.bytes.size());
  std::iota(cuts.begin(), cuts.end(), std::size_t{0});
  EXPECT_EQ(transcribe(input, cuts).text(), whole.text());
}

INSTANTIATE_TEST_SUITE_P(Http, Refused, testing::ValuesIn(kBadCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Refused, case_F42_two_good_requests_come_before_the_bad_third) {
  const std::string bytes = get("") + post("Content-Length: 3\r\n", "abc") + "BAD\r\n";
  const Transcript all = transcribe({.bytes = bytes});
  ASSERT_EQ(all.messages.size(), 2u);
  EXPECT_TRUE(all.messages[1].complete);
  EXPECT_EQ(all.messages[1].body, "abc");
}

TEST(Refused, every_error_has_a_word_and_a_status) {
  for (int i = 1; i <= static_cast<int>(kParserDisagreement); ++i) {
    const auto error = static_cast<ParseError>(i);
    EXPECT_NE(reason_for(error), "unknown") << i;
    const int status = status_for(error);
    EXPECT_TRUE(status == 400 || status == 414 || status == 431 || status == 501 || status == 505);
  }
}

}  // namespace
}  // namespace evener::http

#include "http/parser.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "http/fields.h"
#include "http/transcript.h"

namespace evener::http {
namespace {

TranscriptMessage only(const TranscriptInput& input) {
  const Transcript all = transcribe(input);
  EXPECT_EQ(all.error, ParseError::kNone) << all.text();
  EXPECT_EQ(all.messages.size(), 1u) << all.text();
  return all.messages.empty() ? TranscriptMessage{} : all.messages.front();
}

TranscriptMessage request(std::string_view bytes) { return only({.bytes = bytes}); }
TranscriptMessage response(std::string_view bytes, Method to = Method::kGet) {
  return only({.role = Role::kResponse, .bytes = bytes, .request_method = to});
}

// A head from bytes that stay where they are.
class Held {
 public:
  explicit Held(std::string bytes, Role role = Role::kRequest)
      : bytes_(std::move(bytes)), parser_(role) {
    step_ = parser_.feed(bytes_);
  }
  const Head& head() const { return parser_.head(); }
  const std::string& bytes() const { return bytes_; }
  Step step() const { return step_; }
  Parser& parser() { return parser_; }

 private:
  std::string bytes_;
  Parser parser_;
  Step step_;
};

TEST(Parser, reads_a_request) {
  const Held held("GET /a?b HTTP/1.1\r\nHost: a.example\r\nAccept: \t */* \r\nEmpty:\r\n\r\n");
  const Head& head = held.head();
  EXPECT_EQ(held.step().event, Event::kHead);
  EXPECT_EQ(held.step().consumed, held.bytes().size());
  EXPECT_EQ(head.method, Method::kGet);
  EXPECT_EQ(head.target, "/a?b");
  EXPECT_EQ(head.path, "/a?b");
  EXPECT_EQ(head.authority, "a.example");
  EXPECT_EQ(head.version, Version::k11);
  ASSERT_EQ(head.fields.size(), 3u);
  EXPECT_EQ(head.fields[0].id, FieldId::kHost);
  EXPECT_EQ(head.fields[1].name, "Accept");
  EXPECT_EQ(head.fields[1].value, "*/*");
  EXPECT_EQ(head.fields[2].value, "");
  EXPECT_EQ(head.framing, Framing::kNone);
  EXPECT_TRUE(head.keep_alive);
}

TEST(Parser, whole_head_is_not_copied) {
  const Held held("GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n");
  const char* begin = held.bytes().data();
  EXPECT_EQ(held.head().target.data(), begin + 4);
  EXPECT_EQ(held.head().fields[0].value.data(), begin + 23);
}

TEST(Parser, body_pieces_are_not_copied) {
  Held held("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nabcd");
  const std::span<const char> rest = std::span(held.bytes()).subspan(held.step().consumed);
  const Step step = held.parser().feed(rest);
  EXPECT_EQ(step.event, Event::kBody);
  EXPECT_EQ(step.body.data(), rest.data());
  EXPECT_EQ(step.body.size(), 4u);
  EXPECT_EQ(held.parser().feed({}).event, Event::kEnd);
}

TEST(Parser, unknown_methods_pass_as_text) {
  const Held held("FROB-1 / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(held.head().method, Method::kOther);
  EXPECT_EQ(held.head().method_text, "FROB-1");
}

TEST(Parser, empty_lines_before_a_request_are_skipped) {
  Parser parser(Role::kRequest);
  EXPECT_TRUE(parser.at_start());
  EXPECT_EQ(parser.feed(std::string_view("\r\n\r")).event, Event::kNeedMore);
  EXPECT_TRUE(parser.at_start());
  EXPECT_EQ(parser.feed(std::string_view("\nG")).event, Event::kNeedMore);
  EXPECT_FALSE(parser.at_start());
}

TEST(Parser, an_end_before_any_byte_is_clean) {
  Parser parser(Role::kResponse);
  EXPECT_EQ(parser.finish().event, Event::kNeedMore);
  parser.feed(std::string_view("H"));
  EXPECT_EQ(parser.finish().event, Event::kError);
  EXPECT_EQ(parser.error(), ParseError::kTruncated);
}

TEST(Parser, an_idle_parser_is_small) { EXPECT_LE(sizeof(Parser), 96u); }

TEST(Parser, a_moved_parser_goes_on) {
  Parser first(Role::kRequest);
  first.feed(std::string_view("GET /x HTTP/1.1\r\nHos"));
  Parser second = std::move(first);
  ASSERT_EQ(second.feed(std::string_view("t: a\r\n\r\n")).event, Event::kHead);
  EXPECT_EQ(second.head().target, "/x");
  Parser third = std::move(second);
  EXPECT_EQ(third.head().target, "/x");
}

TEST(Parser, case_F36_the_target_names_the_authority) {
  const auto m = request("GET http://b.example/x HTTP/1.1\r\nHost: a.example\r\n\r\n");
  EXPECT_EQ(m.authority, "b.example");
  EXPECT_EQ(m.path, "/x");
  EXPECT_EQ(m.target, "http://b.example/x");
}

TEST(Parser, case_F36_absolute_forms_without_a_path) {
  EXPECT_EQ(request("GET HTTP://b:81 HTTP/1.1\r\nHost: a\r\n\r\n").path, "/");
  EXPECT_EQ(request("GET https://b?q=/ HTTP/1.1\r\nHost: a\r\n\r\n").path, "/?q=/");
  EXPECT_EQ(request("OPTIONS http://b HTTP/1.1\r\nHost: a\r\n\r\n").path, "*");
  EXPECT_EQ(request("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").path, "*");
}

TEST(Parser, case_F36_http10_needs_no_host) {
  const auto m = request("GET / HTTP/1.0\r\n\r\n");
  EXPECT_EQ(m.authority, "");
  EXPECT_FALSE(m.keep_alive);
}

TEST(Parser, case_F38_targets_are_kept_octet_for_octet) {
  for (const std::string_view target :
       {"/a%2Fb", "/a%2fb", "/img/https://c.example/x.jpg", "//t/?q", "/p?x=/../", "/%E0%A4",
        "/a/./b", "/a|{b}\"<>^`\\", "/?", "/a;b=c,d"}) {
    const std::string bytes = "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n";
    EXPECT_EQ(request(bytes).path, target);
  }
}

TEST(Parser, case_F44_literals_with_brackets) {
  EXPECT_EQ(request("GET / HTTP/1.1\r\nHost: [2001:db8::1]\r\n\r\n").authority, "[2001:db8::1]");
  EXPECT_EQ(request("GET http://[::1]:8080/ HTTP/1.1\r\nHost: a\r\n\r\n").authority, "[::1]:8080");
}

TEST(Parser, keep_alive_by_version_and_connection) {
  const auto alive = [](std::string_view version, std::string_view connection) {
    return request("GET / " + std::string(version) + "\r\nHost: a\r\n" + std::string(connection) +
                   "\r\n")
        .keep_alive;
  };
  EXPECT_TRUE(alive("HTTP/1.1", ""));
  EXPECT_FALSE(alive("HTTP/1.1", "Connection: close\r\n"));
  EXPECT_FALSE(alive("HTTP/1.1", "Connection: x, CLOSE\r\n"));
  EXPECT_FALSE(alive("HTTP/1.1", "Connection: x\r\nConnection: close\r\n"));
  EXPECT_FALSE(alive("HTTP/1.0", ""));
  EXPECT_TRUE(alive("HTTP/1.0", "Connection: Keep-Alive\r\n"));
  EXPECT_FALSE(alive("HTTP/1.0", "Connection: keep-alive, close\r\n"));
}

TEST(Parser, case_F34_an_upgrade_stays_an_ordinary_message) {
  const std::string fields = "Host: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n";
  const Transcript all = transcribe({.bytes = "POST / HTTP/1.1\r\n" + fields +
                                              "Content-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\n" +
                                              fields + "\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"});
  ASSERT_EQ(all.messages.size(), 3u) << all.text();
  EXPECT_EQ(all.messages[0].body, "abc");
  EXPECT_TRUE(all.messages[0].head.contains(" upgrade"));
  EXPECT_EQ(all.messages[2].path, "/2");
}

TEST(Parser, case_F34_upgrade_needs_connection_upgrade) {
  EXPECT_FALSE(Held("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x\r\n\r\n").head().upgrade_requested);
  EXPECT_FALSE(
      Held("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\n\r\n").head().upgrade_requested);
  EXPECT_TRUE(Held("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
                  .head()
                  .upgrade_requested);
}

TEST(Parser, case_F22_expectation_only_with_a_body_and_http11) {
  const auto expects = [](std::string_view start, std::string_view fields) {
    return Held(std::string(start) + "\r\nHost: a\r\nExpect: 100-Continue\r\n" +
                std::string(fields) + "\r\n")
        .head()
        .expect_continue;
  };
  EXPECT_TRUE(expects("PUT / HTTP/1.1", "Content-Length: 4\r\n"));
  EXPECT_TRUE(expects("PUT / HTTP/1.1", "Transfer-Encoding: chunked\r\n"));
  EXPECT_FALSE(expects("PUT / HTTP/1.1", "Content-Length: 0\r\n"));
  EXPECT_FALSE(expects("PUT / HTTP/1.1", ""));
  EXPECT_FALSE(expects("PUT / HTTP/1.0", "Content-Length: 4\r\n"));
}

TEST(Parser, case_F29_te_trailers) {
  EXPECT_TRUE(Held("GET / HTTP/1.1\r\nHost: a\r\nTE: gzip, trailers\r\n\r\n").head().te_trailers);
  EXPECT_FALSE(Held("GET / HTTP/1.1\r\nHost: a\r\nTE: gzip\r\n\r\n").head().te_trailers);
}

TEST(Parser, chunks_extensions_and_trailers) {
  const auto m = request(
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "5;a=\"b\"\r\nhello\r\n00A ; x \r\n, world!!!\r\n0\r\nX: 1\r\nY:\r\n\r\n");
  EXPECT_EQ(m.framing, Framing::kChunked);
  EXPECT_EQ(m.body, "hello, world!!!");
  ASSERT_EQ(m.trailers.size(), 2u);
  EXPECT_EQ(m.trailers[0], (std::pair<std::string, std::string>("X", "1")));
}

TEST(Parser, case_F27_a_body_until_close) {
  const auto m = response("HTTP/1.0 200\r\nServer: x\r\n\r\nabc");
  EXPECT_EQ(m.framing, Framing::kUntilClose);
  EXPECT_EQ(m.body, "abc");
  EXPECT_TRUE(m.complete);
  EXPECT_FALSE(m.keep_alive);
  EXPECT_FALSE(response("HTTP/1.1 200 OK\r\n\r\n").keep_alive);
}

TEST(Parser, responses_without_a_body) {
  for (const char* status : {"204 No Content", "304 Not Modified"}) {
    const Transcript all = transcribe({.role = Role::kResponse,
                                       .bytes = "HTTP/1.1 " + std::string(status) +
                                                "\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\n"
                                                "Content-Length: 2\r\n\r\nok"});
    ASSERT_EQ(all.messages.size(), 2u) << all.text();
    EXPECT_EQ(all.messages[0].framing, Framing::kNone);
    EXPECT_EQ(all.messages[1].body, "ok");
  }
}

TEST(Parser, head_responses_keep_their_length) {
  const auto m = response("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", Method::kHead);
  EXPECT_EQ(m.framing, Framing::kNone);
  EXPECT_EQ(m.content_length, 5u);
  EXPECT_EQ(
      response("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", Method::kHead).framing,
      Framing::kNone);
  EXPECT_EQ(response("HTTP/1.1 200 OK\r\n\r\n", Method::kHead).framing, Framing::kNone);
}

TEST(Parser, case_F22_an_interim_response_comes_before_the_final_one) {
  Parser parser(Role::kResponse);
  parser.expect_response_to(Method::kHead);
  const std::string_view bytes =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n";
  const Step interim = parser.feed(bytes);
  EXPECT_EQ(interim.event, Event::kHead);
  EXPECT_EQ(parser.head().status, 100);
  EXPECT_EQ(parser.feed({}).event, Event::kEnd);
  parser.reset();
  EXPECT_EQ(parser.feed(bytes.substr(interim.consumed)).event, Event::kHead);
  EXPECT_EQ(parser.head().framing, Framing::kNone) << "HEAD is still remembered";
}

TEST(Parser, case_F34_octets_behind_a_101_are_not_taken) {
  const std::string_view bytes = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n\x01\x02";
  Parser parser(Role::kResponse);
  const Step step = parser.feed(bytes);
  EXPECT_EQ(step.event, Event::kHead);
  EXPECT_EQ(bytes.substr(step.consumed), "\x01\x02");
}

TEST(Parser, case_F42_pipelined_requests) {
  const Transcript all =
      transcribe({.bytes = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\nHost: a\r\n"
                           "Content-Length: 3\r\n\r\nabc\r\nGET /c HTTP/1.1\r\nHost: a\r\n\r\n"});
  ASSERT_EQ(all.messages.size(), 3u) << all.text();
  EXPECT_EQ(all.messages[1].body, "abc");
  EXPECT_EQ(all.messages[2].path, "/c");
}

TEST(Parser, an_error_stays) {
  Parser parser(Role::kRequest);
  EXPECT_EQ(parser.feed(std::string_view("\x16")).event, Event::kError);
  EXPECT_EQ(parser.feed(std::string_view("GET / HTTP/1.1\r\nHost: a\r\n\r\n")).event,
            Event::kError);
  EXPECT_EQ(parser.finish().event, Event::kError);
}

}  // namespace
}  // namespace evener::http

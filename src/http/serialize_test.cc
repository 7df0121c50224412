#include "http/serialize.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "http/fields.h"
#include "http/transcript.h"

namespace evener::http {
namespace {

using Pair = std::pair<std::string, std::string>;

// Values of a field in a message that was parsed again, joined by '|'.
std::string values(const TranscriptMessage& message, std::string_view name) {
  std::string out;
  for (const auto& [field, value] : message.fields) {
    if (!equals_ignoring_case(field, name)) continue;
    out += (out.empty() ? "" : "|") + value;
  }
  return out;
}

bool has(const TranscriptMessage& message, std::string_view name) {
  for (const auto& [field, value] : message.fields) {
    if (equals_ignoring_case(field, name)) return true;
  }
  return false;
}

TranscriptMessage reparse(Role role, std::string_view bytes, Method method = Method::kGet) {
  const Transcript all = transcribe({.role = role, .bytes = bytes, .request_method = method});
  EXPECT_EQ(all.messages.size(), 1u) << bytes << all.text();
  return all.messages.empty() ? TranscriptMessage{} : all.messages[0];
}

struct Rewritten {
  TranscriptMessage message;
  std::string text;
  RequestNotes notes;
};

Rewritten forward(std::string_view request,
                  const RequestRewrite& how = {.client_ip = "192.0.2.1"}) {
  Parser parser(Role::kRequest);
  EXPECT_EQ(parser.feed(request).event, Event::kHead) << reason_for(parser.error());
  Rewritten result;
  result.notes = append_request_head(result.text, parser.head(), how);
  result.message = reparse(Role::kRequest, result.text);
  return result;
}

struct Answered {
  TranscriptMessage message;
  std::string text;
  ResponsePlan plan;
};

Answered answer(std::string_view response, const ResponseRewrite& how = {}) {
  Parser parser(Role::kResponse);
  parser.expect_response_to(how.request_method);
  EXPECT_EQ(parser.feed(response).event, Event::kHead) << reason_for(parser.error());
  Answered result;
  result.plan = append_response_head(result.text, parser.head(), how);
  result.message = reparse(Role::kResponse, result.text, how.request_method);
  return result;
}

TEST(Serialize, a_plain_request) {
  EXPECT_EQ(forward("GET /a?b HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\n\r\n").text,
            "GET /a?b HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\nVia: 1.1 evener\r\n"
            "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: http\r\n"
            "X-Forwarded-Host: a.example\r\n\r\n");
}

TEST(Serialize, hop_by_hop_fields_stay_here) {
  const auto r = forward(
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: close, X-Secret\r\nX-Secret: 1\r\nx-SECRET: 2\r\n"
      "Keep-Alive: timeout=5\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: Basic x\r\n"
      "Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\nTE: gzip\r\nTrailer: X\r\nKept: yes\r\n\r\n");
  for (const char* name : {"Connection", "X-Secret", "Keep-Alive", "Proxy-Connection", "TE",
                           "Proxy-Authorization", "Upgrade", "HTTP2-Settings", "Trailer"}) {
    EXPECT_FALSE(has(r.message, name)) << name;
  }
  EXPECT_EQ(values(r.message, "Kept"), "yes");
}

// Neighbours in our own form are copied in one piece; nothing else may change what is written.
TEST(Serialize, fields_are_written_alike_however_they_were_spelt) {
  const auto r = forward(
      "GET / HTTP/1.1\r\nHost: a\r\nOne: 1\r\nTwo:2\r\nThree:\t3\r\nFour: 4 \r\nFive:  5\r\n"
      "Six:\r\nSeven: \r\nEight: 8\r\nNine: 9\r\n\r\n");
  EXPECT_TRUE(r.text.starts_with(
      "GET / HTTP/1.1\r\nHost: a\r\nOne: 1\r\nTwo: 2\r\nThree: 3\r\nFour: 4\r\nFive: 5\r\n"
      "Six: \r\nSeven: \r\nEight: 8\r\nNine: 9\r\nVia: "))
      << r.text;
}

TEST(Serialize, connection_cannot_name_away_what_we_set) {
  const auto r = forward(
      "POST / HTTP/1.1\r\nHost: a\r\nConnection: Host, Content-Length, X-Forwarded-For, Via\r\n"
      "Content-Length: 3\r\nX-Forwarded-For: 192.0.2.7\r\nVia: 1.0 first\r\n\r\n");
  EXPECT_EQ(values(r.message, "Host"), "a");
  EXPECT_EQ(values(r.message, "Content-Length"), "3");
  EXPECT_EQ(values(r.message, "X-Forwarded-For"), "192.0.2.7, 192.0.2.1");
  EXPECT_EQ(values(r.message, "Via"), "1.0 first, 1.1 evener");
}

TEST(Serialize, case_F29_te_trailers_passes) {
  const auto r = forward("GET / HTTP/1.1\r\nHost: a\r\nTE: gzip;q=1, trailers\r\n\r\n");
  EXPECT_EQ(values(r.message, "TE"), "trailers");
  EXPECT_EQ(values(r.message, "Connection"), "TE");
}

TEST(Serialize, case_F26_framing_is_written_once) {
  const auto sized = forward("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 007\r\n\r\n");
  EXPECT_EQ(values(sized.message, "Content-Length"), "7");
  const auto empty = forward("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(values(empty.message, "Content-Length"), "0");
  const auto chunks =
      forward("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\nTrailer: X\r\n\r\n");
  EXPECT_EQ(values(chunks.message, "Transfer-Encoding"), "chunked");
  EXPECT_EQ(values(chunks.message, "Trailer"), "X");
  EXPECT_FALSE(has(chunks.message, "Content-Length"));
}

TEST(Serialize, case_F36_host_comes_from_the_target) {
  const auto r = forward("GET http://b.example:81/x HTTP/1.1\r\nHost: a.example\r\n\r\n");
  EXPECT_TRUE(r.text.starts_with("GET /x HTTP/1.1\r\nHost: b.example:81\r\n")) << r.text;
  EXPECT_EQ(values(r.message, "Host"), "b.example:81");
  EXPECT_EQ(values(r.message, "X-Forwarded-Host"), "b.example:81");
}

TEST(Serialize, http10_without_host_gets_the_fallback) {
  const auto r = forward("GET / HTTP/1.0\r\n\r\n", {.host_fallback = "10.0.0.7:80"});
  EXPECT_EQ(values(r.message, "Host"), "10.0.0.7:80");
  EXPECT_EQ(values(r.message, "Via"), "1.0 evener");
  EXPECT_FALSE(has(r.message, "X-Forwarded-For"));
}

TEST(Serialize, case_F39_aliases_are_dropped_and_counted) {
  const auto r = forward(
      "GET / HTTP/1.1\r\nHost: a\r\nuser_id: 1\r\nX_Forwarded_For: 192.0.2.9\r\n"
      "X-Forwarded-For: 192.0.2.8\r\nX-Forwarded_For: 192.0.2.6\r\nX.Forwarded.Proto: https\r\n"
      "content_length: 4\r\n\r\n");
  EXPECT_EQ(r.notes.aliases_dropped, 4u);
  EXPECT_EQ(values(r.message, "user_id"), "1");
  EXPECT_EQ(values(r.message, "X-Forwarded-For"), "192.0.2.8, 192.0.2.1");
  EXPECT_FALSE(has(r.message, "X_Forwarded_For"));
  EXPECT_FALSE(has(r.message, "content_length"));
}

TEST(Serialize, what_a_client_claims_about_itself_is_replaced) {
  const auto r = forward(
      "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: evil\r\n\r\n");
  EXPECT_EQ(values(r.message, "X-Forwarded-Proto"), "http");
  EXPECT_EQ(values(r.message, "X-Forwarded-Host"), "a");
}

TEST(Serialize, case_F44_forwarded_for_has_no_brackets) {
  const auto r =
      forward("GET / HTTP/1.1\r\nHost: [2001:db8::1]:8080\r\n\r\n", {.client_ip = "2001:db8::2"});
  EXPECT_EQ(values(r.message, "X-Forwarded-For"), "2001:db8::2");
  EXPECT_EQ(values(r.message, "Host"), "[2001:db8::1]:8080");
}

TEST(Serialize, case_F22_expect_can_be_kept_back) {
  const std::string_view request =
      "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n";
  EXPECT_TRUE(has(forward(request).message, "Expect"));
  EXPECT_FALSE(has(forward(request, {.forward_expect = false}).message, "Expect"));
}

TEST(Serialize, case_F27_a_body_until_close_by_client_version) {
  const std::string_view response = "HTTP/1.0 200 OK\r\nServer: x\r\n\r\n";
  const auto modern = answer(response);
  EXPECT_EQ(modern.plan.framing, Framing::kChunked);
  EXPECT_FALSE(modern.plan.close);
  EXPECT_EQ(values(modern.message, "Transfer-Encoding"), "chunked");
  EXPECT_EQ(values(modern.message, "Via"), "1.0 evener");
  const auto old = answer(response, {.client_version = Version::k10});
  EXPECT_EQ(old.plan.framing, Framing::kUntilClose);
  EXPECT_TRUE(old.plan.close);
  EXPECT_FALSE(has(old.message, "Transfer-Encoding"));
  EXPECT_EQ(values(old.message, "Connection"), "close");
}

TEST(Serialize, sized_responses_keep_the_connection) {
  const std::string_view response =
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close, X\r\nX: 1\r\n\r\n";
  const auto modern = answer(response);
  EXPECT_EQ(modern.text, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nVia: 1.1 evener\r\n\r\n");
  const auto old = answer(response, {.client_version = Version::k10});
  EXPECT_EQ(values(old.message, "Connection"), "keep-alive");
  const auto last = answer(response, {.close = true});
  EXPECT_EQ(values(last.message, "Connection"), "close");
}

TEST(Serialize, head_and_304_keep_the_length) {
  const std::string_view sized = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
  const auto head = answer(sized, {.request_method = Method::kHead});
  EXPECT_EQ(values(head.message, "Content-Length"), "5");
  EXPECT_EQ(head.plan.framing, Framing::kNone);
  EXPECT_EQ(values(answer("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n").message,
                   "Content-Length"),
            "5");
  const auto chunks = answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                             {.client_version = Version::k10, .request_method = Method::kHead});
  EXPECT_FALSE(has(chunks.message, "Transfer-Encoding"));
  EXPECT_FALSE(chunks.plan.close);
}

TEST(Serialize, interim_responses_say_nothing_of_the_connection) {
  EXPECT_EQ(answer("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", {.close = true}).text,
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\nVia: 1.1 evener\r\n\r\n");
}

TEST(Serialize, chunks_read_back) {
  std::string bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  append_chunk_header(bytes, 26);
  bytes += "abcdefghijklmnopqrstuvwxyz";
  bytes += kChunkEnd;
  const Field trailers[] = {{"grpc-status", "0", FieldId::kOther},
                            {"Connection", "close", FieldId::kConnection},
                            {"X_Forwarded_For", "x", FieldId::kAlias}};
  append_last_chunk(bytes, trailers);
  const auto m = reparse(Role::kResponse, bytes);
  EXPECT_EQ(m.body, "abcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(m.trailers, std::vector<Pair>({{"grpc-status", "0"}}));
}

TEST(Serialize, local_replies) {
  std::string out;
  append_local_reply(out, 503, "no_endpoint", Version::k11, true, false);
  EXPECT_EQ(out,
            "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: 37\r\n"
            "evener-reason: no_endpoint\r\nConnection: close\r\n\r\n"
            "503 Service Unavailable: no_endpoint\n");
  EXPECT_EQ(reparse(Role::kResponse, out).body, "503 Service Unavailable: no_endpoint\n");
  std::string head;
  append_local_reply(head, 503, "no_endpoint", Version::k10, false, true);
  EXPECT_EQ(values(reparse(Role::kResponse, head, Method::kHead), "Content-Length"), "37");
  EXPECT_TRUE(head.contains("Connection: keep-alive\r\n"));
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
}

TEST(Serialize, phrases) {
  EXPECT_EQ(reason_phrase(404), "Not Found");
  EXPECT_EQ(reason_phrase(100), "Continue");
  EXPECT_EQ(reason_phrase(511), "Network Authentication Required");
  EXPECT_EQ(reason_phrase(799), "Unknown");
}

}  // namespace
}  // namespace evener::http

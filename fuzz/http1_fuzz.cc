// Fuzzes the HTTP/1 parser against itself (any cut of the input gives the same answer), against
// Boost.Beast and llhttp (who accept what we accept must read the same), and through the writers
// (what we would forward reads back as what came in, to us and to Beast).
//
// Input: octet 0 bit 0 request or response, bit 1 small limits, bit 2 answer to HEAD; octet 1 seeds
// the cuts; then the bytes. Seeds in corpus/http1/ are named by what they hold.
//
// Where we accept and Beast refuses, only these may be the reason (allowed_for_beast):
//  - obs-text in a chunk extension, or an extension that is no name[=value] list: we skip
//  extensions
//    and only watch where they end;
//  - a status line without the space behind the code;
//  - Connection, Proxy-Connection or Upgrade with elements that are no tokens: we never forward
//  these
//    and heed only the elements we know;
//  - chunk data whose framing Beast limits (its header_limit covers the chunk line).
#include <llhttp.h>

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "http/fields.h"
#include "http/serialize.h"
#include "http/transcript.h"

namespace {

namespace beast = boost::beast;
using evener::http::FieldId;
using evener::http::Framing;
using evener::http::Method;
using evener::http::ParseError;
using evener::http::Parser;
using evener::http::ParserLimits;
using evener::http::Role;
using evener::http::Transcript;
using evener::http::TranscriptInput;
using evener::http::TranscriptMessage;

[[noreturn]] void stop(const char* what, const Transcript& ours, std::string_view bytes,
                       std::string_view detail = {}) {
  std::fprintf(stderr, "FINDING: %s\n%.*s\n--- input\n%.*s\n--- ours\n%s\n", what,
               static_cast<int>(detail.size()), detail.data(), static_cast<int>(bytes.size()),
               bytes.data(), ours.text().c_str());
  std::abort();
}

void check_cuts(const TranscriptInput& input, const Transcript& whole, unsigned seed) {
  std::vector<std::size_t> cuts;
  std::uint32_t state = seed * 2654435761U + 1;
  const std::uint32_t longest = 1 + seed % 23;
  for (std::size_t at = 0; at < input.bytes.size();) {
    state = state * 1664525U + 1013904223U;
    at += 1 + (state >> 16) % longest;
    cuts.push_back(at);
  }
  const Transcript cut = transcribe(input, cuts);
  if (cut.text() != whole.text()) stop("cuts change the answer", whole, input.bytes, cut.text());
}

struct Reading {
  bool accepted = false;
  std::string error;
  std::string method, target, reason;
  unsigned status = 0;
  std::size_t fields = 0;
  std::string body;
  std::size_t consumed = 0;
};

template <bool kIsRequest>
Reading read_with_beast(std::string_view bytes) {
  beast::http::parser<kIsRequest, beast::http::string_body> parser;
  parser.header_limit(1 << 24);
  parser.body_limit(1 << 24);
  parser.eager(true);
  Reading result;
  beast::error_code error;
  std::size_t used = 0;
  while (!parser.is_done() && used < bytes.size()) {
    used += parser.put(boost::asio::const_buffer(bytes.data() + used, bytes.size() - used), error);
    if (error) break;
  }
  if (!parser.is_done() && (!error || error == beast::http::error::need_more)) {
    error = {};
    parser.put_eof(error);
  }
  result.accepted = parser.is_done() && !error;
  result.error = error.message();
  result.consumed = used;
  if (!result.accepted) return result;
  const auto& message = parser.get();
  if constexpr (kIsRequest) {
    result.method = std::string(message.method_string());
    result.target = std::string(message.target());
  } else {
    result.status = message.result_int();
    result.reason = std::string(message.reason());
  }
  result.fields = static_cast<std::size_t>(std::distance(message.begin(), message.end()));
  result.body = message.body();
  return result;
}

bool allowed_for_beast(const TranscriptMessage& message, std::string_view bytes,
                       const Reading& beast_reading) {
  if (beast_reading.error == "bad chunk extension") return message.framing == Framing::kChunked;
  if (beast_reading.error == "bad value") {
    const auto is_list = [](const auto& field) {
      const auto id = evener::http::field_id(field.first);
      return id == FieldId::kConnection || id == FieldId::kProxyConnection ||
             id == FieldId::kUpgrade;
    };
    return std::ranges::any_of(message.fields, is_list) ||
           std::ranges::any_of(message.trailers, is_list);
  }
  if (message.status != 0 && message.reason.empty()) {
    const std::string_view line = bytes.substr(0, bytes.find('\r'));
    return line.size() == 12;
  }
  return false;
}

void compare(const TranscriptMessage& ours, const Reading& theirs, const Transcript& whole,
             std::string_view bytes, const char* who) {
  const std::string name(who);
  const auto expect = [&](bool same, const char* what) {
    if (!same) stop((name + " reads another " + what).c_str(), whole, bytes, theirs.body);
  };
  expect(ours.method == theirs.method, "method");
  expect(ours.target == theirs.target, "target");
  expect(static_cast<unsigned>(ours.status) == theirs.status, "status");
  // Beast fills in the usual phrase where there is none.
  if (!ours.reason.empty()) expect(ours.reason == theirs.reason, "reason");
  expect(ours.fields.size() + ours.trailers.size() == theirs.fields, "number of fields");
  expect(ours.body == theirs.body, "body");
}

void check_beast(const TranscriptInput& input, const Transcript& whole, std::string_view bytes) {
  const TranscriptMessage& ours = whole.messages.front();
  const Reading theirs =
      input.role == Role::kRequest ? read_with_beast<true>(bytes) : read_with_beast<false>(bytes);
  if (!theirs.accepted) {
    if (!allowed_for_beast(ours, bytes, theirs)) {
      stop("we accept, Beast refuses", whole, bytes, theirs.error);
    }
    return;
  }
  compare(ours, theirs, whole, bytes, "Beast");
  // The octets behind the first message must be the same ones for both.
  if (whole.messages.size() == 1 && whole.error == ParseError::kNone &&
      ours.framing != Framing::kUntilClose && theirs.consumed != bytes.size()) {
    const std::string_view left = bytes.substr(theirs.consumed);
    if (left.find_first_not_of("\r\n") != std::string_view::npos) {
      stop("Beast ends the message earlier", whole, bytes);
    }
  }
}

struct LlhttpReading {
  std::string body;
  bool complete = false;
};

int on_llhttp_body(llhttp_t* parser, const char* at, std::size_t size) {
  static_cast<LlhttpReading*>(parser->data)->body.append(at, size);
  return 0;
}

int on_llhttp_complete(llhttp_t* parser) {
  static_cast<LlhttpReading*>(parser->data)->complete = true;
  return HPE_PAUSED;
}

int on_llhttp_headers(llhttp_t* parser) {
  parser->upgrade = 0;
  return 0;
}

// llhttp never sees a body in the product; here it reads one as a third opinion on chunks.
void check_llhttp(const TranscriptInput& input, const Transcript& whole, std::string_view bytes) {
  const TranscriptMessage& ours = whole.messages.front();
  // It reads a body behind 1xx, 204 and 304 when they give a length; RFC 9112 §6.3 rule 1 says
  // none.
  if (input.role == Role::kResponse && ours.framing == Framing::kNone) return;
  llhttp_settings_t settings;
  llhttp_settings_init(&settings);
  settings.on_body = on_llhttp_body;
  settings.on_message_complete = on_llhttp_complete;
  settings.on_headers_complete = on_llhttp_headers;
  LlhttpReading reading;
  llhttp_t parser;
  llhttp_init(&parser, input.role == Role::kRequest ? HTTP_REQUEST : HTTP_RESPONSE, &settings);
  parser.data = &reading;
  const llhttp_errno_t error = llhttp_execute(&parser, bytes.data(), bytes.size());
  if (error == HPE_OK) llhttp_finish(&parser);
  // It knows fewer methods, and is narrower about the form of extensions.
  if (error != HPE_OK && error != HPE_PAUSED) return;
  if (reading.complete && reading.body != ours.body) {
    stop("llhttp reads another body", whole, bytes, reading.body);
  }
}

void append_body(std::string& out, Framing framing, const TranscriptMessage& message) {
  if (framing == Framing::kChunked) {
    if (!message.body.empty()) {
      evener::http::append_chunk_header(out, message.body.size());
      out += message.body;
      out += evener::http::kChunkEnd;
    }
    evener::http::append_last_chunk(out);
  } else {
    out += message.body;
  }
}

void check_forwarding(const TranscriptInput& input, const Transcript& whole,
                      std::string_view bytes) {
  const TranscriptMessage& message = whole.messages.front();
  Parser parser(input.role, input.limits);
  if (input.role == Role::kResponse) parser.expect_response_to(input.request_method);
  parser.feed(bytes);
  std::string out;
  Framing framing = message.framing;
  if (input.role == Role::kRequest) {
    append_request_head(out, parser.head(), {.client_ip = "192.0.2.1", .host_fallback = "x"});
  } else {
    if (message.status == 101) return;
    framing =
        append_response_head(out, parser.head(), {.request_method = input.request_method}).framing;
  }
  append_body(out, framing, message);
  TranscriptInput again = input;
  again.bytes = out;
  again.limits = {.head_bytes = 1 << 20, .target_bytes = 1 << 20, .field_count = 1000};
  const Transcript read = transcribe(again);
  if (read.error != ParseError::kNone || read.messages.size() != 1 || !read.messages[0].complete ||
      read.messages[0].body != message.body || read.messages[0].path != message.path ||
      read.messages[0].status != message.status) {
    stop("what we forward reads back differently", whole, bytes, out + "\n" + read.text());
  }
  if (input.request_method == Method::kHead && input.role == Role::kResponse) return;
  const Reading theirs =
      input.role == Role::kRequest ? read_with_beast<true>(out) : read_with_beast<false>(out);
  if (!theirs.accepted) stop("Beast refuses what we forward", whole, out, theirs.error);
  compare(read.messages[0], theirs, read, out, "Beast, of what we forward,");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  TranscriptInput input{.role = (data[0] & 1) != 0 ? Role::kResponse : Role::kRequest,
                        .bytes = bytes};
  if ((data[0] & 2) != 0) {
    input.limits = {.head_bytes = 120,
                    .target_bytes = 12,
                    .trailer_bytes = 24,
                    .chunk_extension_bytes = 8,
                    .field_count = 4};
  }
  if ((data[0] & 4) != 0) input.request_method = Method::kHead;
  const Transcript whole = transcribe(input);
  if (whole.error == ParseError::kParserDisagreement) stop("llhttp disagrees", whole, bytes);
  check_cuts(input, whole, data[1]);
  if (whole.messages.empty() || !whole.messages.front().complete) return 0;
  std::string_view first = bytes;
  if (input.role == Role::kRequest) first.remove_prefix(first.find_first_not_of("\r\n"));
  const bool to_head = input.role == Role::kResponse && input.request_method == Method::kHead;
  if (!to_head) check_beast(input, whole, first);
  if (!to_head) check_llhttp(input, whole, first);
  check_forwarding(input, whole, first);
  return 0;
}

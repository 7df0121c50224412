// For tests and fuzzers: everything a Parser says about a byte string, as one comparable text.
//
// Feeds the input cut at given places, each piece from its own exact heap block that is freed when
// the contract allows, so that a view kept too long is an ASan error. Pipelined messages are read
// on with reset(); the end of the input is finish(). Slow; not for the product.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "http/parser.h"

namespace evener::http {

struct TranscriptMessage {
  std::string head;  // start line, decisions and fields, one per line
  std::string method, target, path, authority, reason;
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields;
  Framing framing = Framing::kNone;
  std::uint64_t content_length = 0;
  bool keep_alive = false;
  std::string body;
  std::vector<std::pair<std::string, std::string>> trailers;
  bool complete = false;

  bool operator==(const TranscriptMessage&) const = default;
};

struct Transcript {
  std::vector<TranscriptMessage> messages;  // the last may be incomplete
  ParseError error = ParseError::kNone;     // of what follows the messages
  std::size_t consumed = 0;                 // octets before the end or the failing message

  bool operator==(const Transcript&) const = default;
  std::string text() const;
};

struct TranscriptInput {
  Role role = Role::kRequest;
  std::string_view bytes = {};
  ParserLimits limits = {};
  Method request_method = Method::kGet;  // of every response
};

// `cuts`: ascending offsets where a new feed begins.
Transcript transcribe(const TranscriptInput& input, const std::vector<std::size_t>& cuts = {});

}  // namespace evener::http

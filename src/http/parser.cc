#include "http/parser.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "http/fields.h"
#include "http/head.h"
#include "http/parser_message.h"

namespace evener::http {
namespace {

// Four empty lines before a request are forgiven (RFC 9112 §2.2 says at least one).
constexpr std::uint8_t kSkippedMax = 8;

}  // namespace

Parser::Parser(Role role, const ParserLimits& limits) : limits_(limits), role_(role) {
  static_assert(sizeof(Parser) <= 96);
}
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;
Parser::~Parser() = default;

void Parser::reset() {
  const bool interim = message_ != nullptr && message_->head.status / 100 == 1;
  if (!interim) request_method_ = Method::kGet;
  message_.reset();
  remaining_ = 0;
  extension_size_ = 0;
  state_ = State::kStart;
  error_ = ParseError::kNone;
  digits_ = 0;
  skipped_ = 0;
  extension_ = Extension::kNone;
}

void Parser::expect_response_to(Method request_method) {
  EV_CHECK(role_ == Role::kResponse && at_start(), "the method comes before its response");
  request_method_ = request_method;
}

const Head& Parser::head() const {
  EV_CHECK(message_ != nullptr && message_->head_complete, "there is no head yet");
  return message_->head;
}

std::span<const Field> Parser::trailers() const {
  if (message_ == nullptr || state_ != State::kDone) return {};
  return message_->trailer_lines.fields.view();
}

Step Parser::fail(ParseError error, const Cursor& cursor) {
  state_ = State::kError;
  error_ = error;
  return {.event = Event::kError, .consumed = cursor.pos};
}

Step Parser::feed(std::span<const char> bytes) {
  Cursor cursor{.data = bytes.data(), .size = bytes.size()};
  switch (state_) {
    case State::kStart:
      return feed_start(cursor);
    case State::kHeadLines:
      return feed_head(cursor);
    case State::kDone:
      return {.event = Event::kEnd, .consumed = 0};
    case State::kError:
      return {.event = Event::kError, .consumed = 0};
    default:
      return feed_body(cursor);
  }
}

Step Parser::finish() {
  const Cursor nothing{.data = nullptr, .size = 0};
  switch (state_) {
    case State::kStart:
      return {};
    case State::kBodyClose:
      state_ = State::kDone;
      [[fallthrough]];
    case State::kDone:
      return {.event = Event::kEnd, .consumed = 0};
    case State::kBodyLength:
      if (remaining_ > 0) return fail(ParseError::kTruncated, nothing);
      state_ = State::kDone;
      return {.event = Event::kEnd, .consumed = 0};
    case State::kError:
      return {.event = Event::kError, .consumed = 0};
    default:
      return fail(ParseError::kTruncated, nothing);
  }
}

ParseError Parser::skip_empty_lines(Cursor& cursor) {
  for (; !cursor.empty(); ++cursor.pos) {
    const char c = *cursor.here();
    const bool inside = skipped_ % 2 == 1;
    if (inside && c != '\n') return ParseError::kBareCr;
    if (!inside && c == '\n') return ParseError::kBareLf;
    if (!inside && c != '\r') return ParseError::kNone;
    if (++skipped_ > kSkippedMax) return ParseError::kBadStartLine;
  }
  return ParseError::kNone;
}

// The first octet alone tells a TLS hello or a stray answer from a message; no line need be
// awaited.
Step Parser::feed_start(Cursor& cursor) {
  if (role_ == Role::kRequest) {
    if (const ParseError error = skip_empty_lines(cursor); error != ParseError::kNone) {
      return fail(error, cursor);
    }
  }
  if (cursor.empty()) return {.event = Event::kNeedMore, .consumed = cursor.pos};
  const char first = *cursor.here();
  if (role_ == Role::kRequest && !is_token_char(first)) return fail(ParseError::kBadMethod, cursor);
  if (role_ == Role::kResponse && first != 'H') return fail(ParseError::kBadStartLine, cursor);
  message_ = std::make_unique_for_overwrite<Message>();
  message_->head_lines.base = cursor.here();
  state_ = State::kHeadLines;
  return feed_head(cursor);
}

Step Parser::feed_head(Cursor& cursor) {
  bool complete = false;
  ParseError error = read_lines(cursor, message_->head_lines, complete);
  if (error == ParseError::kNone && complete) error = finish_head();
  if (error != ParseError::kNone) return fail(error, cursor);
  if (!complete) return {.event = Event::kNeedMore, .consumed = cursor.pos};
  message_->head_complete = true;
  enter_body();
  return {.event = Event::kHead, .consumed = cursor.pos};
}

// Takes field lines as long as they lie whole in the input and are faultless, and the empty line.
// What it leaves, read_lines judges. REQUIRES: inside the head, at the begin of a line.
void Parser::read_plain_lines(Cursor& cursor, bool& complete) {
  Section& section = message_->head_lines;
  const char* const begin = cursor.here();
  const char* const end =
      begin + std::min<std::size_t>(cursor.left(), limits_.head_bytes - section.size);
  const char* p = begin;
  while (end - p >= 2) {
    complete = p[0] == '\r' && p[1] == '\n';
    if (complete) {
      p += 2;
      break;
    }
    if (section.fields.size() >= limits_.field_count) break;
    const char* const next = read_field_line(p, end, section.fields.next());
    if (next == nullptr) break;
    section.fields.keep_next();
    p = next;
  }
  const auto taken = static_cast<std::size_t>(p - begin);
  cursor.pos += taken;
  section.size += taken;
  section.line_start = section.size;
}

ParseError Parser::read_lines(Cursor& cursor, Section& section, bool& complete) {
  const bool in_head = state_ == State::kHeadLines;
  const std::uint32_t limit = in_head ? limits_.head_bytes : limits_.trailer_bytes;
  Head* const head = in_head ? &message_->head : nullptr;
  while (!cursor.empty()) {
    if (in_head && message_->start_line_read && section.gathered.empty()) {
      read_plain_lines(cursor, complete);
      if (complete) return ParseError::kNone;
      if (cursor.empty()) break;
    }
    const auto* lf = static_cast<const char*>(std::memchr(cursor.here(), '\n', cursor.left()));
    const std::size_t part =
        lf == nullptr ? cursor.left() : static_cast<std::size_t>(lf - cursor.here()) + 1;
    if (section.size + part > limit) {
      if (!in_head) return ParseError::kTrailersTooLarge;
      const bool start_line = role_ == Role::kRequest && !message_->start_line_read;
      return start_line ? ParseError::kTargetTooLong : ParseError::kHeadTooLarge;
    }
    if (lf == nullptr || !section.gathered.empty()) {
      section.gather(cursor.here(), part, head);
    } else {
      section.size += part;
    }
    cursor.pos += part;
    if (lf == nullptr) return ParseError::kNone;
    const std::string_view line(section.base + section.line_start,
                                section.size - section.line_start);
    section.line_start = section.size;
    if (const ParseError error = take_line(section, line, complete); error != ParseError::kNone) {
      return error;
    }
    if (complete) return ParseError::kNone;
  }
  // A feed that ends exactly behind a line leaves views into the caller's bytes: take them over.
  if (section.gathered.empty() && section.size > 0) section.gather(nullptr, 0, head);
  return ParseError::kNone;
}

ParseError Parser::take_line(Section& section, std::string_view line, bool& last) {
  if (line.size() < 2 || line[line.size() - 2] != '\r') return ParseError::kBareLf;
  line.remove_suffix(2);
  if (state_ == State::kHeadLines && !message_->start_line_read) {
    message_->start_line_read = true;
    return role_ == Role::kRequest ? parse_request_line(line, limits_, message_->head)
                                   : parse_status_line(line, message_->head);
  }
  if (line.empty()) {
    last = true;
    return ParseError::kNone;
  }
  Field& field = section.fields.next();
  const char* const end = line.data() + line.size() + 2;
  if (read_field_line(line.data(), end, field) != end) return field_line_error(line);
  if (section.fields.size() >= limits_.field_count) return ParseError::kTooManyFields;
  // What decides framing and routing must not come after the fact (RFC 9110 §6.5.1).
  if (state_ == State::kTrailers &&
      (field.id == FieldId::kContentLength || field.id == FieldId::kTransferEncoding ||
       field.id == FieldId::kHost)) {
    return ParseError::kBadTrailer;
  }
  section.fields.keep_next();
  return ParseError::kNone;
}

ParseError Parser::finish_head() {
  Head& head = message_->head;
  const Section& lines = message_->head_lines;
  head.fields = lines.fields.view();
  const ParseError error = role_ == Role::kRequest ? decide_request(head, message_->path_storage)
                                                   : decide_response(head, request_method_);
  if (error != ParseError::kNone) return error;
  return llhttp_agrees(role_, {lines.base, lines.size}, head) ? ParseError::kNone
                                                              : ParseError::kParserDisagreement;
}

}  // namespace evener::http

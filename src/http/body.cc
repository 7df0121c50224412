// The half of Parser that reads bodies: sized, until close, chunked (RFC 9112 §6, §7.1).
#include <algorithm>

#include "http/parser_message.h"

namespace evener::http {
namespace {

// Enough for 2^60 octets; more digits can only be padding that another parser may count
// differently.
constexpr std::uint8_t kChunkDigitsMax = 15;

int hex_digit(unsigned char byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
  if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
  return -1;
}

bool is_extension_byte(unsigned char byte) {
  return (byte >= 0x20 && byte != 0x7f) || byte == '\t';
}

}  // namespace

void Parser::enter_body() {
  remaining_ = 0;
  switch (message_->head.framing) {
    case Framing::kNone:
      state_ = State::kDone;
      break;
    case Framing::kLength:
      remaining_ = message_->head.content_length;
      state_ = State::kBodyLength;
      break;
    case Framing::kChunked:
      state_ = State::kChunkSize;
      break;
    case Framing::kUntilClose:
      state_ = State::kBodyClose;
      break;
  }
}

Step Parser::feed_body(Cursor& cursor) {
  switch (state_) {
    case State::kBodyClose:
      if (cursor.empty()) return {};
      return {.event = Event::kBody, .consumed = cursor.size, .body = {cursor.data, cursor.size}};
    case State::kBodyLength:
      if (remaining_ > 0) return feed_sized_data(cursor);
      state_ = State::kDone;
      return {.event = Event::kEnd, .consumed = 0};
    case State::kTrailers:
      return feed_trailers(cursor);
    default:
      return feed_chunk_framing(cursor);
  }
}

Step Parser::feed_sized_data(Cursor& cursor) {
  if (cursor.empty()) return {.event = Event::kNeedMore, .consumed = cursor.pos};
  const char* const begin = cursor.here();
  const std::size_t size = std::min<std::uint64_t>(remaining_, cursor.left());
  remaining_ -= size;
  cursor.pos += size;
  if (remaining_ == 0 && state_ == State::kChunkData) state_ = State::kChunkDataCr;
  return {.event = Event::kBody, .consumed = cursor.pos, .body = {begin, size}};
}

Step Parser::feed_chunk_framing(Cursor& cursor) {
  while (!cursor.empty()) {
    if (state_ == State::kChunkData) return feed_sized_data(cursor);
    if (state_ == State::kTrailers) return feed_trailers(cursor);
    const ParseError error = chunk_byte(static_cast<unsigned char>(*cursor.here()));
    if (error != ParseError::kNone) return fail(error, cursor);
    ++cursor.pos;
  }
  return {.event = Event::kNeedMore, .consumed = cursor.pos};
}

ParseError Parser::chunk_byte(unsigned char byte) {
  switch (state_) {
    case State::kChunkSize:
      return chunk_size_byte(byte);
    case State::kChunkExt:
      return chunk_extension_byte(byte);
    case State::kChunkSizeLf:
      if (byte != '\n') return ParseError::kBareCr;
      chunk_size_done();
      return ParseError::kNone;
    case State::kChunkDataCr:
      state_ = State::kChunkDataLf;
      return byte == '\r' ? ParseError::kNone : ParseError::kBadChunk;
    default:
      state_ = State::kChunkSize;
      return byte == '\n' ? ParseError::kNone : ParseError::kBadChunk;
  }
}

ParseError Parser::chunk_size_byte(unsigned char byte) {
  if (const int digit = hex_digit(byte); digit >= 0) {
    if (++digits_ > kChunkDigitsMax) return ParseError::kBadChunk;
    remaining_ = remaining_ * 16 + static_cast<std::uint64_t>(digit);
    return ParseError::kNone;
  }
  if (digits_ == 0) return ParseError::kBadChunk;
  if (byte == '\r') {
    state_ = State::kChunkSizeLf;
    return ParseError::kNone;
  }
  state_ = State::kChunkExt;
  return chunk_extension_byte(byte);
}

// Extensions are skipped, not understood: what matters is that they end where others see the end,
// so also for a parser that looks for the end of a quoted string first.
ParseError Parser::chunk_extension_byte(unsigned char byte) {
  if (byte == '\r' && extension_ == Extension::kOpen) {
    state_ = State::kChunkSizeLf;
    return ParseError::kNone;
  }
  if (!is_extension_byte(byte)) return ParseError::kBadChunk;
  switch (extension_) {
    case Extension::kNone:
      if (byte == ';') extension_ = Extension::kOpen;
      if (byte != ';' && byte != ' ' && byte != '\t') return ParseError::kBadChunk;
      break;
    case Extension::kOpen:
      if (byte == '"') extension_ = Extension::kQuoted;
      break;
    case Extension::kQuoted:
      if (byte == '"') extension_ = Extension::kOpen;
      if (byte == '\\') extension_ = Extension::kEscaped;
      break;
    case Extension::kEscaped:
      extension_ = Extension::kQuoted;
      break;
  }
  return ++extension_size_ > limits_.chunk_extension_bytes ? ParseError::kChunkExtensionTooLarge
                                                           : ParseError::kNone;
}

void Parser::chunk_size_done() {
  state_ = remaining_ > 0 ? State::kChunkData : State::kTrailers;
  digits_ = 0;
  extension_size_ = 0;
  extension_ = Extension::kNone;
}

Step Parser::feed_trailers(Cursor& cursor) {
  Section& section = message_->trailer_lines;
  if (section.size == 0) section.base = cursor.here();
  bool complete = false;
  const ParseError error = read_lines(cursor, section, complete);
  if (error != ParseError::kNone) return fail(error, cursor);
  if (!complete) return {.event = Event::kNeedMore, .consumed = cursor.pos};
  state_ = State::kDone;
  return {.event = Event::kEnd, .consumed = cursor.pos};
}

}  // namespace evener::http

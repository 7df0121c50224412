// An incremental HTTP/1.0 and HTTP/1.1 parser for one direction of one connection.
//
// Bytes go in, events come out; no I/O, no clock, no exceptions. One owner, one thread. Every byte
// is looked at once on arrival (time linear in the input, whatever the split) and the head once
// more by llhttp, whose reading must agree with ours before a message is let through. The result
// never depends on how the bytes were cut. Strict where leniency has been used for smuggling: RFC
// 9112 §2.2 (bare CR, bare LF), §3.2 (Host), §5.1 (space before colon), §5.2 (folding), §6.1, §6.3
// (framing). Unlike a lenient parser we refuse what the RFC lets us refuse.
//
// Memory: sizeof(Parser) is at most 96 bytes. The first byte of a message takes its state with room
// for 24 fields (1.4 KB) from the thread's free list; more fields, and a head or trailers cut over
// several feeds, are heap blocks bounded by the limits. reset() gives all back, so an idle
// connection costs sizeof(Parser) only. Bodies are never copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "http/message.h"

namespace evener::http {

enum class Role : std::uint8_t { kRequest, kResponse };

enum class ParseError : std::uint8_t {
  kNone,
  kBadStartLine,            // the request or status line is not one
  kBadMethod,               // not a token
  kBadTarget,               // not origin, absolute or asterisk form; octets that no target may have
  kTargetTooLong,           // over ParserLimits::target_bytes
  kUnsupportedVersion,      // neither HTTP/1.0 nor HTTP/1.1
  kConnectNotSupported,     // CONNECT
  kBadStatus,               // not three digits, or under 100
  kBareCr,                  // CR not followed by LF
  kBareLf,                  // LF not preceded by CR
  kObsFold,                 // a field line that begins with white space
  kBadHeaderName,           // empty, no colon, or an octet that is no token character
  kSpaceBeforeColon,        //
  kBadHeaderValue,          // a control character in a value
  kHeadTooLarge,            // over ParserLimits::head_bytes
  kTooManyFields,           // over ParserLimits::field_count
  kMissingHost,             // HTTP/1.1 without Host
  kDuplicateHost,           //
  kBadHost,                 // not host[:port]
  kBadContentLength,        // not a decimal number that fits, or given twice
  kBadTransferEncoding,     // in HTTP/1.0, given twice, "chunked" not last, or empty
  kUnsupportedCoding,       // a transfer coding other than chunked
  kLengthAndCoding,         // Content-Length and Transfer-Encoding together
  kBadChunk,                // chunk size or the line ends around it
  kChunkExtensionTooLarge,  // over ParserLimits::chunk_extension_bytes
  kBadTrailer,          // a trailer section that breaks the rules for fields, or a framing field
  kTrailersTooLarge,    // over ParserLimits::trailer_bytes
  kTruncated,           // the connection ended inside a message
  kParserDisagreement,  // llhttp reads the head differently: a bug of one of the two
};

// The status a request with this error is answered with: 400, 414, 431, 501 or 505.
// (A response with any error is a 502 of ours.) REQUIRES: error is not kNone.
int status_for(ParseError error);

// A short stable word for logs, metrics and the evener-reason field: "bad_header_name".
std::string_view reason_for(ParseError error);

// All in octets but the count; all inclusive (limit passes, limit + 1 is an error).
struct ParserLimits {
  std::uint32_t head_bytes = 64 * 1024;    // first octet of the start line to the empty line's LF
  std::uint32_t target_bytes = 8 * 1024;   // of the request target
  std::uint32_t trailer_bytes = 8 * 1024;  // trailer section with the last line's CRLF
  std::uint32_t chunk_extension_bytes = 256;  // per chunk, from behind the size to the CR
  std::uint16_t field_count = 128;            // header fields; trailer fields separately
};

enum class Event : std::uint8_t {
  kNeedMore,  // all was consumed: feed the next bytes when they come
  kHead,      // head() is ready; feed the rest
  kBody,      // Step::body is a piece of the decoded body
  kEnd,       // the message is complete, trailers() are ready; reset() before the next
  kError,     // error() says what; the connection cannot be used further
};

struct Step {
  Event event = Event::kNeedMore;
  std::size_t consumed = 0;         // octets of the input that are done with
  std::span<const char> body = {};  // kBody only: a part of the input
};

class Parser {
 public:
  explicit Parser(Role role, const ParserLimits& limits = {});
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;
  ~Parser();

  // Makes ready for the next message on the same connection and gives all memory back. A 1xx
  // response is a message of its own: kHead, kEnd, then reset() for the one behind it. After a 1xx
  // response the method of expect_response_to stays; after a final one it is GET again.
  void reset();

  // Role::kResponse: what was asked, which decides whether a body follows (HEAD). Call once for
  // each request, at the start of its response.
  void expect_response_to(Method request_method);

  // Reads on. After kHead and kBody call again with the rest, even if that is empty: only kNeedMore
  // (which consumes all) says that bytes are missing, and kEnd may cost none.
  // The views of head() point into `bytes` when the whole head came in one feed: keep those bytes
  // alive and in place for as long as the head is used. The same holds for trailers().
  Step feed(std::span<const char> bytes);

  // The connection ended. kEnd: a body that ends by close is complete (or the message was already).
  // kNeedMore: nothing of a message had come; a clean end. Else kError, kTruncated.
  Step finish();

  // REQUIRES: kHead was reported since the last reset.
  const Head& head() const;
  // Empty unless kEnd was reported for a chunked message that had any.
  std::span<const Field> trailers() const;
  ParseError error() const { return error_; }

  // No byte of a message seen yet (empty lines before a request do not count, RFC 9112 §2.2).
  bool at_start() const { return state_ == State::kStart; }

 private:
  enum class State : std::uint8_t {
    kStart,        // before the first byte
    kHeadLines,    // inside the head
    kBodyLength,   // remaining_ octets to come
    kBodyClose,    // until the connection ends
    kChunkSize,    // hexadecimal digits
    kChunkExt,     // behind the size, before CR
    kChunkSizeLf,  // LF of the size line
    kChunkData,    // remaining_ octets to come
    kChunkDataCr,  // CR behind the data
    kChunkDataLf,  // its LF
    kTrailers,     // lines of the trailer section
    kDone,
    kError,
  };
  // Inside a chunk extension: no ';' yet, behind one, in a quoted string, behind its backslash.
  enum class Extension : std::uint8_t { kNone, kOpen, kQuoted, kEscaped };
  struct Message;
  struct Section;
  struct Cursor;

  Step fail(ParseError error, const Cursor& cursor);
  ParseError skip_empty_lines(Cursor& cursor);
  Step feed_start(Cursor& cursor);
  Step feed_head(Cursor& cursor);
  Step feed_body(Cursor& cursor);
  Step feed_sized_data(Cursor& cursor);
  Step feed_chunk_framing(Cursor& cursor);
  Step feed_trailers(Cursor& cursor);
  ParseError read_lines(Cursor& cursor, Section& section, bool& complete);
  void read_plain_lines(Cursor& cursor, bool& complete);
  ParseError take_line(Section& section, std::string_view line, bool& last);
  ParseError finish_head();
  void enter_body();
  ParseError chunk_byte(unsigned char byte);
  ParseError chunk_size_byte(unsigned char byte);
  ParseError chunk_extension_byte(unsigned char byte);
  void chunk_size_done();

  std::unique_ptr<Message> message_;
  std::uint64_t remaining_ = 0;       // octets of the current body or chunk still to come
  std::uint32_t extension_size_ = 0;  // octets of the chunk extension so far
  ParserLimits limits_;
  Role role_;
  State state_ = State::kStart;
  ParseError error_ = ParseError::kNone;
  Method request_method_ = Method::kGet;
  std::uint8_t digits_ = 0;   // of the chunk size
  std::uint8_t skipped_ = 0;  // octets of empty lines before a request
  Extension extension_ = Extension::kNone;
};

}  // namespace evener::http

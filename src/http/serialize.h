// Writing HTTP/1: heads rewritten for the next hop, chunks, and replies of our own.
//
// Functions that append to a string the caller owns (and may keep, to save allocations). Nothing is
// read from a connection; the only source of framing is the Head's one decision, never its fields.
// Linear in the head. Source: RFC 9110 §7.6 (forwarding), RFC 9112 §6, §7, §9; cases F26, F29,
// F34, F36, F39, F44.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "http/message.h"

namespace evener::http {

struct RequestRewrite {
  std::string_view client_ip = {};  // no brackets; empty: X-Forwarded-For is passed on as it came
  std::string_view proto = "http";  // for X-Forwarded-Proto
  std::string_view host_fallback = {};  // Host when the request has none (HTTP/1.0)
  std::string_view via = "evener";      // our name in Via
  bool forward_expect = true;           // false: the proxy answers 100 itself (case F22)
};

struct RequestNotes {
  std::uint32_t aliases_dropped = 0;  // fields like X_Forwarded_For that were left out (case F39)
};

// Writes `head` as an HTTP/1.1 request in origin form. Hop-by-hop fields and those that Connection
// names are left out, but Connection cannot name away what we set ourselves. Host, framing, Via and
// X-Forwarded-{For,Proto,Host} are written by us; For is appended to, Proto and Host are replaced.
// TE: trailers is kept. The body must follow framed as head.framing says.
// REQUIRES: `head` is a request that the parser accepted; the strings in `how` hold no CR or LF.
RequestNotes append_request_head(std::string& out, const Head& head, const RequestRewrite& how);

struct ResponseRewrite {
  Version client_version = Version::k11;
  Method request_method = Method::kGet;
  bool close = false;               // the connection ends behind this response
  std::string_view via = "evener";  // our name in Via
};

// How the body must be sent, and whether the connection must be closed behind it.
struct ResponsePlan {
  Framing framing = Framing::kNone;
  bool close = false;
};

// Writes `head` as an HTTP/1.1 response. A body of unknown length goes out chunked to an HTTP/1.1
// client and ended by close to an HTTP/1.0 one. Responses to HEAD and 304 keep Content-Length.
// Says "Connection: close" when it ends, and "keep-alive" to an HTTP/1.0 client when it does not.
// REQUIRES: `head` is a response that the parser accepted, and not 101.
ResponsePlan append_response_head(std::string& out, const Head& head, const ResponseRewrite& how);

// The line in front of `size` octets of chunk data. REQUIRES: size > 0. Behind the data goes
// kChunkEnd.
void append_chunk_header(std::string& out, std::uint64_t size);
inline constexpr std::string_view kChunkEnd = "\r\n";

// The last chunk, the trailers but hop-by-hop and framing fields, and the end of the message.
void append_last_chunk(std::string& out, std::span<const Field> trailers = {});

// "HTTP/1.1 100 Continue" and its empty line.
void append_continue(std::string& out);

struct LocalReply {
  int status = 500;
  std::string_view reason = {};  // a stable word: "no_endpoint"; also in the evener-reason field
  Version client_version = Version::k11;
  bool close = false;
  bool head_request = false;      // fields as for GET, no body
  std::uint32_t retry_after = 0;  // seconds; 0: no Retry-After
};

// A whole response of our own: "503 Service Unavailable: no_endpoint\n" as text/plain.
void append_local_reply(std::string& out, const LocalReply& reply);
void append_local_reply(std::string& out, int status, std::string_view reason, Version version,
                        bool close, bool head_request);

// "Not Found" for 404; "Unknown" for a number without a name.
std::string_view reason_phrase(int status);

std::string_view to_string(Version version);  // "HTTP/1.1"

}  // namespace evener::http

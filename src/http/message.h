// The values of an HTTP/1 message: methods, fields, and Head, the parsed and *decided* start of
// one.
//
// A Head is made by Parser (parser.h) and read by the proxy and the writers (serialize.h). It owns
// nothing: every view points into the bytes the parser was fed or into the parser's own storage,
// and is good until that parser is reset. One thread, no allocation. How the body is framed is
// decided once, by the parser, and never again from the fields. Source: RFC 9110, RFC 9112 §3,
// §6.3.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace evener::http {

enum class Version : std::uint8_t { k10, k11 };

// kOther: any other token; Head::method_text has it. kConnect is never seen in a Head (refused).
enum class Method : std::uint8_t {
  kGet,
  kHead,
  kPost,
  kPut,
  kDelete,
  kOptions,
  kTrace,
  kPatch,
  kConnect,
  kOther
};

// The fields a proxy acts on; everything else is kOther and passes through.
enum class FieldId : std::uint8_t {
  kOther,
  kHost,
  kConnection,
  kContentLength,
  kTransferEncoding,
  kTe,
  kTrailer,
  kUpgrade,
  kKeepAlive,
  kProxyConnection,
  kProxyAuthenticate,
  kProxyAuthorization,
  kHttp2Settings,
  kExpect,
  kVia,
  kXForwardedFor,
  kXForwardedProto,
  kXForwardedHost,
  kDate,
  kServer,
  kRetryAfter,
  kAlias,  // "X_Forwarded_For": an endpoint may take it for a field above (case F39)
};

// A set of them: asking whether a head has a field is one test.
class FieldIds {
 public:
  constexpr FieldIds() = default;
  constexpr FieldIds(std::initializer_list<FieldId> ids) {
    for (const FieldId id : ids) add(id);
  }
  constexpr void add(FieldId id) { bits_ |= bit(id); }
  constexpr void add(FieldIds others) { bits_ |= others.bits_; }
  constexpr bool has(FieldId id) const { return (bits_ & bit(id)) != 0; }

 private:
  static constexpr std::uint32_t bit(FieldId id) { return 1U << static_cast<unsigned>(id); }

  std::uint32_t bits_ = 0;
};

// One field line. `value` is without the white space around it; `name` as the sender spelt it.
struct Field {
  std::string_view name;
  std::string_view value;
  FieldId id = FieldId::kOther;
};

// Where the body ends (RFC 9112 §6.3). kNone: there is none. kLength: `content_length` octets,
// which may be 0. kUntilClose: responses only.
enum class Framing : std::uint8_t { kNone, kLength, kChunked, kUntilClose };

struct Head {
  // Request line. `target` is as sent; `path` is the origin form to forward ("/a?b", or "*").
  Method method = Method::kOther;
  std::string_view method_text;
  std::string_view target;
  std::string_view path;
  // The name to route by: the target's authority in absolute form, else Host. "host" or "host:port"
  // as sent, validated. Empty only for HTTP/1.0 without Host.
  std::string_view authority;

  // Status line; `status` is 0 in a request.
  int status = 0;
  std::string_view reason;

  Version version = Version::k11;
  std::span<const Field> fields;
  FieldIds present;  // the ids among `fields`

  Framing framing = Framing::kNone;
  // The octets of a kLength body. Also set, with has_content_length, where the field is only
  // information: responses to HEAD and 304.
  std::uint64_t content_length = 0;
  bool has_content_length = false;

  bool keep_alive = false;         // the sender allows another message on this connection
  bool expect_continue = false;    // HTTP/1.1, Expect: 100-continue, and a body to come
  bool upgrade_requested = false;  // HTTP/1.1, Upgrade and "Connection: upgrade"
  bool te_trailers = false;        // TE lists "trailers"
  bool names_fields = false;       // Connection has more than close, keep-alive and upgrade
};

}  // namespace evener::http

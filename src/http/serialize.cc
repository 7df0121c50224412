#include "http/serialize.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/check.h"
#include "http/fields.h"

namespace evener::http {
namespace {

void append_number(std::string& out, std::uint64_t value, int base = 10) {
  std::array<char, 20> digits{};
  const auto result = std::to_chars(digits.begin(), digits.end(), value, base);
  out.append(digits.begin(), result.ptr);
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name);
  out.append(": ");
  out.append(value);
  out.append("\r\n");
}

void append_length(std::string& out, std::uint64_t length) {
  out.append("Content-Length: ");
  append_number(out, length);
  out.append("\r\n");
}

// Ends with this hop whatever Connection says (RFC 9110 §7.6.1, §11.7; the last two by custom).
bool is_hop_by_hop(FieldId id) {
  switch (id) {
    case FieldId::kConnection:
    case FieldId::kKeepAlive:
    case FieldId::kProxyConnection:
    case FieldId::kProxyAuthenticate:
    case FieldId::kProxyAuthorization:
    case FieldId::kTe:
    case FieldId::kTransferEncoding:
    case FieldId::kUpgrade:
    case FieldId::kHttp2Settings:
      return true;
    default:
      return false;
  }
}

// The Connection fields' other options, looked up once per head: most heads have none.
class NamedByConnection {
 public:
  explicit NamedByConnection(const Head& head) : head_(head) {
    for (const Field& field : head.fields) {
      if (field.id != FieldId::kConnection) continue;
      std::string_view list = field.value;
      std::string_view option;
      while (next_list_item(list, option)) any_ |= names_a_field(option);
    }
  }

  // Only fields that we have no part in: Connection cannot name away Host or the forwarding fields.
  bool drops(const Field& field) const {
    return any_ && field.id == FieldId::kOther && connection_has(head_, field.name);
  }

 private:
  static bool names_a_field(std::string_view option) {
    return !equals_ignoring_case(option, "close") && !equals_ignoring_case(option, "keep-alive") &&
           !equals_ignoring_case(option, "upgrade");
  }

  const Head& head_;
  bool any_ = false;
};

// All values of one field in one line, in order, with `last` behind them.
void append_joined(std::string& out, std::string_view name, const Head& head, FieldId id,
                   std::string_view last) {
  out.append(name);
  out.append(": ");
  std::string_view separator;
  for (const Field& field : head.fields) {
    if (field.id != id || field.value.empty()) continue;
    out.append(separator);
    out.append(field.value);
    separator = ", ";
  }
  if (!last.empty()) {
    out.append(separator);
    out.append(last);
  }
  out.append("\r\n");
}

void append_via(std::string& out, const Head& head, std::string_view pseudonym) {
  std::array<char, 64> text{};
  EV_CHECK(pseudonym.size() <= text.size() - 4, "the name in Via has at most 60 octets");
  const std::string_view version = head.version == Version::k11 ? "1.1 " : "1.0 ";
  auto* end = std::ranges::copy(version, text.begin()).out;
  end = std::ranges::copy(pseudonym, end).out;
  append_joined(out, "Via", head, FieldId::kVia,
                {text.data(), static_cast<std::size_t>(end - text.begin())});
}

bool has_field(const Head& head, FieldId id) {
  return std::ranges::any_of(head.fields, [id](const Field& field) { return field.id == id; });
}

void append_framing(std::string& out, Framing framing, std::uint64_t length) {
  if (framing == Framing::kLength) append_length(out, length);
  if (framing == Framing::kChunked) out.append("Transfer-Encoding: chunked\r\n");
}

// What append_request_head writes itself, or leaves out on purpose.
bool is_ours_in_request(const Field& field, const Head& head, const RequestRewrite& how) {
  switch (field.id) {
    case FieldId::kHost:
    case FieldId::kContentLength:
    case FieldId::kVia:
    case FieldId::kXForwardedFor:
    case FieldId::kXForwardedProto:
    case FieldId::kXForwardedHost:
      return true;
    case FieldId::kExpect:
      return !how.forward_expect;
    case FieldId::kTrailer:
      return head.framing != Framing::kChunked;
    default:
      return is_hop_by_hop(field.id);
  }
}

// X_Forwarded_For beside X-Forwarded-For: an endpoint that folds both into one variable would let
// the client choose what we vouch for (case F39). Harmless look-alikes pass.
bool is_forged_alias(const Field& field) {
  if (field.id != FieldId::kOther) return false;
  return aliased_field_id(field.name) != FieldId::kOther;
}

void append_forwarding(std::string& out, const Head& head, const RequestRewrite& how,
                       std::string_view host) {
  append_via(out, head, how.via);
  if (!how.client_ip.empty() || has_field(head, FieldId::kXForwardedFor)) {
    append_joined(out, "X-Forwarded-For", head, FieldId::kXForwardedFor, how.client_ip);
  }
  append_field(out, "X-Forwarded-Proto", how.proto);
  append_field(out, "X-Forwarded-Host", host);
  if (head.te_trailers) out.append("TE: trailers\r\nConnection: TE\r\n");
}

void append_status_line(std::string& out, int status, std::string_view reason) {
  out.append("HTTP/1.1 ");
  append_number(out, static_cast<std::uint64_t>(status));
  out.append(" ");
  out.append(reason);
  out.append("\r\n");
}

ResponsePlan plan_response(const Head& head, const ResponseRewrite& how) {
  ResponsePlan plan{.framing = head.framing, .close = how.close};
  const bool unknown = head.framing == Framing::kChunked || head.framing == Framing::kUntilClose;
  if (unknown && how.client_version == Version::k11) plan.framing = Framing::kChunked;
  if (unknown && how.client_version == Version::k10) {
    plan = {.framing = Framing::kUntilClose, .close = true};
  }
  return plan;
}

void append_connection(std::string& out, bool close, Version client_version) {
  if (close) {
    out.append("Connection: close\r\n");
  } else if (client_version == Version::k10) {
    out.append("Connection: keep-alive\r\n");
  }
}

}  // namespace

RequestNotes append_request_head(std::string& out, const Head& head, const RequestRewrite& how) {
  RequestNotes notes;
  const std::string_view host = head.authority.empty() ? how.host_fallback : head.authority;
  out.append(head.method_text);
  out.append(" ");
  out.append(head.path);
  out.append(" HTTP/1.1\r\n");
  append_field(out, "Host", host);
  const NamedByConnection named(head);
  for (const Field& field : head.fields) {
    if (is_ours_in_request(field, head, how) || named.drops(field)) continue;
    if (is_forged_alias(field)) {
      ++notes.aliases_dropped;
      continue;
    }
    append_field(out, field.name, field.value);
  }
  append_framing(out, head.framing, head.content_length);
  append_forwarding(out, head, how, host);
  out.append("\r\n");
  return notes;
}

ResponsePlan append_response_head(std::string& out, const Head& head, const ResponseRewrite& how) {
  const bool interim = head.status < 200;
  const ResponsePlan plan = interim ? ResponsePlan{} : plan_response(head, how);
  append_status_line(out, head.status, head.reason);
  const NamedByConnection named(head);
  for (const Field& field : head.fields) {
    const bool ours = field.id == FieldId::kContentLength || field.id == FieldId::kVia ||
                      (field.id == FieldId::kTrailer && plan.framing != Framing::kChunked);
    if (ours || is_hop_by_hop(field.id) || named.drops(field)) continue;
    append_field(out, field.name, field.value);
  }
  if (head.framing == Framing::kNone && head.has_content_length) {
    append_length(out, head.content_length);
  } else {
    append_framing(out, plan.framing, head.content_length);
  }
  append_via(out, head, how.via);
  if (!interim) append_connection(out, plan.close, how.client_version);
  out.append("\r\n");
  return plan;
}

void append_chunk_header(std::string& out, std::uint64_t size) {
  EV_CHECK(size > 0, "an empty chunk would end the body");
  append_number(out, size, 16);
  out.append("\r\n");
}

void append_last_chunk(std::string& out, std::span<const Field> trailers) {
  out.append("0\r\n");
  for (const Field& field : trailers) {
    if (is_hop_by_hop(field.id) || field.id == FieldId::kTrailer ||
        (field.id == FieldId::kOther && aliased_field_id(field.name) != FieldId::kOther)) {
      continue;
    }
    append_field(out, field.name, field.value);
  }
  out.append("\r\n");
}

void append_continue(std::string& out) { out.append("HTTP/1.1 100 Continue\r\n\r\n"); }

void append_local_reply(std::string& out, const LocalReply& reply) {
  const std::string_view phrase = reason_phrase(reply.status);
  constexpr std::size_t kAroundBody = 7;  // "503 ", ": ", and the line end
  append_status_line(out, reply.status, phrase);
  append_field(out, "Content-Type", "text/plain");
  append_length(out, kAroundBody + phrase.size() + reply.reason.size());
  append_field(out, "evener-reason", reply.reason);
  if (reply.retry_after > 0) {
    out.append("Retry-After: ");
    append_number(out, reply.retry_after);
    out.append("\r\n");
  }
  append_connection(out, reply.close, reply.client_version);
  out.append("\r\n");
  if (reply.head_request) return;
  append_number(out, static_cast<std::uint64_t>(reply.status));
  out.append(" ");
  out.append(phrase);
  out.append(": ");
  out.append(reply.reason);
  out.append("\n");
}

void append_local_reply(std::string& out, int status, std::string_view reason, Version version,
                        bool close, bool head_request) {
  append_local_reply(out, LocalReply{.status = status,
                                     .reason = reason,
                                     .client_version = version,
                                     .close = close,
                                     .head_request = head_request});
}

std::string_view to_string(Version version) {
  return version == Version::k11 ? "HTTP/1.1" : "HTTP/1.0";
}

}  // namespace evener::http

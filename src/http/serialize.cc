#include "http/serialize.h"

#include "base/check.h"
#include "http/fields.h"
#include "http/text_writer.h"

namespace evener::http {
namespace {

// More than all constant words, numbers and line ends that one head can get from us.
constexpr std::size_t kOwnWords = 320;

void put_field(TextWriter& out, std::string_view name, std::string_view value) {
  out.put(name);
  out.put(": ");
  out.put(value);
  out.put("\r\n");
}

void put_length(TextWriter& out, std::uint64_t length) {
  out.put("Content-Length: ");
  out.put_number(length);
  out.put("\r\n");
}

// End with this hop whatever Connection says (RFC 9110 §7.6.1, §11.7; the last two by custom).
constexpr FieldIds kHopByHop = {FieldId::kConnection,         FieldId::kKeepAlive,
                                FieldId::kProxyConnection,    FieldId::kProxyAuthenticate,
                                FieldId::kProxyAuthorization, FieldId::kTe,
                                FieldId::kTransferEncoding,   FieldId::kUpgrade,
                                FieldId::kHttp2Settings};

constexpr FieldIds operator+(FieldIds ids, FieldIds others) { return ids.add(others), ids; }

// What append_request_head writes itself.
constexpr FieldIds kOursInRequest =
    kHopByHop +
    FieldIds{FieldId::kHost,          FieldId::kContentLength,   FieldId::kVia,
             FieldId::kXForwardedFor, FieldId::kXForwardedProto, FieldId::kXForwardedHost};
constexpr FieldIds kOursInResponse = kHopByHop + FieldIds{FieldId::kContentLength, FieldId::kVia};

// Connection cannot name away Host or the forwarding fields: only what we have no part in.
bool named_away(const Head& head, const Field& field) {
  const bool not_ours = field.id == FieldId::kOther || field.id == FieldId::kAlias;
  return not_ours && connection_has(head, field.name);
}

// Copies the fields that pass as they came. Neighbours that already have the form in which we write
// ("name: value CRLF") go in one piece. REQUIRES: the fields' views lie in the head's bytes.
class FieldCopier {
 public:
  explicit FieldCopier(TextWriter& out) : out_(out) {}

  void pass(const Field& field) {
    const char* const name_end = field.name.data() + field.name.size();
    const char* const value_end = field.value.data() + field.value.size();
    const bool as_written = field.value.data() == name_end + 2 && name_end[1] == ' ' &&
                            value_end[0] == '\r' && value_end[1] == '\n';
    if (!as_written) {
      flush();
      put_field(out_, field.name, field.value);
      return;
    }
    if (field.name.data() != end_) {
      flush();
      begin_ = field.name.data();
    }
    end_ = value_end + 2;
  }

  void flush() {
    if (begin_ != nullptr) out_.put(std::string_view(begin_, end_));
    begin_ = end_ = nullptr;
  }

 private:
  TextWriter& out_;
  const char* begin_ = nullptr;
  const char* end_ = nullptr;
};

// Copies all fields but those in `dropped` and those that Connection names.
void put_passing(TextWriter& out, const Head& head, FieldIds dropped) {
  FieldCopier copier(out);
  for (const Field& field : head.fields) {
    if (dropped.has(field.id) || (head.names_fields && named_away(head, field))) continue;
    copier.pass(field);
  }
  copier.flush();
}

// X_Forwarded_For beside X-Forwarded-For: an endpoint that folds both into one variable would let
// the client choose what we vouch for (case F39). Harmless look-alikes pass.
std::uint32_t count_forged(const Head& head) {
  std::uint32_t count = 0;
  if (!head.present.has(FieldId::kAlias)) return count;
  for (const Field& field : head.fields) {
    if (field.id != FieldId::kAlias) continue;
    if (!head.names_fields || !named_away(head, field)) ++count;
  }
  return count;
}

std::size_t field_bytes(const Head& head) {
  std::size_t sum = 0;
  for (const Field& field : head.fields) sum += field.name.size() + field.value.size() + 4;
  return sum;
}

// The values that came, in order, each with a comma behind it: ours follows or ends the list.
void put_values(TextWriter& out, const Head& head, FieldId id, bool ours_follows) {
  if (!head.present.has(id)) return;
  bool first = true;
  for (const Field& field : head.fields) {
    if (field.id != id || field.value.empty()) continue;
    if (!first) out.put(", ");
    out.put(field.value);
    first = false;
  }
  if (!first && ours_follows) out.put(", ");
}

void put_via(TextWriter& out, const Head& head, std::string_view pseudonym) {
  out.put("Via: ");
  put_values(out, head, FieldId::kVia, true);
  if (head.version == Version::k11) {
    out.put("1.1 ");
  } else {
    out.put("1.0 ");
  }
  out.put(pseudonym);
  out.put("\r\n");
}

void put_framing(TextWriter& out, Framing framing, std::uint64_t length) {
  if (framing == Framing::kLength) put_length(out, length);
  if (framing == Framing::kChunked) out.put("Transfer-Encoding: chunked\r\n");
}

void put_forwarding(TextWriter& out, const Head& head, const RequestRewrite& how,
                    std::string_view host) {
  put_via(out, head, how.via);
  if (!how.client_ip.empty() || head.present.has(FieldId::kXForwardedFor)) {
    out.put("X-Forwarded-For: ");
    put_values(out, head, FieldId::kXForwardedFor, !how.client_ip.empty());
    out.put(how.client_ip);
    out.put("\r\n");
  }
  out.put("X-Forwarded-Proto: ");
  out.put(how.proto);
  out.put("\r\nX-Forwarded-Host: ");
  out.put(host);
  out.put("\r\n");
  if (head.te_trailers) out.put("TE: trailers\r\nConnection: TE\r\n");
}

void put_status_line(TextWriter& out, int status, std::string_view reason) {
  out.put("HTTP/1.1 ");
  out.put_number(static_cast<std::uint64_t>(status));
  out.put(" ");
  out.put(reason);
  out.put("\r\n");
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

void put_connection(TextWriter& out, bool close, Version client_version) {
  if (close) {
    out.put("Connection: close\r\n");
  } else if (client_version == Version::k10) {
    out.put("Connection: keep-alive\r\n");
  }
}

}  // namespace

RequestNotes append_request_head(std::string& out, const Head& head, const RequestRewrite& how) {
  const std::string_view host = head.authority.empty() ? how.host_fallback : head.authority;
  FieldIds dropped = kOursInRequest;
  dropped.add(FieldId::kAlias);
  if (!how.forward_expect) dropped.add(FieldId::kExpect);
  if (head.framing != Framing::kChunked) dropped.add(FieldId::kTrailer);
  const std::size_t bound = kOwnWords + head.method_text.size() + head.path.size() +
                            2 * host.size() + how.via.size() + how.client_ip.size() +
                            how.proto.size() + field_bytes(head);
  append_bounded(out, bound, [&](TextWriter& text) {
    text.put(head.method_text);
    text.put(" ");
    text.put(head.path);
    text.put(" HTTP/1.1\r\nHost: ");
    text.put(host);
    text.put("\r\n");
    put_passing(text, head, dropped);
    put_framing(text, head.framing, head.content_length);
    put_forwarding(text, head, how, host);
    text.put("\r\n");
  });
  return {.aliases_dropped = count_forged(head)};
}

ResponsePlan append_response_head(std::string& out, const Head& head, const ResponseRewrite& how) {
  const bool interim = head.status < 200;
  const ResponsePlan plan = interim ? ResponsePlan{} : plan_response(head, how);
  FieldIds dropped = kOursInResponse;
  if (plan.framing != Framing::kChunked) dropped.add(FieldId::kTrailer);
  const std::size_t bound = kOwnWords + head.reason.size() + how.via.size() + field_bytes(head);
  append_bounded(out, bound, [&](TextWriter& text) {
    put_status_line(text, head.status, head.reason);
    put_passing(text, head, dropped);
    if (head.framing == Framing::kNone && head.has_content_length) {
      put_length(text, head.content_length);
    } else {
      put_framing(text, plan.framing, head.content_length);
    }
    put_via(text, head, how.via);
    if (!interim) put_connection(text, plan.close, how.client_version);
    text.put("\r\n");
  });
  return plan;
}

void append_chunk_header(std::string& out, std::uint64_t size) {
  EV_CHECK(size > 0, "an empty chunk would end the body");
  append_bounded(out, TextWriter::kDigitsMax + 2, [size](TextWriter& text) {
    text.put_number(size, 16);
    text.put("\r\n");
  });
}

void append_last_chunk(std::string& out, std::span<const Field> trailers) {
  std::size_t bound = 5;
  for (const Field& field : trailers) bound += field.name.size() + field.value.size() + 4;
  append_bounded(out, bound, [trailers](TextWriter& text) {
    text.put("0\r\n");
    for (const Field& field : trailers) {
      if (kHopByHop.has(field.id) || field.id == FieldId::kTrailer || field.id == FieldId::kAlias) {
        continue;
      }
      put_field(text, field.name, field.value);
    }
    text.put("\r\n");
  });
}

void append_continue(std::string& out) { out.append("HTTP/1.1 100 Continue\r\n\r\n"); }

void append_local_reply(std::string& out, const LocalReply& reply) {
  const std::string_view phrase = reason_phrase(reply.status);
  constexpr std::size_t kAroundBody = 7;  // "503 ", ": ", and the line end
  const std::size_t bound = kOwnWords + 2 * (phrase.size() + reply.reason.size());
  append_bounded(out, bound, [&](TextWriter& text) {
    put_status_line(text, reply.status, phrase);
    text.put("Content-Type: text/plain\r\n");
    put_length(text, kAroundBody + phrase.size() + reply.reason.size());
    put_field(text, "evener-reason", reply.reason);
    if (reply.retry_after > 0) {
      text.put("Retry-After: ");
      text.put_number(reply.retry_after);
      text.put("\r\n");
    }
    put_connection(text, reply.close, reply.client_version);
    text.put("\r\n");
    if (reply.head_request) return;
    text.put_number(static_cast<std::uint64_t>(reply.status));
    text.put(" ");
    text.put(phrase);
    text.put(": ");
    text.put(reply.reason);
    text.put("\n");
  });
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

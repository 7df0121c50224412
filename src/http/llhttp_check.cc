#include <llhttp.h>

#include <cstddef>

#include "http/fields.h"
#include "http/head.h"

// Without strict mode llhttp 8.1 takes a space before the colon and ends heads at a bare CR.
#if !defined(LLHTTP_STRICT_MODE) || LLHTTP_STRICT_MODE != 1
#error "llhttp must be compiled and included with LLHTTP_STRICT_MODE=1"
#endif

namespace evener::http {
namespace {

// One head's comparison. llhttp is fed the head in one piece (two when the method is replaced, and
// that cut lies in no span), so every span arrives whole. And it is fed the very bytes that the
// head's views point into, so equal means: the same place, not only the same octets.
struct Comparison {
  explicit Comparison(const Head& parsed) : head(parsed) {}

  const Head& head;
  std::string_view name;
  std::string_view value;
  std::size_t next_field = 0;
  bool same = true;
  bool complete = false;
};

Comparison& comparison(llhttp_t* parser) { return *static_cast<Comparison*>(parser->data); }

bool same_place(std::string_view ours, const char* at, std::size_t size) {
  return ours.data() == at && ours.size() == size;
}

// llhttp keeps white space behind a value, and an empty value has no place.
bool same_value(std::string_view ours, std::string_view theirs) {
  if (same_place(ours, theirs.data(), theirs.size())) return true;
  theirs = trim(theirs);
  return ours.size() == theirs.size() && (ours.empty() || ours.data() == theirs.data());
}

int on_url(llhttp_t* parser, const char* at, std::size_t size) {
  Comparison& c = comparison(parser);
  c.same &= same_place(c.head.target, at, size);
  return 0;
}

int on_field(llhttp_t* parser, const char* at, std::size_t size) {
  comparison(parser).name = {at, size};
  return 0;
}

int on_value(llhttp_t* parser, const char* at, std::size_t size) {
  comparison(parser).value = {at, size};
  return 0;
}

int on_value_complete(llhttp_t* parser) {
  Comparison& c = comparison(parser);
  if (c.next_field >= c.head.fields.size()) {
    c.same = false;
    return 0;
  }
  const Field& ours = c.head.fields[c.next_field++];
  c.same &= same_place(ours.name, c.name.data(), c.name.size()) && same_value(ours.value, c.value);
  c.name = {};
  c.value = {};
  return 0;
}

int on_headers_complete(llhttp_t* parser) {
  Comparison& c = comparison(parser);
  const bool coded = c.head.present.has(FieldId::kTransferEncoding);
  const bool sized = c.head.present.has(FieldId::kContentLength);
  c.same &= ((parser->flags & F_CHUNKED) != 0) == coded;
  c.same &= ((parser->flags & F_CONTENT_LENGTH) != 0) == sized;
  if (c.head.framing == Framing::kChunked) c.same &= coded;
  if (c.head.framing == Framing::kLength || c.head.has_content_length) {
    c.same &= sized && parser->content_length == c.head.content_length;
  }
  c.same &= parser->http_major == 1 && parser->http_minor == (c.head.version == Version::k11);
  c.same &= c.head.status == 0 || parser->status_code == c.head.status;
  c.same &= c.next_field == c.head.fields.size();
  c.complete = true;
  parser->upgrade = 0;
  return 1;  // no body: it is ours to read
}

constexpr llhttp_settings_t make_settings() {
  llhttp_settings_t settings{};
  settings.on_url = on_url;
  settings.on_header_field = on_field;
  settings.on_header_value = on_value;
  settings.on_header_value_complete = on_value_complete;
  settings.on_headers_complete = on_headers_complete;
  return settings;
}
constexpr llhttp_settings_t kSettings = make_settings();

}  // namespace

bool llhttp_agrees(Role role, std::string_view bytes, const Head& head) {
  Comparison c(head);
  llhttp_t parser;
  llhttp_init(&parser, role == Role::kRequest ? HTTP_REQUEST : HTTP_RESPONSE, &kSettings);
  parser.data = &c;
  // llhttp knows a fixed list of methods; any token is one (RFC 9110 §9.1), so stand in a known
  // one.
  if (role == Role::kRequest && head.method == Method::kOther) {
    if (llhttp_execute(&parser, "POST", 4) != HPE_OK) return false;
    bytes.remove_prefix(head.method_text.size());
  }
  return llhttp_execute(&parser, bytes.data(), bytes.size()) == HPE_OK && c.same && c.complete;
}

}  // namespace evener::http

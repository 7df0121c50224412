#include "http/head.h"

#include <charconv>
#include <cstdint>
#include <limits>

#include "http/fields.h"
#include "http/host.h"
#include "http/scan.h"

namespace evener::http {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

ParseError check_text(std::string_view text) {
  const char* const end = text.data() + text.size();
  const char* const at = skip_text(text.data(), end);
  if (at == end) return ParseError::kNone;
  return *at == '\r' ? ParseError::kBareCr : ParseError::kBadHeaderValue;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool frames_body(FieldId id) {
  return id == FieldId::kContentLength || id == FieldId::kTransferEncoding;
}

// "HTTP/1.1" and nothing else.
ParseError parse_version(std::string_view text, Version& version) {
  if (text == "HTTP/1.1") {
    version = Version::k11;
    return ParseError::kNone;
  }
  if (text.size() != 8 || !text.starts_with("HTTP/") || !is_digit(text[5]) || text[6] != '.' ||
      !is_digit(text[7])) {
    return ParseError::kBadStartLine;
  }
  if (text[5] != '1' || text[7] > '1') return ParseError::kUnsupportedVersion;
  version = text[7] == '1' ? Version::k11 : Version::k10;
  return ParseError::kNone;
}

ParseError check_target(std::string_view target) {
  const char* const end = target.data() + target.size();
  return skip_target(target.data(), end) == end ? ParseError::kNone : ParseError::kBadTarget;
}

ParseError set_absolute_form(Head& head, std::string& path_storage) {
  const std::size_t scheme_end = head.target.find("://");
  if (scheme_end == std::string_view::npos) return ParseError::kBadTarget;
  const std::string_view scheme = head.target.substr(0, scheme_end);
  if (!equals_ignoring_case(scheme, "http") && !equals_ignoring_case(scheme, "https")) {
    return ParseError::kBadTarget;
  }
  const std::string_view rest = head.target.substr(scheme_end + 3);
  const std::size_t authority_end = std::min(rest.find_first_of("/?"), rest.size());
  head.authority = rest.substr(0, authority_end);
  if (!parse_host_port(head.authority)) return ParseError::kBadTarget;
  head.path = rest.substr(authority_end);
  if (head.path.empty()) {
    head.path = head.method == Method::kOptions ? "*" : "/";  // RFC 9112 §3.2.4
  } else if (head.path.front() == '?') {
    path_storage = "/";
    path_storage += head.path;
    head.path = path_storage;
  }
  return ParseError::kNone;
}

ParseError set_target_form(Head& head, std::string& path_storage) {
  if (head.method == Method::kConnect) return ParseError::kConnectNotSupported;
  if (head.target.front() == '/') {
    head.path = head.target;
    return ParseError::kNone;
  }
  if (head.target == "*") {
    if (head.method != Method::kOptions) return ParseError::kBadTarget;
    head.path = head.target;
    return ParseError::kNone;
  }
  return set_absolute_form(head, path_storage);
}

// What the fields say that bears on framing and on the connection.
struct Findings {
  int hosts = 0;
  int lengths = 0;
  int codings = 0;
  std::string_view host;
  std::string_view length;
  std::string_view coding;
  bool close = false;
  bool keep_alive = false;
  bool names_upgrade = false;
  bool has_upgrade = false;
  bool continue_expected = false;
};

void note_connection(std::string_view list, Findings& found, Head& head) {
  std::string_view option;
  while (next_list_item(list, option)) {
    if (is_word(option, "close")) {
      found.close = true;
    } else if (is_word(option, "keep-alive")) {
      found.keep_alive = true;
    } else if (is_word(option, "upgrade")) {
      found.names_upgrade = true;
    } else {
      head.names_fields = true;
    }
  }
}

Findings look_at_fields(Head& head) {
  Findings found;
  for (const Field& field : head.fields) {
    head.present.add(field.id);
    if (field.id == FieldId::kOther) continue;
    switch (field.id) {
      case FieldId::kHost:
        ++found.hosts;
        found.host = field.value;
        break;
      case FieldId::kContentLength:
        ++found.lengths;
        found.length = field.value;
        break;
      case FieldId::kTransferEncoding:
        ++found.codings;
        found.coding = field.value;
        break;
      case FieldId::kConnection:
        note_connection(field.value, found, head);
        break;
      case FieldId::kUpgrade:
        found.has_upgrade = true;
        break;
      case FieldId::kTe:
        head.te_trailers |= list_has_token(field.value, "trailers");
        break;
      case FieldId::kExpect:
        found.continue_expected |= is_word(field.value, "100-continue");
        break;
      default:
        break;
    }
  }
  return found;
}

// Two fields, equal or not, are refused: RFC 9112 §6.3 rule 5 allows it, case F26.
ParseError parse_length(const Findings& found, Head& head) {
  if (found.lengths == 0) return ParseError::kNone;
  const char* end = found.length.data() + found.length.size();
  const auto result = std::from_chars(found.length.data(), end, head.content_length);
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (found.lengths > 1 || found.length.empty() || !is_digit(found.length.front()) ||
      result.ec != std::errc() || result.ptr != end || head.content_length > kMax) {
    head.content_length = 0;
    return ParseError::kBadContentLength;
  }
  head.has_content_length = true;
  return ParseError::kNone;
}

ParseError check_coding(const Findings& found, const Head& head) {
  if (found.codings == 0) return ParseError::kNone;
  if (found.lengths > 0) return ParseError::kLengthAndCoding;
  if (found.codings > 1 || head.version == Version::k10) return ParseError::kBadTransferEncoding;
  if (is_word(found.coding, "chunked")) return ParseError::kNone;
  std::string_view list = found.coding;
  std::string_view item;
  while (next_list_item(list, item)) {
    if (!is_word(item, "chunked")) return ParseError::kUnsupportedCoding;
  }
  return ParseError::kBadTransferEncoding;
}

ParseError decide_common(Head& head, const Findings& found) {
  if (const ParseError error = parse_length(found, head); error != ParseError::kNone) return error;
  if (const ParseError error = check_coding(found, head); error != ParseError::kNone) return error;
  if (found.codings > 0) {
    head.framing = Framing::kChunked;
  } else if (head.has_content_length) {
    head.framing = Framing::kLength;
  }
  head.keep_alive = !found.close && (head.version == Version::k11 || found.keep_alive);
  head.upgrade_requested = head.version == Version::k11 && found.has_upgrade && found.names_upgrade;
  return ParseError::kNone;
}

ParseError check_host(const Findings& found, Head& head) {
  if (found.hosts > 1) return ParseError::kDuplicateHost;
  if (found.hosts == 0) {
    return head.version == Version::k11 ? ParseError::kMissingHost : ParseError::kNone;
  }
  if (!parse_host_port(found.host)) return ParseError::kBadHost;
  if (head.authority.empty()) head.authority = found.host;
  return ParseError::kNone;
}

}  // namespace

ParseError parse_request_line(std::string_view line, const ParserLimits& limits, Head& head) {
  const std::size_t method_end = line.find(' ');
  head.method_text = line.substr(0, method_end);
  if (!is_token(head.method_text)) return ParseError::kBadMethod;
  if (method_end == std::string_view::npos) return ParseError::kBadStartLine;
  const std::size_t target_end = line.find(' ', method_end + 1);
  const std::size_t target_size = std::min(target_end, line.size()) - method_end - 1;
  if (target_size > limits.target_bytes) return ParseError::kTargetTooLong;
  if (target_end == std::string_view::npos || target_size == 0) return ParseError::kBadStartLine;
  head.target = line.substr(method_end + 1, target_size);
  head.method = method_from(head.method_text);
  if (const ParseError error = parse_version(line.substr(target_end + 1), head.version);
      error != ParseError::kNone) {
    return error;
  }
  return check_target(head.target);
}

ParseError parse_status_line(std::string_view line, Head& head) {
  const std::size_t version_end = line.find(' ');
  if (const ParseError error = parse_version(line.substr(0, version_end), head.version);
      error != ParseError::kNone) {
    return error;
  }
  if (version_end == std::string_view::npos) return ParseError::kBadStartLine;
  const std::string_view code = line.substr(version_end + 1, 3);
  if (code.size() != 3 || !is_digit(code[0]) || !is_digit(code[1]) || !is_digit(code[2]) ||
      code[0] == '0') {
    return ParseError::kBadStatus;
  }
  head.status = (code[0] - '0') * 100 + (code[1] - '0') * 10 + (code[2] - '0');
  const std::string_view rest = line.substr(version_end + 4);
  // The space is required, but widely left out when there is no phrase.
  if (rest.empty()) return ParseError::kNone;
  if (rest.front() != ' ') return ParseError::kBadStatus;
  head.reason = rest.substr(1);
  const ParseError error = check_text(head.reason);
  return error == ParseError::kBadHeaderValue ? ParseError::kBadStartLine : error;
}

const char* read_field_line(const char* p, const char* end, Field& field) {
  const char* const name_begin = p;
  p = skip_plain(p, end);
  bool marked = false;
  if (p != end && *p != ':') {
    p = skip_class(p, end, kTokenChar);
    marked = true;
  }
  if (p == name_begin || p == end || *p != ':') return nullptr;
  field.name = {name_begin, p};
  const char* const colon = p++;
  while (p != end && is_blank(*p)) ++p;
  const char* const value = p;
  p = skip_text(p, end);
  if (end - p < 2 || p[0] != '\r' || p[1] != '\n') return nullptr;
  const char* value_end = p;
  while (value_end != value && is_blank(value_end[-1])) --value_end;
  field.value = {value, value_end};
  field.id = field_id(field.name);
  if (marked && aliased_field_id(field.name) != FieldId::kOther) field.id = FieldId::kAlias;
  // Parsers differ about tabs round these two (llhttp refuses some): only spaces, then.
  if (frames_body(field.id) && std::string_view(colon, p).contains('\t')) return nullptr;
  return p + 2;
}

ParseError field_line_error(std::string_view line) {
  if (is_blank(line.front())) return ParseError::kObsFold;
  const char* const end = line.data() + line.size();
  const auto colon =
      static_cast<std::size_t>(skip_class(line.data(), end, kTokenChar) - line.data());
  if (colon == line.size() || colon == 0) return ParseError::kBadHeaderName;
  if (line[colon] != ':') {
    const std::size_t after = line.find_first_not_of(" \t", colon);
    return after != colon && after != std::string_view::npos && line[after] == ':'
               ? ParseError::kSpaceBeforeColon
               : ParseError::kBadHeaderName;
  }
  if (frames_body(field_id(line.substr(0, colon))) && line.contains('\t')) {
    return ParseError::kBadHeaderValue;
  }
  const ParseError error = check_text(line.substr(colon + 1));
  return error == ParseError::kNone ? ParseError::kBadHeaderValue : error;
}

ParseError decide_request(Head& head, std::string& path_storage) {
  if (const ParseError error = set_target_form(head, path_storage); error != ParseError::kNone) {
    return error;
  }
  const Findings found = look_at_fields(head);
  if (const ParseError error = check_host(found, head); error != ParseError::kNone) return error;
  if (const ParseError error = decide_common(head, found); error != ParseError::kNone) return error;
  const bool has_body = head.framing == Framing::kChunked || head.content_length > 0;
  head.expect_continue = found.continue_expected && head.version == Version::k11 && has_body;
  return ParseError::kNone;
}

ParseError decide_response(Head& head, Method request_method) {
  const Findings found = look_at_fields(head);
  if (const ParseError error = decide_common(head, found); error != ParseError::kNone) return error;
  const bool interim = head.status < 200 || head.status == 204;
  const bool tunnel = request_method == Method::kConnect && head.status < 300;
  if (interim || tunnel) {
    head.framing = Framing::kNone;
    head.has_content_length = false;
    head.content_length = 0;
  } else if (head.status == 304 || request_method == Method::kHead) {
    head.framing = Framing::kNone;
  } else if (head.framing == Framing::kNone) {
    head.framing = Framing::kUntilClose;
    head.keep_alive = false;
  }
  return ParseError::kNone;
}

}  // namespace evener::http

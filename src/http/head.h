// The rules for one line of a head, and the decision what the whole head means.
//
// Internal to http/: Parser calls these. Pure functions on complete lines; no
// allocation but for a path that must be put together (absolute form without one). Source: RFC 9112
// §3, §4, §5, §6.3.
#pragma once

#include <string>
#include <string_view>

#include "http/message.h"
#include "http/parser.h"

namespace evener::http {

// Start lines come without their CRLF. Fills method, method_text, target, version.
ParseError parse_request_line(std::string_view line, const ParserLimits& limits, Head& head);

// Fills version, status, reason.
ParseError parse_status_line(std::string_view line, Head& head);

// Reads the field line at `p` and returns where the next line begins, or nullptr when [p, end) does
// not begin with a whole and faultless one. The only judge of what a field line may be.
const char* read_field_line(const char* p, const char* end, Field& field);

// What is wrong with a line that read_field_line refused. `line` is without its CRLF.
ParseError field_line_error(std::string_view line);

// Fill the rest from head.fields. `path_storage` keeps a path that is not part of the target as it
// stands; it must outlive the head.
ParseError decide_request(Head& head, std::string& path_storage);
ParseError decide_response(Head& head, Method request_method);

// True when llhttp, given the same head (start line to empty line), finds the same target, fields
// and framing fields. REQUIRES: decide_* accepted `head`, whose views point into `bytes`.
bool llhttp_agrees(Role role, std::string_view bytes, const Head& head);

}  // namespace evener::http

// Helpers over field names and values: who a name is, comma-separated lists, case-blind comparison.
//
// Pure functions on views, no allocation, any thread. Source: RFC 9110 §5.1, §5.6.1, §5.6.2.
#pragma once

#include <string_view>

#include "http/message.h"

namespace evener::http {

// ASCII only; the locale has no say.
bool equals_ignoring_case(std::string_view a, std::string_view b);

// The same for a known word, faster. REQUIRES: `text` may stand in a field value; `lower_case` is
// two or more lower-case letters, digits and '-'.
bool is_word(std::string_view text, std::string_view lower_case);

// Case-blind; kOther when the proxy does not act on it. REQUIRES: `name` is a token or empty.
FieldId field_id(std::string_view name);

// The field a CGI-like endpoint would take `name` for: '_', '.' and other marks read as '-'
// (case F39). kOther when `name` has no such mark, or means nothing to us.
// REQUIRES: `name` is a token or empty.
FieldId aliased_field_id(std::string_view name);

bool is_token_char(char c);
// Not empty, and only token characters (RFC 9110 §5.6.2).
bool is_token(std::string_view text);

// Without spaces and tabs at both ends.
std::string_view trim(std::string_view text);

// Takes the next element off a comma-separated list and trims it; empty elements are skipped.
// False when none is left. Quoted strings are not understood: for lists of tokens.
bool next_list_item(std::string_view& list, std::string_view& item);

// Whether a comma-separated list holds `token`, case-blind.
bool list_has_token(std::string_view list, std::string_view token);

// Whether any Connection field of `head` names `option`, case-blind (RFC 9110 §7.6.1).
bool connection_has(const Head& head, std::string_view option);

Method method_from(std::string_view text);

// The value of the first field with this id, or an empty view.
std::string_view first_value(const Head& head, FieldId id);

}  // namespace evener::http

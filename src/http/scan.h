// Walking over octets that need no decision, sixteen at a time where the machine allows it.
//
// Pure functions on [p, end), never reading at or behind `end`. Internal to http/. SSE2 is part of
// every x86-64, so nothing is chosen at run time; other machines take the table. Wider registers
// gain nothing on values this short.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace evener::http {

enum CharClass : std::uint8_t {
  kTokenChar = 1,    // RFC 9110 §5.6.2
  kPlainChar = 2,    // letters, digits, '-': what names consist of but for a few
  kTextChar = 4,     // HTAB, SP, VCHAR, obs-text: what a value may hold
  kTargetChar = 8,   // VCHAR but '#', which begins a fragment and is no part of a target
  kRegNameChar = 16  // RFC 3986 §3.2.2 but for '%' and its two digits
};

constexpr std::array<std::uint8_t, 256> make_char_classes() {
  std::array<std::uint8_t, 256> table{};
  for (unsigned u = 0; u < table.size(); ++u) {
    const bool letter = ((u | 0x20) >= 'a' && (u | 0x20) <= 'z') && u < 0x80;
    const bool digit = u >= '0' && u <= '9';
    const char c = static_cast<char>(u);
    const auto among = [&](std::string_view marks) { return u < 0x80 && marks.contains(c); };
    const auto set = [&](bool is, CharClass value) {
      if (is) table[u] = static_cast<std::uint8_t>(table[u] | value);
    };
    set(letter || digit || among("!#$%&'*+-.^_`|~"), kTokenChar);
    set(letter || digit || c == '-', kPlainChar);
    set((u >= 0x20 && u != 0x7f) || c == '\t', kTextChar);
    set(u > 0x20 && u < 0x7f && c != '#', kTargetChar);
    set(letter || digit || among("!$&'()*+,;=-._~"), kRegNameChar);
  }
  return table;
}
inline constexpr std::array<std::uint8_t, 256> kCharClasses = make_char_classes();

inline bool is_of(char c, CharClass wanted) {
  return (kCharClasses[static_cast<unsigned char>(c)] & wanted) != 0;
}

// The first octet that is not of the class, or `end`.
inline const char* skip_class(const char* p, const char* end, CharClass wanted) {
  while (p != end && is_of(*p, wanted)) ++p;
  return p;
}

#if defined(__SSE2__)
namespace scan_detail {

inline __m128i equal(__m128i octets, char c) { return _mm_cmpeq_epi8(octets, _mm_set1_epi8(c)); }

// Octets in [first, first + width], unsigned.
inline __m128i within(__m128i octets, char first, char width) {
  const __m128i from_first = _mm_sub_epi8(octets, _mm_set1_epi8(first));
  return _mm_cmpeq_epi8(_mm_min_epu8(from_first, _mm_set1_epi8(width)), from_first);
}

inline __m128i not_text(__m128i octets) {
  const __m128i control = _mm_andnot_si128(equal(octets, '\t'), within(octets, 0, 0x1f));
  return _mm_or_si128(control, equal(octets, 0x7f));
}

inline __m128i not_target(__m128i octets) {
  const __m128i visible = within(octets, 0x21, 0x7e - 0x21);
  return _mm_or_si128(equal(octets, '#'), _mm_xor_si128(visible, _mm_set1_epi8(-1)));
}

inline __m128i not_plain(__m128i octets) {
  const __m128i letter = within(_mm_or_si128(octets, _mm_set1_epi8(0x20)), 'a', 'z' - 'a');
  const __m128i other = _mm_or_si128(within(octets, '0', 9), equal(octets, '-'));
  return _mm_xor_si128(_mm_or_si128(letter, other), _mm_set1_epi8(-1));
}

// The first octet that `stops` marks; at most 15 octets are left to the table.
template <typename Stops>
const char* skip(const char* p, const char* end, Stops stops, CharClass wanted) {
  for (; end - p >= 16; p += 16) {
    const __m128i octets = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const auto mask = static_cast<unsigned>(_mm_movemask_epi8(stops(octets)));
    if (mask != 0) return p + std::countr_zero(mask);
  }
  return skip_class(p, end, wanted);
}

}  // namespace scan_detail

inline const char* skip_text(const char* p, const char* end) {
  return scan_detail::skip(p, end, scan_detail::not_text, kTextChar);
}
inline const char* skip_target(const char* p, const char* end) {
  return scan_detail::skip(p, end, scan_detail::not_target, kTargetChar);
}
inline const char* skip_plain(const char* p, const char* end) {
  return scan_detail::skip(p, end, scan_detail::not_plain, kPlainChar);
}
#else
inline const char* skip_text(const char* p, const char* end) {
  return skip_class(p, end, kTextChar);
}
inline const char* skip_target(const char* p, const char* end) {
  return skip_class(p, end, kTargetChar);
}
inline const char* skip_plain(const char* p, const char* end) {
  return skip_class(p, end, kPlainChar);
}
#endif

}  // namespace evener::http

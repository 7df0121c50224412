// Key: what a keyed policy hashes, made once from the value that must stay together: a user's name,
// a path, a client's address.
//
// A value, any thread. The same bytes give the same key on every machine and in every release, so
// instances agree without talking. Cost of make_key: about 2 ns per byte. Not against an adversary
// who picks the value: one who can may send everything to one endpoint (bounded_load bounds that).
#pragma once

#include <cstdint>
#include <string_view>

namespace evener {

struct Key {
  std::uint64_t hash = 0;  // for every keyed policy but the next
  // The value's CRC-32, as nginx's `hash ... consistent` and other ketama rings place keys: with it
  // the policy `ring` keeps each value on the endpoint that they would choose.
  std::uint32_t crc = 0;

  bool operator==(const Key&) const = default;
};

Key make_key(std::string_view value);

}  // namespace evener

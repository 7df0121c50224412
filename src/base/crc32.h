// crc32: the CRC-32 of IEEE 802.3 (zlib, Ethernet, nginx), for rings that must agree with others.
//
// Pure, any thread. May be taken in pieces: the CRC of a whole is that of its last piece, started
// with that of what came before. Cost: about 2 ns a byte, one table of 1 KiB.
#pragma once

#include <cstdint>
#include <string_view>

namespace evener {

// `before`: the CRC of the bytes in front; 0 when there are none.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

}  // namespace evener

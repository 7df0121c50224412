#include <evener/key.h>

#include "base/crc32.h"
#include "base/hash.h"

namespace evener {

Key make_key(std::string_view value) { return {hash64(value), crc32(value)}; }

}  // namespace evener

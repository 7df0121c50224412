// Small helpers to turn text into chunks to send. Owner, thread: the caller's loop. Cost: one copy.
#pragma once

#include <string_view>

#include "io/buffer.h"

namespace evener::proxy {

// Adds a copy of `text` to `list`. REQUIRES: room for two more chunks; text of at most 2
// kLargeBlock.
void add_text(io::ChunkList& list, io::BufferPool& buffers, std::string_view text);

// Adds `text` in front of `body` in its headroom when it fits, else as chunks of its own; then
// body. REQUIRES: nobody needs the bytes in front of `body` in its block.
void add_in_front(io::ChunkList& list, io::BufferPool& buffers, std::string_view text,
                  io::Chunk body);

}  // namespace evener::proxy

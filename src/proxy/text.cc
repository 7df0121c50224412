#include "proxy/text.h"

#include <algorithm>
#include <utility>

namespace evener::proxy {

void add_text(io::ChunkList& list, io::BufferPool& buffers, std::string_view text) {
  while (!text.empty()) {
    const std::size_t n = std::min(text.size(), io::kLargeBlock);
    io::Chunk chunk = buffers.make(n);
    chunk.append(text.substr(0, n));
    list.add(std::move(chunk));
    text.remove_prefix(n);
  }
}

void add_in_front(io::ChunkList& list, io::BufferPool& buffers, std::string_view text,
                  io::Chunk body) {
  if (!text.empty() && (body.empty() || !body.prepend(text))) add_text(list, buffers, text);
  list.add(std::move(body));
}

}  // namespace evener::proxy

#include "io/buffer.h"

#include <cstring>
#include <new>

namespace evener::io {

bool Chunk::prepend(std::string_view bytes) {
  if (block_ == nullptr || static_cast<std::size_t>(data_ - block_->floor()) < bytes.size()) {
    return false;
  }
  data_ -= bytes.size();
  size_ += bytes.size();
  std::memcpy(const_cast<char*>(data_), bytes.data(), bytes.size());
  return true;
}

std::size_t Chunk::tail_room() const {
  if (block_ == nullptr) return 0;
  return static_cast<std::size_t>(block_->payload() + block_->capacity - (data_ + size_));
}

bool Chunk::append(std::string_view bytes) {
  if (tail_room() < bytes.size()) return false;
  std::memcpy(const_cast<char*>(data_) + size_, bytes.data(), bytes.size());
  size_ += bytes.size();
  return true;
}

void Chunk::release() {
  if (block_ != nullptr && --block_->references == 0) block_->pool->give(block_);
  block_ = nullptr;
  data_ = nullptr;
  size_ = 0;
}

void ChunkList::consume(std::size_t n) {
  std::size_t drop = 0;
  while (drop < count_ && n >= chunks_[drop].size()) n -= chunks_[drop++].size();
  if (drop < count_ && n > 0) chunks_[drop].drop_front(n);
  for (std::size_t i = 0; i < count_; ++i) {
    if (i + drop < count_) {
      chunks_[i] = std::move(chunks_[i + drop]);
    } else {
      chunks_[i].release();
    }
  }
  count_ -= drop;
}

BufferPool::~BufferPool() {
  EV_CHECK(out_ == 0, "a chunk outlived its buffer pool");
  for (Block* list : {free_small_, free_large_}) {
    while (list != nullptr) ::operator delete(std::exchange(list, list->next_free));
  }
}

Block* BufferPool::take(std::size_t want) {
  EV_CHECK(want <= kLargeBlock, "a block holds at most kLargeBlock bytes");
  const std::size_t capacity = want > kSmallBlock ? kLargeBlock : kSmallBlock;
  Block*& list = capacity == kLargeBlock ? free_large_ : free_small_;
  Block* block = list;
  if (block != nullptr) {
    list = block->next_free;
    cached_bytes_ -= capacity;
  } else {
    block = ::new (::operator new(sizeof(Block) + kHeadroom + capacity))
        Block{this, nullptr, 0, static_cast<std::uint32_t>(capacity)};
  }
  block->references = 1;
  ++out_;
  return block;
}

void BufferPool::give(Block* block) noexcept {
  --out_;
  if (cached_bytes_ + block->capacity > kCachedBytes) return ::operator delete(block);
  Block*& list = block->capacity == kLargeBlock ? free_large_ : free_small_;
  block->next_free = list;
  list = block;
  cached_bytes_ += block->capacity;
}

}  // namespace evener::io

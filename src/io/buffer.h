// Buffers: pooled blocks with headroom, handed out as counted slices.
//
// A Block is 16 or 64 KiB of payload behind kHeadroom free bytes, so that a rewritten head can be
// laid in front of a body without copying the body. A Chunk is a slice of a block (or of constant
// bytes) and keeps it alive; the last Chunk returns the block to its pool. Owner: BufferPool, one
// per loop; it must outlive its chunks. Thread: the loop's. Cost: take and give are a list
// operation; at most kCachedBytes of free blocks are kept, the rest goes back to the allocator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace evener::io {

class BufferPool;

inline constexpr std::size_t kHeadroom = 512;
inline constexpr std::size_t kSmallBlock = 16 * 1024;
inline constexpr std::size_t kLargeBlock = 64 * 1024;

// One pooled allocation. Internal to Chunk, BufferPool and the engines.
struct Block {
  BufferPool* pool;
  Block* next_free;
  std::uint32_t references;
  std::uint32_t capacity;  // payload bytes behind the headroom

  char* payload() { return reinterpret_cast<char*>(this + 1) + kHeadroom; }
  char* floor() { return reinterpret_cast<char*>(this + 1); }
};

class Chunk {
 public:
  Chunk() = default;
  // Constant bytes that outlive every use, such as a literal.
  static Chunk constant(std::string_view bytes) {
    return Chunk(nullptr, bytes.data(), bytes.size());
  }
  // Takes over one reference to `block`.
  static Chunk adopt(Block* block, std::size_t size) {
    return Chunk(block, block->payload(), size);
  }

  Chunk(Chunk&& o) noexcept
      : block_(std::exchange(o.block_, nullptr)),
        data_(std::exchange(o.data_, nullptr)),
        size_(std::exchange(o.size_, 0)) {}
  Chunk& operator=(Chunk&& o) noexcept {
    if (this != &o) {
      release();
      block_ = std::exchange(o.block_, nullptr);
      data_ = std::exchange(o.data_, nullptr);
      size_ = std::exchange(o.size_, 0);
    }
    return *this;
  }
  ~Chunk() { release(); }

  const char* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::span<const char> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {data_, size_}; }
  // Mutable bytes. REQUIRES: a pooled chunk, and no other Chunk over the same bytes.
  char* mutable_data() {
    EV_CHECK(block_ != nullptr, "constant bytes are not writable");
    return const_cast<char*>(data_);
  }

  void drop_front(std::size_t n) {
    EV_CHECK(n <= size_, "dropped more than the chunk holds");
    data_ += n;
    size_ -= n;
  }
  void truncate(std::size_t n) {
    EV_CHECK(n <= size_, "a chunk cannot grow");
    size_ = n;
  }
  // Another reference to bytes [offset, offset + n).
  Chunk slice(std::size_t offset, std::size_t n) const {
    EV_CHECK(offset + n <= size_, "slice is outside the chunk");
    if (block_ != nullptr) ++block_->references;
    return Chunk(block_, data_ + offset, n);
  }
  // Lays `bytes` directly in front of the slice, over headroom or over bytes already consumed.
  // False (and nothing changed) when there is no room. REQUIRES: nobody needs the bytes in front.
  bool prepend(std::string_view bytes);
  // Adds `bytes` behind the slice. False when the block has no room or the chunk is constant.
  // REQUIRES: nobody needs the bytes behind.
  bool append(std::string_view bytes);
  std::size_t tail_room() const;

  void release();

 private:
  Chunk(Block* block, const char* data, std::size_t size)
      : block_(block), data_(data), size_(size) {}

  Block* block_ = nullptr;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

class BufferPool {
 public:
  static constexpr std::size_t kCachedBytes = 32u << 20;

  BufferPool() = default;
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;
  ~BufferPool();

  // An empty block with one reference, with at least kSmallBlock of payload, or kLargeBlock when
  // `want` is more than kSmallBlock.
  Block* take(std::size_t want);
  void give(Block* block) noexcept;
  // An empty chunk with room for at least `room` (<= kLargeBlock) bytes behind it.
  Chunk make(std::size_t room) { return Chunk::adopt(take(room), 0); }

  // Blocks that are out with chunks or engines now.
  std::size_t blocks_out() const { return out_; }

 private:
  Block* free_small_ = nullptr;
  Block* free_large_ = nullptr;
  std::size_t cached_bytes_ = 0;
  std::size_t out_ = 0;
};

// A short list of chunks to send in one go.
class ChunkList {
 public:
  static constexpr std::size_t kMax = 6;

  ChunkList() = default;
  explicit ChunkList(Chunk chunk) { add(std::move(chunk)); }
  ChunkList(ChunkList&& o) noexcept { *this = std::move(o); }
  // REQUIRES: this list is empty, so that a move costs what it moves.
  ChunkList& operator=(ChunkList&& o) noexcept {
    EV_CHECK(count_ == 0, "a move would drop chunks unseen");
    count_ = std::exchange(o.count_, 0);
    for (std::size_t i = 0; i < count_; ++i) chunks_[i] = std::move(o.chunks_[i]);
    return *this;
  }

  // Empty chunks are left out. REQUIRES: fewer than kMax chunks so far.
  void add(Chunk chunk) {
    if (chunk.empty()) return;
    EV_CHECK(count_ < kMax, "a ChunkList holds at most kMax chunks");
    chunks_[count_++] = std::move(chunk);
  }
  std::size_t bytes() const {
    std::size_t total = 0;
    for (std::size_t i = 0; i < count_; ++i) total += chunks_[i].size();
    return total;
  }
  bool empty() const { return count_ == 0; }
  std::span<Chunk> chunks() { return {chunks_, count_}; }
  // Forgets the first n bytes (they have been sent).
  void consume(std::size_t n);
  void clear() {
    for (Chunk& c : chunks()) c.release();
    count_ = 0;
  }

 private:
  Chunk chunks_[kMax];
  std::size_t count_ = 0;
};

}  // namespace evener::io

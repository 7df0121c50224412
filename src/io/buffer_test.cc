#include "io/buffer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace evener::io {
namespace {

Chunk filled(BufferPool& pool, std::string_view text) {
  Chunk chunk = pool.make(text.size());
  EXPECT_TRUE(chunk.append(text));
  return chunk;
}

TEST(Buffer, a_block_returns_when_its_last_slice_goes) {
  BufferPool pool;
  {
    Chunk whole = filled(pool, "hello world");
    Chunk tail = whole.slice(6, 5);
    whole.release();
    EXPECT_EQ(tail.text(), "world");
    EXPECT_EQ(pool.blocks_out(), 1u);
  }
  EXPECT_EQ(pool.blocks_out(), 0u);
}

TEST(Buffer, a_rewritten_head_is_laid_in_front_of_the_body) {
  BufferPool pool;
  Chunk chunk = filled(pool, "HEAD\r\nbody");
  chunk.drop_front(6);
  EXPECT_TRUE(chunk.prepend("A MUCH LONGER HEAD\r\n"));
  EXPECT_EQ(chunk.text(), "A MUCH LONGER HEAD\r\nbody");
  EXPECT_FALSE(chunk.prepend(std::string(kHeadroom, 'x')));
  EXPECT_EQ(chunk.text(), "A MUCH LONGER HEAD\r\nbody");
  EXPECT_FALSE(Chunk::constant("x").slice(0, 1).prepend("y"));
}

TEST(Buffer, append_stops_at_the_end_of_the_block) {
  BufferPool pool;
  Chunk chunk = pool.make(10);
  EXPECT_TRUE(chunk.append(std::string(kSmallBlock, 'a')));
  EXPECT_FALSE(chunk.append("b"));
  EXPECT_EQ(pool.make(kSmallBlock + 1).tail_room(), kLargeBlock);
}

TEST(Buffer, a_list_forgets_sent_bytes_wherever_the_cut_falls) {
  BufferPool pool;
  for (std::size_t cut = 0; cut <= 9; ++cut) {
    ChunkList list;
    list.add(filled(pool, "abc"));
    list.add(Chunk::constant("def"));
    list.add(Chunk());
    list.add(filled(pool, "ghi"));
    list.consume(cut);
    std::string left;
    for (const Chunk& c : list.chunks()) left += c.text();
    EXPECT_EQ(left, std::string("abcdefghi").substr(cut));
    EXPECT_EQ(list.bytes(), 9 - cut);
  }
  EXPECT_EQ(pool.blocks_out(), 0u);
}

}  // namespace
}  // namespace evener::io

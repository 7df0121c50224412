// The fixture that runs one suite on every engine. For tests only.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "io/event.h"
#include "io/loop.h"
#include "io/task.h"

namespace evener::io {

inline constexpr Duration kLong = Duration::seconds(20);

class StreamTest : public ::testing::TestWithParam<EngineKind> {
 public:
  void SetUp() override {
    auto made = Loop::create(GetParam());
    if (!made) GTEST_SKIP() << "engine not available here: " << made.error();
    loop_ = std::move(*made);
  }
  void TearDown() override {
    accepted_.reset();
    client_.reset();
    listener_.reset();
    // A few turns so that the engine frees what it held.
    for (int i = 0; loop_ && i < 5; ++i) loop_->turn(loop_->now() + Duration::milliseconds(1));
  }

  // Runs `task` to its end, at most kLong.
  void run(Task<void> task) {
    bool done = false;
    spawn([](Task<void> inner, bool& flag) -> Task<void> {
      co_await std::move(inner);
      flag = true;
    }(std::move(task), done));
    const Time limit = loop_->now() + kLong;
    while (!done && loop_->now() < limit) loop_->turn(limit);
    ASSERT_TRUE(done) << "the coroutine is stuck";
  }

  // A connected pair: client_ and accepted_.
  Task<void> connect_pair() {
    Event accepted;
    listener_ = std::move(*loop_->listen(Address::loopback(0), {}, [&](StreamPtr stream) {
      accepted_ = std::move(stream);
      accepted.set();
    }));
    client_ = loop_->open(listener_->address());
    EXPECT_EQ(co_await client_->connect(), IoStatus::kOk);
    co_await accepted;
  }

  Task<std::string> read_all(Stream& stream, IoStatus& end, std::size_t want = kSmallBlock) {
    std::string all;
    for (;;) {
      Received r = co_await stream.receive(want);
      if (r.status != IoStatus::kOk) {
        end = r.status;
        co_return all;
      }
      EXPECT_FALSE(r.chunk.empty());
      all += r.chunk.text();
    }
  }

  ChunkList text(std::string_view bytes) {
    Chunk chunk = loop_->buffers().make(bytes.size());
    EXPECT_TRUE(chunk.append(bytes));
    return ChunkList(std::move(chunk));
  }
  Time in_ms(int ms) const { return loop_->now() + Duration::milliseconds(ms); }

  std::unique_ptr<Loop> loop_;
  ListenerPtr listener_;
  StreamPtr client_;
  StreamPtr accepted_;
};

inline std::string engine_test_name(const ::testing::TestParamInfo<EngineKind>& info) {
  return info.param == EngineKind::kEpoll ? "epoll" : "uring";
}

}  // namespace evener::io

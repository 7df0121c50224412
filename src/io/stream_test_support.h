// The fixture that runs one suite on every engine. For tests only.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/event.h"
#include "io/loop.h"
#include "io/task.h"

namespace evener::io {

inline constexpr Duration kLong = Duration::seconds(20);

// What the suite runs on: each test binary says which (engines_under_test).
class TestEngine {
 public:
  virtual ~TestEngine() = default;
  virtual std::expected<std::unique_ptr<Loop>, std::string> make_loop() = 0;
  // Lets something happen, until `until` at most.
  virtual void turn(Loop& loop, Time until) { loop.turn(until); }
};
struct EngineUnderTest {
  const char* name;
  std::unique_ptr<TestEngine> (*make)();
};
std::vector<EngineUnderTest> engines_under_test();

class StreamTest : public ::testing::TestWithParam<EngineUnderTest> {
 public:
  void SetUp() override {
    engine_ = GetParam().make();
    auto made = engine_->make_loop();
    if (!made) GTEST_SKIP() << "engine not available here: " << made.error();
    loop_ = std::move(*made);
  }
  void TearDown() override {
    accepted_.reset();
    client_.reset();
    listener_.reset();
    // A few turns so that the engine frees what it held.
    for (int i = 0; loop_ && i < 5; ++i) {
      engine_->turn(*loop_, loop_->now() + Duration::milliseconds(1));
    }
  }

  // Runs `task` to its end, at most kLong.
  void run(Task<void> task) {
    bool done = false;
    spawn([](Task<void> inner, bool& flag) -> Task<void> {
      co_await std::move(inner);
      flag = true;
    }(std::move(task), done));
    const Time limit = loop_->now() + kLong;
    while (!done && loop_->now() < limit) engine_->turn(*loop_, limit);
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

  std::unique_ptr<TestEngine> engine_;
  std::unique_ptr<Loop> loop_;
  ListenerPtr listener_;
  StreamPtr client_;
  StreamPtr accepted_;
};

inline std::string engine_test_name(const ::testing::TestParamInfo<EngineUnderTest>& info) {
  return info.param.name;
}
#define EV_ALL_ENGINES(suite)                                                             \
  INSTANTIATE_TEST_SUITE_P(engines, suite, ::testing::ValuesIn(io::engines_under_test()), \
                           io::engine_test_name)

}  // namespace evener::io

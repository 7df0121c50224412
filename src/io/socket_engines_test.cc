// What only engines over real sockets can show: threads that post, descriptors that run out.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "io/socket.h"
#include "io/stream_test_support.h"

namespace evener::io {
namespace {

template <EngineKind kind>
std::unique_ptr<TestEngine> sockets() {
  struct Sockets final : TestEngine {
    std::expected<std::unique_ptr<Loop>, std::string> make_loop() override {
      return Loop::create(kind);
    }
  };
  return std::make_unique<Sockets>();
}

}  // namespace

std::vector<EngineUnderTest> engines_under_test() {
  return {{"epoll", sockets<EngineKind::kEpoll>}, {"uring", sockets<EngineKind::kUring>}};
}

namespace {

using SocketEnginesTest = StreamTest;

TEST_P(SocketEnginesTest, posts_from_another_thread_run_in_order) {
  std::vector<int> seen;
  std::jthread other([&] {
    for (int i = 0; i < 1000; ++i) loop_->post([&seen, i] { seen.push_back(i); });
    loop_->post([&] { loop_->stop(); });
  });
  loop_->run();
  ASSERT_EQ(seen.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

// F53: out of descriptors, accepting rests instead of spinning, and resumes by itself.
TEST_P(SocketEnginesTest, case_F53_descriptor_exhaustion_pauses_accepting_without_spinning) {
  run([](SocketEnginesTest& t) -> Task<void> {
    std::vector<StreamPtr> accepted;
    auto listener = std::move(*t.loop_->listen(
        Address::loopback(0), {}, [&](StreamPtr s) { accepted.push_back(std::move(s)); }));
    StreamPtr first = t.loop_->open(listener->address());
    EXPECT_EQ(co_await first->connect(), IoStatus::kOk);
    while (accepted.empty()) co_await t.loop_->sleep(Duration::milliseconds(1));
    // Two clients wait in the queue; then no descriptor is left for their accepted ends.
    listener->pause();
    co_await t.loop_->sleep(Duration::milliseconds(5));
    StreamPtr second = t.loop_->open(listener->address());
    StreamPtr third = t.loop_->open(listener->address());
    EXPECT_EQ(co_await second->connect(), IoStatus::kOk);
    EXPECT_EQ(co_await third->connect(), IoStatus::kOk);
    std::vector<Fd> hoard;
    rlimit old{};
    ::getrlimit(RLIMIT_NOFILE, &old);
    Fd probe(::dup(0));
    rlimit tight = old;
    tight.rlim_cur = static_cast<rlim_t>(probe.get()) + 2;
    probe.reset();
    ::setrlimit(RLIMIT_NOFILE, &tight);
    for (;;) {
      Fd fd(::dup(0));
      if (!fd.valid()) break;
      hoard.push_back(std::move(fd));
    }
    const std::size_t before = accepted.size();
    listener->resume();
    int turns = 0;
    const Time until = t.loop_->now() + Duration::milliseconds(250);
    while (t.loop_->now() < until) {
      co_await t.loop_->sleep(Duration::milliseconds(10));
      ++turns;
    }
    EXPECT_LE(turns, 26);
    EXPECT_EQ(accepted.size(), before);
    hoard.clear();
    ::setrlimit(RLIMIT_NOFILE, &old);
    for (int i = 0; i < 500 && accepted.size() < 3; ++i) {
      co_await t.loop_->sleep(Duration::milliseconds(1));
    }
    EXPECT_EQ(accepted.size(), 3u);
  }(*this));
}

EV_ALL_ENGINES(SocketEnginesTest);

}  // namespace
}  // namespace evener::io

// One suite for every engine: the contract of stream.h and engine.h on real loopback sockets.
#include "io/stream.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <string>
#include <thread>

#include "io/event.h"
#include "io/loop.h"
#include "io/socket.h"
#include "io/task.h"

namespace evener::io {
namespace {

constexpr Duration kLong = Duration::seconds(20);

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

TEST_P(StreamTest, bytes_go_both_ways_and_half_close_keeps_the_other_direction) {
  run([](StreamTest& t) -> Task<void> {
    co_await t.connect_pair();
    EXPECT_EQ(co_await t.client_->send(t.text("question"), true), IoStatus::kOk);
    IoStatus end{};
    const std::string question = co_await t.read_all(*t.accepted_, end);
    EXPECT_EQ(question, "question");
    EXPECT_EQ(end, IoStatus::kEof);
    EXPECT_EQ(co_await t.accepted_->send(t.text("answer"), true), IoStatus::kOk);
    const std::string answer = co_await t.read_all(*t.client_, end);
    EXPECT_EQ(answer, "answer");
    EXPECT_EQ(end, IoStatus::kEof);
  }(*this));
}

// 8 MB against small socket buffers: every send is partial many times over.
TEST_P(StreamTest, large_transfers_arrive_whole_through_partial_writes_and_back_pressure) {
  run([](StreamTest& t) -> Task<void> {
    co_await t.connect_pair();
    constexpr std::size_t kTotal = 8 << 20;
    std::size_t sent = 0;
    Event done;
    spawn([](StreamTest& test, std::size_t& n, Event& event) -> Task<void> {
      std::mt19937 random(7);
      while (n < kTotal) {
        ChunkList list;
        for (int i = 0; i < 3 && n < kTotal; ++i) {
          const std::size_t size = std::min<std::size_t>(1 + random() % kLargeBlock, kTotal - n);
          Chunk chunk = test.loop_->buffers().make(size);
          std::string bytes(size, '\0');
          for (std::size_t k = 0; k < size; ++k) bytes[k] = static_cast<char>((n + k) * 31 >> 3);
          EXPECT_TRUE(chunk.append(bytes));
          list.add(std::move(chunk));
          n += size;
        }
        EXPECT_EQ(co_await test.client_->send(std::move(list)), IoStatus::kOk);
      }
      EXPECT_EQ(co_await test.client_->send({}, true), IoStatus::kOk);
      event.set();
    }(t, sent, done));
    std::size_t got = 0;
    bool same = true;
    for (;;) {
      Received r = co_await t.accepted_->receive(got % 3 == 0 ? kLargeBlock : kSmallBlock);
      if (r.status != IoStatus::kOk) {
        EXPECT_EQ(r.status, IoStatus::kEof);
        break;
      }
      for (const char c : r.chunk.bytes()) same &= c == static_cast<char>(got++ * 31 >> 3);
      if (got % 5 == 0) co_await t.loop_->sleep(Duration::microseconds(100));
    }
    co_await done;
    EXPECT_EQ(got, kTotal);
    EXPECT_TRUE(same);
    EXPECT_EQ(t.accepted_->bytes_received(), kTotal);
    EXPECT_EQ(t.client_->bytes_sent(), kTotal);
  }(*this));
}

TEST_P(StreamTest, a_reader_that_stops_holds_the_writer_back) {
  run([](StreamTest& t) -> Task<void> {
    co_await t.connect_pair();
    std::size_t sent = 0;
    IoStatus status = IoStatus::kOk;
    t.client_->set_deadline(t.in_ms(150));
    while (status == IoStatus::kOk && sent < (256u << 20)) {
      status = co_await t.client_->send(t.text(std::string(kLargeBlock, 'x')));
      sent += kLargeBlock;
    }
    EXPECT_EQ(status, IoStatus::kTimedOut);
    EXPECT_LT(sent, 64u << 20);
  }(*this));
}

TEST_P(StreamTest, refused_connects_say_so) {
  run([](StreamTest& t) -> Task<void> {
    auto listener = std::move(*t.loop_->listen(Address::loopback(0), {}, [](StreamPtr) {}));
    const Address address = listener->address();
    listener.reset();
    StreamPtr stream = t.loop_->open(address);
    EXPECT_EQ(co_await stream->connect(), IoStatus::kRefused);
  }(*this));
}

// 10.255.255.1 can't be used here (no traffic leaves): a full accept queue hangs a connect as well.
TEST_P(StreamTest, a_deadline_ends_a_connect_a_receive_and_a_send) {
  run([](StreamTest& t) -> Task<void> {
    auto queue =
        std::move(*t.loop_->listen(Address::loopback(0), {.backlog = 0}, [](StreamPtr) {}));
    queue->pause();
    std::vector<StreamPtr> pending;
    IoStatus status = IoStatus::kOk;
    for (int i = 0; i < 8 && status == IoStatus::kOk; ++i) {
      pending.push_back(t.loop_->open(queue->address()));
      pending.back()->set_deadline(t.in_ms(60));
      status = co_await pending.back()->connect();
    }
    EXPECT_EQ(status, IoStatus::kTimedOut);

    co_await t.connect_pair();
    const Time before = t.loop_->now();
    t.client_->set_deadline(t.in_ms(500));
    t.client_->set_deadline(t.in_ms(20));
    const IoStatus received = (co_await t.client_->receive()).status;
    EXPECT_EQ(received, IoStatus::kTimedOut);
    EXPECT_GE(t.loop_->now() - before, Duration::milliseconds(20));
    EXPECT_LT(t.loop_->now() - before, Duration::milliseconds(400));
    // The stream still works after a time-out.
    EXPECT_EQ(co_await t.client_->send(t.text("still here")), IoStatus::kOk);
    const std::string heard((co_await t.accepted_->receive()).chunk.text());
    EXPECT_EQ(heard, "still here");
  }(*this));
}

TEST_P(StreamTest, a_deadline_moved_later_does_not_fire_early) {
  run([](StreamTest& t) -> Task<void> {
    co_await t.connect_pair();
    t.client_->set_deadline(t.in_ms(10));
    t.client_->set_deadline(t.in_ms(60));
    const Time before = t.loop_->now();
    EXPECT_EQ((co_await t.client_->receive()).status, IoStatus::kTimedOut);
    EXPECT_GE(t.loop_->now() - before, Duration::milliseconds(60));
    t.client_->set_deadline(t.in_ms(1));
    co_await t.loop_->sleep(Duration::milliseconds(5));
    // Passed while nothing was pending: it still counts for what comes next.
    EXPECT_EQ((co_await t.client_->receive()).status, IoStatus::kTimedOut);
  }(*this));
}

TEST_P(StreamTest, abort_ends_receive_send_and_connect_later_and_for_ever) {
  run([](StreamTest& t) -> Task<void> {
    co_await t.connect_pair();
    Event receiver;
    Event sender;
    spawn([](StreamTest& test, Event& event) -> Task<void> {
      EXPECT_EQ((co_await test.client_->receive()).status, IoStatus::kAborted);
      event.set();
    }(t, receiver));
    spawn([](StreamTest& test, Event& event) -> Task<void> {
      IoStatus status = IoStatus::kOk;
      while (status == IoStatus::kOk) {
        status = co_await test.client_->send(test.text(std::string(kLargeBlock, 'x')));
      }
      EXPECT_EQ(status, IoStatus::kAborted);
      event.set();
    }(t, sender));
    co_await t.loop_->sleep(Duration::milliseconds(20));
    t.client_->abort();
    EXPECT_FALSE(receiver.is_set()) << "completions never come from inside abort";
    co_await receiver;
    co_await sender;
    EXPECT_EQ((co_await t.client_->receive()).status, IoStatus::kAborted);
    EXPECT_EQ(co_await t.client_->send(t.text("x")), IoStatus::kAborted);
    t.client_.reset();
    // The other side sees a reset, not an orderly end.
    IoStatus end = IoStatus::kOk;
    co_await t.read_all(*t.accepted_, end);
    EXPECT_EQ(end, IoStatus::kReset);
  }(*this));
}

TEST_P(StreamTest, cancel_receive_leaves_the_stream_usable) {
  run([](StreamTest& t) -> Task<void> {
    co_await t.connect_pair();
    Event done;
    spawn([](StreamTest& test, Event& event) -> Task<void> {
      EXPECT_EQ((co_await test.client_->receive()).status, IoStatus::kCancelled);
      event.set();
    }(t, done));
    t.client_->cancel_receive();
    co_await done;
    EXPECT_EQ(co_await t.accepted_->send(t.text("later")), IoStatus::kOk);
    const std::string heard((co_await t.client_->receive()).chunk.text());
    EXPECT_EQ(heard, "later");
  }(*this));
}

TEST_P(StreamTest, a_stream_dropped_with_operations_pending_resumes_nobody) {
  run([](StreamTest& t) -> Task<void> {
    co_await t.connect_pair();
    struct Never : Waiter {
      bool called = false;
    } never{{[](Waiter& w) { static_cast<Never&>(w).called = true; }}, false};
    EXPECT_FALSE(t.client_->arm_receive(never, kSmallBlock));
    EXPECT_TRUE(t.client_->receive_pending());
    t.client_.reset();
    EXPECT_EQ((co_await t.accepted_->receive()).status, IoStatus::kEof);
    EXPECT_FALSE(never.called);
  }(*this));
}

TEST_P(StreamTest, a_watched_receive_is_taken_over_by_a_coroutine) {
  run([](StreamTest& t) -> Task<void> {
    co_await t.connect_pair();
    Waiter nobody{[](Waiter&) { FAIL() << "the watch was taken over"; }};
    EXPECT_FALSE(t.client_->arm_receive(nobody, kSmallBlock));
    t.client_->forget_receive();
    EXPECT_EQ(co_await t.accepted_->send(t.text("a")), IoStatus::kOk);
    const std::string first((co_await t.client_->receive()).chunk.text());
    EXPECT_EQ(first, "a");
    // Completed while nobody listened: kept for the next receive.
    EXPECT_FALSE(t.client_->arm_receive(nobody, kSmallBlock));
    t.client_->forget_receive();
    EXPECT_EQ(co_await t.accepted_->send(t.text("b")), IoStatus::kOk);
    while (!t.client_->has_received()) co_await t.loop_->sleep(Duration::milliseconds(1));
    const std::string second((co_await t.client_->receive()).chunk.text());
    EXPECT_EQ(second, "b");
  }(*this));
}

TEST_P(StreamTest, quiet_means_no_byte_no_end) {
  run([](StreamTest& t) -> Task<void> {
    co_await t.connect_pair();
    EXPECT_TRUE(t.client_->is_quiet());
    EXPECT_EQ(co_await t.accepted_->send(t.text("x")), IoStatus::kOk);
    for (int i = 0; i < 200 && t.client_->is_quiet(); ++i) {
      co_await t.loop_->sleep(Duration::milliseconds(1));
    }
    EXPECT_FALSE(t.client_->is_quiet());
    static_cast<void>(co_await t.client_->receive());
    EXPECT_TRUE(t.client_->is_quiet());
    t.accepted_.reset();
    for (int i = 0; i < 200 && t.client_->is_quiet(); ++i) {
      co_await t.loop_->sleep(Duration::milliseconds(1));
    }
    EXPECT_FALSE(t.client_->is_quiet());
  }(*this));
}

TEST_P(StreamTest, a_paused_listener_leaves_connections_waiting) {
  run([](StreamTest& t) -> Task<void> {
    int accepted = 0;
    auto listener =
        std::move(*t.loop_->listen(Address::loopback(0), {}, [&](StreamPtr) { ++accepted; }));
    listener->pause();
    co_await t.loop_->sleep(Duration::milliseconds(5));
    StreamPtr client = t.loop_->open(listener->address());
    EXPECT_EQ(co_await client->connect(), IoStatus::kOk);
    co_await t.loop_->sleep(Duration::milliseconds(20));
    EXPECT_EQ(accepted, 0);
    listener->resume();
    for (int i = 0; i < 200 && accepted == 0; ++i)
      co_await t.loop_->sleep(Duration::milliseconds(1));
    EXPECT_EQ(accepted, 1);
  }(*this));
}

// F53: out of descriptors, accepting rests instead of spinning, and resumes by itself.
TEST_P(StreamTest, case_F53_descriptor_exhaustion_pauses_accepting_without_spinning) {
  run([](StreamTest& t) -> Task<void> {
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

TEST_P(StreamTest, a_taken_port_is_a_clear_message) {
  auto first = loop_->listen(Address::loopback(0), {}, [](StreamPtr) {});
  ASSERT_TRUE(first.has_value());
  auto second = loop_->listen((*first)->address(), {}, [](StreamPtr) {});
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().find("taken by another process"), std::string::npos) << second.error();
}

TEST_P(StreamTest, posts_from_another_thread_run_in_order) {
  std::vector<int> seen;
  std::jthread other([&] {
    for (int i = 0; i < 1000; ++i) loop_->post([&seen, i] { seen.push_back(i); });
    loop_->post([&] { loop_->stop(); });
  });
  loop_->run();
  ASSERT_EQ(seen.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(seen[static_cast<std::size_t>(i)], i);
}

INSTANTIATE_TEST_SUITE_P(engines, StreamTest,
                         ::testing::Values(EngineKind::kEpoll, EngineKind::kUring),
                         [](const auto& info) {
                           return info.param == EngineKind::kEpoll ? "epoll" : "uring";
                         });

}  // namespace
}  // namespace evener::io

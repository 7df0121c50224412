// One suite for every engine, the simulated one too: the contract of stream.h.
#include "io/stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "io/stream_test_support.h"

namespace evener::io {
namespace {

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
    t.client_->set_deadline(t.in_ms(15'000));
    t.client_->set_deadline(t.in_ms(20));
    const IoStatus received = (co_await t.client_->receive()).status;
    EXPECT_EQ(received, IoStatus::kTimedOut);
    EXPECT_GE(t.loop_->now() - before, Duration::milliseconds(20));
    EXPECT_LT(t.loop_->now() - before, Duration::seconds(10));
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

EV_ALL_ENGINES(StreamTest);

}  // namespace
}  // namespace evener::io

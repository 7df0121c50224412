// Listeners on every engine, the simulated one too: pausing, stopping, taken ports.
#include <gtest/gtest.h>

#include <vector>

#include "io/stream_test_support.h"

namespace evener::io {
namespace {

using ListenerTest = StreamTest;

TEST_P(ListenerTest, a_paused_listener_leaves_connections_waiting) {
  run([](ListenerTest& t) -> Task<void> {
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

// A kernel that accepts ahead of us must not get round the pause.
TEST_P(ListenerTest, a_pause_from_inside_an_accept_holds_for_all_that_wait) {
  run([](ListenerTest& t) -> Task<void> {
    int accepted = 0;
    ListenerPtr listener;
    listener = std::move(*t.loop_->listen(Address::loopback(0), {}, [&](StreamPtr) {
      ++accepted;
      listener->pause();
    }));
    std::vector<StreamPtr> clients;
    for (int i = 0; i < 6; ++i) {
      clients.push_back(t.loop_->open(listener->address()));
      EXPECT_EQ(co_await clients.back()->connect(), IoStatus::kOk);
    }
    for (int i = 1; i <= 6; ++i) {
      co_await t.loop_->sleep(Duration::milliseconds(5));
      EXPECT_EQ(accepted, i);
      listener->resume();
    }
  }(*this));
}

TEST_P(ListenerTest, a_stopped_listener_hands_over_its_queue_and_lets_nobody_new_in) {
  for (const bool paused : {false, true}) {
    run([](ListenerTest& t, bool pause_first) -> Task<void> {
      std::vector<StreamPtr> accepted;
      auto listener = std::move(*t.loop_->listen(
          Address::loopback(0), {}, [&](StreamPtr s) { accepted.push_back(std::move(s)); }));
      if (pause_first) listener->pause();
      co_await t.loop_->sleep(Duration::milliseconds(2));
      std::vector<StreamPtr> clients;
      for (int i = 0; i < 5; ++i) {
        clients.push_back(t.loop_->open(listener->address()));
        EXPECT_EQ(co_await clients.back()->connect(), IoStatus::kOk);
      }
      listener->stop();
      co_await t.loop_->sleep(Duration::milliseconds(5));
      EXPECT_EQ(accepted.size(), 5u);
      StreamPtr late = t.loop_->open(listener->address());
      late->set_deadline(t.in_ms(30));
      EXPECT_EQ(co_await late->connect(), IoStatus::kTimedOut);
      EXPECT_EQ(accepted.size(), 5u);
      // All of them work.
      for (StreamPtr& stream : accepted) {
        EXPECT_EQ(co_await stream->send(t.text("hello")), IoStatus::kOk);
      }
      for (StreamPtr& client : clients) {
        const std::string heard((co_await client->receive()).chunk.text());
        EXPECT_EQ(heard, "hello");
      }
      const Address address = listener->address();
      listener.reset();
      late = t.loop_->open(address);
      EXPECT_EQ(co_await late->connect(), IoStatus::kRefused);
    }(*this, paused));
  }
}

TEST_P(ListenerTest, a_taken_port_is_a_clear_message) {
  auto first = loop_->listen(Address::loopback(0), {}, [](StreamPtr) {});
  ASSERT_TRUE(first.has_value());
  auto second = loop_->listen((*first)->address(), {}, [](StreamPtr) {});
  ASSERT_FALSE(second.has_value());
  EXPECT_NE(second.error().find("taken by another process"), std::string::npos) << second.error();
}

EV_ALL_ENGINES(ListenerTest);

}  // namespace
}  // namespace evener::io

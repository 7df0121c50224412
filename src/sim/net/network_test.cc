// The network's own ways: what io/stream_test.cc, which runs on it too, can't ask for.
#include "sim/net/network.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/event.h"
#include "io/task.h"
#include "sim/net/engine.h"

namespace evener::sim {
namespace {

using io::IoStatus;
using io::Task;

constexpr Duration ms(std::int64_t n) { return Duration::milliseconds(n); }

// Two hosts: one asks, the other answers each connection's bytes with their number at its end.
class NetworkTest : public ::testing::Test {
 protected:
  void make(const Link& link, std::uint64_t seed = 1) {
    server_loop_.reset();
    client_loop_.reset();
    network_.reset();
    world_ = std::make_unique<World>(seed);
    network_ = std::make_unique<Network>(*world_, link);
    client_host_ = network_->add_host("client");
    server_host_ = network_->add_host("server");
    client_loop_ = NetEngine::make_loop(*network_, client_host_, {}, client_);
    server_loop_ = NetEngine::make_loop(*network_, server_host_, {}, server_);
  }
  void listen(int backlog = 128) {
    listener_ = std::move(*server_loop_->listen(
        network_->address(server_host_, 80), {.backlog = backlog, .reuse_port = false},
        [this](io::StreamPtr stream) { io::spawn(count(std::move(stream))); }));
  }
  Task<void> count(io::StreamPtr stream) {
    std::size_t n = 0;
    for (;;) {
      io::Received r = co_await stream->receive();
      if (r.status != IoStatus::kOk) {
        last_end_ = r.status;
        break;
      }
      ++receives_;
      n += r.chunk.size();
    }
    const IoStatus sent = co_await stream->send(text(*server_loop_, std::to_string(n)), true);
    static_cast<void>(sent);
  }
  static io::ChunkList text(io::Loop& loop, std::string_view bytes) {
    io::Chunk chunk = loop.buffers().make(bytes.size());
    EXPECT_TRUE(chunk.append(bytes));
    return io::ChunkList(std::move(chunk));
  }
  // What a client that sends `size` bytes hears, or the status that ended it.
  Task<void> ask(std::size_t size, Duration patience, std::string& heard) {
    io::StreamPtr stream = client_loop_->open(network_->address(server_host_, 80));
    stream->set_deadline(client_loop_->now() + patience);
    const IoStatus connected = co_await stream->connect();
    if (connected != IoStatus::kOk) {
      heard = to_string(connected);
      co_return;
    }
    while (size > 0) {
      const std::size_t n = std::min<std::size_t>(size, 10'000);
      size -= n;
      const IoStatus sent =
          co_await stream->send(text(*client_loop_, std::string(n, 'x')), size == 0);
      if (sent != IoStatus::kOk) {
        heard = "send: " + std::string(to_string(sent));
        co_return;
      }
    }
    for (;;) {
      io::Received r = co_await stream->receive();
      if (r.status == IoStatus::kEof) break;
      if (r.status != IoStatus::kOk) {
        heard = to_string(r.status);
        break;
      }
      heard += r.chunk.text();
    }
    ended_ = client_loop_->now();
  }
  // In a turn of the client's.
  void start(Task<void> task) {
    client_loop_->post([t = std::move(task)]() mutable { io::spawn(std::move(t)); });
  }
  void TearDown() override { listener_.reset(); }

  std::unique_ptr<World> world_;
  std::unique_ptr<Network> network_;
  HostId client_host_{};
  HostId server_host_{};
  NetEngine* client_ = nullptr;
  NetEngine* server_ = nullptr;
  std::unique_ptr<io::Loop> client_loop_;
  std::unique_ptr<io::Loop> server_loop_;
  io::ListenerPtr listener_;
  IoStatus last_end_ = IoStatus::kOk;
  int receives_ = 0;
  Time ended_;
};

TEST_F(NetworkTest, an_exchange_takes_three_ways_and_the_time_of_its_bytes) {
  make({.latency = ms(10), .bytes_per_second = 1e6});
  listen();
  std::string heard;
  start(ask(100'000, Duration::seconds(10), heard));
  world_->run_until(Time() + Duration::seconds(20));
  EXPECT_EQ(heard, "100000");
  // Connect: there and back; request and answer: there and back, and 0.1 s on the line.
  EXPECT_GE(ended_ - Time(), ms(140));
  EXPECT_LT(ended_ - Time(), ms(141));
  EXPECT_EQ(network_->connections(), 1u) << "freed with the next connect";
}

TEST_F(NetworkTest, single_bytes_arrive_one_by_one_and_all) {
  make({.bytes_per_second = 1e5, .segment_min = 1, .segment_max = 1});
  listen();
  std::string heard;
  start(ask(300, Duration::seconds(100), heard));
  world_->run_until(Time() + Duration::seconds(200));
  EXPECT_EQ(heard, "300");
  EXPECT_EQ(receives_, 300);
}

TEST_F(NetworkTest, loss_is_a_delay_and_small_buffers_hold_the_writer_back) {
  make({.loss = 0.2,
        .segment_min = 100,
        .segment_max = 1460,
        .send_buffer = 2000,
        .receive_buffer = 1000});
  listen();
  std::string heard;
  start(ask(50'000, Duration::seconds(1000), heard));
  world_->run_until(Time() + Duration::seconds(2000));
  EXPECT_EQ(heard, "50000");
  EXPECT_GT(ended_ - Time(), Duration::seconds(1));
}

TEST_F(NetworkTest, a_partition_holds_bytes_back_and_lets_them_through_later) {
  make({});
  listen();
  std::string heard;
  start(ask(50'000, Duration::seconds(100), heard));
  world_->run_until(Time() + Duration::microseconds(500));
  network_->close_way(client_host_, server_host_);
  world_->run_until(Time() + Duration::seconds(20));
  EXPECT_EQ(heard, "");
  network_->open_way(client_host_, server_host_);
  world_->run_until(Time() + Duration::seconds(30));
  EXPECT_EQ(heard, "50000");
}

TEST_F(NetworkTest, connects_are_refused_lost_or_unreachable) {
  make({});
  std::string refused, lost, unreachable, nobody;
  start(ask(1, Duration::seconds(5), refused));
  world_->run_until(Time() + Duration::seconds(6));
  EXPECT_EQ(refused, "connection refused");
  listen();
  network_->set_down(server_host_, true);
  start(ask(1, Duration::seconds(5), lost));
  world_->run_until(Time() + Duration::seconds(12));
  EXPECT_EQ(lost, "timed out");
  network_->set_down(server_host_, false);
  network_->set_unreachable(server_host_, true);
  start(ask(1, Duration::seconds(5), unreachable));
  world_->run_until(Time() + Duration::seconds(13));
  EXPECT_EQ(unreachable, "unreachable");
}

TEST_F(NetworkTest, a_full_accept_queue_drops_connects_which_come_again) {
  make({});
  listen(0);
  server_->freeze_until(Time() + Duration::seconds(2));
  std::vector<std::string> heard(5);
  for (std::string& one : heard) start(ask(10, Duration::seconds(30), one));
  world_->run_until(Time() + ms(1500));
  EXPECT_EQ(heard, std::vector<std::string>(5));
  world_->run_until(Time() + Duration::seconds(40));
  EXPECT_EQ(heard, std::vector<std::string>(5, "10"));
}

TEST_F(NetworkTest, a_killed_process_resets_its_peers) {
  make({});
  listen();
  std::string heard;
  start(ask(500'000, Duration::seconds(30), heard));
  world_->run_until(Time() + Duration::microseconds(700));
  server_->kill();
  world_->run_until(Time() + Duration::seconds(1));
  EXPECT_EQ(heard, "connection reset");
  EXPECT_EQ(last_end_, IoStatus::kReset);
  std::string later;
  start(ask(1, Duration::seconds(5), later));
  world_->run_until(Time() + Duration::seconds(2));
  EXPECT_EQ(later, "connection refused");
}

TEST_F(NetworkTest, a_cut_breaks_both_sides) {
  make({});
  listen();
  std::string heard;
  start(ask(500'000, Duration::seconds(30), heard));
  world_->run_until(Time() + Duration::microseconds(700));
  Rng luck(1);
  EXPECT_EQ(network_->cut_connections(server_host_, 1, luck), 1u);
  world_->run_until(Time() + Duration::seconds(1));
  EXPECT_EQ(heard, "send: connection reset");
  EXPECT_EQ(last_end_, IoStatus::kReset);
}

// Closing with bytes unread is a reset, as on Linux.
TEST_F(NetworkTest, closing_with_bytes_unread_resets) {
  make({});
  io::StreamPtr kept;
  listener_ = std::move(*server_loop_->listen(network_->address(server_host_, 80), {},
                                              [&](io::StreamPtr s) { kept = std::move(s); }));
  std::string heard;
  start(ask(10, Duration::seconds(30), heard));
  world_->run_until(Time() + ms(10));
  ASSERT_NE(kept, nullptr);
  kept.reset();
  world_->run_until(Time() + Duration::seconds(1));
  EXPECT_EQ(heard, "connection reset");
}

TEST_F(NetworkTest, a_moved_host_is_found_at_its_new_address_only) {
  make({});
  listen();
  const io::Address old = network_->address(server_host_, 80);
  network_->move(server_host_);
  EXPECT_NE(network_->address(server_host_, 80), old);
  listener_.reset();
  listen();
  std::string heard;
  start(ask(7, Duration::seconds(5), heard));
  world_->run_until(Time() + Duration::seconds(6));
  EXPECT_EQ(heard, "7");
}

TEST_F(NetworkTest, two_runs_of_a_seed_are_the_same_and_of_another_are_not) {
  std::vector<std::uint64_t> digests;
  std::vector<std::uint64_t> draws;
  for (const std::uint64_t seed : {5u, 5u, 6u}) {
    make({.jitter = ms(3), .loss = 0.1, .segment_min = 1, .segment_max = 500}, seed);
    listen();
    std::string heard;
    for (int i = 0; i < 10; ++i) start(ask(5'000, Duration::seconds(100), heard));
    world_->run_until(Time() + Duration::seconds(200));
    digests.push_back(network_->digest());
    draws.push_back(network_->final_draw());
    listener_.reset();
  }
  EXPECT_EQ(digests[0], digests[1]);
  EXPECT_EQ(draws[0], draws[1]);
  EXPECT_NE(digests[0], digests[2]);
  EXPECT_NE(draws[0], draws[2]);
}

}  // namespace
}  // namespace evener::sim

// One worker as a whole: its limits, its drain, and what balancing looks like through a real proxy.
#include <algorithm>
#include <string>

#include "proxy/test_support.h"

namespace evener::proxy {
namespace {

class WorkerTest : public ProxyTest {};
EV_BOTH_ENGINES(WorkerTest);

const std::string kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

TEST_P(WorkerTest, the_connections_limit_pauses_accepting_and_room_resumes_it) {
  endpoint(always(response_with("x")));
  start({.index = 0, .seed = 1, .connections_max = 3});
  run([&]() -> io::Task<void> {
    std::vector<Wire> clients;
    for (int i = 0; i < 8; ++i) {
      clients.push_back(co_await connect());
      co_await clients.back().write(kGet);
    }
    for (int i = 0; i < 20; ++i) {
      co_await pause(Duration::milliseconds(1));
      EXPECT_LE(worker_->clients(), 3u);
    }
    // The first three are served; each that leaves lets another in.
    for (Wire& client : clients) {
      const Message answer = co_await client.response();
      EXPECT_EQ(answer.status(), 200);
      EXPECT_LE(worker_->clients(), 3u);
      client.close();
    }
    EXPECT_EQ(worker_->counters().connections_accepted, 8u);
    clients.clear();
  });
}

TEST_P(WorkerTest, every_policy_setting_reaches_the_balancer) {
  endpoint(always(response_with("x")));
  config_.pools[0].policy.prior = Duration::milliseconds(7);
  config_.pools[0].policy.floor = Duration::milliseconds(5);
  start();
  std::vector<EndpointStatus> status;
  worker_->pool(0).balancer().snapshot(loop_->now(), status);
  EXPECT_EQ(status.front().latency, Duration::milliseconds(7)) << "prior";
  run([&]() -> io::Task<void> { EXPECT_EQ((co_await ask(kGet)).status(), 200); });
  worker_->pool(0).balancer().snapshot(loop_->now(), status);
  EXPECT_GE(status.front().latency, Duration::milliseconds(5)) << "floor";
}

class DrainTest : public ProxyTest {
 protected:
  void drain(Duration limit) {
    worker_->drain(loop_->now() + limit, [this] { drained_ = true; });
  }
  bool drained_ = false;
};
EV_BOTH_ENGINES(DrainTest);

TEST_P(DrainTest, idle_connections_close_and_an_open_exchange_finishes_with_connection_close) {
  io::Event answer;
  endpoint([&](Wire& wire) -> io::Task<void> {
    for (int i = 0; i < 2; ++i) {
      const Message request = co_await wire.request();
      if (!request.whole) co_return;
      if (request.target() == "/slow") co_await answer;
      co_await wire.write(response_with("done"));
    }
    co_await wire.rest();
  });
  start();
  run([&]() -> io::Task<void> {
    Wire idle_client = co_await connect();
    co_await idle_client.write(kGet);
    static_cast<void>(co_await idle_client.response());
    Wire busy = co_await connect();
    co_await busy.write("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
    const bool out = co_await eventually([&] { return pool().balancer().in_flight() == 1; });
    EXPECT_TRUE(out);
    drain(Duration::seconds(20));
    const std::string nothing = co_await idle_client.rest();
    EXPECT_EQ(nothing, "");
    EXPECT_EQ(idle_client.end(), io::IoStatus::kEof);
    EXPECT_FALSE(drained_);
    io::StreamPtr late = loop_->open(address_);
    const io::IoStatus refused = co_await late->connect();
    EXPECT_EQ(refused, io::IoStatus::kRefused);
    answer.set();
    const Message slow = co_await busy.response();
    EXPECT_EQ(slow.body, "done");
    EXPECT_EQ(slow.field("Connection"), "close");
    const bool done = co_await eventually([&] { return drained_; });
    EXPECT_TRUE(done);
    EXPECT_EQ(worker_->idle_endpoint_connections(), 0u);
  });
}

// The head has gone out without "close" already: the connection must end behind the body all the
// same.
TEST_P(DrainTest, a_response_that_had_begun_finishes_and_then_its_connection_closes) {
  io::Event more;
  endpoint([&](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.request());
    co_await wire.write("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
    co_await more;
    co_await wire.write("half");
    co_await wire.rest();
  });
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write(kGet);
    static_cast<void>(co_await client.until("half"));
    drain(Duration::seconds(20));
    more.set();
    const Time before = loop_->now();
    const std::string rest = co_await client.rest();
    EXPECT_EQ(rest, "half");
    EXPECT_EQ(client.end(), io::IoStatus::kEof);
    const bool done = co_await eventually([&] { return drained_; });
    EXPECT_TRUE(done);
    EXPECT_LT(loop_->now() - before, Duration::seconds(5));
  });
}

// Requests on their way when the drain begins are answered, on old and on new connections.
TEST_P(DrainTest, a_request_that_crosses_the_drain_is_answered) {
  endpoint(always(response_with("x")));
  start();
  run([&]() -> io::Task<void> {
    std::vector<Wire> clients;
    for (int i = 0; i < 4; ++i) {
      clients.push_back(co_await connect());
      co_await clients.back().write(kGet);
      static_cast<void>(co_await clients.back().response());
    }
    Wire fresh = co_await connect();
    // In the kernel's buffers, not read yet, when the drain begins.
    for (Wire& client : clients) co_await client.write(kGet);
    co_await fresh.write(kGet);
    drain(Duration::seconds(20));
    clients.push_back(std::move(fresh));
    for (Wire& client : clients) {
      const Message answer = co_await client.response();
      EXPECT_EQ(answer.status(), 200);
      // Earlier ones may have been answered before the drain began.
      if (&client == &clients.back()) EXPECT_EQ(answer.field("Connection"), "close");
    }
    const bool done = co_await eventually([&] { return drained_; });
    EXPECT_TRUE(done);
  });
}

TEST_P(DrainTest, the_deadline_breaks_what_is_still_open) {
  endpoint([](Wire& wire) -> io::Task<void> { co_await wire.rest(); });
  start();
  run([&]() -> io::Task<void> {
    Wire waiting = co_await connect();
    co_await waiting.write(kGet);
    Wire uploading = co_await connect();
    co_await uploading.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf");
    const bool out = co_await eventually([&] { return pool().balancer().in_flight() == 2; });
    EXPECT_TRUE(out);
    const Time before = loop_->now();
    drain(Duration::milliseconds(50));
    const bool done = co_await eventually([&] { return drained_; });
    EXPECT_TRUE(done);
    EXPECT_LT(loop_->now() - before, Duration::seconds(2));
    co_await waiting.rest();
    EXPECT_NE(waiting.end(), io::IoStatus::kOk);
  });
}

class BalanceTest : public ProxyTest {
 protected:
  // Answers after `delay`, one after the other for each connection.
  ScriptedEndpoint::Script after(Duration delay, std::string answer) {
    return [this, delay, answer](Wire& wire) -> io::Task<void> {
      for (;;) {
        const Message request = co_await wire.request();
        if (!request.whole) co_return;
        if (delay > Duration()) co_await pause(delay);
        if (!co_await wire.write(answer)) co_return;
      }
    };
  }
  // `clients` closed loops for `time`.
  io::Task<void> load(int clients, Duration time) {
    int running = clients;
    io::Event done;
    for (int i = 0; i < clients; ++i) io::spawn(one(loop_->now() + time, running, done));
    co_await done;
  }
  io::Task<void> one(Time until, int& running, io::Event& done) {
    {
      Wire client = co_await connect();
      while (loop_->now() < until) {
        co_await client.write(kGet);
        const Message answer = co_await client.response();
        if (answer.status() == 0) ADD_FAILURE() << "no answer";
        if (answer.status() == 0) break;
      }
    }
    if (--running == 0) done.set();
  }
  double share(std::size_t index, const std::vector<std::uint64_t>& before) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < 6; ++i) all += status_of_endpoint(i).picks - before[i];
    return static_cast<double>(status_of_endpoint(index).picks - before[index]) /
           static_cast<double>(all);
  }
  std::vector<std::uint64_t> picks() {
    std::vector<std::uint64_t> all;
    for (std::size_t i = 0; i < 6; ++i) all.push_back(status_of_endpoint(i).picks);
    return all;
  }
};
EV_BOTH_ENGINES(BalanceTest);

// Among six, one is 50 times slower: within a second its share is under 3 % (fair: 16.7 %).
TEST_P(BalanceTest, an_endpoint_50_times_slower_falls_under_3_percent_within_a_second) {
  for (int i = 0; i < 5; ++i) endpoint(after(Duration::milliseconds(2), response_with("fast")));
  endpoint(after(Duration::milliseconds(100), response_with("slow")));
  start();
  run([&]() -> io::Task<void> {
    co_await load(12, Duration::milliseconds(1000));
    const auto before = picks();
    co_await load(12, Duration::milliseconds(600));
    EXPECT_LT(share(5, before), 0.03);
  });
}

// It answers 500 at once, much faster than the others answer well: that must not draw traffic.
TEST_P(BalanceTest, an_endpoint_that_fails_fast_gains_no_share) {
  for (int i = 0; i < 5; ++i) endpoint(after(Duration::milliseconds(4), response_with("good")));
  endpoint(after(Duration(), "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"));
  start();
  run([&]() -> io::Task<void> {
    const auto before = picks();
    co_await load(12, Duration::milliseconds(1000));
    EXPECT_LT(share(5, before), 1.0 / 6);
  });
}

}  // namespace
}  // namespace evener::proxy

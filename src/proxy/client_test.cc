// Clients that dawdle, break rules, half-close or go away.
#include <string>

#include "proxy/test_support.h"

namespace evener::proxy {
namespace {

class ClientTest : public ProxyTest {};
EV_BOTH_ENGINES(ClientTest);

const std::string kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

class TimeoutTest : public ProxyTest {
 protected:
  void SetUp() override {
    ProxyTest::SetUp();
    config_.timeouts.header = Duration::milliseconds(60);
    config_.timeouts.keep_alive = Duration::milliseconds(60);
  }
  void expect_silent_close(Wire& client, const std::string& bytes) {
    EXPECT_EQ(bytes, "");
    EXPECT_EQ(client.end(), io::IoStatus::kEof);
    for (const std::uint64_t n : worker_->counters().reasons) EXPECT_EQ(n, 0u);
  }
  void expect_408(const Message& answer) {
    EXPECT_EQ(answer.status(), 408);
    EXPECT_EQ(answer.field("evener-reason"), "header_timeout");
    EXPECT_EQ(answer.field("Connection"), "close");
    EXPECT_EQ(counted(Reason::kHeaderTimeout), 1u);
  }
};
EV_BOTH_ENGINES(TimeoutTest);

TEST_P(TimeoutTest, case_F45a_a_connection_that_never_asks_is_closed_without_a_word) {
  endpoint(always(response_with("x")));
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    const std::string bytes = co_await client.rest();
    expect_silent_close(client, bytes);
  });
}

TEST_P(TimeoutTest, case_F45b_half_a_head_is_408_and_close) {
  endpoint(always(response_with("x")));
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write("GET / HT");
    const Message answer = co_await client.response();
    expect_408(answer);
    co_await client.rest();
    EXPECT_EQ(client.end(), io::IoStatus::kEof);
  });
}

TEST_P(TimeoutTest, case_F45c_a_connection_idle_after_a_request_is_closed_without_a_word) {
  endpoint(always(response_with("x")));
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write(kGet);
    static_cast<void>(co_await client.response());
    const std::string bytes = co_await client.rest();
    expect_silent_close(client, bytes);
  });
}

TEST_P(TimeoutTest, case_F45d_the_heads_time_runs_from_its_first_octet_not_its_last) {
  endpoint(always(response_with("x")));
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    io::Event done;
    io::spawn([](Wire& wire, io::Loop& loop, io::Event& event) -> io::Task<void> {
      for (const char octet : std::string_view("GET / HTTP/1.1\r\nHost: aaaaaaaaaaaaaaaaaaaaaa")) {
        if (!co_await wire.write(std::string(1, octet))) break;
        co_await loop.sleep(Duration::milliseconds(10));
      }
      event.set();
    }(client, *loop_, done));
    const Message answer = co_await client.response();
    expect_408(answer);
    EXPECT_FALSE(done.is_set()) << "octets that still come must not prolong the head's time";
    co_await done;
  });
}

TEST_P(ClientTest, requests_that_break_a_rule_or_a_limit_are_answered_here) {
  ScriptedEndpoint& only = endpoint(always(response_with("x")));
  start();
  const std::string host = "Host: a\r\n";
  std::string many = "GET / HTTP/1.1\r\n" + host;
  for (int i = 0; i < 200; ++i) many += "X-" + std::to_string(i) + ": 1\r\n";
  struct Case {
    std::string request;
    int status;
    std::string_view reason;
  };
  const std::vector<Case> cases{
      {"GET /" + std::string(9000, 'p') + " HTTP/1.1\r\n" + host + "\r\n", 414, "target_too_long"},
      {"GET / HTTP/1.1\r\n" + host + "X: " + std::string(70000, 'v') + "\r\n\r\n", 431,
       "head_too_large"},
      {many + "\r\n", 431, "too_many_fields"},
      {"GET / HTTP/1.1\r\n\r\n", 400, "missing_host"},
      {"GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400, "space_before_colon"},
      {"POST / HTTP/1.1\r\n" + host + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
       400, "length_and_coding"},
      {"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501,
       "unsupported_transfer_coding"},
      {"CONNECT a:1 HTTP/1.1\r\n" + host + "\r\n", 501, "connect_not_supported"},
      {"GET / HTTP/2.0\r\n" + host + "\r\n", 505, "unsupported_version"},
  };
  run([&]() -> io::Task<void> {
    for (const Case& c : cases) {
      Wire client = co_await connect();
      co_await client.write(c.request + kGet);
      const Message answer = co_await client.response();
      EXPECT_EQ(answer.status(), c.status) << c.reason;
      EXPECT_EQ(answer.field("evener-reason"), c.reason);
      EXPECT_EQ(answer.field("Connection"), "close");
      const std::string more = co_await client.rest();
      EXPECT_EQ(more, "") << "nothing behind a broken request may be answered";
      EXPECT_EQ(client.end(), io::IoStatus::kEof) << c.reason;
    }
    EXPECT_EQ(only.connections(), 0);
    EXPECT_EQ(counted(Reason::kBadRequest), cases.size());
  });
}

TEST_P(ClientTest, an_empty_pool_is_503) {
  endpoint(always(response_with("x")));
  config_.pools[0].endpoints.clear();
  start();
  run([&]() -> io::Task<void> {
    const Message answer = co_await ask(kGet);
    EXPECT_EQ(answer.status(), 503);
    EXPECT_EQ(answer.field("evener-reason"), "no_endpoint");
  });
}

TEST_P(ClientTest, case_F43_a_client_that_half_closes_after_connection_close_is_answered) {
  endpoint([&](Wire& wire) -> io::Task<void> {
    for (;;) {
      const Message request = co_await wire.request();
      if (!request.whole) co_return;
      co_await pause(Duration::milliseconds(40));
      co_await wire.write(response_with("late" + request.body));
    }
  });
  start();
  run([&]() -> io::Task<void> {
    for (const char* request :
         {"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
          "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\n\r\nb"}) {
      Wire client = co_await connect();
      co_await client.write(request, true);
      const Message answer = co_await client.response();
      EXPECT_EQ(answer.status(), 200) << request;
      EXPECT_TRUE(answer.body.starts_with("late"));
      EXPECT_EQ(answer.field("Connection"), "close");
      co_await client.rest();
      EXPECT_EQ(client.end(), io::IoStatus::kEof);
    }
  });
}

class GoneTest : public ProxyTest {
 protected:
  void expect_charged_to_nobody(std::uint64_t requests) {
    EXPECT_EQ(status_of_endpoint(0).failures, 0u);
    EXPECT_EQ(status_of_endpoint(0).cancelled, requests);
    EXPECT_EQ(counted(Reason::kClientGone), requests);
    EXPECT_EQ(worker_->counters().retries, 0u);
    EXPECT_EQ(worker_->counters().responses_by_class[5], 0u);
    EXPECT_EQ(worker_->idle_endpoint_connections(), 0u) << "an abandoned connection is not reused";
  }
};
EV_BOTH_ENGINES(GoneTest);

TEST_P(GoneTest, case_F17_clients_that_leave_while_waiting_cancel_their_requests) {
  int ends = 0;
  ScriptedEndpoint& only = endpoint([&](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.request());
    const std::string more = co_await wire.rest();
    EXPECT_EQ(more, "");
    ++ends;
  });
  start();
  run([&]() -> io::Task<void> {
    std::vector<Wire> clients;
    for (int i = 0; i < 50; ++i) {
      clients.push_back(co_await connect());
      co_await clients.back().write(kGet);
    }
    const bool all = co_await eventually([&] { return only.connections() == 50; });
    EXPECT_TRUE(all);
    EXPECT_EQ(pool().balancer().in_flight(), 50u);
    for (std::size_t i = 0; i < clients.size(); ++i) {
      i % 2 == 0 ? clients[i].close() : clients[i].reset();
    }
    const bool ended = co_await eventually([&] { return idle() && ends == 50; });
    EXPECT_TRUE(ended);
    expect_charged_to_nobody(50);
  });
}

TEST_P(GoneTest, case_F17_a_client_that_leaves_inside_a_response_cancels_it) {
  endpoint([&](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.request());
    co_await wire.write("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n");
    while (co_await wire.write("part")) co_await pause(Duration::milliseconds(1));
  });
  start();
  run([&]() -> io::Task<void> {
    for (const bool by_reset : {false, true}) {
      Wire client = co_await connect();
      co_await client.write(kGet);
      static_cast<void>(co_await client.until("part"));
      by_reset ? client.reset() : client.close();
      const bool ended = co_await eventually([&] { return idle(); });
      EXPECT_TRUE(ended);
    }
    expect_charged_to_nobody(2);
  });
}

TEST_P(GoneTest, case_F17_a_client_that_leaves_inside_its_upload_cancels_it) {
  endpoint([](Wire& wire) -> io::Task<void> { co_await wire.rest(); });
  start();
  run([&]() -> io::Task<void> {
    for (const bool by_reset : {false, true}) {
      Wire client = co_await connect();
      co_await client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf");
      const bool here = co_await eventually([&] { return endpoints_.front().open() == 1; });
      EXPECT_TRUE(here);
      by_reset ? client.reset() : client.close();
      const bool ended =
          co_await eventually([&] { return idle() && endpoints_.front().open() == 0; });
      EXPECT_TRUE(ended);
    }
    expect_charged_to_nobody(2);
  });
}

TEST_P(GoneTest, case_F17_a_client_that_leaves_while_connecting_cancels_it) {
  ScriptedEndpoint& only = endpoint([](Wire& wire) -> io::Task<void> { co_await wire.rest(); }, 0);
  only.pause();
  config_.pools[0].timeouts.connect = Duration::seconds(10);
  start();
  run([&]() -> io::Task<void> {
    std::vector<io::StreamPtr> queue;
    io::IoStatus status = io::IoStatus::kOk;
    while (status == io::IoStatus::kOk && queue.size() < 8) {
      queue.push_back(loop_->open(only.address()));
      queue.back()->set_deadline(loop_->now() + Duration::milliseconds(60));
      status = co_await queue.back()->connect();
    }
    Wire client = co_await connect();
    co_await client.write(kGet);
    const bool picked = co_await eventually([&] { return pool().balancer().in_flight() == 1; });
    EXPECT_TRUE(picked) << "connecting counts as in flight";
    client.close();
    const bool ended = co_await eventually([&] { return idle(); });
    EXPECT_TRUE(ended);
    expect_charged_to_nobody(1);
    EXPECT_EQ(worker_->counters().connect_failures, 0u);
  });
}

}  // namespace
}  // namespace evener::proxy

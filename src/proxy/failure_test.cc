// Endpoints that refuse, hang, break or talk nonsense, and what of it the client gets to see.
#include <algorithm>
#include <string>

#include "proxy/test_support.h"

namespace evener::proxy {
namespace {

class FailureTest : public ProxyTest {
 protected:
  void expect_local(const Message& answer, int status, std::string_view reason) {
    EXPECT_EQ(answer.status(), status);
    EXPECT_EQ(answer.field("evener-reason"), reason);
    EXPECT_NE(answer.body.find(reason), std::string::npos);
    EXPECT_TRUE(answer.whole);
  }
};
EV_BOTH_ENGINES(FailureTest);

const std::string kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string kPost = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";

TEST_P(FailureTest,
       case_F21_a_reused_connection_that_dies_unanswered_is_retried_once_for_get_only) {
  // Answers one request for each connection, reads the next one and closes without a word.
  ScriptedEndpoint& only = endpoint([](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.request());
    co_await wire.write(response_with("ok"));
    static_cast<void>(co_await wire.request());
  });
  start();
  run([&]() -> io::Task<void> {
    const Message first = co_await ask(kGet);
    EXPECT_EQ(first.status(), 200);
    const Message second = co_await ask(kGet);
    EXPECT_EQ(second.status(), 200);
    EXPECT_EQ(only.connections(), 2);
    EXPECT_EQ(worker_->counters().retries, 1u);
    const Message post = co_await ask(kPost);
    expect_local(post, 502, "endpoint_closed");
    EXPECT_EQ(only.connections(), 2) << "a POST that may have been read must not be sent again";
    const Message after = co_await ask(kPost);
    EXPECT_EQ(after.status(), 200) << "on a new connection it is no replay";
  });
}

TEST_P(FailureTest, case_F21_the_retry_is_one_and_a_new_connection_that_dies_is_502) {
  ScriptedEndpoint& only = endpoint([this](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.request());
    if (endpoints_.front().connections() > 1) co_return;
    co_await wire.write(response_with("ok"));
    static_cast<void>(co_await wire.request());
  });
  start();
  run([&]() -> io::Task<void> {
    const Message first = co_await ask(kGet);
    EXPECT_EQ(first.status(), 200);
    const Message second = co_await ask(kGet);
    expect_local(second, 502, "endpoint_closed");
    EXPECT_EQ(only.connections(), 2);
    EXPECT_EQ(status_of_endpoint(0).failures, 1u);
  });
}

// A request that an endpoint may have read goes to no other endpoint either.
TEST_P(FailureTest, case_F21_an_endpoint_that_ends_unanswered_is_502_and_nobody_else_is_asked) {
  for (int i = 0; i < 3; ++i) {
    endpoint([](Wire& wire) -> io::Task<void> { static_cast<void>(co_await wire.request()); });
  }
  start();
  run([&]() -> io::Task<void> {
    int asked = 0;
    for (const std::string& request : {kPost, kGet}) {
      const Message answer = co_await ask(request);
      expect_local(answer, 502, "endpoint_closed");
      int connections = 0;
      for (const ScriptedEndpoint& one : endpoints_) connections += one.connections();
      EXPECT_EQ(connections, ++asked);
    }
    EXPECT_EQ(worker_->counters().retries, 0u);
  });
}

TEST_P(FailureTest, case_F21_a_connection_with_an_end_or_stray_bytes_pending_is_never_reused) {
  io::Event go;
  ScriptedEndpoint& only = endpoint([&](Wire& wire) -> io::Task<void> {
    const int number = endpoints_.front().connections();
    const Message request = co_await wire.request();
    co_await wire.write(response_with("ok"));
    co_await go;
    if (number == 1) co_await wire.finish();
    if (number == 2) co_await wire.write("HTTP/1.1 408 Request Timeout\r\n\r\n");
    const std::string more = co_await wire.rest();
    EXPECT_EQ(more, "") << "request sent on connection " << number;
  });
  start();
  run([&]() -> io::Task<void> {
    for (int i = 1; i <= 3; ++i) {
      const Message answer = co_await ask(kPost);
      EXPECT_EQ(answer.status(), 200);
      EXPECT_EQ(only.connections(), i);
      if (i == 3) break;
      go.set();
      const bool left =
          co_await eventually([&] { return worker_->idle_endpoint_connections() == 0; });
      EXPECT_TRUE(left);
      go.clear();
    }
    go.set();
    EXPECT_EQ(worker_->counters().retries, 0u);
  });
}

// Stray bytes in the same segment as the response: the next response must not begin with them.
TEST_P(FailureTest, bytes_behind_a_response_end_its_connection) {
  ScriptedEndpoint& only = endpoint(always(response_with("a") + "stray"));
  start();
  run([&]() -> io::Task<void> {
    for (int i = 0; i < 3; ++i) {
      const Message answer = co_await ask(kGet);
      EXPECT_EQ(answer.body, "a");
    }
    EXPECT_EQ(only.connections(), 3);
  });
}

TEST_P(FailureTest, an_idle_endpoint_connection_is_closed_after_its_time) {
  config_.pools[0].timeouts.keep_alive = Duration::milliseconds(20);
  ScriptedEndpoint& only = endpoint(always(response_with("a")));
  start();
  run([&]() -> io::Task<void> {
    static_cast<void>(co_await ask(kGet));
    EXPECT_EQ(worker_->idle_endpoint_connections(), 1u);
    const bool closed = co_await eventually([&] { return only.open() == 0; });
    EXPECT_TRUE(closed);
    EXPECT_EQ(worker_->idle_endpoint_connections(), 0u);
  });
}

TEST_P(FailureTest, idle_endpoint_connections_are_bounded) {
  config_.pools[0].limits.idle_connections_per_endpoint = 2;
  ScriptedEndpoint& only = endpoint([&](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.request());
    co_await eventually([&] { return endpoints_.front().connections() == 4; });
    co_await wire.write(response_with("a"));
    co_await wire.rest();
  });
  start();
  run([&]() -> io::Task<void> {
    std::vector<Wire> clients;
    for (int i = 0; i < 4; ++i) {
      clients.push_back(co_await connect());
      co_await clients.back().write(kGet);
    }
    for (Wire& client : clients) static_cast<void>(co_await client.response());
    EXPECT_EQ(worker_->idle_endpoint_connections(), 2u);
    const bool closed = co_await eventually([&] { return only.open() == 2; });
    EXPECT_TRUE(closed);
  });
}

TEST_P(FailureTest, a_refused_connect_moves_any_request_on_to_the_next_endpoint) {
  dead_endpoint();
  endpoint(always(response_with("alive")));
  start();
  run([&]() -> io::Task<void> {
    for (int i = 0; i < 10; ++i) {
      const Message answer = co_await ask(i % 2 == 0 ? kGet : kPost);
      EXPECT_EQ(answer.status(), 200);
      EXPECT_EQ(answer.body, "alive");
    }
    EXPECT_EQ(status_of_endpoint(1).failures, 0u);
  });
}

TEST_P(FailureTest, all_refused_is_502_after_each_was_tried_once) {
  for (int i = 0; i < 2; ++i) dead_endpoint();
  start();
  run([&]() -> io::Task<void> {
    const Message answer = co_await ask(kGet);
    expect_local(answer, 502, "connect_refused");
    EXPECT_EQ(worker_->counters().connects, 2u);
    EXPECT_EQ(worker_->counters().connect_failures, 2u);
    EXPECT_EQ(status_of_endpoint(0).connect_failed, 1u);
    EXPECT_EQ(status_of_endpoint(1).connect_failed, 1u);
  });
}

TEST_P(FailureTest, a_connect_that_hangs_is_504_in_its_time) {
  config_.pools[0].timeouts.connect = Duration::milliseconds(50);
  ScriptedEndpoint& only = endpoint([](Wire& wire) -> io::Task<void> { co_await wire.rest(); }, 0);
  only.pause();
  start();
  run([&]() -> io::Task<void> {
    // A full accept queue: further connects get no answer.
    std::vector<io::StreamPtr> queue;
    io::IoStatus status = io::IoStatus::kOk;
    while (status == io::IoStatus::kOk && queue.size() < 8) {
      queue.push_back(loop_->open(only.address()));
      queue.back()->set_deadline(loop_->now() + Duration::milliseconds(60));
      status = co_await queue.back()->connect();
    }
    EXPECT_EQ(status, io::IoStatus::kTimedOut);
    const Message answer = co_await ask(kGet);
    expect_local(answer, 504, "connect_timeout");
    EXPECT_EQ(status_of_endpoint(0).connect_failed, 1u);
  });
}

TEST_P(FailureTest, no_first_byte_in_time_is_504_and_the_connection_ends) {
  config_.pools[0].timeouts.first_byte = Duration::milliseconds(40);
  ScriptedEndpoint& only = endpoint([](Wire& wire) -> io::Task<void> { co_await wire.rest(); });
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    for (const std::string& request : {kGet, kGet}) {
      co_await client.write(request);
      const Message answer = co_await client.response();
      expect_local(answer, 504, "first_byte_timeout");
      EXPECT_EQ(answer.count("Connection"), 0);
    }
    const Message post = co_await ask(kPost);
    expect_local(post, 504, "first_byte_timeout");
    const bool closed = co_await eventually([&] { return only.open() == 0; });
    EXPECT_TRUE(closed);
    EXPECT_EQ(status_of_endpoint(0).failures, 3u);
  });
}

TEST_P(FailureTest, an_endpoint_that_stalls_in_its_body_is_cut_visibly) {
  config_.pools[0].timeouts.idle = Duration::milliseconds(40);
  endpoint([](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.request());
    co_await wire.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    co_await wire.rest();
  });
  start();
  run([&]() -> io::Task<void> {
    const Message answer = co_await ask(kGet);
    EXPECT_EQ(answer.status(), 200);
    EXPECT_FALSE(answer.whole);
    EXPECT_EQ(counted(Reason::kTruncated), 1u);
  });
}

TEST_P(FailureTest, the_total_time_ends_an_exchange_before_and_inside_its_response) {
  config_.routes[0].total_timeout = Duration::milliseconds(60);
  endpoint([&](Wire& wire) -> io::Task<void> {
    const Message request = co_await wire.request();
    if (request.target() == "/begun") {
      co_await wire.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
      while (co_await wire.write("drip")) co_await pause(Duration::milliseconds(5));
    }
    co_await wire.rest();
  });
  start();
  run([&]() -> io::Task<void> {
    const Message never = co_await ask(kGet);
    expect_local(never, 504, "total_timeout");
    const Message begun = co_await ask("GET /begun HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(begun.status(), 200);
    EXPECT_FALSE(begun.whole);
    EXPECT_EQ(counted(Reason::kTotalTimeout), 2u);
  });
}

// The response is cut because the client takes nothing: that is not the endpoint's failure.
TEST_P(FailureTest, a_client_that_takes_nothing_is_dropped_and_charges_nobody) {
  config_.timeouts.send = Duration::milliseconds(60);
  endpoint([](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.request());
    co_await wire.write("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n");
    const std::string piece(64 * 1024, 'x');
    while (co_await wire.write(piece)) continue;
  });
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write(kGet);
    const bool over = co_await eventually([&] { return worker_->clients() == 0; });
    EXPECT_TRUE(over);
    EXPECT_EQ(status_of_endpoint(0).failures, 0u);
    EXPECT_EQ(counted(Reason::kClientGone), 1u);
  });
}

// Found by evener lab proxy: what the kernel still held was sent with a FIN behind it, and passed
// for a whole body.
TEST_P(FailureTest, a_body_by_close_that_its_client_did_not_take_in_time_ends_in_a_reset) {
  config_.timeouts.send = Duration::milliseconds(100);
  endpoint([](Wire& wire) -> io::Task<void> {
    co_await wire.request();
    co_await wire.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string body = pattern(1 << 16);
    while (co_await wire.write("10000\r\n" + body + "\r\n")) continue;
  });
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write("GET / HTTP/1.0\r\nHost: a\r\n\r\n");
    const bool given_up = co_await eventually([&] { return worker_->clients() == 0; });
    EXPECT_TRUE(given_up);
    const Message answer = co_await client.response();
    EXPECT_FALSE(answer.whole) << answer.body.size() << " bytes came as a whole";
    EXPECT_EQ(client.end(), io::IoStatus::kReset);
  });
}

TEST_P(FailureTest, what_is_not_http_is_502_bad_response) {
  const std::vector<std::string> answers{
      "SSH-2.0-OpenSSH\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX: " + std::string(70000, 'x') + "\r\n\r\n"};
  std::size_t next = 0;
  endpoint([&](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.request());
    co_await wire.write(answers[next++]);
    co_await wire.rest();
  });
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    for (const std::string& bytes : answers) {
      co_await client.write(kGet);
      const Message answer = co_await client.response();
      expect_local(answer, 502, "bad_response");
      EXPECT_EQ(answer.count("Connection"), 0) << bytes.substr(0, 60);
    }
    EXPECT_EQ(worker_->idle_endpoint_connections(), 0u);
    EXPECT_EQ(status_of_endpoint(0).failures, answers.size());
  });
}

TEST_P(FailureTest, an_end_or_reset_inside_the_head_is_502_without_a_retry) {
  bool reset = false;
  ScriptedEndpoint& only = endpoint([&](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.request());
    co_await wire.write("HTTP/1.1 200 OK\r\nConte");
    co_await pause(Duration::milliseconds(5));
    if (reset) wire.reset();
  });
  start();
  run([&]() -> io::Task<void> {
    const Message closed = co_await ask(kGet);
    expect_local(closed, 502, "endpoint_closed");
    reset = true;
    const Message broken = co_await ask(kGet);
    expect_local(broken, 502, "endpoint_reset");
    EXPECT_EQ(only.connections(), 2);
  });
}

TEST_P(FailureTest, a_local_reply_to_head_has_no_body) {
  dead_endpoint();
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
    const Message answer = co_await client.response(true);
    EXPECT_EQ(answer.status(), 502);
    EXPECT_EQ(answer.field("evener-reason"), "connect_refused");
    co_await client.write("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
    const Message again = co_await client.response(true);
    EXPECT_EQ(again.status(), 502);
  });
}

}  // namespace
}  // namespace evener::proxy

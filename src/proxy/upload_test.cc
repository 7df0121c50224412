// Uploads that do not go the straight way: expectations, early answers, limits, broken bodies.
#include <string>

#include "proxy/test_support.h"

namespace evener::proxy {
namespace {

class UploadTest : public ProxyTest {
 protected:
  static std::string put(std::string_view fields) {
    return "PUT / HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
  }
};
EV_BOTH_ENGINES(UploadTest);

const std::string kExpect = "Expect: 100-continue\r\nContent-Length: 4\r\n";

TEST_P(UploadTest, case_F22a_100_is_relayed_then_the_body_then_the_answer) {
  std::string expectation;
  endpoint([&](Wire& wire) -> io::Task<void> {
    for (;;) {
      Message head;
      head.head = co_await wire.until("\r\n\r\n");
      if (head.head.empty()) co_return;
      expectation = head.field("Expect");
      co_await wire.write("HTTP/1.1 100 Continue\r\n\r\n");
      const std::string body = co_await wire.take(4);
      co_await wire.write(response_with(body));
    }
  });
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write(put(kExpect));
    const Message interim = co_await client.response();
    EXPECT_EQ(interim.status(), 100);
    co_await client.write("body");
    const Message answer = co_await client.response();
    EXPECT_EQ(answer.status(), 200);
    EXPECT_EQ(answer.body, "body");
    EXPECT_EQ(expectation, "100-continue");
    co_await client.write(put(kExpect));
    const Message again = co_await client.response();
    EXPECT_EQ(again.status(), 100) << "the connection must still be good";
    co_await client.write("more");
    co_await client.response();
  });
}

TEST_P(UploadTest, case_F22b_an_early_refusal_arrives_in_full_without_the_body) {
  std::string rest;
  endpoint([&](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.until("\r\n\r\n"));
    co_await wire.write("HTTP/1.1 401 Unauthorized\r\nContent-Length: 6\r\n\r\ndenied");
    rest = co_await wire.rest();
  });
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write(put(kExpect));
    const Message answer = co_await client.response();
    EXPECT_EQ(answer.status(), 401);
    EXPECT_EQ(answer.body, "denied");
    EXPECT_EQ(answer.field("Connection"), "close");
    co_await client.rest();
    EXPECT_EQ(client.end(), io::IoStatus::kEof);
    client.close();
    const bool ended = co_await eventually([&] { return endpoints_.front().open() == 0; });
    EXPECT_TRUE(ended);
    EXPECT_EQ(rest, "");
    EXPECT_EQ(worker_->idle_endpoint_connections(), 0u);
  });
}

// The endpoint never says 100; the client never sends first. Somebody must move.
TEST_P(UploadTest, case_F22c_a_silent_endpoint_does_not_deadlock_a_waiting_client) {
  endpoint([&](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.until("\r\n\r\n"));
    const std::string body = co_await wire.take(4);
    // Late, after the body is here: must not reach the client a second time.
    co_await wire.write("HTTP/1.1 100 Continue\r\n\r\n" + response_with(body));
    co_await wire.rest();
  });
  start();
  run([&]() -> io::Task<void> {
    const Time before = loop_->now();
    Wire client = co_await connect();
    co_await client.write(put(kExpect));
    const Message interim = co_await client.response();
    EXPECT_EQ(interim.status(), 100);
    EXPECT_LT(loop_->now() - before, Duration::seconds(3));
    co_await client.write("body");
    const Message answer = co_await client.response();
    EXPECT_EQ(answer.status(), 200);
    EXPECT_EQ(answer.body, "body");
  });
}

TEST_P(UploadTest, interim_responses_reach_1_1_clients_and_no_1_0_client) {
  endpoint([&](Wire& wire) -> io::Task<void> {
    for (;;) {
      const Message request = co_await wire.request();
      if (!request.whole) co_return;
      co_await wire.write(
          "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nConnection: x\r\n\r\n"
          "HTTP/1.1 100 Continue\r\n\r\n" +
          response_with("final"));
    }
  });
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    const Message hints = co_await client.response();
    EXPECT_EQ(hints.status(), 103);
    EXPECT_EQ(hints.field("Link"), "</a.css>");
    EXPECT_EQ(hints.count("Connection"), 0);
    const Message answer = co_await client.response();
    EXPECT_EQ(answer.status(), 200) << "100 was not asked for";
    EXPECT_EQ(answer.body, "final");
    const Message old = co_await ask("GET / HTTP/1.0\r\n\r\n");
    EXPECT_EQ(old.status(), 200);
    EXPECT_EQ(old.body, "final");
  });
}

class EarlyAnswerTest : public UploadTest {
 protected:
  static constexpr std::size_t kSize = 20u << 20;
  // Reads 64 KB, refuses, and closes with unread data pending: a reset follows.
  static io::Task<void> refuse(Wire& wire) {
    static_cast<void>(co_await wire.take(64 * 1024));
    co_await wire.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 8\r\n\r\ntoo much");
  }
  void check(const Message& answer) {
    EXPECT_EQ(answer.status(), 413);
    EXPECT_EQ(answer.body, "too much");
    EXPECT_TRUE(answer.whole);
    EXPECT_EQ(answer.field("Connection"), "close");
    EXPECT_EQ(answer.count("evener-reason"), 0) << "the refusal is the endpoint's";
    EXPECT_EQ(endpoints_.front().connections(), 1) << "not to be retried";
    EXPECT_EQ(worker_->counters().connect_failures, 0u);
    EXPECT_EQ(worker_->idle_endpoint_connections(), 0u);
  }
};
EV_BOTH_ENGINES(EarlyAnswerTest);

// A client that reads only when all is written: every byte must be taken from it.
TEST_P(EarlyAnswerTest, case_F32_a_client_that_writes_all_first_still_gets_the_refusal) {
  endpoint(&EarlyAnswerTest::refuse);
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    const bool written = co_await client.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                                               std::to_string(kSize) + "\r\n\r\n" + pattern(kSize));
    EXPECT_TRUE(written) << "a reset while the client still writes would hide the answer";
    check(co_await client.response());
  });
}

TEST_P(EarlyAnswerTest, case_F32_a_client_that_reads_while_it_writes_gets_the_refusal) {
  endpoint(&EarlyAnswerTest::refuse);
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    io::Event done;
    io::spawn([](Wire& wire, io::Event& event) -> io::Task<void> {
      co_await wire.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(kSize) +
                          "\r\n\r\n" + pattern(kSize));
      event.set();
    }(client, done));
    check(co_await client.response());
    co_await done;
  });
}

TEST_P(EarlyAnswerTest, an_endpoint_may_answer_while_the_body_still_flows) {
  endpoint([](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.until("\r\n\r\n"));
    co_await wire.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 3; ++i) {
      const std::string part = co_await wire.take(3);
      co_await wire.write("3\r\n" + part + "\r\n");
    }
    co_await wire.write("0\r\n\r\n");
    co_await wire.rest();
  });
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write(put("Content-Length: 9\r\n"));
    const std::string head = co_await client.until("\r\n\r\n");
    EXPECT_TRUE(head.starts_with("HTTP/1.1 200")) << head;
    std::string echoed;
    for (const char* part : {"abc", "def", "ghi"}) {
      co_await client.write(part);
      echoed += co_await client.until("\r\n");
      echoed += co_await client.until("\r\n");
    }
    EXPECT_EQ(echoed, "3\r\nabc\r\n3\r\ndef\r\n3\r\nghi\r\n");
    const std::string last = co_await client.rest();
    EXPECT_EQ(last, "0\r\n\r\n");
  });
}

TEST_P(UploadTest, a_body_over_the_limit_is_413_by_length_and_by_chunks) {
  config_.limits.request_body_bytes = 10;
  ScriptedEndpoint& only = endpoint([](Wire& wire) -> io::Task<void> {
    const Message request = co_await wire.request();
    if (request.whole) co_await wire.write(response_with(request.body));
    co_await wire.rest();
  });
  start();
  run([&]() -> io::Task<void> {
    const Message fits = co_await ask(put("Content-Length: 10\r\n") + "0123456789");
    EXPECT_EQ(fits.status(), 200);
    const Message by_length = co_await ask(put("Content-Length: 11\r\n") + "0123456789a");
    EXPECT_EQ(by_length.status(), 413);
    EXPECT_EQ(by_length.field("evener-reason"), "body_too_large");
    EXPECT_EQ(by_length.field("Connection"), "close");
    EXPECT_EQ(only.connections(), 1) << "known too large before anything was picked";
    const Message by_chunks = co_await ask(put("Transfer-Encoding: chunked\r\n") +
                                           "6\r\n012345\r\n6\r\n6789ab\r\n0\r\n\r\n");
    EXPECT_EQ(by_chunks.status(), 413);
    EXPECT_EQ(by_chunks.field("evener-reason"), "body_too_large");
    EXPECT_EQ(status_of_endpoint(0).failures, 0u) << "the client's fault, not the endpoint's";
    EXPECT_EQ(counted(Reason::kBodyTooLarge), 2u);
  });
}

TEST_P(UploadTest, a_bad_chunk_in_a_request_is_400_and_no_failure_of_the_endpoint) {
  endpoint([](Wire& wire) -> io::Task<void> { co_await wire.rest(); });
  start();
  run([&]() -> io::Task<void> {
    const Message answer =
        co_await ask(put("Transfer-Encoding: chunked\r\n") + "3\r\nabc\r\nzz\r\n");
    EXPECT_EQ(answer.status(), 400);
    EXPECT_EQ(answer.field("evener-reason"), "bad_chunk");
    EXPECT_EQ(answer.field("Connection"), "close");
    EXPECT_EQ(status_of_endpoint(0).failures, 0u);
  });
}

// The endpoint's time-out for its first byte starts when it has the request, not while the client
// dawdles: that is the client's time-out, and the client's fault.
TEST_P(UploadTest, a_stalled_body_is_408_and_no_failure_of_the_endpoint) {
  config_.timeouts.body_idle = Duration::milliseconds(120);
  config_.pools[0].timeouts.first_byte = Duration::milliseconds(30);
  config_.pools[0].timeouts.idle = Duration::milliseconds(30);
  endpoint([](Wire& wire) -> io::Task<void> { co_await wire.rest(); });
  start();
  run([&]() -> io::Task<void> {
    for (const char* sent : {"", "some"}) {
      const Message answer = co_await ask(put("Content-Length: 10\r\n") + sent);
      EXPECT_EQ(answer.status(), 408) << sent;
      EXPECT_EQ(answer.field("evener-reason"), "body_timeout");
    }
    EXPECT_EQ(status_of_endpoint(0).failures, 0u);
  });
}

TEST_P(UploadTest, a_slow_but_steady_body_is_not_charged_to_the_endpoints_time_outs) {
  config_.pools[0].timeouts.first_byte = Duration::milliseconds(60);
  config_.pools[0].timeouts.idle = Duration::milliseconds(60);
  endpoint([](Wire& wire) -> io::Task<void> {
    const Message request = co_await wire.request();
    if (request.whole) co_await wire.write(response_with(request.body));
    co_await wire.rest();
  });
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write(put("Content-Length: 4\r\n"));
    for (const char* octet : {"a", "b", "c", "d"}) {
      co_await pause(Duration::milliseconds(90));
      co_await client.write(octet);
    }
    const Message answer = co_await client.response();
    EXPECT_EQ(answer.status(), 200);
    EXPECT_EQ(answer.body, "abcd");
  });
}

// The response has begun when the client leaves its body unfinished: still the client's doing.
TEST_P(UploadTest, case_F17_a_client_gone_in_mid_body_charges_no_failure_even_after_the_head) {
  endpoint([](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.until("\r\n\r\n"));
    co_await wire.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst");
    co_await wire.rest();
  });
  start();
  run([&]() -> io::Task<void> {
    for (const bool by_reset : {false, true}) {
      Wire client = co_await connect();
      co_await client.write(put("Content-Length: 10\r\n") + "half");
      static_cast<void>(co_await client.until("first"));
      by_reset ? client.reset() : client.close();
      const bool ended = co_await eventually([&] { return idle(); });
      EXPECT_TRUE(ended);
    }
    EXPECT_EQ(status_of_endpoint(0).failures, 0u);
    EXPECT_EQ(status_of_endpoint(0).cancelled, 2u);
    EXPECT_EQ(counted(Reason::kClientGone), 2u);
  });
}

}  // namespace
}  // namespace evener::proxy

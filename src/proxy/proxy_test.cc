// What every request goes through: routing, heads, keep-alive on both sides, pipelining.
#include <string>

#include "proxy/test_support.h"

namespace evener::proxy {
namespace {

class ForwardTest : public ProxyTest {};
EV_BOTH_ENGINES(ForwardTest);

const std::string kGet = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";

TEST_P(ForwardTest, both_sides_stay_open_and_the_endpoints_connection_is_reused) {
  ScriptedEndpoint& only = endpoint(always(response_with("hello")));
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    for (int i = 0; i < 5; ++i) {
      co_await client.write(kGet);
      const Message answer = co_await client.response();
      EXPECT_EQ(answer.status(), 200);
      EXPECT_EQ(answer.body, "hello");
      EXPECT_EQ(answer.count("Connection"), 0);
    }
    // Another client finds the same idle connection.
    const Message other = co_await ask(kGet);
    EXPECT_EQ(other.body, "hello");
    EXPECT_EQ(only.connections(), 1);
    EXPECT_EQ(worker_->counters().reuses, 5u);
    EXPECT_EQ(worker_->counters().connects, 1u);
    EXPECT_EQ(worker_->idle_endpoint_connections(), 1u);
  });
}

TEST_P(ForwardTest, an_endpoint_that_says_close_is_not_reused) {
  ScriptedEndpoint& only = endpoint(always(response_with("x", "Connection: close\r\n")));
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    for (int i = 0; i < 3; ++i) {
      co_await client.write(kGet);
      const Message answer = co_await client.response();
      EXPECT_EQ(answer.body, "x");
      EXPECT_EQ(answer.count("Connection"), 0) << "the endpoint's wish is not the client's";
    }
    EXPECT_EQ(only.connections(), 3);
    EXPECT_EQ(worker_->idle_endpoint_connections(), 0u);
  });
}

TEST_P(ForwardTest, hop_by_hop_fields_end_here_and_forwarding_fields_are_ours) {
  std::string seen;
  endpoint([&](Wire& wire) -> io::Task<void> {
    const Message request = co_await wire.request();
    seen = request.head;
    co_await wire.write(
        "HTTP/1.1 200 OK\r\nConnection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\n"
        "Proxy-Authenticate: Basic\r\nX-End: kept\r\nVia: 1.0 inner\r\nContent-Length: 0\r\n\r\n");
    co_await wire.rest();
  });
  start();
  run([&]() -> io::Task<void> {
    const Message answer = co_await ask(
        "GET /p?q=1 HTTP/1.1\r\nHost: a.example:81\r\nConnection: keep-alive, X-Drop, Host\r\n"
        "X-Drop: 1\r\nKeep-Alive: 300\r\nProxy-Connection: keep-alive\r\nTE: gzip\r\n"
        "Upgrade: h2c\r\nHTTP2-Settings: x\r\nX-Forwarded-For: 203.0.113.9\r\n"
        "X-Forwarded-Proto: https\r\nX-Forwarded-Host: evil\r\nX_Forwarded_For: 192.0.2.9\r\n"
        "X-Kept: yes\r\n\r\n");
    Message request;
    request.head = seen;
    EXPECT_TRUE(seen.starts_with("GET /p?q=1 HTTP/1.1\r\n")) << seen;
    EXPECT_EQ(request.field("Host"), "a.example:81");
    EXPECT_EQ(request.count("Host"), 1);
    for (const char* gone : {"Connection", "X-Drop", "Keep-Alive", "Proxy-Connection", "TE",
                             "Upgrade", "HTTP2-Settings"}) {
      EXPECT_EQ(request.count(gone), 0) << gone << " in\n" << seen;
    }
    EXPECT_EQ(request.count("X_Forwarded_For"), 0) << "case F39";
    EXPECT_EQ(worker_->counters().alias_fields_dropped, 1u);
    EXPECT_EQ(request.field("X-Kept"), "yes");
    EXPECT_EQ(request.field("X-Forwarded-For"), "203.0.113.9, 127.0.0.1");
    EXPECT_EQ(request.field("X-Forwarded-Proto"), "http");
    EXPECT_EQ(request.field("X-Forwarded-Host"), "a.example:81");
    EXPECT_EQ(request.field("Via"), "1.1 evener");
    EXPECT_EQ(answer.field("X-End"), "kept");
    EXPECT_EQ(answer.field("Via"), "1.0 inner, 1.1 evener");
    for (const char* gone : {"Connection", "X-Hop", "Keep-Alive", "Proxy-Authenticate"}) {
      EXPECT_EQ(answer.count(gone), 0) << gone << " in\n" << answer.head;
    }
  });
}

TEST_P(ForwardTest, routes_by_name_and_path_and_answers_404_without_one) {
  endpoint(always(response_with("web")));
  config_.routes[0].match = {.host = "a.example", .path = "/app/"};
  start();
  run([&]() -> io::Task<void> {
    const Message good = co_await ask("GET /app/x HTTP/1.1\r\nHost: A.Example:80\r\n\r\n");
    EXPECT_EQ(good.status(), 200);
    Wire client = co_await connect();
    for (const char* request : {"GET /other HTTP/1.1\r\nHost: a.example\r\n\r\n",
                                "GET /app/x HTTP/1.1\r\nHost: b.example\r\n\r\n"}) {
      co_await client.write(request);
      const Message bad = co_await client.response();
      EXPECT_EQ(bad.status(), 404);
      EXPECT_EQ(bad.field("evener-reason"), "no_route");
      EXPECT_EQ(bad.count("Connection"), 0) << "a local reply need not end the connection";
    }
    EXPECT_EQ(counted(Reason::kNoRoute), 2u);
  });
}

TEST_P(ForwardTest, responses_without_body_end_at_their_head) {
  endpoint([](Wire& wire) -> io::Task<void> {
    for (;;) {
      const Message request = co_await wire.request();
      if (!request.whole) co_return;
      if (request.head.starts_with("HEAD")) {
        co_await wire.write("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n");
      } else if (request.target() == "/204") {
        co_await wire.write("HTTP/1.1 204 No Content\r\n\r\n");
      } else if (request.target() == "/304") {
        co_await wire.write("HTTP/1.1 304 Not Modified\r\nContent-Length: 77\r\nETag: a\r\n\r\n");
      } else {
        co_await wire.write(response_with("after"));
      }
    }
  });
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write("HEAD /h HTTP/1.1\r\nHost: a\r\n\r\n");
    const Message head = co_await client.response(true);
    EXPECT_EQ(head.field("Content-Length"), "1234");
    co_await client.write("GET /204 HTTP/1.1\r\nHost: a\r\n\r\n");
    const Message empty = co_await client.response();
    EXPECT_EQ(empty.status(), 204);
    EXPECT_EQ(empty.count("Content-Length"), 0);
    EXPECT_EQ(empty.count("Transfer-Encoding"), 0);
    co_await client.write("GET /304 HTTP/1.1\r\nHost: a\r\n\r\n");
    const Message same = co_await client.response();
    EXPECT_EQ(same.status(), 304);
    EXPECT_EQ(same.field("ETag"), "a");
    co_await client.write("GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
    const Message after = co_await client.response();
    EXPECT_EQ(after.body, "after") << "nothing of the ones before may be left";
    EXPECT_EQ(worker_->counters().connects, 1u);
  });
}

TEST_P(ForwardTest, http_1_0_clients_are_closed_unless_they_ask_to_stay) {
  endpoint(always(response_with("ten")));
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    const Message first = co_await client.response();
    EXPECT_EQ(first.body, "ten");
    EXPECT_EQ(first.field("Connection"), "keep-alive");
    co_await client.write("GET / HTTP/1.0\r\n\r\n");
    const Message second = co_await client.response();
    EXPECT_EQ(second.field("Connection"), "close");
    const std::string nothing = co_await client.rest();
    EXPECT_EQ(nothing, "");
    EXPECT_EQ(client.end(), io::IoStatus::kEof);
  });
}

TEST_P(ForwardTest, requests_per_connection_ends_it_with_connection_close) {
  endpoint(always(response_with("n")));
  config_.limits.requests_per_connection = 2;
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write(kGet);
    const Message first = co_await client.response();
    EXPECT_EQ(first.count("Connection"), 0);
    co_await client.write(kGet);
    const Message second = co_await client.response();
    EXPECT_EQ(second.field("Connection"), "close");
    co_await client.rest();
    EXPECT_EQ(client.end(), io::IoStatus::kEof);
  });
}

class PipelineTest : public ProxyTest {
 protected:
  // Echoes method, target and body; "/slow" takes 20 ms. Remembers the order of what it saw.
  ScriptedEndpoint::Script echo() {
    return [this](Wire& wire) -> io::Task<void> {
      for (;;) {
        const Message request = co_await wire.request();
        if (!request.whole) co_return;
        seen_.push_back(request.target());
        ++open_;
        most_open_ = std::max(most_open_, open_);
        if (request.target() == "/slow") co_await pause(Duration::milliseconds(20));
        --open_;
        co_await wire.write(response_with(request.target() + request.body));
      }
    };
  }
  std::vector<std::string> seen_;
  int open_ = 0;
  int most_open_ = 0;
};
EV_BOTH_ENGINES(PipelineTest);

const std::string kThree =
    "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"
    "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nxyz"
    "GET /c HTTP/1.1\r\nHost: a\r\n\r\n";

TEST_P(PipelineTest, case_F42_three_requests_in_one_segment_are_answered_in_order) {
  endpoint(echo());
  endpoint(echo());
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write(kThree);
    for (const char* body : {"/slow", "/bxyz", "/c"}) {
      const Message answer = co_await client.response();
      EXPECT_EQ(answer.body, body);
    }
    EXPECT_EQ(seen_, (std::vector<std::string>{"/slow", "/b", "/c"}));
    EXPECT_EQ(most_open_, 1) << "a later request was sent before the one ahead was answered";
  });
}

TEST_P(PipelineTest, case_F42_every_split_of_pipelined_requests_gives_the_same_answers) {
  endpoint(echo());
  start();
  run([&]() -> io::Task<void> {
    const std::string sample =
        "POST /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxy\r\n0\r\n\r\n"
        "GET /c HTTP/1.1\r\nHost: a\r\n\r\n";
    for (std::size_t cut = 1; cut < sample.size(); ++cut) {
      Wire client = co_await connect();
      co_await client.write(sample.substr(0, cut));
      // Until the first part has been read: another segment for sure.
      co_await pause(Duration::microseconds(300));
      co_await client.write(sample.substr(cut));
      const Message first = co_await client.response();
      const Message second = co_await client.response();
      EXPECT_EQ(first.body, "/bxy") << "cut at " << cut;
      EXPECT_EQ(second.body, "/c") << "cut at " << cut;
      if (HasFailure()) co_return;
    }
  });
}

TEST_P(PipelineTest, case_F42_a_bad_third_request_is_refused_after_two_good_answers) {
  endpoint(echo());
  start();
  run([&]() -> io::Task<void> {
    Wire client = co_await connect();
    co_await client.write(
        "GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n"
        "BAD LINE\r\n\r\nGET /never HTTP/1.1\r\nHost: a\r\n\r\n");
    const Message first = co_await client.response();
    const Message second = co_await client.response();
    const Message third = co_await client.response();
    EXPECT_EQ(first.body, "/slow");
    EXPECT_EQ(second.body, "/b");
    EXPECT_EQ(third.status(), 400);
    EXPECT_EQ(third.field("Connection"), "close");
    const std::string more = co_await client.rest();
    EXPECT_EQ(more, "");
    EXPECT_EQ(seen_.size(), 2u);
  });
}

}  // namespace
}  // namespace evener::proxy

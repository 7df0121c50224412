// Who is left out of the choice for what it answered, as clients of the proxy see it.
#include <string>

#include "proxy/test_support.h"

namespace evener::proxy {
namespace {

class HealthTest : public ProxyTest {
 protected:
  // Answers every request alike, with its own number as body.
  ScriptedEndpoint& answering(std::string head) {
    return endpoint([head = std::move(head)](Wire& wire) -> io::Task<void> {
      for (;;) {
        const Message request = co_await wire.request();
        if (request.head.empty()) co_return;
        co_await wire.write(head);
      }
    });
  }
  io::Task<void> ask_into(Message& answer, bool& done);
};
EV_BOTH_ENGINES(HealthTest);

const std::string kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
io::Task<void> HealthTest::ask_into(Message& answer, bool& done) {
  answer = co_await ask(kGet);
  done = true;
}

const std::string kBroken = "HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n";

TEST_P(HealthTest, five_failures_eject_and_the_reason_is_told) {
  config_.pools.at(0).policy.name = "round_robin";
  answering(kBroken);
  answering(response_with("ok"));
  start();
  run([&]() -> io::Task<void> {
    int failed = 0;
    for (int i = 0; i < 60; ++i) {
      const Message answer = co_await ask(kGet);
      failed += answer.status() == 500 ? 1 : 0;
      co_await pause(Duration::milliseconds(2));
    }
    EXPECT_EQ(failed, 5);
    EXPECT_FALSE(status_of_endpoint(0).eligible);
    EXPECT_NE(status_of_endpoint(0).reason.find("5 failures"), std::string::npos);
    EXPECT_TRUE(status_of_endpoint(1).eligible);
  });
}

TEST_P(HealthTest, ejection_off_ejects_nobody) {
  config_.pools.at(0).policy.name = "round_robin";
  config_.pools.at(0).ejection.enabled = false;
  answering(kBroken);
  answering(response_with("ok"));
  start();
  run([&]() -> io::Task<void> {
    int failed = 0;
    for (int i = 0; i < 40; ++i) failed += (co_await ask(kGet)).status() == 500 ? 1 : 0;
    EXPECT_EQ(failed, 20);
    EXPECT_TRUE(status_of_endpoint(0).eligible);
  });
}

TEST_P(HealthTest, accept_T24_retry_after_leaves_an_endpoint_alone_and_ejects_nobody) {
  config_.pools.at(0).policy.name = "round_robin";
  answering("HTTP/1.1 503 Busy\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n");
  answering(response_with("ok"));
  start();
  run([&]() -> io::Task<void> {
    int busy = 0;
    for (int i = 0; i < 20; ++i) busy += (co_await ask(kGet)).status() == 503 ? 1 : 0;
    EXPECT_EQ(busy, 1);
    EXPECT_EQ(status_of_endpoint(0).overloaded, 1U);
    EXPECT_EQ(status_of_endpoint(0).failures, 0U);
    EXPECT_NE(status_of_endpoint(0).reason.find("left alone"), std::string::npos)
        << status_of_endpoint(0).reason;
  });
}

TEST_P(HealthTest, case_F11_all_full_is_503_at_once) {
  config_.pools.at(0).limits.in_flight_per_endpoint = 1;
  io::Event go;
  endpoint([&](Wire& wire) -> io::Task<void> {
    static_cast<void>(co_await wire.request());
    co_await go;
    co_await wire.write(response_with("late"));
    static_cast<void>(co_await wire.rest());
  });
  start();
  run([&]() -> io::Task<void> {
    Message first;
    bool done = false;
    io::spawn(ask_into(first, done));
    const bool sent = co_await eventually([&] { return pool().balancer().in_flight() == 1; });
    EXPECT_TRUE(sent);
    const Message refused = co_await ask(kGet);
    EXPECT_EQ(refused.status(), 503);
    EXPECT_EQ(refused.field("evener-reason"), "endpoints_full");
    EXPECT_EQ(counted(Reason::kEndpointsFull), 1U);
    go.set();
    const bool answered = co_await eventually([&] { return done; });
    EXPECT_TRUE(answered);
    EXPECT_EQ(first.status(), 200);
    EXPECT_EQ(status_of_endpoint(0).failures, 0U);
  });
}

}  // namespace
}  // namespace evener::proxy

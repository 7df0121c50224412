// What of a request becomes its key, and that the proxy keeps requests of one key together.
#include "proxy/request_key.h"

#include <map>
#include <string>
#include <vector>

#include "proxy/test_support.h"

namespace evener::proxy {
namespace {

using Kind = config::KeySource::Kind;

struct RequestKey : ::testing::Test {
  void field(std::string_view name, std::string_view value) {
    fields.push_back({.name = name, .value = value});
    head.fields = fields;
  }
  // The value that was hashed must be `expected`; empty: there is no key.
  void expect(Kind kind, std::string name, std::string_view expected) const {
    const auto key = request_key({.kind = kind, .name = std::move(name), .mark = {}}, head, ip);
    ASSERT_EQ(key.has_value(), !expected.empty()) << expected;
    if (key) EXPECT_EQ(*key, make_key(expected)) << expected;
  }

  http::Head head;
  std::vector<http::Field> fields;
  std::string_view ip = "203.0.113.9";
};

TEST_F(RequestKey, is_the_value_that_the_source_names) {
  head.path = "/a%20b/c?User=7&user=8&x&empty=&user=9";
  head.authority = "Shop.Example:8080";
  field("X-USER", "Ann");
  field("x-user", "Bob");
  field("Cookie", "sid_=0; sid=abc=d ;other=1");
  field("cookie", "late=2");
  expect(Kind::kNone, "", "");
  expect(Kind::kClientIp, "", "203.0.113.9");
  expect(Kind::kPath, "", "/a%20b/c");
  expect(Kind::kHost, "", "shop.example");
  expect(Kind::kHeader, "X-User", "Ann");
  expect(Kind::kHeader, "X-Use", "");
  expect(Kind::kCookie, "sid", "abc=d");
  expect(Kind::kCookie, "late", "2");
  expect(Kind::kCookie, "SID", "");
  expect(Kind::kQuery, "user", "8");
  expect(Kind::kQuery, "x", "");
  expect(Kind::kQuery, "empty", "");
  expect(Kind::kQuery, "use", "");
}

TEST_F(RequestKey, is_absent_when_the_request_lacks_the_value) {
  head.path = "*";
  field("X-Empty", "");
  field("Cookie", "; ;=;sid");
  expect(Kind::kPath, "", "*");
  expect(Kind::kHost, "", "");
  expect(Kind::kHeader, "X-Empty", "");
  expect(Kind::kCookie, "sid", "");
  expect(Kind::kQuery, "a", "");
  head.path = "/?";
  expect(Kind::kPath, "", "/");
  expect(Kind::kQuery, "a", "");
}

class AffinityTest : public ProxyTest {
 protected:
  // Endpoints that answer with their own number.
  void start_with(const std::string& policy, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) endpoint(always(response_with(std::to_string(i))));
    config_.pools[0].policy.name = policy;
    config_.pools[0].key = {.kind = Kind::kHeader, .name = "X-User", .mark = {}};
    start();
  }
  io::Task<std::string> who_serves(int user) {
    const Message answer = co_await ask("GET / HTTP/1.1\r\nHost: a\r\nX-User: user-" +
                                        std::to_string(user) + "\r\n\r\n");
    EXPECT_EQ(answer.status(), 200);
    co_return answer.body;
  }
};
EV_BOTH_ENGINES(AffinityTest);

TEST_P(AffinityTest, requests_of_one_key_are_served_by_one_endpoint_under_every_keyed_policy) {
  std::vector<std::string> policies;
  for (const PolicyInfo& info : policy_catalog()) {
    if (info.uses_key) policies.emplace_back(info.name);
  }
  ASSERT_EQ(policies.size(), 6u);
  start_with("ring", 4);
  for (const std::string& policy : policies) {
    worker_.reset();
    config_.pools[0].policy.name = policy;
    start();
    run([&]() -> io::Task<void> {
      std::map<std::string, int> served;
      for (int user = 0; user < 24; ++user) {
        const std::string first = co_await who_serves(user);
        ++served[first];
        for (int again = 0; again < 2; ++again) {
          const std::string next = co_await who_serves(user);
          EXPECT_EQ(next, first) << policy << ", user " << user;
        }
      }
      EXPECT_GT(served.size(), 2u) << policy << ": keys are spread";
    });
  }
}

TEST_P(AffinityTest, a_dead_endpoints_keys_go_to_their_next_and_others_stay) {
  start_with("rendezvous", 4);
  run([&]() -> io::Task<void> {
    std::map<int, std::string> before;
    for (int user = 0; user < 24; ++user) before[user] = co_await who_serves(user);
    endpoints_.front().stop_listening();
    endpoints_.front().shut();
    std::map<int, std::string> next;
    for (int round = 0; round < 2; ++round) {
      for (int user = 0; user < 24; ++user) {
        const std::string now = co_await who_serves(user);
        if (before[user] != "0") {
          EXPECT_EQ(now, before[user]) << "user " << user;
        } else {
          EXPECT_NE(now, "0");
          if (round > 0) EXPECT_EQ(now, next[user]) << "always the same successor";
          next[user] = now;
        }
      }
    }
    EXPECT_FALSE(next.empty());
  });
}

TEST_P(AffinityTest, requests_without_the_value_are_spread) {
  start_with("two_choice_hash", 4);
  run([&]() -> io::Task<void> {
    std::map<std::string, int> served;
    for (int i = 0; i < 40; ++i) {
      const Message answer = co_await ask("GET / HTTP/1.1\r\nHost: a\r\nX-User:\r\n\r\n");
      ++served[answer.body];
    }
    EXPECT_EQ(served.size(), 4u);
  });
}

}  // namespace
}  // namespace evener::proxy

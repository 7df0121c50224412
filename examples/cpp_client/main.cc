// A client with four made-up endpoints: one request a millisecond, each retried once elsewhere when
// it fails. No sockets, and time is a number, so the output is the same every time.
#include <evener/balancer.h>

#include <array>
#include <cstdio>
#include <map>
#include <vector>

using evener::Balancer;
using evener::Duration;
using evener::Endpoint;
using evener::EndpointId;
using evener::Outcome;
using evener::Rng;
using evener::Ticket;
using evener::Time;

namespace {

// What an endpoint would do, in place of a network.
struct Model {
  const char* name;
  double milliseconds;  // mean time to answer
  double failures;      // share of its answers
};
constexpr std::array<Model, 4> kModels = {
    {{"fast-1", 5, 0}, {"fast-2", 5, 0}, {"slow", 50, 0}, {"flaky", 5, 0.2}}};

struct Attempt {
  Ticket ticket;  // holds the request's place; gives it back by itself if we forget
  Outcome outcome;
  bool retry;
};

class Client {
 public:
  Client() : balancer_({.seed = 1}), luck_(2) {
    std::vector<Endpoint> endpoints;
    for (const Model& model : kModels) {
      endpoints.push_back(
          {.id = evener::endpoint_id(model.name), .name = model.name, .labels = {}});
    }
    balancer_.apply(evener::EndpointSet::make(1, endpoints).value(), Time());
  }

  void run(int requests) {
    for (int i = 0; i < requests; ++i) {
      const Time now = Time() + Duration::milliseconds(i);
      answer_until(now);
      balancer_.tick(now);
      send(now, {});
    }
    answer_until(Time::never());
    for (const Model& model : kModels) {
      std::printf("%-8s %5.1f %%\n", model.name, 100.0 * sent_[model.name] / attempts_);
    }
    std::printf("%d requests, %d retried, %d failed\n", requests, attempts_ - requests, failed_);
  }

 private:
  void send(Time now, std::vector<EndpointId> tried) {
    auto ticket = balancer_.pick({.now = now, .tried = tried});
    if (!ticket) {
      std::printf("no endpoint: %s\n", evener::to_string(ticket.error()).data());
      ++failed_;
      return;
    }
    const std::string& name = ticket->endpoint().name;
    ++attempts_;
    ++sent_[name];
    for (const Model& model : kModels) {
      if (model.name != name) continue;
      const bool fails = luck_.uniform01() < model.failures;
      const Duration takes = Duration::from_seconds(model.milliseconds * 2e-3 * luck_.uniform01());
      due_.emplace(now + takes,
                   Attempt{std::move(*ticket), fails ? Outcome::kFailure : Outcome::kSuccess,
                           !tried.empty()});
      return;
    }
  }

  void answer_until(Time end) {
    while (!due_.empty() && due_.begin()->first <= end) {
      const auto first = due_.extract(due_.begin());
      Attempt& attempt = first.mapped();
      const EndpointId id = attempt.ticket.id();
      attempt.ticket.finish(attempt.outcome, first.key());
      if (attempt.outcome == Outcome::kSuccess) continue;
      if (attempt.retry) {
        ++failed_;
      } else {
        send(first.key(), {id});
      }
    }
  }

  Balancer balancer_;
  Rng luck_;
  std::multimap<Time, Attempt> due_;
  std::map<std::string, int> sent_;
  int attempts_ = 0;
  int failed_ = 0;
};

}  // namespace

int main() { Client().run(20'000); }

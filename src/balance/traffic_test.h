// Open traffic through a Balancer in virtual time: arrivals at a rate, answers as a function says.
// Test code only; the lab's simulator is the grown-up version.
#pragma once

#include <evener/balancer.h>

#include <cmath>
#include <functional>
#include <queue>
#include <vector>

#include "balance/conformance.h"

namespace evener {

struct Answer {
  double seconds = 0.01;
  Outcome outcome = Outcome::kSuccess;
};

inline double exponential(Rng& rng, double mean) { return -std::log(1 - rng.uniform01()) * mean; }

class Traffic {
 public:
  // Who answers how: endpoint, time in seconds, luck.
  using Server = std::function<Answer(std::size_t endpoint, double now, Rng& rng)>;

  Traffic(PolicySettings policy, std::size_t n, Server server, std::uint64_t seed)
      : balancer_({.policy = std::move(policy), .seed = seed}),
        server_(std::move(server)),
        rng_(seed + 1),
        n_(n) {
    balancer_.apply(EndpointSet::make(1, conformance::make_endpoints(n)).value(), Time());
  }

  Balancer& balancer() { return balancer_; }
  Time now() const { return Time::from_ns(now_ns_); }

  // Shares of the endpoints over the next `seconds` at `rate` requests per second.
  std::vector<double> run(double seconds, double rate) {
    std::vector<double> hits(n_);
    double total = 0;
    const std::int64_t end = now_ns_ + ns(seconds);
    std::int64_t arrival = now_ns_ + ns(exponential(rng_, 1 / rate));
    while (arrival < end) {
      finish_until(arrival);
      const std::size_t endpoint = send();
      hits[endpoint] += 1;
      total += 1;
      arrival += ns(exponential(rng_, 1 / rate));
    }
    finish_until(end);
    for (double& h : hits) h /= std::max(total, 1.0);
    return hits;
  }

  std::vector<EndpointStatus> status() const {
    std::vector<EndpointStatus> out;
    balancer_.snapshot(now(), out);
    return out;
  }

 private:
  struct Due {
    std::int64_t at;
    std::size_t request;
    bool operator<(const Due& other) const { return at > other.at; }
  };
  struct Request {
    Ticket ticket;
    Outcome outcome;
  };

  static std::int64_t ns(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }

  void move_to(std::int64_t to) {
    now_ns_ = to;
    if (to < next_tick_) return;
    next_tick_ = to + 1'000'000;
    balancer_.tick(now());
  }

  void finish_until(std::int64_t end) {
    while (!due_.empty() && due_.top().at <= end) {
      move_to(due_.top().at);
      Request& request = requests_[due_.top().request];
      due_.pop();
      request.ticket.finish(request.outcome, now());
    }
    move_to(end);
  }

  std::size_t send() {
    Ticket ticket = balancer_.pick({.now = now()}).value();
    const auto endpoint = static_cast<std::size_t>(ticket.id());
    const Answer answer = server_(endpoint, static_cast<double>(now_ns_) * 1e-9, rng_);
    requests_.push_back({std::move(ticket), answer.outcome});
    due_.push({now_ns_ + ns(answer.seconds), requests_.size() - 1});
    return endpoint;
  }

  Balancer balancer_;
  Server server_;
  Rng rng_;
  std::size_t n_;
  std::int64_t now_ns_ = 0;
  std::int64_t next_tick_ = 0;
  std::priority_queue<Due> due_;
  std::vector<Request> requests_;
};

}  // namespace evener

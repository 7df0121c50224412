// A fleet in virtual time: many balancers, each with its own view, before servers with queues.
// Test code only; the lab's World is the grown-up version.
#pragma once

#include <evener/balancer.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "balance/conformance.h"

namespace evener {

class Fleet {
 public:
  struct Server {
    std::uint32_t slots = 1;  // requests it works on at once; 0: any number
    bool fails = false;       // at once
    bool present = true;
    std::uint32_t busy = 0;
    std::deque<std::size_t> queue;  // requests that wait for a slot

    std::size_t held() const { return busy + queue.size(); }
  };
  // Seconds of work of one request on a server.
  using Work = std::function<double(std::size_t server, double now, Rng& rng)>;

  Fleet(const BalancerOptions& options, std::size_t clients, std::size_t servers, Work work,
        std::uint64_t seed)
      : servers_(servers), work_(std::move(work)), options_(options), rng_(seed), seed_(seed) {
    for (std::size_t c = 0; c < clients; ++c) clients_.push_back(make_client());
    publish();
  }

  std::vector<Server>& servers() { return servers_; }
  double now() const { return now_; }
  Rng& rng() { return rng_; }
  // Seconds from pick to answer of those that succeeded since the last call.
  std::vector<double> take_times() {
    std::vector<double> out;
    out.swap(times_);
    std::ranges::sort(out);
    return out;
  }
  std::uint64_t failures() const { return failures_; }
  // The most that one server has held since the last call.
  std::size_t take_most_held() { return std::exchange(most_held_, 0); }

  // All clients learn who is present, at once.
  void publish() {
    std::vector<Endpoint> present;
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      if (servers_[i].present) present.push_back(conformance::make_endpoint(i));
    }
    set_ = EndpointSet::make(++version_, std::move(present)).value();
    for (Balancer& client : clients_) client.apply(set_, time());
  }
  // A client that knows nothing takes the place of one; what the old one sent goes on.
  void restart_client(std::size_t client) {
    clients_[client] = make_client();
    clients_[client].apply(set_, time());
  }

  void send(std::size_t client, bool again = false) {
    const std::uint64_t luck = rng_.u64();
    const Key key{luck, static_cast<std::uint32_t>(luck)};
    auto ticket = clients_[client].pick({.now = time(), .tried = {}, .key = key});
    if (!ticket) {
      ++failures_;
      return;
    }
    const auto server = static_cast<std::size_t>(ticket->id());
    std::size_t id = requests_.size();
    if (!free_.empty()) {
      id = free_.back();
      free_.pop_back();
    } else {
      requests_.emplace_back();
    }
    requests_[id] = {std::move(*ticket), client, server, now_, again};
    arrive(id);
  }

  // Poisson arrivals at `rate` a second, each at a random client.
  void run_open(double seconds, double rate) {
    const double end = now_ + seconds;
    for (;;) {
      const double next = now_ + -std::log(1 - rng_.uniform01()) / rate;
      run_until(std::min(next, end));
      if (next >= end) return;
      send(rng_.below(clients_.size()));
    }
  }
  // Every answer is followed by another request, as long as its sender was told so.
  void run_until(double end) {
    while (!due_.empty() && due_.top().at <= end) {
      move_to(due_.top().at);
      const std::size_t id = due_.top().request;
      due_.pop();
      depart(id);
    }
    move_to(end);
  }

 private:
  struct Request {
    Ticket ticket;
    std::size_t client = 0;
    std::size_t server = 0;
    double sent = 0;
    bool again = false;
  };
  struct Due {
    double at;
    std::size_t request;
    bool operator<(const Due& other) const { return at > other.at; }
  };

  Time time() const { return Time::from_ns(static_cast<std::int64_t>(now_ * 1e9)); }
  Balancer make_client() {
    BalancerOptions options = options_;
    options.seed = mix64(seed_ + 77 * ++made_);
    return Balancer(options);
  }
  void move_to(double to) {
    now_ = to;
    if (to < next_tick_) return;
    next_tick_ = to + 0.005;
    for (Balancer& client : clients_) client.tick(time());
  }
  void arrive(std::size_t id) {
    Server& server = servers_[requests_[id].server];
    if (!server.fails && server.slots != 0 && server.busy == server.slots) {
      server.queue.push_back(id);
    } else {
      begin(id);
    }
    most_held_ = std::max(most_held_, server.held());
  }
  void begin(std::size_t id) {
    const std::size_t index = requests_[id].server;
    ++servers_[index].busy;
    const double work = servers_[index].fails ? 1e-4 : work_(index, now_, rng_);
    due_.push({now_ + work, id});
  }
  void depart(std::size_t id) {
    Request& request = requests_[id];
    Server& server = servers_[request.server];
    --server.busy;
    if (!server.queue.empty()) {
      const std::size_t next = server.queue.front();
      server.queue.pop_front();
      begin(next);
    }
    request.ticket.finish(server.fails ? Outcome::kFailure : Outcome::kSuccess, time());
    if (server.fails) {
      ++failures_;
    } else {
      times_.push_back(now_ - request.sent);
    }
    free_.push_back(id);
    if (request.again) send(request.client, true);
  }

  std::vector<Server> servers_;
  Work work_;
  BalancerOptions options_;
  Rng rng_;
  std::uint64_t seed_;
  std::uint64_t made_ = 0;
  std::uint64_t version_ = 0;
  EndpointSetPtr set_;
  std::vector<Balancer> clients_;
  double now_ = 0;
  double next_tick_ = 0;
  std::priority_queue<Due> due_;
  std::deque<Request> requests_;
  std::vector<std::size_t> free_;
  std::vector<double> times_;
  std::uint64_t failures_ = 0;
  std::size_t most_held_ = 0;
};

inline double quantile(const std::vector<double>& sorted, double q) {
  return sorted.at(std::min(sorted.size() - 1,
                            static_cast<std::size_t>(q * static_cast<double>(sorted.size()))));
}

}  // namespace evener

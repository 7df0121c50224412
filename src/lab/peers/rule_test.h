// Driver: one rule, driven by hand: which server gets a request, when it answers, what time it is.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lab/peers/peers.h"
#include "sim/server_bank.h"

namespace evener::lab::peers {

class Driver final : private sim::ServerBank::Sink {
 public:
  Driver(std::string_view rule, std::vector<double> weights, std::uint64_t seed = 1,
         std::uint32_t balancers = 1)
      : world_(seed), bank_(world_, jobs_, *this), rng_(seed), weights_(std::move(weights)) {
    bank_.add({}, static_cast<std::uint32_t>(weights_.size()));
    chooser_ = find_peer(rule)->make()(
        {.balancer = 0, .balancers = balancers, .seed = seed, .servers = bank_});
    for (std::uint32_t s = 0; s < weights_.size(); ++s) members_.push_back(s);
    set(members_);
  }
  Driver(std::string_view rule, std::size_t n, std::uint64_t seed = 1, std::uint32_t balancers = 1)
      : Driver(rule, std::vector<double>(n, 1), seed, balancers) {}

  Time now() const { return now_; }
  void advance(Duration d) { now_ = now_ + d; }
  void set(std::vector<std::uint32_t> members) {
    members_ = std::move(members);
    std::vector<Endpoint> endpoints;
    for (const std::uint32_t s : members_) {
      Endpoint endpoint;
      endpoint.id = EndpointId{s};
      endpoint.name = std::to_string(s);
      endpoint.weight = weights_[s];
      endpoints.push_back(std::move(endpoint));
    }
    chooser_->apply(*EndpointSet::make(++version_, std::move(endpoints)), now_);
  }

  std::optional<sim::Choice> choose(std::vector<std::uint32_t> tried = {}, double work = 0) {
    const auto choice = chooser_->choose({.now = now_, .rng = rng_, .tried = tried, .work = work});
    if (choice) sent_[choice->token] = now_;
    return choice;
  }
  // A request to this server, whatever the rule would choose.
  sim::Choice put(std::uint32_t server, double work = 0) {
    std::vector<std::uint32_t> others;
    for (const std::uint32_t s : members_) {
      if (s != server) others.push_back(s);
    }
    const auto choice = choose(others, work);
    EXPECT_TRUE(choice && choice->server == server);
    return *choice;
  }
  void put_many(std::uint32_t server, int count) {
    for (int i = 0; i < count; ++i) put(server);
  }
  void answer(const sim::Choice& choice, sim::Answer answer = {}) {
    answer.sent = sent_.at(choice.token);
    answer.now = now_;
    chooser_->done(choice, answer);
  }
  // A request that takes this long: time moves on.
  void serve(std::uint32_t server, Duration latency, sim::Answer answer_with = {},
             double work = 0) {
    const sim::Choice choice = put(server, work);
    advance(latency);
    answer(choice, answer_with);
  }
  // Requests to the servers 0, 1, ... that begin together and take this long each; ascending.
  void serve_together(std::vector<Duration> latencies, double work = 0) {
    const Time begun = now_;
    std::vector<sim::Choice> choices;
    for (std::uint32_t s = 0; s < latencies.size(); ++s) choices.push_back(put(s, work));
    for (std::size_t i = 0; i < latencies.size(); ++i) {
      now_ = begun + latencies[i];
      answer(choices[i]);
    }
  }
  // Who is chosen; it is answered at once.
  std::uint32_t peek(std::vector<std::uint32_t> tried = {}) {
    const auto choice = choose(std::move(tried));
    EXPECT_TRUE(choice.has_value());
    answer(*choice);
    return choice->server;
  }
  // The shares of so many choices, each answered at once.
  std::vector<double> shares(int draws) {
    std::vector<double> shares(weights_.size());
    for (int i = 0; i < draws; ++i) shares[peek()] += 1.0 / draws;
    return shares;
  }
  // So many requests are at the server, whoever sent them.
  void fill(std::uint32_t server, int count) {
    for (int i = 0; i < count; ++i) {
      const std::uint32_t job = jobs_.take();
      jobs_[job].work = 1e6;
      bank_.accept(server, job);
    }
  }
  sim::Chooser& chooser() { return *chooser_; }

 private:
  void served(std::uint32_t, std::uint32_t) override {}

  sim::World world_;
  sim::Slab<sim::Job> jobs_;
  sim::ServerBank bank_;
  Rng rng_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> members_;
  std::unique_ptr<sim::Chooser> chooser_;
  std::unordered_map<std::uint32_t, Time> sent_;
  std::uint64_t version_ = 0;
  Time now_ = Time::from_ns(1'000'000);
};

inline sim::Answer ended_as(Outcome outcome, Duration retry_after = {}) {
  sim::Answer answer;
  answer.outcome = outcome;
  answer.retry_after = retry_after;
  return answer;
}
inline const sim::Answer kFailed = ended_as(Outcome::kFailure);

inline Duration ms(double value) { return Duration::from_seconds(value * 1e-3); }

}  // namespace evener::lab::peers

#include "balance/conformance.h"

#include <algorithm>
#include <deque>
#include <map>
#include <queue>

namespace evener::conformance {
namespace {

Time at_ms(std::int64_t ms) { return Time() + Duration::milliseconds(ms); }

std::size_t index(EndpointId id) { return static_cast<std::size_t>(id); }

std::string text(double value) { return std::to_string(value); }

// Every identity but one: the way to make any balancer pick that one.
std::vector<EndpointId> all_but(std::size_t n, std::size_t wanted) {
  std::vector<EndpointId> tried;
  for (std::size_t i = 0; i < n; ++i) {
    if (i != wanted) tried.push_back(EndpointId{i});
  }
  return tried;
}

void expect_error(Violations& out, Subject& subject, std::span<const EndpointId> tried,
                  PickError wanted) {
  const auto picked = subject.pick(at_ms(1), tried);
  if (picked.has_value() || picked.error() != wanted) {
    out.push_back("expected the error \"" + std::string(to_string(wanted)) + "\"");
  }
}

// T1: none, none eligible, one, all tried.
Violations small_pools(const Entry& entry, std::uint64_t seed) {
  Violations out;
  const auto subject = entry.make(seed);
  subject->apply({}, at_ms(0));
  expect_error(out, *subject, {}, PickError::kNoEndpoints);
  std::vector<Endpoint> down = make_endpoints(2);
  down[0].up = false;
  down[1].draining = true;
  subject->apply(down, at_ms(0));
  expect_error(out, *subject, {}, PickError::kNoneEligible);
  subject->apply(make_endpoints(1), at_ms(0));
  for (int i = 0; i < 20; ++i) {
    const auto picked = subject->pick(at_ms(1), {});
    if (!picked || index(picked->id) != 0) out.push_back("one endpoint was not picked");
  }
  expect_error(out, *subject, all_but(1, 7), PickError::kAllTried);
  return out;
}

// T1: with two, both are compared, always; a draw with replacement misses one in four times.
Violations two_are_compared(const Entry& entry, std::uint64_t seed) {
  Violations out;
  const auto subject = entry.make(seed);
  subject->apply(make_endpoints(2), at_ms(0));
  for (int i = 0; i < 3; ++i) (void)subject->pick(at_ms(0), all_but(2, 0));
  std::size_t idle = 0;
  for (int i = 0; i < 200; ++i) {
    const auto picked = subject->pick(at_ms(0), {});
    if (!picked) return {"no pick among two"};
    idle += index(picked->id);
    subject->finish(picked->handle, Outcome::kRejected, at_ms(0));
  }
  if (entry.may_miss && idle > 110) return {};
  if (entry.by_load && idle != 200) {
    out.push_back("idle endpoint of two got " + std::to_string(idle) + " of 200");
  }
  if (!entry.by_load && (idle < 50 || idle > 150)) {
    out.push_back("load-blind policy gave " + std::to_string(idle) + " of 200");
  }
  return out;
}

// T5: with costs fixed in the order of rank, rank r of n gets 2 (n - r) / (n (n - 1)).
Violations rank_law(const Entry& entry, std::uint64_t seed) {
  if (!entry.pairs) return {};
  constexpr std::size_t kN = 6;
  constexpr int kPicks = 30'000;
  const auto subject = entry.make(seed);
  subject->apply(make_endpoints(kN), at_ms(0));
  for (std::size_t i = 0; i < kN; ++i) {
    for (std::size_t k = 0; k < i; ++k) (void)subject->pick(at_ms(0), all_but(kN, i));
  }
  std::vector<double> hits(kN);
  for (int i = 0; i < kPicks; ++i) {
    const auto picked = subject->pick(at_ms(0), {});
    if (!picked) return {"no pick"};
    hits[index(picked->id)] += 1;
    subject->finish(picked->handle, Outcome::kRejected, at_ms(0));
  }
  std::vector<double> expected;
  for (std::size_t r = 1; r <= kN; ++r) {
    expected.push_back(kPicks * 2.0 * static_cast<double>(kN - r) / (kN * (kN - 1)));
  }
  Violations out;
  if (hits[kN - 1] > 0) out.push_back("the costliest was picked " + text(hits[kN - 1]) + " times");
  const double chi = chi_square(hits, expected);
  if (chi > chi_square_bound(kN - 2)) out.push_back("chi-square " + text(chi));
  return out;
}

Violations check_spread(std::span<const double> hits, double expected, double spread) {
  Violations out;
  for (const double hit : hits) {
    if (std::abs(hit - expected) <= spread * expected) continue;
    out.push_back("got " + text(hit) + ", expected " + text(expected) + " within " + text(spread));
  }
  return out;
}

// T3: equal endpoints get equal shares, five requests at a time, answers equally fast.
Violations equal_shares(const Entry& entry, std::uint64_t seed) {
  if (entry.leans) return {};
  constexpr std::size_t kN = 10;
  constexpr int kPicks = 20'000;
  const auto subject = entry.make(seed);
  subject->apply(make_endpoints(kN), at_ms(0));
  std::vector<double> hits(kN);
  std::deque<std::uint64_t> out_now;
  for (int i = 0; i < kPicks; ++i) {
    if (out_now.size() == 5) {
      subject->finish(out_now.front(), Outcome::kSuccess, at_ms(i));
      out_now.pop_front();
    }
    const auto picked = subject->pick(at_ms(i), {});
    if (!picked) return {"no pick"};
    hits[index(picked->id)] += 1;
    out_now.push_back(picked->handle);
  }
  if (entry.spread > 0) return check_spread(hits, kPicks / 10.0, entry.spread);
  const double chi = chi_square(hits, std::vector<double>(kN, kPicks / 10.0));
  if (chi <= chi_square_bound(kN - 1)) return {};
  return {"equal endpoints, chi-square " + text(chi)};
}

// T4: ties are broken at random (a rotation alternates instead).
Violations ties(const Entry& entry, std::uint64_t seed) {
  if (entry.leans) return {};
  const auto subject = entry.make(seed);
  subject->apply(make_endpoints(2), at_ms(0));
  int second = 0;
  int changes = 0;
  std::size_t last = 2;
  for (int i = 0; i < 400; ++i) {
    const auto picked = subject->pick(at_ms(0), {});
    if (!picked) return {"no pick"};
    subject->finish(picked->handle, Outcome::kRejected, at_ms(0));
    second += index(picked->id) == 1 ? 1 : 0;
    changes += index(picked->id) == last ? 0 : 1;
    last = index(picked->id);
  }
  if (entry.in_turn && (second != 200 || changes != 400)) return {"equal weights must alternate"};
  // Six standard deviations of 400 fair coins.
  if (second < 140 || second > 260) return {"ties went " + std::to_string(second) + " of 400"};
  return {};
}

Violations tried_is_honoured(const Entry& entry, std::uint64_t seed) {
  constexpr std::size_t kN = 6;
  Violations out;
  Rng rng(seed ^ 5);
  const auto subject = entry.make(seed);
  std::vector<Endpoint> endpoints = make_endpoints(kN);
  for (const bool weighted : {false, true}) {
    endpoints[2].weight = weighted ? 1000 : 1;
    subject->apply(endpoints, at_ms(0));
    for (int i = 0; i < 2000; ++i) {
      std::vector<EndpointId> tried = {EndpointId{999}};
      std::vector<bool> is_tried(kN);
      const std::uint64_t count = rng.below(2 * kN);
      for (std::uint64_t k = 0; k < count; ++k) {
        tried.push_back(EndpointId{rng.below(kN)});
        is_tried[index(tried.back())] = true;
      }
      const bool left = std::ranges::find(is_tried, false) != is_tried.end();
      const auto picked = subject->pick(at_ms(i), tried);
      if (picked.has_value() != left) out.push_back("a pick must exist while one is untried");
      if (!picked) continue;
      if (is_tried[index(picked->id)]) out.push_back("a tried endpoint was picked");
      subject->finish(picked->handle, Outcome::kSuccess, at_ms(i));
    }
  }
  return out;
}

// A model of what a balancer must know, driven together with it by random operations.
class Churn {
 public:
  Churn(Subject& subject, std::uint64_t seed) : subject_(subject), rng_(seed ^ 9) {
    for (std::uint64_t i = 0; i < 12; ++i) all_.push_back(make_endpoint(i));
    update();
  }

  Violations run(int operations) {
    for (now_ = 0; now_ < operations && wrong_.size() < 5; ++now_) {
      const std::uint64_t die = rng_.below(100);
      if (die < 45) pick();
      if (die >= 45 && die < 90) give_back();
      if (die >= 90) update();
      if (die % 10 == 0) compare();
    }
    while (!out_.empty()) give_back();
    compare();
    return std::move(wrong_);
  }

 private:
  static bool eligible(const Endpoint& e) { return e.up && !e.draining; }

  void update() {
    for (Endpoint& endpoint : all_) {
      endpoint.up = rng_.below(5) != 0;
      endpoint.draining = rng_.below(8) == 0;
      endpoint.weight = rng_.below(3) == 0 ? 1 + rng_.uniform01() : 1;
    }
    for (std::size_t i = all_.size(); i > 1; --i) std::swap(all_[i - 1], all_[rng_.below(i)]);
    const auto size = static_cast<std::ptrdiff_t>(rng_.below(all_.size() + 1));
    present_.assign(all_.begin(), all_.begin() + size);
    subject_.apply(present_, at_ms(now_));
  }

  void pick() {
    const auto picked = subject_.pick(at_ms(now_), {});
    const bool any = std::ranges::any_of(present_, eligible);
    if (picked.has_value() != any) wrong_.push_back("picks and eligible endpoints disagree");
    if (!picked) return;
    const auto found = std::ranges::find(present_, picked->id, &Endpoint::id);
    if (found == present_.end()) {
      wrong_.push_back("an endpoint that left was picked");
    } else if (!eligible(*found)) {
      wrong_.push_back("an endpoint that is down or draining was picked");
    }
    out_.push_back(*picked);
  }

  void give_back() {
    if (out_.empty()) return;
    std::swap(out_[rng_.below(out_.size())], out_.back());
    const Subject::Picked picked = out_.back();
    out_.pop_back();
    const std::uint64_t how = rng_.below(6);
    if (how < 4) subject_.finish(picked.handle, static_cast<Outcome>(how), at_ms(now_));
    if (how != 0) subject_.finish(picked.handle, std::nullopt, at_ms(now_));
  }

  void compare() {
    std::map<EndpointId, std::int64_t> expected;
    for (const Subject::Picked& picked : out_) ++expected[picked.id];
    for (const Endpoint& endpoint : present_) {
      const std::int64_t found = subject_.in_flight(endpoint.id);
      if (found == expected[endpoint.id]) continue;
      wrong_.push_back(endpoint.name + " holds " + std::to_string(expected[endpoint.id]) +
                       " requests, the balancer counts " + std::to_string(found));
    }
  }

  Subject& subject_;
  Rng rng_;
  std::int64_t now_ = 0;
  std::vector<Endpoint> all_;
  std::vector<Endpoint> present_;
  std::vector<Subject::Picked> out_;
  Violations wrong_;
};

// T9, T19: counts follow identity through any change; what must not be picked is not.
Violations churn(const Entry& entry, std::uint64_t seed) {
  const auto subject = entry.make(seed);
  return Churn(*subject, seed).run(10'000);
}

// T6: shares follow weights, with a steady number of requests out.
Violations weights_are_honoured(const Entry& entry, std::uint64_t seed) {
  Violations out;
  for (const std::size_t n : {2U, 3U}) {
    const auto subject = entry.make(seed);
    std::vector<Endpoint> endpoints;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      endpoints.push_back(make_endpoint(i, static_cast<double>(1U << i)));
      sum += endpoints.back().weight;
    }
    subject->apply(endpoints, at_ms(0));
    std::vector<double> hits(n);
    std::deque<std::uint64_t> out_now;
    constexpr int kPicks = 20'000;
    for (int i = 0; i < kPicks; ++i) {
      if (out_now.size() == 140) {
        subject->finish(out_now.front(), Outcome::kSuccess, at_ms(i));
        out_now.pop_front();
      }
      const auto picked = subject->pick(at_ms(i), {});
      if (!picked) return {"no pick"};
      hits[index(picked->id)] += 1;
      out_now.push_back(picked->handle);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double share = hits[i] / kPicks;
      const double wanted = endpoints[i].weight / sum;
      if (std::abs(share - wanted) > 0.05) {
        out.push_back("weight " + text(wanted) + " got " + text(share));
      }
    }
  }
  return out;
}

// Requests every 5 ms; endpoint 0 fails at once while `broken`, all else answers after 10 ms.
class BlackHole {
 public:
  BlackHole(const Entry& entry, std::uint64_t seed, std::size_t n) : subject_(entry.make(seed)) {
    subject_->apply(make_endpoints(n), at_ms(0));
  }

  // How many of the next picks go to endpoint 0.
  int run(int picks, bool broken) {
    int hits = 0;
    for (int i = 0; i < picks; ++i) {
      now_ += 5;
      while (!due_.empty() && due_.front().first <= now_) {
        subject_->finish(due_.front().second, Outcome::kSuccess, at_ms(now_));
        due_.pop_front();
      }
      const auto picked = subject_->pick(at_ms(now_), {});
      if (!picked) return picks;
      hits += index(picked->id) == 0 ? 1 : 0;
      if (broken && index(picked->id) == 0) {
        subject_->finish(picked->handle, Outcome::kFailure, at_ms(now_));
      } else {
        due_.emplace_back(now_ + 10, picked->handle);
      }
    }
    return hits;
  }

 private:
  std::unique_ptr<Subject> subject_;
  std::int64_t now_ = 0;
  std::deque<std::pair<std::int64_t, std::uint64_t>> due_;
};

// T22: what fails at once gets at most a fifth of its fair share of the first hundred requests.
Violations black_hole(const Entry& entry, std::uint64_t seed) {
  if (!entry.by_success) return {};
  Violations out;
  for (const std::size_t n : {2U, 3U, 10U}) {
    const int hits = BlackHole(entry, seed, n).run(100, true);
    if (hits > 20 / static_cast<int>(n)) {
      out.push_back(std::to_string(n) + " endpoints, the failing one got " + std::to_string(hits) +
                    " of 100");
    }
  }
  return out;
}

// T23: recovered 30 s after its health, however long it failed: half its fair share or more.
Violations recovery(const Entry& entry, std::uint64_t seed) {
  if (!entry.by_success) return {};
  Violations out;
  for (const int picks : {100, 1000, 100'000}) {
    BlackHole hole(entry, seed, 3);
    (void)hole.run(picks, true);
    (void)hole.run(6000, false);
    const int hits = hole.run(3000, false);
    if (hits < 500) {
      out.push_back("after failing for " + std::to_string(picks) +
                    " picks and 30 s of health: " + std::to_string(hits) + " of 3000");
    }
  }
  return out;
}

constexpr Property kProperties[] = {
    {"accept_T01_small_pools", small_pools},
    {"accept_T01_two_are_compared", two_are_compared},
    {"accept_T05_rank_law", rank_law},
    {"accept_T03_equal_shares", equal_shares},
    {"accept_T04_ties", ties},
    {"accept_T07_tried_is_honoured", tried_is_honoured},
    {"accept_T09_T19_churn", churn},
    {"accept_T06_weights", weights_are_honoured},
    {"accept_T22_black_hole", black_hole},
    {"accept_T23_recovery", recovery},
};

}  // namespace

std::span<const Property> properties() {
  static const std::vector<Property> kAll = [] {
    std::vector<Property> all(std::begin(kProperties), std::end(kProperties));
    all.insert(all.end(), keyed_properties().begin(), keyed_properties().end());
    return all;
  }();
  return kAll;
}

}  // namespace evener::conformance

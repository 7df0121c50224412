#include "lab/queueing/rules.h"

#include <algorithm>
#include <deque>
#include <vector>

#include "sim/balancer_chooser.h"
#include "sim/server_bank.h"

namespace evener::lab::queueing {
namespace {

using sim::Answer;
using sim::Choice;
using sim::ChoiceRequest;
using sim::ChooserContext;
using sim::ServerBank;

// The number of the least of n values, ties at random.
template <typename Value>
std::uint32_t least_of_all(std::uint32_t n, Rng& rng, Value&& value) {
  auto best = value(0);
  std::uint32_t ties = 1;
  for (std::uint32_t i = 1; i < n; ++i) {
    const auto v = value(i);
    if (v > best) continue;
    ties = v < best ? 1 : ties + 1;
    best = v;
  }
  std::uint64_t skip = ties > 1 ? rng.below(ties) : 0;
  for (std::uint32_t i = 0;; ++i) {
    if (value(i) == best && skip-- == 0) return i;
  }
}

// Of `choices` distinct ones at random, the first drawn of those with the least value.
template <typename Value>
std::uint32_t least_of_some(std::uint32_t n, std::uint32_t choices, Rng& rng, Value&& value) {
  std::uint32_t drawn[8];
  const std::uint32_t count = std::min({choices, n, 8U});
  for (std::uint32_t i = 0; i < count; ++i) {
    do {
      drawn[i] = static_cast<std::uint32_t>(rng.below(n));
    } while (std::find(drawn, drawn + i, drawn[i]) != drawn + i);
  }
  return *std::min_element(drawn, drawn + count,
                           [&](std::uint32_t a, std::uint32_t b) { return value(a) < value(b); });
}

class Rule : public sim::Chooser {
 public:
  explicit Rule(const ChooserContext& context) : servers_(context.servers) {}
  void apply(const EndpointSetPtr& set, Time) override {
    n_ = static_cast<std::uint32_t>(set->size());
  }
  void done(const Choice&, const Answer&) override {}

 protected:
  std::uint32_t n() const { return n_; }
  const ServerBank& servers() const { return servers_; }

 private:
  const ServerBank& servers_;
  std::uint32_t n_ = 0;
};

class Board final : public Rule {
 public:
  Board(const BoardRule& rule, const ChooserContext& context) : Rule(context), rule_(rule) {}

  void apply(const EndpointSetPtr& set, Time now) override {
    Rule::apply(set, now);
    board_.assign(n(), 0);
    tick(now);
  }

  void tick(Time) override {
    for (std::uint32_t i = 0; i < n(); ++i) board_[i] = servers().in_system(i);
    if (rule_.pick == BoardRule::Pick::kInterpretation) interpret();
    if (rule_.pick != BoardRule::Pick::kAll) return;
    const std::uint32_t least = *std::ranges::min_element(board_);
    shortest_.clear();
    for (std::uint32_t i = 0; i < n(); ++i) {
      if (board_[i] == least) shortest_.push_back(i);
    }
  }

  std::optional<Choice> choose(const ChoiceRequest& request) override {
    const std::uint32_t server = pick(request.rng);
    if (rule_.own) ++board_[server];
    return Choice{server};
  }

 private:
  std::uint32_t pick(Rng& rng) const {
    const auto posted = [this](std::uint32_t i) { return board_[i]; };
    if (rule_.pick == BoardRule::Pick::kChoices) {
      return least_of_some(n(), rule_.choices, rng, posted);
    }
    if (rule_.pick == BoardRule::Pick::kInterpretation) {
      const double u = rng.uniform01() * sums_.back();
      const auto at = std::ranges::upper_bound(sums_, u);
      return static_cast<std::uint32_t>(std::min<std::ptrdiff_t>(at - sums_.begin(), n() - 1));
    }
    if (rule_.own) return least_of_all(n(), rng, posted);
    return shortest_[rng.below(shortest_.size())];
  }

  // The level up to which the expected calls of a period fill the shortest queues; each server gets
  // a share of the calls like what it lacks.
  void interpret() {
    std::vector<std::uint32_t> sorted = board_;
    std::ranges::sort(sorted);
    double sum = 0;
    double level = 0;
    for (std::uint32_t k = 1; k <= n(); ++k) {
      sum += sorted[k - 1];
      level = (rule_.per_period + sum) / k;
      if (k == n() || level <= sorted[k]) break;
    }
    sums_.clear();
    double total = 0;
    for (const std::uint32_t posted : board_) {
      total += std::max(0.0, level - posted);
      sums_.push_back(total);
    }
  }

  BoardRule rule_;
  std::vector<std::uint32_t> board_;
  std::vector<std::uint32_t> shortest_;
  std::vector<double> sums_;
};

class LeastWork final : public Rule {
 public:
  LeastWork(std::uint32_t choices, const ChooserContext& context)
      : Rule(context), choices_(choices) {}

  std::optional<Choice> choose(const ChoiceRequest& request) override {
    const auto left = [this](std::uint32_t i) {
      return servers().work_left(i) / servers().speed(i);
    };
    return Choice{choices_ == 0 ? least_of_all(n(), request.rng, left)
                                : least_of_some(n(), choices_, request.rng, left)};
  }

 private:
  std::uint32_t choices_;
};

struct IdleLists {
  std::vector<std::deque<std::uint32_t>> of;
};

class JoinIdle final : public Rule {
 public:
  JoinIdle(std::shared_ptr<IdleLists> lists, const ChooserContext& context)
      : Rule(context), lists_(std::move(lists)), rng_(context.seed), number_(context.balancer) {}

  void apply(const EndpointSetPtr& set, Time now) override {
    Rule::apply(set, now);
    if (number_ != 0) return;
    for (std::uint32_t i = 0; i < n(); ++i) enter(i);
  }

  std::optional<Choice> choose(const ChoiceRequest& request) override {
    std::deque<std::uint32_t>& mine = lists_->of[number_];
    while (!mine.empty()) {
      const std::uint32_t server = mine.front();
      mine.pop_front();
      if (servers().in_system(server) == 0) return Choice{server};
    }
    return Choice{static_cast<std::uint32_t>(request.rng.below(n()))};
  }

  void done(const Choice& choice, const Answer&) override {
    if (servers().in_system(choice.server) == 0) enter(choice.server);
  }

 private:
  void enter(std::uint32_t server) { lists_->of[rng_.below(lists_->of.size())].push_back(server); }

  std::shared_ptr<IdleLists> lists_;
  Rng rng_;
  std::uint32_t number_;
};

class LocalShortest final : public Rule {
 public:
  using Rule::Rule;

  void apply(const EndpointSetPtr& set, Time now) override {
    Rule::apply(set, now);
    estimates_.assign(n(), 0);
  }

  std::optional<Choice> choose(const ChoiceRequest& request) override {
    const std::uint32_t server =
        least_of_all(n(), request.rng, [this](std::uint32_t i) { return estimates_[i]; });
    ++estimates_[server];
    // The call just sent has not arrived there yet.
    const auto told = static_cast<std::uint32_t>(request.rng.below(n()));
    estimates_[told] = servers().in_system(told) + (told == server ? 1 : 0);
    return Choice{server};
  }

 private:
  std::vector<std::uint32_t> estimates_;
};

class Told final : public Rule {
 public:
  Told(const PolicySettings& policy, const ChooserContext& context)
      : Rule(context),
        inner_({.policy = policy, .seed = context.seed, .worker = context.balancer}) {}

  void apply(const EndpointSetPtr& set, Time now) override {
    Rule::apply(set, now);
    inner_.apply(set, now);
  }
  std::optional<Choice> choose(const ChoiceRequest& request) override {
    const auto choice = inner_.choose(request);
    const auto told = static_cast<std::uint32_t>(request.rng.below(n()));
    // The call just sent has not arrived there yet.
    const std::uint32_t sent = choice && choice->server == told ? 1 : 0;
    inner_.balancer().report(EndpointId{told}, {.in_flight = servers().in_system(told) + sent},
                             request.now);
    return choice;
  }
  void done(const Choice& choice, const Answer& answer) override { inner_.done(choice, answer); }
  std::optional<std::uint64_t> in_flight() const override { return inner_.in_flight(); }

 private:
  sim::BalancerChooser inner_;
};

}  // namespace

sim::ChooserFactory board_rule(const BoardRule& rule) {
  return [rule](const ChooserContext& context) { return std::make_unique<Board>(rule, context); };
}

sim::ChooserFactory least_work_rule(std::uint32_t choices) {
  return [choices](const ChooserContext& context) {
    return std::make_unique<LeastWork>(choices, context);
  };
}

sim::ChooserFactory join_idle_rule(const sim::FleetOptions& options) {
  auto lists = std::make_shared<IdleLists>();
  lists->of.resize(options.balancers);
  return
      [lists](const ChooserContext& context) { return std::make_unique<JoinIdle>(lists, context); };
}

sim::ChooserFactory local_shortest_rule() {
  return [](const ChooserContext& context) { return std::make_unique<LocalShortest>(context); };
}

sim::ChooserFactory told_policy(const PolicySettings& policy) {
  return
      [policy](const ChooserContext& context) { return std::make_unique<Told>(policy, context); };
}

}  // namespace evener::lab::queueing

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "sim/fleet.h"

namespace evener::sim {
namespace {

constexpr int kWarmSteps = 16;

Time at_seconds(double s) { return Time() + Duration::from_seconds(s); }

FleetOptions checked(FleetOptions options) {
  const auto ok = check(options);
  EV_CHECK(ok.has_value(), ok.error().message);
  return options;
}

}  // namespace

Fleet::Fleet(FleetOptions options)
    : options_(checked(std::move(options))),
      world_(options_.seed),
      bank_(world_, jobs_, *this),
      faults_(world_, options_.faults, server_count(options_), *this),
      roster_(options_),
      work_luck_(world_.stream("work")),
      delay_luck_(world_.stream("delay")),
      assign_luck_(world_.stream("assign")),
      key_luck_(world_.stream("key")),
      error_luck_(world_.stream("error")),
      think_luck_(world_.stream("think")),
      delays_out_(!options_.delay_out.is_zero()),
      delays_back_(!options_.delay_back.is_zero()),
      levels_(server_count(options_)) {
  for (std::size_t i = 0; i < options_.servers.size(); ++i) {
    const ServerGroup& group = options_.servers[i];
    bank_.add(group.spec, group.count);
    group_of_.insert(group_of_.end(), group.count, static_cast<std::uint16_t>(i));
  }
  result_.picks.resize(bank_.size());
}

Fleet::~Fleet() = default;

void Fleet::prepare() {
  const std::uint32_t m = options_.balancers;
  const EndpointSetPtr set = roster_.make();
  out_.resize(m);
  versions_.resize(m);
  for (std::uint32_t b = 0; b < m; ++b) {
    const std::string name = fmt::format("balancer/{}", b);
    chooser_luck_.push_back(world_.stream(name + "/luck"));
    choosers_.push_back(options_.chooser(
        {.balancer = b, .balancers = m, .seed = world_.stream(name).u64(), .servers = bank_}));
    if (options_.retry.attempts > 1 || options_.hedge.on) {
      budgets_.emplace_back(options_.retry.budget, m);
    }
    if (options_.hedge.on) hedge_delays_.emplace_back(options_.hedge.settings);
    apply(b, set);
    if (options_.tick_every > Duration()) {
      // Spread over the period, as nobody's clocks agree.
      schedule(options_.tick_every * b / m, Event::kTick, b);
    }
  }
  for (std::uint32_t s = 0; s < bank_.size(); ++s) {
    if (options_.servers[group_of_[s]].cold_at_start) begin_cold(s);
  }
  for (std::size_t i = 0; i < roster_.steps().size(); ++i) {
    world_.at(at_seconds(roster_.steps()[i].at_s), *this, payload(Event::kStep, i));
  }
  if (options_.until_s > 0) {
    world_.at(at_seconds(options_.until_s), *this, payload(Event::kUntil, 0));
  }
  if (options_.series_every_s > 0) {
    schedule(Duration::from_seconds(options_.series_every_s), Event::kSample, 0);
  }
  const Arrivals& arrivals = options_.arrivals;
  if (arrivals.kind != Arrivals::Kind::kClosed) {
    process_.emplace(arrivals, world_.stream("arrivals"));
    const Time first = process_->next();
    if (first == Time::never()) return stop_arrivals();
    world_.source_at(first, *this, payload(Event::kArrival, 0));
    return;
  }
  for (std::uint32_t user = 0; user < arrivals.users; ++user) {
    schedule(Duration::from_seconds(arrivals.think.sample(think_luck_)), Event::kThought, user);
  }
}

FleetResult Fleet::run() {
  prepare();
  while (!over_ && !(arrivals_over_ && jobs_.used() == 0) && world_.step()) continue;
  if (!arrivals_over_) stop_arrivals();
  return finish();
}

void Fleet::fire_rare(Event event, std::uint64_t index) {
  const auto small = static_cast<std::uint32_t>(index);
  switch (event) {
    case Event::kTick:
      choosers_[small]->tick(world_.now());
      return schedule(options_.tick_every, Event::kTick, index);
    case Event::kWarmer:
      return warmer(small);
    case Event::kStep:
      return step(roster_.steps()[index]);
    case Event::kNotice:
      return apply(notices_[index].balancer, notices_[index].set);
    case Event::kSample:
      return sample();
    case Event::kUntil:
      return stop_arrivals();
    case Event::kDrained:
      over_ = true;
      return;
    default:
      EV_CHECK(false, "unknown event of a fleet");
  }
}

void Fleet::begin_measuring() {
  measuring_ = true;
  result_.from_s = (world_.now() - Time()).to_seconds();
  levels_.restart(world_.now());
}

void Fleet::stop_arrivals() {
  if (arrivals_over_) return;
  arrivals_over_ = true;
  result_.until_s = (world_.now() - Time()).to_seconds();
  levels_.close(world_.now());
  schedule(Duration::from_seconds(options_.drain_s), Event::kDrained, 0);
}

void Fleet::stop(std::string why) {
  if (result_.stopped.empty()) {
    result_.stopped = fmt::format("stopped at {:.6g} s after {} calls: {}",
                                  (world_.now() - Time()).to_seconds(), started_, why);
  }
  stop_arrivals();
  over_ = true;
}

void Fleet::condition_changed(std::uint32_t server, const Condition& before) {
  const Condition& condition = faults_.condition(server);
  if (condition.dead && !before.dead) reset_jobs(server);
  if (!condition.dead && before.dead) begin_cold(server);
  refresh_speed(server);
}

// What a server holds when it dies is reset.
void Fleet::reset_jobs(std::uint32_t server) {
  for (std::uint32_t q = bank_.in_system(server); q > 0; --q) levels_.down(q, world_.now());
  std::vector<std::uint32_t> jobs = std::move(reset_);
  bank_.clear(server, jobs);
  for (const std::uint32_t job : jobs) answer(job, Outcome::kFailure);
  reset_ = std::move(jobs);
}

void Fleet::begin_cold(std::uint32_t server) {
  const ServerGroup& group = options_.servers[group_of_[server]];
  if (group.cold == Duration()) return;
  if (warmth_.empty()) warmth_.assign(bank_.size(), 1);
  warmth_[server] = static_cast<float>(group.cold_floor);
  refresh_speed(server);
  schedule(group.cold / kWarmSteps, Event::kWarmer, server);
}

void Fleet::warmer(std::uint32_t server) {
  const ServerGroup& group = options_.servers[group_of_[server]];
  const double next = static_cast<double>(warmth_[server]) + (1 - group.cold_floor) / kWarmSteps;
  // Steps are counted in the speed itself, so the last one may miss 1 by a rounding.
  warmth_[server] = next > 1 - 1e-3 ? 1 : static_cast<float>(next);
  refresh_speed(server);
  if (warmth_[server] < 1) schedule(group.cold / kWarmSteps, Event::kWarmer, server);
}

void Fleet::refresh_speed(std::uint32_t server) {
  double factor = warmth_.empty() ? 1 : static_cast<double>(warmth_[server]);
  if (faults_.any()) {
    const Condition& condition = faults_.condition(server);
    factor *= condition.paused ? 0 : condition.slow;
  }
  bank_.set_speed(server, factor);
}

void Fleet::step(const Roster::Step& step) {
  for (const std::uint32_t server : step.servers) {
    const bool joins = step.join && !roster_.present(server);
    roster_.set_present(server, step.join);
    if (joins) begin_cold(server);
  }
  const EndpointSetPtr set = roster_.make();
  for (std::uint32_t b = 0; b < options_.balancers; ++b) {
    if (step.notice_s <= 0) {
      apply(b, set);
      continue;
    }
    notices_.push_back({set, b});
    schedule(Duration::from_seconds(step.notice_s * delay_luck_.uniform01()), Event::kNotice,
             notices_.size() - 1);
  }
}

void Fleet::apply(std::uint32_t balancer, const EndpointSetPtr& set) {
  // News may overtake each other.
  if (set->version() <= versions_[balancer]) return;
  versions_[balancer] = set->version();
  choosers_[balancer]->apply(set, world_.now());
}

void Fleet::sample() {
  present_.at_s = (world_.now() - Time()).to_seconds();
  const std::uint64_t successes = present_.calls - present_.errors;
  if (successes != 0) present_.mean_s /= static_cast<double>(successes);
  present_.in_system.resize(bank_.size());
  for (std::uint32_t s = 0; s < bank_.size(); ++s) present_.in_system[s] = bank_.in_system(s);
  result_.series.push_back(std::move(present_));
  present_ = FleetSample();
  if (!arrivals_over_) {
    schedule(Duration::from_seconds(options_.series_every_s), Event::kSample, 0);
  }
}

// Every attempt that is out is one in flight at its chooser, and no other is.
void Fleet::check_counts() const {
  std::uint64_t out = 0;
  for (std::uint32_t b = 0; b < options_.balancers; ++b) {
    out += out_[b];
    const auto known = choosers_[b]->in_flight();
    EV_CHECK(!known || *known == out_[b], "a chooser's count in flight differs from the fleet's");
  }
  EV_CHECK(out == out_all_, "attempts out do not add up");
}

FleetResult Fleet::finish() {
  check_counts();
  result_.started = started_;
  result_.unfinished = started_ - ended_;
  EV_CHECK(ended_ <= started_, "a call ended twice");
  EV_CHECK(jobs_.used() != 0 || result_.unfinished == 0, "a call got lost");
  for (std::uint32_t k = 0; k == 0 || levels_.tail(k) > 0; ++k) {
    result_.tail.push_back(levels_.tail(k));
  }
  result_.mean_queue = levels_.mean();
  result_.longest_queue = levels_.longest();
  result_.events = world_.fired();
  return std::move(result_);
}

std::expected<FleetResult, Error> run_fleet(const FleetOptions& options) {
  if (auto ok = check(options); !ok) return std::unexpected(std::move(ok.error()));
  return Fleet(options).run();
}

}  // namespace evener::sim

#include "sim/fleet.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace evener::sim {

std::string_view to_string(CallEnd end) {
  switch (end) {
    case CallEnd::kSuccess:
      return "success";
    case CallEnd::kFailed:
      return "failed";
    case CallEnd::kTimedOut:
      return "timed out";
    case CallEnd::kRefused:
      return "refused";
    case CallEnd::kOverloaded:
      return "overloaded";
    case CallEnd::kNoEndpoint:
      return "no endpoint";
  }
  return "unknown";
}

void Fleet::fire(std::uint64_t payload) {
  const auto event = static_cast<Event>(payload >> 56);
  const std::uint64_t index = payload & 0xff'ffff'ffff'ffff;
  const auto job = static_cast<std::uint32_t>(index);
  switch (event) {
    case Event::kArrival:
      return arrival();
    case Event::kThought:
      if (!arrivals_over_) begin_call(job);
      return;
    case Event::kReached:
      return reached(job);
    case Event::kAnswered:
      return answered(job);
    case Event::kFailedFast:
      return answer(job, static_cast<Outcome>(jobs_[job].outcome));
    case Event::kTimeout:
      return timed_out(job);
    case Event::kRetry:
      return attempt(job);
    case Event::kHedge:
      return hedge(job);
    default:
      return fire_rare(event, index);
  }
}

void Fleet::arrival() {
  if (arrivals_over_) return;
  const Time next = process_->next();
  if (next < Time::never()) world_.source_at(next, *this, payload(Event::kArrival, 0));
  begin_call(kNoIndex);
  if (next == Time::never()) stop_arrivals();
}

void Fleet::begin_call(std::uint32_t user) {
  const Time now = world_.now();
  if (!measuring_ && started_ >= options_.warm_up_calls &&
      now >= Time() + Duration::from_seconds(options_.warm_up_s)) {
    begin_measuring();
  }
  constexpr std::uint64_t kAtOnceMax = 2'000'000;
  if (now > still_since_) {
    still_since_ = now;
    started_then_ = started_;
  } else if (started_ - started_then_ > kAtOnceMax) {
    return stop("calls end at once and come again at once: time stands still");
  }
  ++started_;
  const std::uint32_t index = jobs_.take();
  Job& job = jobs_[index];
  job.began = now;
  job.user = user;
  job.attempt = 0;
  job.flags = measuring_ ? kMeasured : 0;
  job.balancer = 0;
  if (options_.balancers > 1) {
    if (options_.assign == FleetOptions::Assign::kRandom) {
      job.balancer = static_cast<std::uint16_t>(assign_luck_.below(options_.balancers));
    } else {
      job.balancer = static_cast<std::uint16_t>(next_balancer_);
      next_balancer_ = next_balancer_ + 1 == options_.balancers ? 0 : next_balancer_ + 1;
    }
  }
  if (!budgets_.empty()) {
    budgets_[job.balancer].request(now);
    if (again_.size() < jobs_.made()) again_.resize(jobs_.made() * 2);
    again_[index] = Again();
  }
  job.work = options_.work.sample(work_luck_);
  if (!again_.empty()) again_[index].work = job.work;
  const bool last = started_ == options_.calls;
  attempt(index);
  if (last) stop_arrivals();
}

void Fleet::attempt(std::uint32_t index) {
  const Time now = world_.now();
  Job& job = jobs_[index];
  if (job.attempt > 0) job.work = again_[index].work;
  const std::uint64_t key = options_.keys == 0 ? started_ : key_luck_.below(options_.keys);
  ChoiceRequest request{now, chooser_luck_[job.balancer], key, {}, job.work};
  if (job.attempt > 0) request.tried = std::span(again_[index].tried).first(job.attempt);
  const auto choice = choosers_[job.balancer]->choose(request);
  if (!choice) {
    if (job.attempt > 0 && !options_.retry.unlimited) budgets_[job.balancer].give_back();
    // A retry that finds nobody left fails as the attempt before did.
    const bool first = job.attempt == 0;
    return end_call(index, first ? CallEnd::kNoEndpoint : static_cast<CallEnd>(job.outcome));
  }
  if (options_.hedge.on) expect_hedge(index);
  send(index, *choice);
}

void Fleet::send(std::uint32_t index, const Choice& choice) {
  Job& job = jobs_[index];
  job.sent = world_.now();
  job.flags &= kMeasured | kHedgeAttempt;
  if (measuring_ && !arrivals_over_) result_.work_s += job.work;
  ++job.attempt;
  job.server = choice.server;
  job.token = choice.token;
  ++result_.attempts;
  ++result_.picks[job.server];
  ++out_[job.balancer];
  if (++out_all_ > options_.out_max) {
    stop(fmt::format("{} attempts are out, more than out_max {}: more comes than is served",
                     out_all_, options_.out_max));
  }
  job.timeout = EventId::kNone;
  if (options_.timeout > Duration()) {
    job.timeout = world_.after(options_.timeout, *this, payload(Event::kTimeout, index));
  }
  if (!delays_out_) return reached(index);
  schedule(Duration::from_seconds(options_.delay_out.sample(delay_luck_)), Event::kReached, index);
}

void Fleet::reached(std::uint32_t index) {
  Job& job = jobs_[index];
  if ((job.flags & kAbandoned) != 0) return free_job(index);
  if (faults_.any() && !faults_.condition(job.server).usual()) return reached_faulty(index);
  enter_server(index);
}

void Fleet::enter_server(std::uint32_t index) {
  Job& job = jobs_[index];
  if (!bank_.accept(job.server, index)) return answer(index, Outcome::kOverloaded);
  job.flags |= kQueued;
  levels_.up(bank_.in_system(job.server), world_.now());
}

// Whether nobody hears of it: not the server, or not the balancer.
bool Fleet::lost(const Job& job) const {
  const Condition& condition = faults_.condition(job.server);
  return condition.hang || (condition.partition && faults_.cut(job.server, job.balancer));
}

void Fleet::reached_faulty(std::uint32_t index) {
  Job& job = jobs_[index];
  const Condition& condition = faults_.condition(job.server);
  if (lost(job)) {
    job.flags |= kLost;
    return;
  }
  if (condition.dead) return answer(index, Outcome::kConnectFailed);
  if (condition.fast_fail || condition.refuse) {
    job.outcome =
        static_cast<std::uint8_t>(condition.refuse ? Outcome::kOverloaded : Outcome::kFailure);
    job.flags |= kAnswering;
    return schedule(condition.latency, Event::kFailedFast, index);
  }
  enter_server(index);
}

void Fleet::served(std::uint32_t server, std::uint32_t index) {
  levels_.down(bank_.in_system(server) + 1, world_.now());
  Outcome outcome = Outcome::kSuccess;
  if (faults_.any()) [[unlikely]] {
    const Condition& condition = faults_.condition(server);
    if (condition.errors > 0 && error_luck_.uniform01() < condition.errors) {
      outcome = Outcome::kFailure;
    }
  }
  answer(index, outcome);
}

void Fleet::answer(std::uint32_t index, Outcome outcome) {
  Job& job = jobs_[index];
  if ((job.flags & kAbandoned) != 0) return free_job(index);
  job.outcome = static_cast<std::uint8_t>(outcome);
  job.in_system = bank_.in_system(job.server);
  if (faults_.any() && lost(job)) {
    job.flags |= kLost;
    return;
  }
  if (!delays_back_) return answered(index);
  job.flags |= kAnswering;
  schedule(Duration::from_seconds(options_.delay_back.sample(delay_luck_)), Event::kAnswered,
           index);
}

void Fleet::answered(std::uint32_t index) {
  Job& job = jobs_[index];
  if ((job.flags & kAbandoned) != 0) return free_job(index);
  if (job.timeout != EventId::kNone) world_.cancel(job.timeout);
  const auto outcome = static_cast<Outcome>(job.outcome);
  Answer answer{.outcome = outcome, .sent = job.sent, .now = world_.now()};
  if (options_.reports) {
    const double slots = bank_.spec(job.server).slots;
    answer.report.in_flight = job.in_system;
    answer.report.utilization = std::min(1.0, job.in_system / slots);
  }
  if (outcome == Outcome::kOverloaded && faults_.any()) {
    answer.retry_after = faults_.condition(job.server).retry_after;
  }
  tell(job, answer);
  if (outcome == Outcome::kSuccess) [[likely]] {
    if (options_.hedge.on) won(index);
    return end_call(index, CallEnd::kSuccess);
  }
  if (outcome == Outcome::kConnectFailed) return attempt_failed(index, CallEnd::kRefused);
  attempt_failed(index, outcome == Outcome::kOverloaded ? CallEnd::kOverloaded : CallEnd::kFailed);
}

void Fleet::end_call(std::uint32_t index, CallEnd end) {
  const Job& job = jobs_[index];
  const Duration time = world_.now() - job.began;
  ++ended_;
  if (!arrivals_over_) result_.course.add(time.to_seconds());
  if ((job.flags & kMeasured) != 0) {
    ++result_.calls;
    ++result_.ends[static_cast<std::size_t>(end)];
    if (end == CallEnd::kSuccess) result_.times.record(time);
  }
  if (options_.series_every_s > 0) {
    ++present_.calls;
    if (end == CallEnd::kSuccess) {
      present_.mean_s += time.to_seconds();
      present_.max_s = std::max(present_.max_s, time.to_seconds());
    } else {
      ++present_.errors;
    }
  }
  const std::uint32_t user = job.user;
  free_job(index);
  if (user == kNoIndex || arrivals_over_) return;
  schedule(Duration::from_seconds(options_.arrivals.think.sample(think_luck_)), Event::kThought,
           user);
}

}  // namespace evener::sim

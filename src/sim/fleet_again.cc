#include <utility>

#include "sim/fleet.h"

namespace evener::sim {

// The balancer hears how its attempt ended.
void Fleet::tell(const Job& job, const Answer& answer) {
  --out_[job.balancer];
  --out_all_;
  choosers_[job.balancer]->done({job.server, job.token}, answer);
}

// Nobody waits for the attempt any more: it lives on at its server, or on its way.
void Fleet::abandon(std::uint32_t index, bool skip) {
  Job& job = jobs_[index];
  if ((job.flags & kLost) != 0) return free_job(index);
  job.flags |= kAbandoned;
  const bool queued = (job.flags & kQueued) != 0 && (job.flags & kAnswering) == 0;
  if (skip && queued) bank_.skip(job.server, index);
}

void Fleet::timed_out(std::uint32_t index) {
  const Answer answer{.outcome = Outcome::kFailure,
                      .sent = jobs_[index].sent,
                      .now = world_.now(),
                      .timed_out = true};
  if (twin_goes_on(index)) {
    tell(jobs_[index], answer);
    return abandon(index, !options_.serve_abandoned);
  }
  // The call goes on in another job.
  const std::uint32_t call = jobs_.take();
  jobs_[call] = jobs_[index];
  if (!again_.empty()) {
    if (again_.size() < jobs_.made()) again_.resize(jobs_.made() * 2);
    again_[call] = std::exchange(again_[index], Again());
  }
  abandon(index, !options_.serve_abandoned);
  tell(jobs_[call], answer);
  attempt_failed(call, CallEnd::kTimedOut);
}

bool Fleet::may_retry(const Job& job) {
  if (job.attempt >= options_.retry.attempts) return false;
  if (options_.retry.unlimited) return true;
  if (budgets_[job.balancer].take(world_.now())) return true;
  ++result_.retries_refused;
  return false;
}

void Fleet::attempt_failed(std::uint32_t index, CallEnd end) {
  if (twin_goes_on(index)) return free_job(index);
  Job& job = jobs_[index];
  if (!again_.empty()) world_.cancel(std::exchange(again_[index].hedge, EventId::kNone));
  if (!may_retry(job)) return end_call(index, end);
  again_[index].tried[job.attempt - 1U] = job.server;
  job.flags &= kMeasured;
  job.outcome = static_cast<std::uint8_t>(end);
  if (options_.retry.backoff == Duration()) return attempt(index);
  schedule(options_.retry.backoff, Event::kRetry, index);
}

// The attempt may take longer than most: then another one is made beside it.
void Fleet::expect_hedge(std::uint32_t index) {
  Again& again = again_[index];
  if (again.hedged) return;
  std::optional<Duration> delay = options_.hedge.after;
  if (delay == Duration()) delay = hedge_delays_[jobs_[index].balancer].delay(world_.now());
  if (delay) again.hedge = world_.after(*delay, *this, payload(Event::kHedge, index));
}

void Fleet::hedge(std::uint32_t index) {
  const Time now = world_.now();
  const Job& job = jobs_[index];
  again_[index].hedge = EventId::kNone;
  again_[index].hedged = true;
  RetryBudget& budget = budgets_[job.balancer];
  if (!options_.retry.unlimited && !budget.take(now)) {
    ++result_.hedges_refused;
    return;
  }
  again_[index].tried[job.attempt - 1U] = job.server;
  ChoiceRequest request{now, chooser_luck_[job.balancer], started_, {}, again_[index].work};
  request.tried = std::span(again_[index].tried).first(job.attempt);
  const auto choice = choosers_[job.balancer]->choose(request);
  if (!choice) {
    if (!options_.retry.unlimited) budget.give_back();
    return;
  }
  const std::uint32_t other = jobs_.take();
  if (again_.size() < jobs_.made()) again_.resize(jobs_.made() * 2);
  Job& second = jobs_[other];
  second = job;
  second.next = kNoIndex;
  second.work = again_[index].work;
  second.flags |= kHedgeAttempt;
  again_[other] = again_[index];
  again_[other].twin = index;
  again_[index].twin = other;
  ++result_.hedges;
  send(other, *choice);
}

// The first success: what it took is known, and the other attempt is cancelled. A server hears of
// that at once; what waits is skipped, what is being worked on is worked on to its end.
void Fleet::won(std::uint32_t index) {
  const Job& job = jobs_[index];
  const Time now = world_.now();
  HedgeDelay& delays = hedge_delays_[job.balancer];
  delays.record(now - job.sent, now);
  world_.cancel(std::exchange(again_[index].hedge, EventId::kNone));
  const std::uint32_t loser = std::exchange(again_[index].twin, kNoIndex);
  if (loser == kNoIndex) return;
  if ((job.flags & kHedgeAttempt) != 0) ++result_.hedges_won;
  again_[loser].twin = kNoIndex;
  const Job& other = jobs_[loser];
  world_.cancel(other.timeout);
  delays.record(now - other.sent, now);
  tell(other, {.outcome = Outcome::kCancelled, .sent = other.sent, .now = now});
  abandon(loser, true);
}

// Whether the attempt had another beside it, which is now the call's only one.
bool Fleet::twin_goes_on(std::uint32_t index) {
  if (again_.empty() || again_[index].twin == kNoIndex) return false;
  const std::uint32_t twin = std::exchange(again_[index].twin, kNoIndex);
  again_[twin].twin = kNoIndex;
  Job& job = jobs_[index];
  Job& rest = jobs_[twin];
  // Where the second one fails first, the first one must know of it.
  if (rest.attempt < job.attempt) {
    again_[twin].tried[rest.attempt - 1U] = job.server;
    rest.attempt = job.attempt;
  }
  return true;
}

}  // namespace evener::sim

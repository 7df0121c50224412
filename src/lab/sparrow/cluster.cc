#include "lab/sparrow/cluster.h"

#include <evener/balancer.h>
#include <evener/late_binding.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <queue>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "lab/balls/real.h"

namespace evener::lab::sparrow {
namespace {

struct Job {
  double arrival;
  double duration;  // of each of its tasks
};

double exponential(Rng& rng) { return -std::log1p(-rng.uniform01()); }

std::vector<Job> draw_jobs(const Setup& setup, Rng& rng) {
  const double rate = setup.load * setup.workers * setup.slots / setup.tasks;
  std::vector<Job> jobs(setup.jobs);
  double now = 0;
  for (Job& job : jobs) {
    now += exponential(rng) / rate;
    job = {now, exponential(rng)};
  }
  return jobs;
}

// Distinct workers in random order.
class Draw {
 public:
  explicit Draw(std::uint32_t workers) : drawn_(workers) {}

  const std::vector<std::uint32_t>& operator()(std::size_t count, Rng& rng) {
    ++round_;
    out_.clear();
    while (out_.size() < count) {
      const auto worker = static_cast<std::uint32_t>(rng.below(drawn_.size()));
      if (std::exchange(drawn_[worker], round_) != round_) out_.push_back(worker);
    }
    return out_;
  }

 private:
  std::vector<std::uint64_t> drawn_;
  std::uint64_t round_ = 0;
  std::vector<std::uint32_t> out_;
};

// Lines whose tasks' ends are known as soon as they are placed.
class Lines {
 public:
  explicit Lines(const Setup& setup)
      : slots_(setup.slots),
        free_(std::size_t{setup.workers} * setup.slots),
        ends_(setup.workers) {}

  // Tasks at the worker, those that run included.
  std::size_t length(std::uint32_t worker, double now) {
    std::erase_if(ends_[worker], [now](double end) { return end <= now; });
    return ends_[worker].size();
  }

  // When a task placed now ends.
  double place(std::uint32_t worker, double now, double duration) {
    const auto first = free_.begin() + static_cast<std::ptrdiff_t>(std::size_t{worker} * slots_);
    const auto slot = std::min_element(first, first + slots_);
    *slot = std::max(*slot, now) + duration;
    ends_[worker].push_back(*slot);
    return *slot;
  }

 private:
  std::uint32_t slots_;
  std::vector<double> free_;  // when each slot is
  std::vector<std::vector<double>> ends_;
};

// Workers for the tasks of one job, one call a job; `place` puts a task somewhere.
using Place = std::function<void(std::uint32_t worker)>;
using Dispatch = std::function<void(Lines&, double now, const Place& place)>;

std::vector<double> run_lines(const Setup& setup, const std::vector<Job>& jobs,
                              const Dispatch& dispatch) {
  Lines lines(setup);
  std::vector<double> responses;
  for (const Job& job : jobs) {
    double last = 0;
    dispatch(lines, job.arrival, [&](std::uint32_t worker) {
      last = std::max(last, lines.place(worker, job.arrival, job.duration));
    });
    responses.push_back(last - job.arrival);
  }
  return responses;
}

Dispatch each_to_one_of(std::size_t choices, const Setup& setup, Rng& rng) {
  return [choices, &setup, &rng, draw = Draw(setup.workers)](Lines& lines, double now,
                                                             const Place& place) mutable {
    for (std::uint32_t task = 0; task < setup.tasks; ++task) {
      const std::vector<std::uint32_t>& drawn = draw(choices, rng);
      place(choices == 1 ? drawn[0] : *std::ranges::min_element(drawn, {}, [&](std::uint32_t w) {
        return lines.length(w, now);
      }));
    }
  };
}

Dispatch batch(const Setup& setup, Rng& rng) {
  return [&setup, &rng, draw = Draw(setup.workers)](Lines& lines, double now,
                                                    const Place& place) mutable {
    std::vector<std::pair<std::size_t, std::size_t>> looked;  // length, place in the random order
    const std::vector<std::uint32_t>& drawn = draw(2 * setup.tasks, rng);
    for (std::size_t i = 0; i < drawn.size(); ++i)
      looked.emplace_back(lines.length(drawn[i], now), i);
    std::ranges::nth_element(looked, looked.begin() + setup.tasks);
    for (std::uint32_t task = 0; task < setup.tasks; ++task) place(drawn[looked[task].second]);
  };
}

std::vector<double> run_ideal(const Setup& setup, const std::vector<Job>& jobs) {
  const std::size_t slots = std::size_t{setup.workers} * setup.slots;
  std::priority_queue<double, std::vector<double>, std::greater<>> free;
  for (std::size_t i = 0; i < slots; ++i) free.push(0);
  std::vector<double> responses;
  for (const Job& job : jobs) {
    double last = 0;
    for (std::uint32_t task = 0; task < setup.tasks; ++task) {
      const double end = std::max(free.top(), job.arrival) + job.duration;
      free.pop();
      free.push(end);
      last = std::max(last, end);
    }
    responses.push_back(last - job.arrival);
  }
  return responses;
}

// The Balancer counts a task from its pick to its end: those of a worker's line, the running ones
// included.
class Product {
 public:
  Product(const Setup& setup, std::uint64_t seed)
      : balancer_({.policy = {.name = "p2c"}, .seed = seed}), tickets_(setup.tasks) {
    balancer_.apply(balls::equal_endpoints(setup.workers), Time());
  }

  void each(double now, const Place& place) {
    for (Ticket& ticket : tickets_) {
      auto picked = balancer_.pick({.now = at(now)});
      EV_CHECK(picked.has_value(), "nothing keeps a worker from being picked");
      ticket = *std::move(picked);
      place(worker_of(ticket));
    }
  }

  void all(double now, const Place& place) {
    const auto picked = balancer_.pick_batch({.now = at(now)}, 2, tickets_);
    EV_CHECK(picked == tickets_.size(), "nothing keeps a task from being placed");
    for (const Ticket& ticket : tickets_) place(worker_of(ticket));
  }

  // The tasks just placed end at these times.
  void keep(const std::vector<double>& ends) {
    for (std::size_t i = 0; i < tickets_.size(); ++i) {
      running_.push_back({ends[i], std::move(tickets_[i])});
      std::ranges::push_heap(running_, std::greater(), &Running::end);
    }
  }

  void finish_until(double now) {
    while (!running_.empty() && running_.front().end <= now) {
      std::ranges::pop_heap(running_, std::greater(), &Running::end);
      running_.back().ticket.finish(Outcome::kSuccess, at(running_.back().end));
      running_.pop_back();
    }
  }

 private:
  struct Running {
    double end;
    Ticket ticket;
  };

  static Time at(double now) { return Time() + Duration::from_seconds(now); }
  // Ids of equal_endpoints are 1 to n.
  static std::uint32_t worker_of(const Ticket& ticket) {
    return static_cast<std::uint32_t>(ticket.id()) - 1;
  }

  Balancer balancer_;
  std::vector<Ticket> tickets_;
  std::vector<Running> running_;
};

std::vector<double> run_product(bool batched, const Setup& setup, const std::vector<Job>& jobs,
                                Rng& rng) {
  Product product(setup, rng.u64());
  Lines lines(setup);
  std::vector<double> responses;
  std::vector<double> ends;
  for (const Job& job : jobs) {
    product.finish_until(job.arrival);
    ends.clear();
    const Place place = [&](std::uint32_t worker) {
      ends.push_back(lines.place(worker, job.arrival, job.duration));
      lines.length(worker, job.arrival);  // forgets what has ended
    };
    batched ? product.all(job.arrival, place) : product.each(job.arrival, place);
    product.keep(ends);
    responses.push_back(std::ranges::max(ends) - job.arrival);
  }
  return responses;
}

// Workers pull: the only rule for which a task's place is known late.
class Late {
 public:
  Late(const Setup& setup, const std::vector<Job>& jobs)
      : setup_(setup),
        jobs_(jobs),
        binding_(LateBinding::kReservationsMax),
        draw_(setup.workers),
        idle_(setup.workers, setup.slots),
        responses_(jobs.size()) {
    for (std::uint32_t worker = 0; worker < setup.workers; ++worker) binding_.join(id(worker));
  }

  std::vector<double> run(Rng& rng) {
    for (std::size_t job = 0; job < jobs_.size(); ++job) {
      end_until(jobs_[job].arrival);
      arrive(job, rng);
    }
    end_until(std::numeric_limits<double>::infinity());
    return std::move(responses_);
  }

 private:
  static EndpointId id(std::uint32_t worker) { return static_cast<EndpointId>(worker); }

  void arrive(std::size_t job, Rng& rng) {
    const std::vector<std::uint32_t>& drawn = draw_(2 * std::size_t{setup_.tasks}, rng);
    ids_.clear();
    for (const std::uint32_t worker : drawn) ids_.push_back(id(worker));
    const auto placed = binding_.place(setup_.tasks, ids_);
    EV_CHECK(placed.has_value(), "reservations at workers that are there");
    index_[*placed] = job;
    for (const std::uint32_t worker : drawn) {
      while (idle_[worker] > 0 && start(worker, jobs_[job].arrival)) continue;
    }
  }

  // The worker takes the next task that waits for it, if one does.
  bool start(std::uint32_t worker, double now) {
    const auto task = binding_.pull(id(worker));
    if (!task) return false;
    const std::size_t job = index_.at(task->job);
    const double end = now + jobs_[job].duration;
    responses_[job] = std::max(responses_[job], end - jobs_[job].arrival);
    if (task->number + 1 == setup_.tasks) index_.erase(task->job);
    --idle_[worker];
    ends_.emplace(end, worker);
    return true;
  }

  void end_until(double now) {
    while (!ends_.empty() && ends_.top().first <= now) {
      const auto [end, worker] = ends_.top();
      ends_.pop();
      ++idle_[worker];
      start(worker, end);
    }
  }

  using End = std::pair<double, std::uint32_t>;

  const Setup& setup_;
  const std::vector<Job>& jobs_;
  LateBinding binding_;
  Draw draw_;
  std::vector<std::uint32_t> idle_;
  std::vector<double> responses_;
  std::vector<EndpointId> ids_;
  std::unordered_map<JobId, std::size_t> index_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
};

std::vector<double> run_all(Rule rule, const Setup& setup, const std::vector<Job>& jobs, Rng& rng) {
  switch (rule) {
    case Rule::kRandom:
      return run_lines(setup, jobs, each_to_one_of(1, setup, rng));
    case Rule::kPerTask:
      return run_lines(setup, jobs, each_to_one_of(2, setup, rng));
    case Rule::kBatch:
      return run_lines(setup, jobs, batch(setup, rng));
    case Rule::kIdeal:
      return run_ideal(setup, jobs);
    case Rule::kProductP2c:
      return run_product(false, setup, jobs, rng);
    case Rule::kProductBatch:
      return run_product(true, setup, jobs, rng);
    case Rule::kLateBinding:
      return Late(setup, jobs).run(rng);
  }
  return {};
}

}  // namespace

std::vector<double> response_times(Rule rule, const Setup& setup, Rng& rng) {
  EV_CHECK(2 * setup.tasks <= setup.workers && setup.jobs >= 10, "probes are distinct");
  const std::vector<Job> jobs = draw_jobs(setup, rng);
  std::vector<double> responses = run_all(rule, setup, jobs, rng);
  responses.erase(responses.begin(),
                  responses.begin() + static_cast<std::ptrdiff_t>(setup.jobs / 10));
  return responses;
}

}  // namespace evener::lab::sparrow

// board_study: how W workers should see each other's load (design D6), in figures.
//
// Quality, in virtual time: n FCFS servers with exponential service, Poisson arrivals, each given
// to a random worker, which picks by its own Balancer. What differs is what it knows of the others:
//   own      nothing
//   lsq      nothing, but one endpoint's true queue per pick (policy lsq, a report)
//   board    the LoadBoard, folded every `every` service times
//   exact    the LoadBoard, folded before every pick
// Times are in mean service times; seeds 1 to `--seeds`, the table shows the mean over them and the
// largest deviation. What it costs is in bench_balance (workers/...).
//
//   board_study [--jobs N] [--seeds N] [--json FILE]
#include <evener/balancer.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <nlohmann/json.hpp>
#include <queue>
#include <string>
#include <vector>

namespace {

using namespace evener;

constexpr std::size_t kServers = 100;
constexpr double kLoad = 0.9;
constexpr double kServiceNs = 1e7;  // 10 ms

struct View {
  const char* name;
  const char* policy;
  bool board;
  double fold_every;  // service times; 0: before every pick
  bool reports;
};

constexpr View kViews[] = {
    {"own", "p2c", false, 1e9, false},      {"lsq", "lsq", false, 1e9, true},
    {"board 1.0", "p2c", true, 1.0, false}, {"board 0.1", "p2c", true, 0.1, false},
    {"exact", "p2c", true, 0, false},
};

double exponential(Rng& rng) { return -std::log(1 - rng.uniform01()); }

EndpointSetPtr make_set(std::uint32_t workers) {
  std::vector<Endpoint> endpoints(kServers);
  for (std::size_t i = 0; i < kServers; ++i) {
    endpoints[i].id = EndpointId{i};
    endpoints[i].name = "s" + std::to_string(i);
  }
  return EndpointSet::make(1, std::move(endpoints), workers).value();
}

struct Result {
  double mean = 0;
  double p99 = 0;
};

class World {
 public:
  World(const View& view, std::uint32_t workers, std::uint64_t seed)
      : view_(view), rng_(seed), queues_(kServers) {
    const EndpointSetPtr set = make_set(view.board ? workers : 1);
    for (std::uint32_t w = 0; w < workers; ++w) {
      BalancerOptions options;
      options.policy.name = view.policy;
      options.seed = seed * 1000 + w;
      options.worker = view.board ? w : 0;
      workers_.emplace_back(options);
      workers_.back().apply(set, Time());
    }
  }

  Result run(std::size_t jobs) {
    const double gap = 1 / (kLoad * kServers);
    double now = 0;
    double next_fold = 0;
    for (std::size_t job = 0; job < jobs; ++job) {
      now += exponential(rng_) * gap;
      depart_until(now);
      if (view_.board && view_.fold_every > 0 && now >= next_fold) {
        for (Balancer& worker : workers_) worker.tick(at(now));
        next_fold = now + view_.fold_every;
      }
      arrive(now, job >= jobs / 10);
    }
    std::ranges::sort(responses_);
    double sum = 0;
    for (const double r : responses_) sum += r;
    const std::size_t p99 = responses_.size() * 99 / 100;
    return {sum / static_cast<double>(responses_.size()), responses_[p99]};
  }

 private:
  struct Job {
    Ticket ticket;
    double arrived = 0;
    double service = 0;
    bool counts = false;
  };
  struct Departure {
    double time;
    std::size_t server;
    bool operator>(const Departure& other) const { return time > other.time; }
  };

  static Time at(double now) { return Time::from_ns(static_cast<std::int64_t>(now * kServiceNs)); }

  void arrive(double now, bool counts) {
    Balancer& worker = workers_[rng_.below(workers_.size())];
    if (view_.board && view_.fold_every == 0) worker.tick(at(now));
    if (view_.reports) {
      const std::uint64_t seen = rng_.below(kServers);
      EndpointReport report;
      report.in_flight = static_cast<std::uint32_t>(queues_[seen].size());
      worker.report(EndpointId{seen}, report, at(now));
    }
    Ticket ticket = worker.pick({.now = at(now)}).value();
    const auto server = static_cast<std::size_t>(ticket.id());
    queues_[server].push_back({std::move(ticket), now, exponential(rng_), counts});
    if (queues_[server].size() == 1) departures_.push({now + queues_[server][0].service, server});
  }

  void depart_until(double end) {
    while (!departures_.empty() && departures_.top().time <= end) {
      const Departure departure = departures_.top();
      departures_.pop();
      std::deque<Job>& queue = queues_[departure.server];
      Job& job = queue.front();
      job.ticket.finish(Outcome::kSuccess, at(departure.time));
      if (job.counts) responses_.push_back(departure.time - job.arrived);
      queue.pop_front();
      if (queue.empty()) continue;
      departures_.push({departure.time + queue.front().service, departure.server});
    }
  }

  const View& view_;
  Rng rng_;
  std::vector<Balancer> workers_;
  std::vector<std::deque<Job>> queues_;
  std::priority_queue<Departure, std::vector<Departure>, std::greater<>> departures_;
  std::vector<double> responses_;
};

struct Spread {
  double mean = 0;
  double off = 0;
};

Spread spread(const std::vector<double>& values) {
  Spread out;
  for (const double v : values) out.mean += v / static_cast<double>(values.size());
  for (const double v : values) out.off = std::max(out.off, std::abs(v - out.mean));
  return out;
}

void quality(std::size_t jobs, std::uint64_t seeds, nlohmann::json& json) {
  fmt::print("{} servers, load {}, {} jobs, {} seeds; response in service times, mean / p99\n",
             kServers, kLoad, jobs, seeds);
  fmt::print("{:>8}", "workers");
  for (const View& view : kViews) fmt::print("{:>24}", view.name);
  fmt::print("\n");
  for (const std::uint32_t workers : {1U, 2U, 4U, 8U, 16U, 32U, 64U}) {
    fmt::print("{:>8}", workers);
    for (const View& view : kViews) {
      std::vector<double> means;
      std::vector<double> p99s;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const Result result = World(view, workers, seed).run(jobs);
        means.push_back(result.mean);
        p99s.push_back(result.p99);
      }
      const Spread mean = spread(means);
      const Spread p99 = spread(p99s);
      fmt::print("{:>24}", fmt::format("{:.2f}+-{:.2f} / {:.1f}+-{:.1f}", mean.mean, mean.off,
                                       p99.mean, p99.off));
      std::fflush(stdout);
      json["quality"].push_back({{"workers", workers},
                                 {"view", view.name},
                                 {"mean", mean.mean},
                                 {"mean_off", mean.off},
                                 {"p99", p99.mean},
                                 {"p99_off", p99.off}});
    }
    fmt::print("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t jobs = 300'000;
  std::uint64_t seeds = 3;
  std::string file;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view key = argv[i];
    if (key == "--jobs") jobs = std::strtoull(argv[i + 1], nullptr, 10);
    if (key == "--seeds") seeds = std::strtoull(argv[i + 1], nullptr, 10);
    if (key == "--json") file = argv[i + 1];
  }
  if (jobs < 1000 || seeds < 1 || argc % 2 == 0) {
    fmt::print(stderr, "usage: board_study [--jobs N (>= 1000)] [--seeds N] [--json FILE]\n");
    return 2;
  }
  nlohmann::json json;
  quality(jobs, seeds, json);
  if (file.empty()) return 0;
  std::FILE* out = std::fopen(file.c_str(), "w");
  if (out == nullptr) {
    fmt::print(stderr, "board_study: cannot write {}\n", file);
    return 1;
  }
  fmt::print(out, "{}\n", json.dump(2));
  return std::fclose(out) == 0 ? 0 : 1;
}

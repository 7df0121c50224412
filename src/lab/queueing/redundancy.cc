// Redundancy: copies of each job at several servers, of independent sizes, first to finish cancels
// the others. A small engine of its own, as a call in the fleet is in one place only.
#include <algorithm>
#include <deque>
#include <numeric>
#include <vector>

#include "lab/queueing/experiments.h"
#include "lab/theory/queues.h"
#include "sim/luck.h"
#include "sim/world.h"

namespace evener::lab::queueing {
namespace {

constexpr double kService_ns = 1e7;
constexpr std::uint64_t kArrival = ~std::uint64_t{0};

class Copies final : public sim::Actor {
 public:
  Copies(std::uint32_t servers, double load, std::uint64_t jobs, std::uint64_t seed)
      : world_(seed),
        rng_(world_.stream("copies")),
        queues_(servers),
        ends_(servers),
        gap_(1 / (load * servers)),
        jobs_(jobs),
        warm_(jobs / 10) {}

  double mean_time() {
    world_.at(Time(), *this, kArrival);
    while (measured_ + warm_ < jobs_ && world_.step()) continue;
    return sum_ / static_cast<double>(measured_);
  }

  void fire(std::uint64_t payload) override {
    if (payload == kArrival) return arrive();
    finish(static_cast<std::uint32_t>(payload));
  }

 private:
  struct Copy {
    std::uint64_t job;
    Time began;
    std::uint32_t twin;  // the server of the other copy
  };

  void arrive() {
    world_.after(draw(gap_), *this, kArrival);
    const auto n = static_cast<std::uint32_t>(queues_.size());
    const auto a = static_cast<std::uint32_t>(rng_.below(n));
    auto b = static_cast<std::uint32_t>(rng_.below(n - 1));
    b += b >= a;
    place(a, {next_, world_.now(), b});
    place(b, {next_, world_.now(), a});
    ++next_;
  }

  void place(std::uint32_t server, Copy copy) {
    queues_[server].push_back(copy);
    if (queues_[server].size() == 1) start(server);
  }

  void start(std::uint32_t server) { ends_[server] = world_.after(draw(1), *this, server); }

  void finish(std::uint32_t server) {
    const Copy done = queues_[server].front();
    queues_[server].pop_front();
    if (!queues_[server].empty()) start(server);
    auto& other = queues_[done.twin];
    const bool serving = other.front().job == done.job;
    other.erase(std::ranges::find(other, done.job, &Copy::job));
    if (serving) {
      world_.cancel(ends_[done.twin]);
      if (!other.empty()) start(done.twin);
    }
    if (++finished_ <= warm_) return;
    ++measured_;
    sum_ += static_cast<double>((world_.now() - done.began).ns()) / kService_ns;
  }

  Duration draw(double mean) {
    return Duration::nanoseconds(
        static_cast<std::int64_t>(sim::exponential(rng_) * mean * kService_ns));
  }

  sim::World world_;
  Rng rng_;
  std::vector<std::deque<Copy>> queues_;
  std::vector<sim::EventId> ends_;
  double gap_;
  std::uint64_t jobs_;
  std::uint64_t warm_;
  std::uint64_t next_ = 0;
  std::uint64_t finished_ = 0;
  std::uint64_t measured_ = 0;
  double sum_ = 0;
};

Plan plan_redundancy(const PlanOptions& options) {
  Plan plan(options);
  const CellId cell = plan.cell("two copies", 16, 0.4, [](Rng& rng) {
    return Sample{Copies(100, 0.9, 1'000'000, rng.u64()).mean_time()};
  });
  plan.judge([cell](const Results& results, Report& report) {
    report.within_share("mean time, two copies, load 0.9", results.mean(cell),
                        theory::redundancy_time(100, 2, 0.9), 0.015, "exact, Gardner et al. 2017");
    report.info("one server's mean service time", exact(1),
                "copies of independent sizes undercut it");
  });
  return plan;
}

}  // namespace

Experiment redundancy() {
  return {.id = "E34",
          .name = "redundancy",
          .summary = "two copies of each job, the first to finish cancels the other",
          .source = "Gardner et al. 2017",
          .conventions = {.sampling = "distinct",
                          .ties = "none",
                          .counting = "copies of a job have independent sizes"},
          .seconds = 1.3,
          .plan = plan_redundancy};
}

}  // namespace evener::lab::queueing

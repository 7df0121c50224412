#include <evener/late_binding.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "balance/conformance.h"

namespace evener {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr EndpointId kA{1};
constexpr EndpointId kB{2};
constexpr EndpointId kC{3};

LateBinding with(std::initializer_list<EndpointId> endpoints) {
  LateBinding binding;
  for (const EndpointId id : endpoints) EXPECT_TRUE(binding.join(id));
  return binding;
}

JobId place(LateBinding& binding, std::uint32_t tasks, std::vector<EndpointId> at) {
  return binding.place(tasks, at).value();
}

TEST(LateBinding, WhoIsFreeFirstTakesTheTask) {
  LateBinding binding = with({kA, kB, kC});
  const JobId job = place(binding, 1, {kA, kB});
  EXPECT_EQ(binding.pull(kC), std::nullopt);
  EXPECT_EQ(binding.pull(kB), (Task{job, 0}));
  EXPECT_EQ(binding.pull(kA), std::nullopt) << "its reservation is cancelled";
  EXPECT_EQ(binding.jobs(), 0U);
  EXPECT_EQ(binding.entries(), 0U);
}

TEST(LateBinding, AnEndpointServesTheOldestReservationFirst) {
  LateBinding binding = with({kA, kB});
  const JobId first = place(binding, 2, {kA, kB, kA});
  const JobId second = place(binding, 1, {kA, kB});
  EXPECT_EQ(binding.pull(kA), (Task{first, 0}));
  EXPECT_EQ(binding.pull(kA), (Task{first, 1}));
  EXPECT_EQ(binding.pull(kB), (Task{second, 0})) << "past the first job's cancelled reservation";
  EXPECT_EQ(binding.pull(kA), std::nullopt);
}

TEST(LateBinding, WhatALeavingEndpointLeavesUnplacedIsHandedBack) {
  LateBinding binding = with({kA, kB, kC});
  const JobId wide = place(binding, 1, {kA, kB});
  const JobId tight = place(binding, 3, {kA, kB, kC});
  std::vector<Task> stranded;
  binding.leave(kA, stranded);
  EXPECT_THAT(stranded, ElementsAre(Task{tight, 2}));
  binding.leave(kA, stranded);
  EXPECT_EQ(stranded.size(), 1U) << "a second time nothing happens";
  EXPECT_EQ(binding.pull(kA), std::nullopt);
  EXPECT_EQ(binding.pull(kC), (Task{tight, 0}));
  binding.leave(kB, stranded);
  EXPECT_THAT(stranded, ElementsAre(Task{tight, 2}, Task{wide, 0}, Task{tight, 1}));
  EXPECT_EQ(binding.jobs(), 0U);
  EXPECT_EQ(binding.reservations(), 0U);
}

TEST(LateBinding, RefusesWhatCouldNeverEndAndChangesNothing) {
  LateBinding binding(3);
  Rng rng(1);
  EXPECT_EQ(binding.place(1, 2, rng).error(), PlaceError::kNoEndpoints);
  ASSERT_TRUE(binding.join(kA));
  EXPECT_FALSE(binding.join(kA));
  ASSERT_TRUE(binding.join(kB));
  const std::vector<EndpointId> a = {kA};
  const std::vector<EndpointId> stranger = {kA, kC};
  const std::vector<EndpointId> many = {kA, kB, kA, kB};
  EXPECT_EQ(binding.place(0, a).error(), PlaceError::kNoTasks);
  EXPECT_EQ(binding.place(0, 2, rng).error(), PlaceError::kNoTasks);
  EXPECT_EQ(binding.place(2, a).error(), PlaceError::kTooFew);
  EXPECT_EQ(binding.place(1, stranger).error(), PlaceError::kUnknownEndpoint);
  EXPECT_EQ(binding.place(1, many).error(), PlaceError::kFull);
  EXPECT_EQ(binding.place(4, 1, rng).error(), PlaceError::kFull);
  EXPECT_EQ(binding.entries(), 0U);
  EXPECT_EQ(binding.jobs(), 0U);
  EXPECT_FALSE(binding.cancel(JobId{1}));
  for (int error = 0; error < 5; ++error) {
    EXPECT_NE(to_string(static_cast<PlaceError>(error)), "unknown");
  }
}

TEST(LateBinding, DrawsDistinctEndpointsEvenly) {
  constexpr std::size_t kEndpoints = 10;
  constexpr int kJobs = 4000;
  LateBinding binding;
  for (std::uint64_t id = 0; id < kEndpoints; ++id) ASSERT_TRUE(binding.join(EndpointId{id}));
  Rng rng(conformance::seed_from_environment());
  std::vector<double> hits(kEndpoints);
  for (int i = 0; i < kJobs; ++i) {
    const JobId job = binding.place(2, 2, rng).value();
    EXPECT_EQ(binding.reservations(), 4U);
    std::vector<std::size_t> takers;
    for (std::size_t id = 0; id < kEndpoints && binding.jobs() > 0; ++id) {
      const auto task = binding.pull(EndpointId{id});
      if (!task) continue;
      EXPECT_EQ(task->job, job);
      EXPECT_EQ(binding.pull(EndpointId{id}), std::nullopt) << "one reservation each";
      takers.push_back(id);
    }
    ASSERT_EQ(takers.size(), 2U);
    // The lowest two of four distinct ones: the pairs' law is that of a fair draw.
    hits[takers[0]] += 1;
  }
  std::vector<double> expected(kEndpoints);
  // P(least of 4 of 10 is i) = C(9 - i, 3) / C(10, 4).
  for (std::size_t i = 0; i + 3 < kEndpoints; ++i) {
    const auto left = static_cast<double>(9 - i);
    expected[i] = kJobs * left * (left - 1) * (left - 2) / 6 / 210;
  }
  EXPECT_LT(conformance::chi_square(hits, expected), conformance::chi_square_bound(6))
      << "EV_SEED=" << conformance::seed_from_environment();
}

TEST(LateBinding, MoreTasksThanEndpointsGoRoundInTurn) {
  LateBinding binding = with({kA, kB});
  Rng rng(1);
  ASSERT_TRUE(binding.place(5, 2, rng));
  EXPECT_EQ(binding.reservations(), 5U);
  std::size_t a = 0;
  while (binding.pull(kA)) ++a;
  EXPECT_TRUE(a == 2 || a == 3) << a;
}

// An endpoint that never pulls collects cancelled reservations; they must not stay.
TEST(LateBinding, CancelledReservationsAreSweptAndMemoryIsBounded) {
  LateBinding binding(100);
  ASSERT_TRUE(binding.join(kA));
  ASSERT_TRUE(binding.join(kB));
  std::size_t most = 0;
  for (int i = 0; i < 100'000; ++i) {
    place(binding, 1, {kA, kB});
    ASSERT_TRUE(binding.pull(kB));
    most = std::max(most, binding.entries());
  }
  EXPECT_LE(most, 2 * 100 + 2 + 128U);
  EXPECT_EQ(binding.reservations(), 0U);
}

// What LateBinding must do, done the slow and obvious way.
class Naive {
 public:
  void join(EndpointId id) { lines_.try_emplace(id); }
  void place(JobId job, std::uint32_t tasks, std::span<const EndpointId> at) {
    for (std::uint32_t i = 0; i < tasks; ++i) jobs_[job].push_back(i);
    for (const EndpointId id : at) lines_.at(id).push_back(job);
  }
  std::optional<Task> pull(EndpointId id) {
    if (!lines_.contains(id) || lines_.at(id).empty()) return std::nullopt;
    const JobId job = lines_.at(id).front();
    lines_.at(id).pop_front();
    const Task task{job, jobs_.at(job).front()};
    jobs_.at(job).pop_front();
    if (jobs_.at(job).empty()) cancel(job);
    return task;
  }
  std::vector<Task> leave(EndpointId id) {
    std::vector<Task> stranded;
    if (!lines_.contains(id)) return stranded;
    const std::deque<JobId> line = lines_.at(id);
    lines_.erase(id);
    const std::set<JobId> touched(line.begin(), line.end());
    for (const JobId job : touched) {
      while (jobs_.at(job).size() > reservations(job)) {
        stranded.push_back({job, jobs_.at(job).back()});
        jobs_.at(job).pop_back();
      }
      if (jobs_.at(job).empty()) cancel(job);
    }
    return stranded;
  }
  bool cancel(JobId job) {
    for (auto& [id, line] : lines_) std::erase(line, job);
    return jobs_.erase(job) > 0;
  }
  std::size_t jobs() const { return jobs_.size(); }
  std::size_t alive() const {
    std::size_t sum = 0;
    for (const auto& [id, line] : lines_) sum += line.size();
    return sum;
  }

 private:
  std::size_t reservations(JobId job) const {
    std::size_t sum = 0;
    for (const auto& [id, line] : lines_) {
      sum += static_cast<std::size_t>(std::ranges::count(line, job));
    }
    return sum;
  }

  std::map<JobId, std::deque<std::uint32_t>> jobs_;
  std::map<EndpointId, std::deque<JobId>> lines_;
};

struct ByNumber {
  bool operator()(const Task& a, const Task& b) const {
    return a.job != b.job ? a.job < b.job : a.number < b.number;
  }
};

class RandomRun {
 public:
  explicit RandomRun(std::uint64_t seed) : rng_(seed) {}

  void step() {
    const EndpointId id{rng_.below(12)};
    switch (rng_.below(16)) {
      case 0:
        binding_.join(id);
        naive_.join(id);
        here_.insert(id);
        break;
      case 1:
        if (rng_.below(4) == 0) leave(id);
        break;
      case 2:
        if (last_ > 0) cancel(JobId{1 + rng_.below(last_)});
        break;
      case 3:
      case 4:
      case 5:
        place();
        break;
      default:
        pull(id);
    }
    ASSERT_EQ(binding_.jobs(), naive_.jobs());
    ASSERT_EQ(binding_.reservations(), naive_.alive());
    ASSERT_EQ(binding_.endpoints(), here_.size());
    ASSERT_LE(binding_.entries(), 2 * kMost + here_.size() + 128);
  }

  // Endpoints that pull in turns empty the house: no task starves.
  void drain() {
    const std::size_t rounds = binding_.reservations();
    for (std::size_t i = 0; i < rounds && binding_.jobs() > 0; ++i) {
      const std::set<EndpointId> here = here_;
      for (const EndpointId id : here) pull(id);
    }
    EXPECT_EQ(binding_.jobs(), 0U);
    EXPECT_THAT(waiting_, IsEmpty());
  }

 private:
  static constexpr std::size_t kMost = 200;

  void place() {
    if (here_.empty()) return;
    const std::vector<EndpointId> all(here_.begin(), here_.end());
    std::vector<EndpointId> at;
    const auto tasks = static_cast<std::uint32_t>(1 + rng_.below(4));
    const std::uint64_t count = tasks + rng_.below(6);
    for (std::uint64_t i = 0; i < count; ++i) at.push_back(all[rng_.below(all.size())]);
    const bool fits = naive_.alive() + count <= kMost;
    const auto job = binding_.place(tasks, at);
    ASSERT_EQ(job.has_value(), fits);
    if (!job) return;
    ASSERT_EQ(*job, JobId{++last_});
    naive_.place(*job, tasks, at);
    for (std::uint32_t i = 0; i < tasks; ++i) waiting_.insert({*job, i});
  }
  void pull(EndpointId id) {
    const auto task = binding_.pull(id);
    ASSERT_EQ(task, naive_.pull(id));
    if (task) ASSERT_EQ(waiting_.erase(*task), 1U) << "given out twice";
  }
  void leave(EndpointId id) {
    std::vector<Task> stranded;
    binding_.leave(id, stranded);
    std::vector<Task> expected = naive_.leave(id);
    std::ranges::sort(stranded, ByNumber());
    std::ranges::sort(expected, ByNumber());
    ASSERT_EQ(stranded, expected);
    for (const Task& task : stranded) ASSERT_EQ(waiting_.erase(task), 1U);
    here_.erase(id);
  }
  void cancel(JobId job) {
    ASSERT_EQ(binding_.cancel(job), naive_.cancel(job));
    std::erase_if(waiting_, [&](const Task& task) { return task.job == job; });
  }

  Rng rng_;
  LateBinding binding_{kMost};
  Naive naive_;
  std::set<EndpointId> here_;
  std::set<Task, ByNumber> waiting_;
  std::uint64_t last_ = 0;
};

TEST(LateBinding, DoesWhatTheNaiveModelDoesWhateverHappens) {
  const std::uint64_t first = conformance::seed_from_environment();
  for (std::uint64_t seed = first; seed < first + 20; ++seed) {
    SCOPED_TRACE("EV_SEED=" + std::to_string(seed));
    RandomRun run(seed);
    for (int i = 0; i < 4000 && !::testing::Test::HasFatalFailure(); ++i) run.step();
    run.drain();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace evener

#include <evener/late_binding.h>

#include <algorithm>

#include "base/check.h"

namespace evener {
namespace {

// Sweeping a nearly empty house is not worth the walk.
constexpr std::size_t kSweepLeast = 128;
// A line that has run empty keeps this much for the next.
constexpr std::size_t kLineKeeps = 64;

}  // namespace

std::string_view to_string(PlaceError error) {
  switch (error) {
    case PlaceError::kNoTasks:
      return "a job needs at least one task";
    case PlaceError::kNoEndpoints:
      return "no endpoint has joined";
    case PlaceError::kUnknownEndpoint:
      return "an endpoint has not joined";
    case PlaceError::kTooFew:
      return "fewer reservations than tasks";
    case PlaceError::kFull:
      return "as many reservations as allowed are alive";
  }
  return "unknown";
}

LateBinding::LateBinding(std::size_t reservations_max) : reservations_max_(reservations_max) {
  EV_CHECK(reservations_max >= 1 && reservations_max <= kReservationsMax,
           "reservations_max is out of range");
}

bool LateBinding::join(EndpointId endpoint) {
  const auto [line, fresh] = lines_.try_emplace(endpoint);
  if (!fresh) return false;
  line->second.place = ids_.size();
  ids_.push_back(endpoint);
  return true;
}

void LateBinding::leave(EndpointId endpoint, std::vector<Task>& stranded) {
  const auto found = lines_.find(endpoint);
  if (found == lines_.end()) return;
  const Line& line = found->second;
  for (std::size_t i = line.head; i < line.entries.size(); ++i) {
    const auto job = jobs_.find(line.entries[i]);
    if (job == jobs_.end()) {
      --cancelled_;
      continue;
    }
    --alive_;
    Job& left = job->second;
    --left.reservations;
    if (left.end - left.next <= left.reservations) continue;
    --left.end;
    stranded.push_back({job->first, left.end});
    if (left.next == left.end) finish(job);
  }
  lines_.at(ids_.back()).place = line.place;
  ids_[line.place] = ids_.back();
  ids_.pop_back();
  lines_.erase(found);
}

std::expected<JobId, PlaceError> LateBinding::place(std::uint32_t tasks,
                                                    std::span<const EndpointId> endpoints) {
  if (tasks == 0) return std::unexpected(PlaceError::kNoTasks);
  if (ids_.empty()) return std::unexpected(PlaceError::kNoEndpoints);
  if (endpoints.size() < tasks) return std::unexpected(PlaceError::kTooFew);
  if (endpoints.size() > reservations_max_ - alive_) return std::unexpected(PlaceError::kFull);
  for (const EndpointId id : endpoints) {
    if (!lines_.contains(id)) return std::unexpected(PlaceError::kUnknownEndpoint);
  }
  // The walk over the lines is paid for by what was cancelled, too.
  if (cancelled_ > alive_ + lines_.size() + kSweepLeast) sweep();
  const JobId id{++last_job_};
  jobs_.emplace(id, Job{0, tasks, endpoints.size()});
  for (const EndpointId endpoint : endpoints) lines_.at(endpoint).entries.push_back(id);
  alive_ += endpoints.size();
  return id;
}

std::expected<JobId, PlaceError> LateBinding::place(std::uint32_t tasks, std::uint32_t probes,
                                                    Rng& rng) {
  if (tasks == 0) return std::unexpected(PlaceError::kNoTasks);
  if (ids_.empty()) return std::unexpected(PlaceError::kNoEndpoints);
  const std::size_t n = ids_.size();
  const std::uint64_t wanted = std::uint64_t{std::max(probes, 1U)} * tasks;
  const std::size_t count = std::max<std::size_t>(tasks, std::min<std::uint64_t>(wanted, n));
  if (count > reservations_max_ - alive_) return std::unexpected(PlaceError::kFull);
  drawn_.clear();
  for (std::size_t i = 0; i < std::min(count, n); ++i) {
    const std::size_t other = i + rng.below(n - i);
    std::swap(ids_[i], ids_[other]);
    std::swap(lines_.at(ids_[i]).place, lines_.at(ids_[other]).place);
    drawn_.push_back(ids_[i]);
  }
  for (std::size_t i = drawn_.size(); i < count; ++i) drawn_.push_back(drawn_[i - n]);
  return place(tasks, drawn_);
}

std::optional<Task> LateBinding::pull(EndpointId endpoint) noexcept {
  const auto found = lines_.find(endpoint);
  if (found == lines_.end()) return std::nullopt;
  Line& line = found->second;
  std::optional<Task> task;
  while (!task && line.head < line.entries.size()) {
    const auto job = jobs_.find(line.entries[line.head++]);
    if (job == jobs_.end()) {
      --cancelled_;
      continue;
    }
    --alive_;
    Job& left = job->second;
    --left.reservations;
    task = Task{job->first, left.next++};
    if (left.next == left.end) finish(job);
  }
  // Half of it is gone, so closing up costs no more than what was taken before.
  if (line.head * 2 >= line.entries.size()) {
    line.entries.erase(line.entries.begin(),
                       line.entries.begin() + static_cast<std::ptrdiff_t>(line.head));
    line.head = 0;
    if (line.entries.empty() && line.entries.capacity() > kLineKeeps) line.entries = {};
  }
  return task;
}

bool LateBinding::cancel(JobId job) noexcept {
  const auto found = jobs_.find(job);
  if (found == jobs_.end()) return false;
  finish(found);
  return true;
}

void LateBinding::finish(std::unordered_map<JobId, Job>::iterator job) noexcept {
  alive_ -= job->second.reservations;
  cancelled_ += job->second.reservations;
  jobs_.erase(job);
}

void LateBinding::sweep() {
  for (auto& [id, line] : lines_) {
    auto& entries = line.entries;
    entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(line.head));
    line.head = 0;
    std::erase_if(entries, [this](JobId job) { return !jobs_.contains(job); });
    if (entries.capacity() > 4 * entries.size()) entries.shrink_to_fit();
  }
  cancelled_ = 0;
}

}  // namespace evener

#include <algorithm>

#include "sim/server_bank.h"

namespace evener::sim {
namespace {

constexpr auto kLater = [](const auto& a, const auto& b) {
  return a.v > b.v || (a.v == b.v && a.order > b.order);
};

}  // namespace

// What each request in service gets per second.
double ServerBank::rate(const Server& server, const Shared& shared) const {
  const ServerSpec& spec = specs_[server.spec];
  const std::size_t n = shared.marks.size();
  if (spec.discipline == Discipline::kFcfs || n <= spec.slots) return server.speed;
  return server.speed * spec.slots / static_cast<double>(n);
}

void ServerBank::advance(const Server& server, Shared& shared) {
  if (shared.marks.empty()) {
    // Small numbers again, so that v stays exact however long the run.
    shared.v = 0;
  } else {
    shared.v += (world_.now() - shared.at).to_seconds() * rate(server, shared);
  }
  shared.at = world_.now();
}

void ServerBank::enter(Shared& shared, std::uint32_t job) {
  jobs_[job].in_service = true;
  shared.marks.push_back({shared.v + jobs_[job].work, shared.order++, job});
  std::ranges::push_heap(shared.marks, kLater);
}

void ServerBank::reschedule(Server& server, std::uint32_t index) {
  world_.cancel(server.event);
  server.event = EventId::kNone;
  const Shared& shared = shared_[server.shared];
  if (shared.marks.empty() || server.speed <= 0) return;
  const double left = std::max(0.0, shared.marks.front().v - shared.v);
  const double seconds = left / rate(server, shared);
  server.event = world_.after(Duration::nanoseconds(ns_of(seconds)), *this, index);
}

void ServerBank::accept_shared(Server& server, std::uint32_t index, std::uint32_t job) {
  Shared& shared = shared_[server.shared];
  const ServerSpec& spec = specs_[server.spec];
  if (spec.discipline == Discipline::kFcfs && shared.marks.size() >= spec.slots) {
    append(server, job);
    return;
  }
  advance(server, shared);
  enter(shared, job);
  // With slots of their own, requests do not slow each other.
  if (spec.discipline == Discipline::kFcfs && shared.marks.front().job != job) return;
  reschedule(server, index);
}

void ServerBank::shared_done(Server& server, std::uint32_t index) {
  Shared& shared = shared_[server.shared];
  advance(server, shared);
  std::ranges::pop_heap(shared.marks, kLater);
  const Mark mark = shared.marks.back();
  shared.marks.pop_back();
  // The event came at a whole nanosecond; the mark is exact.
  shared.v = mark.v;
  --server.in_system;
  const std::uint32_t next = take_first(server);
  if (next != kNoIndex) enter(shared, next);
  server.event = EventId::kNone;
  reschedule(server, index);
  sink_.served(index, mark.job);
}

}  // namespace evener::sim

#include "sim/server_bank.h"

#include <algorithm>
#include <cmath>

namespace evener::sim {

void ServerBank::add(const ServerSpec& spec, std::uint32_t count) {
  EV_CHECK(spec.slots >= 1 && std::isfinite(spec.speed) && spec.speed >= 0,
           "a server needs a slot and a speed");
  EV_CHECK(specs_.size() < 0xffff, "too many kinds of servers");
  Server server;
  server.speed = spec.speed;
  server.limit = spec.limit;
  server.spec = static_cast<std::uint16_t>(specs_.size());
  specs_.push_back(spec);
  const bool shares = spec.slots > 1 || spec.discipline == Discipline::kSharing;
  servers_.reserve(servers_.size() + count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (shares) {
      server.shared = static_cast<std::uint32_t>(shared_.size());
      shared_.emplace_back();
    }
    servers_.push_back(server);
  }
}

bool ServerBank::accept(std::uint32_t index, std::uint32_t job) {
  Server& server = servers_[index];
  if (server.in_system >= server.limit) return false;
  ++server.in_system;
  if (server.shared != kNoIndex) {
    accept_shared(server, index, job);
  } else if (server.current == kNoIndex) {
    start(server, index, job);
  } else {
    append(server, job);
  }
  return true;
}

void ServerBank::append(Server& server, std::uint32_t job) {
  Job& j = jobs_[job];
  j.next = kNoIndex;
  j.in_service = false;
  server.waiting += j.work;
  if (server.tail == kNoIndex) {
    server.head = job;
  } else {
    jobs_[server.tail].next = job;
  }
  server.tail = job;
}

std::uint32_t ServerBank::take_first(Server& server) {
  const std::uint32_t job = server.head;
  if (job == kNoIndex) return job;
  const Job& j = jobs_[job];
  server.head = j.next;
  server.waiting -= j.work;
  if (server.head == kNoIndex) {
    server.tail = kNoIndex;
    server.waiting = 0;
  }
  return job;
}

void ServerBank::single_done(Server& server, std::uint32_t index) {
  const std::uint32_t job = server.current;
  __builtin_prefetch(&jobs_[job]);
  --server.in_system;
  server.current = kNoIndex;
  const std::uint32_t next = take_first(server);
  if (next != kNoIndex) start(server, index, next);
  sink_.served(index, job);
}

void ServerBank::fire(std::uint64_t payload) {
  const auto index = static_cast<std::uint32_t>(payload);
  Server& server = servers_[index];
  if (server.shared == kNoIndex) {
    single_done(server, index);
  } else {
    shared_done(server, index);
  }
}

void ServerBank::skip(std::uint32_t server, std::uint32_t job) {
  Job& j = jobs_[job];
  if (j.in_service) return;
  servers_[server].waiting -= j.work;
  j.work = 0;
}

void ServerBank::set_speed(std::uint32_t index, double factor) {
  Server& server = servers_[index];
  const double speed = specs_[server.spec].speed * factor;
  if (speed == server.speed) return;
  if (server.shared != kNoIndex) {
    advance(server, shared_[server.shared]);
    server.speed = speed;
    reschedule(server, index);
    return;
  }
  if (server.current == kNoIndex) {
    server.speed = speed;
    return;
  }
  Job& job = jobs_[server.current];
  if (server.speed > 0) {
    job.work = (server.ends - world_.now()).to_seconds() * server.speed;
    world_.cancel(server.event);
  }
  server.speed = speed;
  if (speed > 0) schedule(server, index, job.work);
}

void ServerBank::clear(std::uint32_t index, std::vector<std::uint32_t>& out) {
  Server& server = servers_[index];
  out.clear();
  world_.cancel(server.event);
  if (server.current != kNoIndex) out.push_back(server.current);
  server.current = kNoIndex;
  if (server.shared != kNoIndex) {
    Shared& shared = shared_[server.shared];
    for (const Mark& mark : shared.marks) out.push_back(mark.job);
    shared.marks.clear();
  }
  for (std::uint32_t job = take_first(server); job != kNoIndex; job = take_first(server)) {
    out.push_back(job);
  }
  server.in_system = 0;
}

double ServerBank::work_left(std::uint32_t index) const {
  const Server& server = servers_[index];
  if (server.shared != kNoIndex) {
    const Shared& shared = shared_[server.shared];
    const double v = shared.v + (world_.now() - shared.at).to_seconds() * rate(server, shared);
    double left = server.waiting;
    for (const Mark& mark : shared.marks) left += std::max(0.0, mark.v - v);
    return left;
  }
  if (server.current == kNoIndex) return 0;
  if (server.speed <= 0) return server.waiting + jobs_[server.current].work;
  return server.waiting + (server.ends - world_.now()).to_seconds() * server.speed;
}

}  // namespace evener::sim

// ServerBank: the simulator's servers: queues, slots, sharing, speeds.
//
// First come first served with k slots, or processor sharing among all requests (up to `slots` of
// them at full speed). A server's speed may change at any time, to 0 for a pause; work that was
// done stays done. Refusing (queue limit) is here; what is wrong with a server's answers (faults)
// is the fleet's business. Work is in seconds at speed 1. Sharing is reckoned in attained service:
// v grows by what each request in service gets, so a request ends when v reaches its mark, whoever
// comes and goes meanwhile. Owned by one thread. Cost: one event per request; accept and serve are
// O(1) with one slot, else O(log requests in service). 64 bytes a server, no allocation in steady
// state.
#pragma once

#include <evener/time.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/slab.h"
#include "sim/world.h"

namespace evener::sim {

inline constexpr std::uint32_t kNoIndex = 0xffff'ffff;

enum class Discipline : std::uint8_t { kFcfs, kSharing };

struct ServerSpec {
  double speed = 1;
  std::uint32_t slots = 1;  // served at a time; sharing: so many at full speed
  Discipline discipline = Discipline::kFcfs;
  std::uint32_t limit = kNoIndex;  // most requests it holds, those in service included
};

// One request at one server.
struct alignas(64) Job {
  Time began;                     // the call
  Time sent;                      // this attempt
  double work = 0;                // seconds left at speed 1, while not in service
  std::uint32_t next = kNoIndex;  // in the server's queue
  std::uint32_t server = 0;
  std::uint32_t token = 0;  // the chooser's
  std::uint32_t user = kNoIndex;
  std::uint16_t balancer = 0;
  std::uint8_t attempt = 0;  // from 1 on
  bool in_service = false;
  // The owner's.
  std::uint8_t flags = 0;
  std::uint8_t outcome = 0;
  std::uint32_t in_system = 0;
  EventId timeout = EventId::kNone;
};

class ServerBank final : public Actor {
 public:
  // Told of each request that was served; the server has already let go of it.
  class Sink {
   public:
    virtual void served(std::uint32_t server, std::uint32_t job) = 0;

   protected:
    ~Sink() = default;
  };

  ServerBank(World& world, Slab<Job>& jobs, Sink& sink) : world_(world), jobs_(jobs), sink_(sink) {}

  // REQUIRES: spec.slots >= 1, a speed >= 0 that is finite.
  void add(const ServerSpec& spec, std::uint32_t count);
  std::uint32_t size() const { return static_cast<std::uint32_t>(servers_.size()); }

  // Takes the job, whose `work` is set, or says that it is full.
  bool accept(std::uint32_t server, std::uint32_t job);
  // Nobody waits for the job any more: if it is still queued, it will take no work.
  void skip(std::uint32_t server, std::uint32_t job);
  // `factor` of its own speed from now on.
  void set_speed(std::uint32_t server, double factor);
  // Takes all its jobs away, into `out`.
  void clear(std::uint32_t server, std::vector<std::uint32_t>& out);

  std::uint32_t in_system(std::uint32_t server) const { return servers_[server].in_system; }
  double speed(std::uint32_t server) const { return servers_[server].speed; }
  const ServerSpec& spec(std::uint32_t server) const { return specs_[servers_[server].spec]; }
  // Seconds of work at speed 1 that its present requests still need. O(requests in service).
  double work_left(std::uint32_t server) const;

  void fire(std::uint64_t payload) override;

 private:
  struct alignas(64) Server {
    double speed = 1;    // of its spec times the factor
    double waiting = 0;  // work in the queue
    Time ends;           // of the one in service, one slot
    EventId event = EventId::kNone;
    std::uint32_t head = kNoIndex;  // of the queue
    std::uint32_t tail = kNoIndex;
    std::uint32_t current = kNoIndex;  // in service, one slot
    std::uint32_t in_system = 0;
    std::uint32_t limit = kNoIndex;
    std::uint32_t shared = kNoIndex;  // in shared_, unless first come first served with one slot
    std::uint16_t spec = 0;
  };
  struct Mark {
    double v;
    std::uint64_t order;
    std::uint32_t job;
  };
  struct Shared {
    double v = 0;
    Time at;
    std::uint64_t order = 0;
    std::vector<Mark> marks;  // a heap, smallest v first
  };

  void start(Server& server, std::uint32_t index, std::uint32_t job) {
    Job& j = jobs_[job];
    j.in_service = true;
    server.current = job;
    if (server.speed > 0) schedule(server, index, j.work);
  }
  void schedule(Server& server, std::uint32_t index, double work) {
    server.ends = world_.now() + Duration::nanoseconds(ns_of(work / server.speed));
    server.event = world_.at(server.ends, *this, index);
  }
  static std::int64_t ns_of(double s) {
    constexpr double kLongest_s = 4e9;
    return static_cast<std::int64_t>((s < kLongest_s ? s : kLongest_s) * 1e9 + 0.5);
  }
  void append(Server& server, std::uint32_t job);
  std::uint32_t take_first(Server& server);
  void single_done(Server& server, std::uint32_t index);

  // server_bank_shared.cc
  double rate(const Server& server, const Shared& shared) const;
  void advance(const Server& server, Shared& shared);
  void enter(Shared& shared, std::uint32_t job);
  void reschedule(Server& server, std::uint32_t index);
  void accept_shared(Server& server, std::uint32_t index, std::uint32_t job);
  void shared_done(Server& server, std::uint32_t index);

  World& world_;
  Slab<Job>& jobs_;
  Sink& sink_;
  std::vector<ServerSpec> specs_;
  std::vector<Server> servers_;
  std::vector<Shared> shared_;
};

}  // namespace evener::sim

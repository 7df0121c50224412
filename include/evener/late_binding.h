// LateBinding: the tasks of a job wait at several endpoints; who is free first takes the next one.
//
// A job of m tasks places a reservation at each of d x m endpoints. An endpoint that becomes free
// pulls: the oldest reservation it holds is used up by the next task of its job. When all tasks of
// a job are given out, its other reservations are cancelled, which costs nothing then: they are
// dropped when they come to the front of their endpoint's line, or in a sweep once they outnumber
// those alive. When an endpoint leaves, its reservations vanish; tasks for which none is left
// are handed back as stranded, to be placed anew.
//
// Whether an endpoint is free is the owner's knowledge: call pull() when one finishes a task, and
// after place() for those that were idle. Every task is given out or handed back exactly once; an
// endpoint serves jobs in the order in which they reserved it, so none starves where endpoints go
// on pulling.
//
// Owned by one thread; no clock, and luck only as an argument. Cost: pull() is amortised O(1) and
// does not allocate; place() is O(reservations), amortised; leave() is O(reservations it held).
// Memory: at most 2 x reservations_max + endpoints + 128 entries of 8 bytes, in lines that may hold
// four times as many; about 50 bytes per job and 100 per endpoint.
// Source: Ousterhout, Wendell, Zaharia, Stoica, Sparrow, SOSP 2013, sections 3.3 and 3.4.
#pragma once

#include <evener/endpoint.h>
#include <evener/rng.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace evener {

// Given by place(), never twice by one LateBinding.
enum class JobId : std::uint64_t {};

// A job's tasks have the numbers 0 to m - 1 and are given out in this order.
struct Task {
  JobId job{};
  std::uint32_t number = 0;

  bool operator==(const Task&) const = default;
};

enum class PlaceError : std::uint8_t {
  kNoTasks,          // a job of no tasks
  kNoEndpoints,      // nobody has joined
  kUnknownEndpoint,  // has not joined, or has left
  kTooFew,           // fewer reservations than tasks: some could never be given out
  kFull,             // more reservations than reservations_max would be alive
};
std::string_view to_string(PlaceError error);

class LateBinding {
 public:
  static constexpr std::size_t kReservationsMax = 100'000'000;

  // At most so many reservations are alive. REQUIRES: 1 to kReservationsMax.
  explicit LateBinding(std::size_t reservations_max = 1'000'000);

  // The endpoint may be reserved from now on. False: it is here already.
  bool join(EndpointId endpoint);
  // The endpoint's reservations vanish; appends the tasks that none is left for. An endpoint that
  // is not here changes nothing.
  void leave(EndpointId endpoint, std::vector<Task>& stranded);

  // One reservation at each of `endpoints`, in this order; one named twice gets two. On an error
  // nothing was placed.
  std::expected<JobId, PlaceError> place(std::uint32_t tasks,
                                         std::span<const EndpointId> endpoints);
  // At `probes` x tasks distinct endpoints drawn evenly; at all when there are fewer, and in turn
  // more than once when there are fewer endpoints than tasks. 0 counts as 1; 2 is Sparrow's.
  std::expected<JobId, PlaceError> place(std::uint32_t tasks, std::uint32_t probes, Rng& rng);

  // The endpoint is free: the task it takes, or none when nobody waits for it.
  std::optional<Task> pull(EndpointId endpoint) noexcept;
  // Gives up what is left of a job. False: nothing is.
  bool cancel(JobId job) noexcept;

  std::size_t endpoints() const { return ids_.size(); }
  std::size_t jobs() const { return jobs_.size(); }  // with tasks that nobody has taken
  std::size_t reservations() const { return alive_; }
  // Entries in lines, cancelled ones included.
  std::size_t entries() const { return alive_ + cancelled_; }

 private:
  struct Job {
    std::uint32_t next = 0;        // task to be given out
    std::uint32_t end = 0;         // one past the last that can be given out
    std::size_t reservations = 0;  // alive, at least end - next
  };
  // First in, first out; the entries before `head` are gone.
  struct Line {
    std::vector<JobId> entries;
    std::size_t head = 0;
    std::size_t place = 0;  // in ids_
  };

  void finish(std::unordered_map<JobId, Job>::iterator job) noexcept;
  void sweep();

  std::size_t reservations_max_;
  std::uint64_t last_job_ = 0;
  std::size_t alive_ = 0;
  std::size_t cancelled_ = 0;
  std::unordered_map<JobId, Job> jobs_;
  std::unordered_map<EndpointId, Line> lines_;
  std::vector<EndpointId> ids_;  // of lines_, in any order: to draw from
  std::vector<EndpointId> drawn_;
};

}  // namespace evener

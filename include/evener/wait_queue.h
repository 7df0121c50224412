// WaitQueue: requests of a pool that wait for an endpoint with room, in bounded number and time.
//
// First come, first served. Under overload (the oldest of two or more has waited longer than
// `target` for at least `interval` without a break) the newest is served first and the oldest give
// up after `overload_wait` already: those that still can be answered in time are, the others learn
// at once that they will not be. Overload ends when the oldest of those waiting is younger than the
// target, or fewer than two wait.
//
// Holds no memory of its own: a request brings a Node, which leaves the queue when destroyed. The
// queue never calls anybody; the owner asks who is next and who is overdue, every tick and whenever
// there is room. One per pool and worker, owned by one thread. Cost: every operation O(1); nothing
// allocates. Source: Nichols and Jacobson, CoDel, 2012 (RFC 8289); Maurer, Fail at Scale, 2015
// (adaptive LIFO beside CoDel).
#pragma once

#include <evener/error.h>
#include <evener/time.h>

#include <cstddef>
#include <cstdint>
#include <expected>

namespace evener {

struct WaitQueueSettings {
  std::uint32_t size = 1000;                             // 0: nobody waits; at most 1,000,000
  Duration wait = Duration::seconds(1);                  // the longest anybody waits; to an hour
  Duration target = Duration::milliseconds(100);         // 0 to wait
  Duration interval = Duration::milliseconds(500);       // 0 to an hour
  Duration overload_wait = Duration::milliseconds(500);  // target to wait

  bool operator==(const WaitQueueSettings&) const = default;
};

// Checks every range.
std::expected<void, Error> check_settings(const WaitQueueSettings& settings);

class WaitQueue {
 public:
  // A place in a queue. Stays where it is while it waits; its destructor gives the place up.
  class Node {
   public:
    Node() = default;
    ~Node() { cancel(); }
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    bool waiting() const { return queue_ != nullptr; }
    // Leaves the queue; nothing if it is in none.
    void cancel() noexcept;
    Time since() const { return since_; }

    std::uint64_t id = 0;  // the owner's, to find its request again

   private:
    friend class WaitQueue;
    WaitQueue* queue_ = nullptr;
    Node* older_ = nullptr;
    Node* newer_ = nullptr;
    Time since_;
    Time deadline_;
  };

  // REQUIRES: check_settings(settings) succeeds.
  explicit WaitQueue(const WaitQueueSettings& settings) : settings_(settings) {}
  // Those still waiting are in no queue any more.
  ~WaitQueue();
  WaitQueue(const WaitQueue&) = delete;
  WaitQueue& operator=(const WaitQueue&) = delete;

  // Waits until served, at most for the settings' time, and no longer than to `deadline` (kept
  // exactly only by the owner's own timer: the queue notices it when the node's turn comes).
  // False: the queue is full. REQUIRES: !node.waiting().
  [[nodiscard]] bool push(Node& node, Time now, Time deadline = Time::never()) noexcept;
  // Takes out the next to be served; nullptr when nobody waits. Look at overdue() first; one whose
  // own deadline has passed may still come and is told by expired().
  Node* pop(Time now) noexcept;
  // Takes out the oldest if it has waited too long; nullptr if not. To be called until then.
  Node* overdue(Time now) noexcept;
  // Whether the node's time was over at `now`.
  bool expired(const Node& node, Time now) const { return now >= node.deadline_; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool overloaded(Time now) noexcept;

 private:
  void unlink(Node& node) noexcept;
  void watch(Time now) noexcept;

  WaitQueueSettings settings_;
  Node* oldest_ = nullptr;
  Node* newest_ = nullptr;
  std::size_t size_ = 0;
  Time late_since_ = Time::never();  // since when the oldest has been beyond the target
};

}  // namespace evener

// Timers: an indexed 4-ary heap of nodes that live inside their owners.
//
// A Timer is embedded in the thing that waits; destroying it disarms it. Owner of the heap: the
// loop. Thread: the loop's. Cost: arm, move and disarm O(log n), no allocation but the heap's
// array. Times are exact, so a simulated clock sees the same order as a real one (ties by arming
// order).
#pragma once

#include <evener/time.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evener::io {

class TimerHeap;

class Timer {
 public:
  // `fire` is called with the timer disarmed; it may arm it again or destroy its owner.
  using Fire = void (*)(Timer&);

  explicit Timer(Fire fire) : fire_(fire) {}
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { disarm(); }

  bool armed() const { return heap_ != nullptr; }
  Time when() const { return when_; }
  void disarm();

 private:
  friend class TimerHeap;
  Fire fire_;
  TimerHeap* heap_ = nullptr;
  std::size_t index_ = 0;
  Time when_;
  std::uint64_t sequence_ = 0;
};

class TimerHeap {
 public:
  TimerHeap() = default;
  TimerHeap(const TimerHeap&) = delete;
  TimerHeap& operator=(const TimerHeap&) = delete;
  ~TimerHeap();

  // Arms `timer` for `when`, or moves it there.
  void arm(Timer& timer, Time when);
  // When the earliest timer is due; Time::never() when there is none.
  Time next() const { return heap_.empty() ? Time::never() : heap_.front()->when_; }
  // Fires every timer due at `now`, earliest first; timers armed meanwhile for a time not after
  // `now` wait for the next call, so a turn always ends.
  void fire_due(Time now);
  std::size_t size() const { return heap_.size(); }

 private:
  friend class Timer;
  void remove(Timer& timer);
  bool before(const Timer& a, const Timer& b) const;
  void place(std::size_t index, Timer* timer);
  void sift_up(std::size_t index);
  void sift_down(std::size_t index);

  std::vector<Timer*> heap_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace evener::io

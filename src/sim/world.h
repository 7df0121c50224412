// World: virtual time, the events to come, and named streams of luck. One run is a function of the
// seed and of what the actors do.
//
// An event is an actor and 64 bits for it; events of equal time fire in the order in which they
// were asked for. Nothing here reads a clock. Owned by one thread, as its actors are.
// Cost: at() and step() are O(log n) of the pending events and allocate only while the greatest
// number of pending events grows; 40 bytes per pending event. cancel() is O(1), amortised: a
// cancelled event is dropped when its time comes or when they are the majority.
#pragma once

#include <evener/rng.h>
#include <evener/time.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "sim/event_queue.h"

namespace evener::sim {

// What events happen to.
class Actor {
 public:
  virtual void fire(std::uint64_t payload) = 0;

 protected:
  ~Actor() = default;
};

// An event that was asked for. Stays harmless after the event has fired.
enum class EventId : std::uint64_t { kNone = 0 };

class World {
 public:
  static constexpr std::size_t kPendingMax = (std::size_t{1} << 24) - 1;

  explicit World(std::uint64_t seed) : seed_(seed) {}
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Time now() const { return now_; }
  std::uint64_t seed() const { return seed_; }
  // The stream of this name: it depends on the seed and the name only, so that another consumer of
  // luck changes nobody's numbers. Each call starts it anew.
  Rng stream(std::string_view name) const { return Rng(seed_).fork(name); }

  // Fires `actor` with `payload` at `when`; a time that has passed counts as now.
  // REQUIRES: at most kPendingMax events are pending; the actor outlives the event.
  EventId at(Time when, Actor& actor, std::uint64_t payload = 0) {
    const std::uint32_t slot = free_ != kNone ? take_free() : grow();
    Event& event = events_[slot];
    event.actor = &actor;
    event.payload = payload;
    const auto k = EventQueue::key(when < now_ ? now_ : when, sequence_++ << kSlotBits | slot);
    if (hole_) {
      hole_ = false;
      queue_.replace_top(k);
    } else {
      queue_.push(k);
    }
    return static_cast<EventId>(std::uint64_t{event.generation} << 32 | slot);
  }
  EventId after(Duration delay, Actor& actor, std::uint64_t payload = 0) {
    return at(now_ + delay, actor, payload);
  }

  // The next event of the world's one source: of arrivals, say, each of which asks for the next. In
  // order with all others, but held beside the queue, which it would go through from end to end.
  // REQUIRES: the source's last event has fired.
  void source_at(Time when, Actor& actor, std::uint64_t payload = 0) {
    EV_CHECK(source_ == EventQueue::kNever, "a world has one source, with one event to come");
    source_ = EventQueue::key(when < now_ ? now_ : when, sequence_++ << kSlotBits);
    source_actor_ = &actor;
    source_payload_ = payload;
  }

  // Whether it was still to come; then it will not.
  bool cancel(EventId id);

  // Fires the next event. False if there is none. REQUIRES: not called by an actor that fires.
  bool step() { return step_until(Time::never()); }
  // The same, but leaves alone what comes after `end`.
  bool step_until(Time end) {
    for (;;) {
      const EventQueue::Key k = queue_.top();
      if (source_ < k) return fire_source(end);
      if (k == EventQueue::kNever || EventQueue::when(k) > end) return false;
      const auto slot = static_cast<std::uint32_t>(EventQueue::order(k) & kPendingMax);
      Event& event = events_[slot];
      Actor* const actor = event.actor;
      const std::uint64_t payload = event.payload;
      release(slot);
      if (actor == nullptr) [[unlikely]] {
        queue_.pop();
        --cancelled_;
        continue;
      }
      now_ = EventQueue::when(k);
      ++fired_;
      // The first event that the actor asks for takes the place at the top.
      hole_ = true;
      actor->fire(payload);
      fill_hole();
      return true;
    }
  }
  // Fires all that is due until `end`, its events included; then it is `end`.
  void run_until(Time end) {
    while (step_until(end)) continue;
    if (end > now_) now_ = end;
  }

  std::size_t pending() const {
    return queue_.size() - cancelled_ - (hole_ ? 1 : 0) + (source_ != EventQueue::kNever ? 1 : 0);
  }
  std::uint64_t fired() const { return fired_; }

 private:
  static constexpr int kSlotBits = 24;
  static constexpr std::uint32_t kNone = 0xffff'ffff;
  struct Event {
    Actor* actor;  // null: cancelled
    std::uint64_t payload;
    std::uint32_t generation;  // of the place; from 1 on
    std::uint32_t next_free;
  };

  std::uint32_t take_free() {
    const std::uint32_t slot = free_;
    free_ = events_[slot].next_free;
    return slot;
  }
  std::uint32_t grow();
  void release(std::uint32_t slot) {
    Event& event = events_[slot];
    if (++event.generation == 0) event.generation = 1;
    event.next_free = free_;
    free_ = slot;
  }
  bool fire_source(Time end) {
    if (EventQueue::when(source_) > end) return false;
    now_ = EventQueue::when(source_);
    source_ = EventQueue::kNever;
    ++fired_;
    source_actor_->fire(source_payload_);
    return true;
  }
  void fill_hole() {
    if (!hole_) return;
    hole_ = false;
    queue_.pop();
  }

  std::uint64_t seed_;
  Time now_;
  EventQueue queue_;
  std::vector<Event> events_;
  std::uint32_t free_ = kNone;
  EventQueue::Key source_ = EventQueue::kNever;
  Actor* source_actor_ = nullptr;
  std::uint64_t source_payload_ = 0;
  bool hole_ = false;  // the queue's top has fired and awaits its replacement
  std::uint64_t sequence_ = 0;
  std::uint64_t fired_ = 0;
  std::size_t cancelled_ = 0;
};

}  // namespace evener::sim

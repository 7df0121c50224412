#include "io/timer.h"

#include <algorithm>

#include "base/check.h"

namespace evener::io {

void Timer::disarm() {
  if (heap_ != nullptr) heap_->remove(*this);
}

TimerHeap::~TimerHeap() {
  for (Timer* timer : heap_) timer->heap_ = nullptr;
}

bool TimerHeap::before(const Timer& a, const Timer& b) const {
  return a.when_ != b.when_ ? a.when_ < b.when_ : a.sequence_ < b.sequence_;
}

void TimerHeap::place(std::size_t index, Timer* timer) {
  heap_[index] = timer;
  timer->index_ = index;
}

void TimerHeap::sift_up(std::size_t index) {
  Timer* moving = heap_[index];
  while (index > 0) {
    const std::size_t parent = (index - 1) / 4;
    if (!before(*moving, *heap_[parent])) break;
    place(index, heap_[parent]);
    index = parent;
  }
  place(index, moving);
}

void TimerHeap::sift_down(std::size_t index) {
  Timer* moving = heap_[index];
  for (;;) {
    const std::size_t first = index * 4 + 1;
    if (first >= heap_.size()) break;
    const std::size_t last = std::min(first + 4, heap_.size());
    std::size_t best = first;
    for (std::size_t child = first + 1; child < last; ++child) {
      if (before(*heap_[child], *heap_[best])) best = child;
    }
    if (!before(*heap_[best], *moving)) break;
    place(index, heap_[best]);
    index = best;
  }
  place(index, moving);
}

void TimerHeap::arm(Timer& timer, Time when) {
  EV_CHECK(timer.heap_ == nullptr || timer.heap_ == this, "a timer belongs to one heap");
  timer.when_ = when;
  timer.sequence_ = next_sequence_++;
  if (timer.heap_ == nullptr) {
    timer.heap_ = this;
    timer.index_ = heap_.size();
    heap_.push_back(&timer);
    sift_up(timer.index_);
    return;
  }
  const std::size_t index = timer.index_;
  sift_up(index);
  if (timer.index_ == index) sift_down(index);
}

void TimerHeap::remove(Timer& timer) {
  const std::size_t index = timer.index_;
  timer.heap_ = nullptr;
  Timer* last = heap_.back();
  heap_.pop_back();
  if (last == &timer) return;
  place(index, last);
  sift_up(index);
  if (last->index_ == index) sift_down(index);
}

void TimerHeap::fire_due(Time now) {
  const std::uint64_t armed_before = next_sequence_;
  while (!heap_.empty()) {
    Timer& timer = *heap_.front();
    if (timer.when_ > now || timer.sequence_ >= armed_before) break;
    remove(timer);
    timer.fire_(timer);
  }
}

}  // namespace evener::io

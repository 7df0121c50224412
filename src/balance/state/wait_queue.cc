#include <evener/wait_queue.h>

#include <algorithm>

#include "balance/state/range_check.h"
#include "base/check.h"

namespace evener {

std::expected<void, Error> check_settings(const WaitQueueSettings& settings) {
  constexpr Duration kHour = Duration::seconds(3600);
  return RangeCheck("wait queue")
      .number("size", settings.size, 0, 1e6)
      .duration("wait", settings.wait, Duration(), kHour)
      .duration("target", settings.target, Duration(), settings.wait)
      .duration("interval", settings.interval, Duration(), kHour)
      .duration("overload_wait", settings.overload_wait, settings.target, settings.wait)
      .result();
}

WaitQueue::~WaitQueue() {
  while (oldest_ != nullptr) unlink(*oldest_);
}

void WaitQueue::Node::cancel() noexcept {
  if (queue_ != nullptr) queue_->unlink(*this);
}

void WaitQueue::unlink(Node& node) noexcept {
  (node.older_ != nullptr ? node.older_->newer_ : oldest_) = node.newer_;
  (node.newer_ != nullptr ? node.newer_->older_ : newest_) = node.older_;
  node.queue_ = nullptr;
  node.older_ = nullptr;
  node.newer_ = nullptr;
  --size_;
}

// Dates the lateness by the oldest's own arrival, so that it does not matter how often one looks.
void WaitQueue::watch(Time now) noexcept {
  if (size_ < 2 || now - oldest_->since_ <= settings_.target) {
    late_since_ = Time::never();
  } else if (late_since_ == Time::never()) {
    late_since_ = oldest_->since_ + settings_.target;
  }
}

bool WaitQueue::overloaded(Time now) noexcept {
  watch(now);
  return late_since_ != Time::never() && now - late_since_ >= settings_.interval;
}

bool WaitQueue::push(Node& node, Time now, Time deadline) noexcept {
  EV_CHECK(!node.waiting(), "a node that waits already");
  watch(now);
  if (size_ >= settings_.size) return false;
  node.queue_ = this;
  node.since_ = now;
  node.deadline_ = std::min(deadline, now + settings_.wait);
  node.older_ = newest_;
  node.newer_ = nullptr;
  (newest_ != nullptr ? newest_->newer_ : oldest_) = &node;
  newest_ = &node;
  ++size_;
  return true;
}

WaitQueue::Node* WaitQueue::pop(Time now) noexcept {
  if (size_ == 0) return nullptr;
  Node* const next = overloaded(now) ? newest_ : oldest_;
  unlink(*next);
  return next;
}

WaitQueue::Node* WaitQueue::overdue(Time now) noexcept {
  if (size_ == 0) return nullptr;
  const Duration waited = now - oldest_->since_;
  const bool late = overloaded(now) && waited >= settings_.overload_wait;
  if (!late && !expired(*oldest_, now)) return nullptr;
  Node* const gone = oldest_;
  unlink(*gone);
  return gone;
}

}  // namespace evener

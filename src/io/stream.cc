#include "io/stream.h"

#include "base/check.h"
#include "io/loop.h"

namespace evener::io {

std::string_view to_string(IoStatus status) {
  switch (status) {
    case IoStatus::kOk:
      return "ok";
    case IoStatus::kEof:
      return "end of stream";
    case IoStatus::kReset:
      return "connection reset";
    case IoStatus::kTimedOut:
      return "timed out";
    case IoStatus::kAborted:
      return "aborted";
    case IoStatus::kCancelled:
      return "cancelled";
    case IoStatus::kRefused:
      return "connection refused";
    case IoStatus::kUnreachable:
      return "unreachable";
    case IoStatus::kNoDescriptors:
      return "out of descriptors";
  }
  return "unknown";
}

Stream::DeadlineTimer::DeadlineTimer(Stream& s)
    : Timer([](Timer& timer) {
        Stream& stream = static_cast<DeadlineTimer&>(timer).stream;
        if (stream.deadline_ > stream.loop_.now()) return stream.arm_timer_if_needed();
        if (!stream.receive_pending_ && !stream.send_pending_) return;
        stream.deadline_ = Time::never();
        stream.interrupt(Ops::kAll, IoStatus::kTimedOut);
      }),
      stream(s) {}

Stream::Stream(Loop& loop, const Address& peer) : loop_(loop), peer_(peer), timer_(*this) {}

void Stream::arm_timer_if_needed() {
  if (deadline_ != Time::never() && !timer_.armed()) loop_.timers().arm(timer_, deadline_);
}

void Stream::set_deadline(Time deadline) {
  deadline_ = deadline;
  // A later deadline is left to the armed timer, which looks again when it fires: the usual request
  // moves its deadline many times and the heap not once.
  if (!timer_.armed()) return arm_timer_if_needed();
  if (deadline < timer_.when()) loop_.timers().arm(timer_, deadline);
}

bool Stream::arm_connect(Waiter& waiter) {
  EV_CHECK(!send_pending_, "connect with an operation pending");
  if (aborted_) {
    sent_ = IoStatus::kAborted;
    return true;
  }
  arm_timer_if_needed();
  send_pending_ = true;
  if (start_connect()) {
    send_pending_ = false;
    return true;
  }
  send_waiter_ = &waiter;
  return false;
}

bool Stream::arm_send(Waiter& waiter, ChunkList& chunks, bool last) {
  EV_CHECK(!send_pending_, "two sends at once");
  sent_ = aborted_ ? IoStatus::kAborted : IoStatus::kOk;
  if (aborted_ || (chunks.empty() && !last)) return true;
  arm_timer_if_needed();
  outgoing_ = std::move(chunks);
  send_pending_ = true;
  if (start_send(last)) {
    send_pending_ = false;
    outgoing_.clear();
    return true;
  }
  send_waiter_ = &waiter;
  return false;
}

bool Stream::arm_receive(Waiter& waiter, std::size_t want) {
  EV_CHECK(receive_waiter_ == nullptr || receive_pending_, "a waiter without a receive");
  if (received_ready_) return true;
  if (receive_pending_) {
    receive_waiter_ = &waiter;
    arm_timer_if_needed();
    return false;
  }
  if (aborted_) {
    store_received(IoStatus::kAborted, {});
    return true;
  }
  arm_timer_if_needed();
  receive_pending_ = true;
  if (start_receive(want)) {
    receive_pending_ = false;
    return true;
  }
  receive_waiter_ = &waiter;
  return false;
}

void Stream::store_received(IoStatus status, Chunk chunk) {
  bytes_received_ += chunk.size();
  received_.status = status;
  received_.chunk = std::move(chunk);
  received_ready_ = true;
}

Received Stream::take_received() {
  EV_CHECK(received_ready_, "no receive has completed");
  received_ready_ = false;
  return std::move(received_);
}

void Stream::complete_receive(IoStatus status, Chunk chunk) {
  EV_CHECK(receive_pending_, "a completion without a receive");
  receive_pending_ = false;
  store_received(status, std::move(chunk));
  if (Waiter* waiter = std::exchange(receive_waiter_, nullptr)) waiter->done(*waiter);
}

void Stream::complete_send(IoStatus status) {
  EV_CHECK(send_pending_, "a completion without a send");
  send_pending_ = false;
  sent_ = status;
  outgoing_.clear();
  if (Waiter* waiter = std::exchange(send_waiter_, nullptr)) waiter->done(*waiter);
}

void Stream::abort() {
  if (std::exchange(aborted_, true)) return;
  interrupt(Ops::kAll, IoStatus::kAborted);
}

void Stream::cancel_receive() {
  if (receive_pending_) interrupt(Ops::kReceive, IoStatus::kCancelled);
}

void Stream::release() noexcept {
  receive_waiter_ = nullptr;
  send_waiter_ = nullptr;
  timer_.disarm();
  close();
}

}  // namespace evener::io

// ReportedLoad: what an endpoint said it holds, brought up to date by what this worker has sent and
// got back since.
//
// A value of one policy; times come in. Fresh for a second: beyond that the worker's own view, in
// flight here and elsewhere, is the better guess.
#pragma once

#include <evener/time.h>

#include <algorithm>
#include <cstdint>

#include "balance/slot.h"

namespace evener {

class ReportedLoad {
 public:
  static constexpr Duration kFresh = Duration::seconds(1);

  void take(std::uint32_t in_flight, const Slot& slot, Time now) {
    at_ = now;
    in_flight_ = in_flight;
    own_ = slot.in_flight;
    known_ = true;
  }

  bool fresh(Time now) const { return known_ && now - at_ <= kFresh; }

  // Requests in flight to the endpoint, from everybody. Never below this worker's own.
  std::uint32_t at(const Slot& slot, Time now) const {
    if (!fresh(now)) return slot.load() - 1;
    const std::int64_t since = std::int64_t{slot.in_flight} - own_;
    const std::int64_t all = std::max<std::int64_t>(in_flight_ + since, slot.in_flight);
    return static_cast<std::uint32_t>(std::min<std::int64_t>(all, 0xffff'fffe));
  }

 private:
  Time at_;
  std::uint32_t in_flight_ = 0;
  std::uint32_t own_ = 0;  // of this worker, then
  bool known_ = false;
};

}  // namespace evener

// Link: how bytes travel from one host to another on the simulated network.
//
// Plain values, per direction. Bytes of one connection keep their order; different connections
// overtake each other. Loss is a delay, as it is above TCP: a lost segment comes again later, and
// what was sent behind it waits.
#pragma once

#include <evener/time.h>

#include <cstddef>

namespace evener::sim {

struct Link {
  Duration latency = Duration::microseconds(200);     // one way
  Duration jitter = {};                               // up to so much more, drawn for each segment
  double bytes_per_second = 0;                        // 0: no limit
  double loss = 0;                                    // share of segments that are sent again
  Duration retransmit = Duration::milliseconds(200);  // the first wait; doubles for each loss more
  // Segments carry a number of bytes between these two, drawn for each; 1 and 1: single bytes.
  std::size_t segment_min = 64 * 1024;
  std::size_t segment_max = 64 * 1024;
  // What the kernels hold: sent and not arrived yet, arrived and not read yet.
  std::size_t send_buffer = 256 * 1024;
  std::size_t receive_buffer = 256 * 1024;
};

}  // namespace evener::sim

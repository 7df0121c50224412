// Upload: a request's body on its way from the client to an endpoint.
//
// Owner: the Exchange. Thread: the worker's loop. Memory is bounded by one received block: the next
// is read when the endpoint has taken the last. What is left of the input behind the body stays
// with the client connection. Cost: no copy of the body; chunked bodies are framed anew.
#pragma once

#include <optional>

#include "proxy/client.h"
#include "proxy/reason.h"
#include "upstream/connection_pool.h"

namespace evener::proxy {

class Upload {
 public:
  struct Limits {
    std::uint64_t body_bytes;
    Duration client_idle;
  };

  Upload(ClientConnection& client, const http::Head& head, Limits limits);

  // The whole request has been read from the client.
  bool complete() const { return complete_; }
  // A byte of the body has come.
  bool started() const { return bytes_ > 0; }
  // Why reading it failed: kNone, kBadRequest, kBodyTimeout, kBodyTooLarge or kClientGone.
  Reason failure() const { return failure_; }
  // Adds what is already here to `out`, without waiting. REQUIRES: room for four chunks.
  void take_ready(io::ChunkList& out);
  // Sends the rest; ends when it is done, when either side fails, or after stop(). A failure of the
  // client's side aborts the endpoint's stream. `idle`: how long the endpoint may take no byte.
  io::Task<void> run(io::Stream& endpoint, Duration idle);
  void stop();

 private:
  void next_piece(io::ChunkList& out);
  void fail(Reason reason) { failure_ = reason; }
  io::Task<bool> receive();

  ClientConnection& client_;
  Limits limits_;
  bool chunked_;
  bool complete_ = false;
  bool stopped_ = false;
  Reason failure_ = Reason::kNone;
  std::uint64_t bytes_ = 0;
};

}  // namespace evener::proxy

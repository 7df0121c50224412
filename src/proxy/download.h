// Download: a response on its way from an endpoint to the client, head included.
//
// Owner: the Exchange's coroutine. Thread: the worker's loop. Memory is bounded by one received
// block: the next is read when the client has taken the last. The rewritten head and chunk framing
// are laid into the block's headroom, so head and body leave in one send and the body is not
// copied; small chunks of one block are moved together and framed once.
#pragma once

#include <string>

#include "http/serialize.h"
#include "io/task.h"
#include "proxy/reason.h"
#include "upstream/connection_pool.h"

namespace evener::proxy {

class Download {
 public:
  struct Timeouts {
    Duration endpoint_idle;
    Duration client_send;
  };
  struct Result {
    Reason reason = Reason::kNone;  // kNone, kClientGone, or kTruncated when the endpoint failed
    bool reusable = false;          // the endpoint's connection can serve another request
    bool head_sent = true;          // false: nothing of the response has left yet
  };

  // `input`: bytes behind the response's head. `text` holds the rewritten head and is used for
  // framing later; other exchanges may use it too while this one waits.
  // REQUIRES: the endpoint's parser has a final head.
  Download(io::Stream& client, upstream::EndpointConnection& endpoint, io::Chunk input,
           std::string& text, Timeouts timeouts)
      : client_(client),
        endpoint_(endpoint),
        input_(std::move(input)),
        text_(text),
        timeouts_(timeouts) {}

  // Sends the head and the body framed as `plan` says. When the result is not kNone and the client
  // could not see the loss otherwise, its stream is aborted.
  io::Task<Result> run(http::ResponsePlan plan);

 private:
  struct Piece {
    io::Chunk body;
    bool end = false;
    bool failed = false;
  };
  Piece gather();
  io::ChunkList frame(Piece& piece, http::Framing framing);
  io::Task<bool> receive(bool& ended);
  std::size_t want() const;

  io::Stream& client_;
  upstream::EndpointConnection& endpoint_;
  io::Chunk input_;
  std::string& text_;
  Timeouts timeouts_;
  std::uint64_t body_bytes_ = 0;
  std::uint64_t body_length_ = 0;  // 0: not known
  bool head_sent_ = false;
  bool keep_alive_ = false;
  bool stray_ = false;
};

}  // namespace evener::proxy

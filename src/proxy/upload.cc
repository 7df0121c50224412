#include "proxy/upload.h"

#include <string>

#include "http/serialize.h"
#include "io/loop.h"
#include "proxy/text.h"

namespace evener::proxy {

Upload::Upload(ClientConnection& client, const http::Head& head, Limits limits)
    : client_(client), limits_(limits), chunked_(head.framing == http::Framing::kChunked) {}

// Moves one piece of the body, and the end when it follows at once, from the client's input to
// `out`.
void Upload::next_piece(io::ChunkList& out) {
  io::Chunk& input = client_.input();
  io::BufferPool& buffers = client_.stream().loop().buffers();
  const http::Step step = client_.parser().feed(input.bytes());
  if (step.event == http::Event::kBody) {
    bytes_ += step.body.size();
    if (bytes_ > limits_.body_bytes) return fail(Reason::kBodyTooLarge);
    std::string line;
    if (chunked_) {
      http::append_chunk_header(line, step.body.size());
      add_text(out, buffers, line);
    }
    out.add(
        input.slice(static_cast<std::size_t>(step.body.data() - input.data()), step.body.size()));
    if (chunked_) out.add(io::Chunk::constant(http::kChunkEnd));
  } else if (step.event == http::Event::kEnd) {
    complete_ = true;
    if (chunked_) {
      std::string tail;
      http::append_last_chunk(tail, client_.parser().trailers());
      add_text(out, buffers, tail);
    }
  } else if (step.event == http::Event::kError) {
    return fail(Reason::kBadRequest);
  }
  input.drop_front(step.consumed);
  if (input.empty()) input.release();
}

void Upload::take_ready(io::ChunkList& out) {
  next_piece(out);
  // A body of known length in one piece: its end costs no bytes and makes the request whole.
  if (!chunked_ && !complete_ && failure_ == Reason::kNone && !out.empty()) next_piece(out);
}

io::Task<bool> Upload::receive() {
  io::Stream& stream = client_.stream();
  stream.set_deadline(stream.loop().now() + limits_.client_idle);
  io::Received result = co_await stream.receive(io::kLargeBlock);
  switch (result.status) {
    case io::IoStatus::kOk:
      client_.input() = std::move(result.chunk);
      break;
    case io::IoStatus::kTimedOut:
      fail(Reason::kBodyTimeout);
      break;
    case io::IoStatus::kCancelled:
      break;
    default:
      fail(Reason::kClientGone);
      break;
  }
  co_return result.status == io::IoStatus::kOk;
}

io::Task<void> Upload::run(io::Stream& endpoint, Duration idle) {
  while (!complete_ && !stopped_ && failure_ == Reason::kNone) {
    io::ChunkList out;
    next_piece(out);
    if (failure_ != Reason::kNone) break;
    if (!out.empty()) {
      endpoint.set_deadline(endpoint.loop().now() + idle);
      // A refused write is not the end: the endpoint may have answered before it stopped reading.
      if (co_await endpoint.send(std::move(out)) != io::IoStatus::kOk) break;
    } else if (!complete_) {
      // The endpoint has all there is: while the client is awaited only the client's time runs.
      endpoint.set_deadline(Time::never());
      if (!co_await receive()) break;
    }
  }
  client_.stream().set_deadline(Time::never());
  if (failure_ != Reason::kNone) endpoint.abort();
}

void Upload::stop() {
  stopped_ = true;
  client_.stream().cancel_receive();
}

}  // namespace evener::proxy

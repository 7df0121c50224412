#include "proxy/download.h"

#include <cstring>

#include "io/loop.h"
#include "proxy/text.h"

namespace evener::proxy {

// Decodes all of input_ and moves the body's pieces together in place.
Download::Piece Download::gather() {
  Piece piece;
  io::Chunk whole = input_.slice(0, input_.size());
  char* start = nullptr;
  std::size_t size = 0;
  while (!piece.end && !piece.failed) {
    const http::Step step = endpoint_.parser().feed(input_.bytes());
    if (step.event == http::Event::kBody) {
      char* data = input_.mutable_data() + (step.body.data() - input_.data());
      if (start == nullptr) start = data;
      if (start + size != data) std::memmove(start + size, data, step.body.size());
      size += step.body.size();
    }
    input_.drop_front(step.consumed);
    piece.end = step.event == http::Event::kEnd;
    piece.failed = step.event == http::Event::kError;
    if (step.event == http::Event::kNeedMore) break;
  }
  if (start != nullptr) {
    whole.drop_front(static_cast<std::size_t>(start - whole.data()));
    whole.truncate(size);
    piece.body = std::move(whole);
  }
  stray_ = !input_.empty();
  body_bytes_ += size;
  return piece;
}

io::ChunkList Download::frame(Piece& piece, http::Framing framing) {
  io::BufferPool& buffers = client_.loop().buffers();
  if (std::exchange(head_sent_, true)) text_.clear();
  std::string tail;
  if (framing == http::Framing::kChunked) {
    if (!piece.body.empty()) {
      http::append_chunk_header(text_, piece.body.size());
      tail = http::kChunkEnd;
    }
    if (piece.end) http::append_last_chunk(tail, endpoint_.parser().trailers());
  }
  // What stood behind the body in its block has been decoded, unless it is stray and then nobody's.
  const bool joined = !tail.empty() && piece.body.append(tail);
  io::ChunkList list;
  add_in_front(list, buffers, text_, std::move(piece.body));
  if (!joined) add_text(list, buffers, tail);
  return list;
}

std::size_t Download::want() const {
  if (body_length_ > 0) {
    return body_length_ - body_bytes_ > io::kSmallBlock ? io::kLargeBlock : io::kSmallBlock;
  }
  return body_bytes_ > 2 * io::kSmallBlock ? io::kLargeBlock : io::kSmallBlock;
}

// False: the endpoint's stream failed. `ended`: it has ended in good order.
io::Task<bool> Download::receive(bool& ended) {
  io::Stream& stream = endpoint_.stream();
  input_.release();
  stream.set_deadline(stream.loop().now() + timeouts_.endpoint_idle);
  io::Received result = co_await stream.receive(want());
  if (result.status == io::IoStatus::kOk) input_ = std::move(result.chunk);
  ended = result.status == io::IoStatus::kEof;
  co_return result.status == io::IoStatus::kOk || ended;
}

io::Task<Download::Result> Download::run(http::ResponsePlan plan) {
  const http::Head& head = endpoint_.parser().head();
  keep_alive_ = head.keep_alive && head.framing != http::Framing::kUntilClose;
  if (head.framing == http::Framing::kLength) body_length_ = head.content_length;
  for (bool ended = false;;) {
    Piece piece = gather();
    if (ended && !piece.failed) {
      // The endpoint has closed: the end of a body without length, else a loss.
      piece.end = endpoint_.parser().finish().event == http::Event::kEnd;
      piece.failed = !piece.end;
      keep_alive_ = false;
    }
    const bool something = !head_sent_ || !piece.body.empty() || piece.end;
    if (!piece.failed && something) {
      io::ChunkList list = frame(piece, plan.framing);
      client_.set_deadline(client_.loop().now() + timeouts_.client_send);
      if (co_await client_.send(std::move(list)) != io::IoStatus::kOk) {
        // In good order, what is in the kernel would pass for a whole body that ends by close.
        client_.abort();
        co_return Result{Reason::kClientGone, false};
      }
    }
    if (piece.end) break;
    if (piece.failed || !co_await receive(ended)) {
      // A body that ends by close has no other way to show that it was cut.
      if (plan.framing == http::Framing::kUntilClose) client_.abort();
      co_return Result{Reason::kTruncated, false, head_sent_};
    }
  }
  co_return Result{Reason::kNone, keep_alive_ && !stray_};
}

}  // namespace evener::proxy

#include "io/uring_stream.h"

#include <cerrno>

#include "base/check.h"

namespace evener::io {

UringStream::UringStream(UringEngine& engine, Loop& loop, const Address& peer, Fd fd)
    : Stream(loop, peer),
      engine_(engine),
      fd_(std::move(fd)),
      receive_op_{{[](UringOp& op, int result, std::uint32_t flags) {
                    static_cast<Op&>(op).stream.end_receive(result, flags);
                  }},
                  *this,
                  false,
                  {}},
      send_op_{{[](UringOp& op, int result, std::uint32_t) {
                 static_cast<Op&>(op).stream.end_send(result);
               }},
               *this,
               false,
               {}} {}

IoStatus UringStream::status_of(Op& op, int result) {
  if (aborted_) return IoStatus::kAborted;
  if (result == -ECANCELED && op.why) return *op.why;
  return status_of_errno(-result);
}

bool UringStream::start_connect() {
  fd_ = make_client_socket(peer_, false);
  if (!fd_.valid()) {
    sent_ = status_of_errno(errno);
    return true;
  }
  connecting_ = true;
  send_op_.why.reset();
  send_op_.in_kernel = true;
  engine_.submit(send_op_, [this](io_uring_sqe& sqe) {
    io_uring_prep_connect(&sqe, fd_.get(), peer_.raw(), peer_.raw_size());
  });
  return false;
}

bool UringStream::start_receive(std::size_t want) {
  want_ = want;
  ring_buffers_ = want <= kSmallBlock;
  receive_op_.why.reset();
  submit_receive();
  return false;
}

void UringStream::submit_receive() {
  receive_op_.in_kernel = true;
  if (!ring_buffers_) {
    own_block_ = loop_.buffers().take(want_);
    engine_.submit(receive_op_, [this](io_uring_sqe& sqe) {
      io_uring_prep_recv(&sqe, fd_.get(), own_block_->payload(), own_block_->capacity, 0);
    });
    return;
  }
  engine_.submit(receive_op_, [this](io_uring_sqe& sqe) {
    io_uring_prep_recv(&sqe, fd_.get(), nullptr, kSmallBlock, 0);
    sqe.flags |= IOSQE_BUFFER_SELECT;
    sqe.buf_group = UringEngine::kBufferGroup;
    // A short message is nearly never there yet when it is asked for: skip the useless first try.
    sqe.ioprio |= IORING_RECVSEND_POLL_FIRST;
  });
}

void UringStream::end_receive(int result, std::uint32_t flags) {
  end_op(receive_op_);
  Chunk chunk;
  const std::size_t size = result > 0 ? static_cast<std::size_t>(result) : 0;
  if ((flags & IORING_CQE_F_BUFFER) != 0) {
    chunk = engine_.take_buffer(static_cast<std::uint16_t>(flags >> IORING_CQE_BUFFER_SHIFT), size);
  } else if (own_block_ != nullptr) {
    chunk = Chunk::adopt(std::exchange(own_block_, nullptr), size);
  }
  if (closing_) return close();
  if (result == -ENOBUFS && ring_buffers_) {
    ring_buffers_ = false;
    return submit_receive();
  }
  if ((result == -ECANCELED && !receive_op_.why) || result == -EINTR) return submit_receive();
  if (result > 0 && !aborted_) return complete_receive(IoStatus::kOk, std::move(chunk));
  chunk.release();
  const IoStatus status =
      result == 0 && !aborted_ ? IoStatus::kEof : status_of(receive_op_, result);
  complete_receive(status == IoStatus::kOk ? IoStatus::kAborted : status, {});
}

bool UringStream::start_send(bool last) {
  last_ = last;
  send_op_.why.reset();
  if (outgoing_.empty()) {
    ::shutdown(fd_.get(), SHUT_WR);
    return true;
  }
  submit_send();
  return false;
}

void UringStream::submit_send() {
  send_op_.in_kernel = true;
  const auto chunks = outgoing_.chunks();
  constexpr int kFlags = MSG_NOSIGNAL | MSG_WAITALL;
  if (chunks.size() == 1) {
    const Chunk& only = chunks.front();
    engine_.submit(send_op_, [this, &only](io_uring_sqe& sqe) {
      io_uring_prep_send(&sqe, fd_.get(), only.data(), only.size(), kFlags);
    });
    return;
  }
  std::size_t count = 0;
  for (const Chunk& chunk : chunks) {
    vectors_[count++] = {const_cast<char*>(chunk.data()), chunk.size()};
  }
  message_ = {};
  message_.msg_iov = vectors_.data();
  message_.msg_iovlen = count;
  engine_.submit(send_op_, [this](io_uring_sqe& sqe) {
    io_uring_prep_sendmsg(&sqe, fd_.get(), &message_, kFlags);
  });
}

void UringStream::end_send(int result) {
  end_op(send_op_);
  if (closing_) return close();
  if (connecting_) {
    connecting_ = false;
    return complete_send(status_of(send_op_, result));
  }
  if (result == -EINTR) return submit_send();
  if (result < 0) return complete_send(status_of(send_op_, result));
  bytes_sent_ += static_cast<std::size_t>(result);
  outgoing_.consume(static_cast<std::size_t>(result));
  if (aborted_) return complete_send(IoStatus::kAborted);
  if (!outgoing_.empty()) {
    if (send_op_.why) return complete_send(*send_op_.why);
    return submit_send();
  }
  if (last_) ::shutdown(fd_.get(), SHUT_WR);
  complete_send(IoStatus::kOk);
}

void UringStream::end_op(Op& op) {
  op.in_kernel = false;
  engine_.op_ended();
}

void UringStream::interrupt(Ops ops, IoStatus why) {
  if (receive_op_.in_kernel) {
    receive_op_.why = why;
    engine_.cancel(receive_op_);
  }
  if (ops == Ops::kAll && send_op_.in_kernel) {
    send_op_.why = why;
    engine_.cancel(send_op_);
  }
}

bool UringStream::is_quiet() { return !received_ready_ && socket_is_quiet(fd_.get()); }

void UringStream::close() {
  if (!closing_) {
    closing_ = true;
    interrupt(Ops::kAll, IoStatus::kAborted);
  }
  if (receive_op_.in_kernel || send_op_.in_kernel) return;
  if (aborted_ && fd_.valid()) reset_on_close(fd_.get());
  fd_.reset();
  outgoing_.clear();
  received_.chunk.release();
  engine_.bury(*this);
}

UringListener::Core::Core(UringEngine& e, Loop& l, ListeningSocket s, AcceptHandler h)
    : UringOp{[](UringOp& op, int result, std::uint32_t flags) {
        static_cast<Core&>(op).accepted(result, flags);
      }},
      engine(e),
      loop(l),
      fd(std::move(s.fd)),
      address(s.address),
      on_accept(std::move(h)) {}

void UringListener::Core::arm() {
  while (!paused && !closed && !waiting.empty()) {
    Fd next = std::move(waiting.front());
    waiting.pop_front();
    hand_over(std::move(next));
  }
  if (in_kernel || paused || closed || rest_timer.armed()) return;
  in_kernel = true;
  engine.submit(*this, [this](io_uring_sqe& sqe) {
    io_uring_prep_multishot_accept(&sqe, fd.get(), nullptr, nullptr, SOCK_CLOEXEC);
  });
}

void UringListener::Core::stop() {
  if (in_kernel) engine.cancel(*this);
}

void UringListener::Core::accepted(int result, std::uint32_t flags) {
  if ((flags & IORING_CQE_F_MORE) == 0) {
    in_kernel = false;
    engine.op_ended();
  }
  if (result >= 0) {
    Fd accepted(result);
    if (paused && !closed) {
      waiting.push_back(std::move(accepted));
    } else if (!closed) {
      hand_over(std::move(accepted));
    }
  } else if (is_out_of_descriptors(-result)) {
    resting.begin(loop, rest_timer, address, -result);
  }
  if (in_kernel) return;
  if (closed) {
    delete this;  // tidy: allow(delete) the listener let go of us
    return;
  }
  arm();
}

void UringListener::Core::hand_over(Fd accepted) {
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  auto* raw = reinterpret_cast<sockaddr*>(&peer);
  // A peer that is gone already has no name; nobody is left to serve.
  if (::getpeername(accepted.get(), raw, &size) != 0) return;
  on_accept(engine.adopt(std::move(accepted), Address::from_sockaddr(raw)));
}

UringListener::UringListener(UringEngine& engine, Loop& loop, ListeningSocket socket,
                             AcceptHandler on_accept)
    : core_(std::make_unique<Core>(engine, loop, std::move(socket), std::move(on_accept))) {
  address_ = core_->address;
  core_->arm();
}

UringListener::~UringListener() {
  core_->closed = true;
  core_->rest_timer.disarm();
  // The kernel refuses new connections from here on, even while the cancelled accept lingers.
  ::shutdown(core_->fd.get(), SHUT_RDWR);
  core_->stop();
  if (core_->in_kernel) static_cast<void>(core_.release());
}

void UringListener::pause() {
  core_->paused = true;
  core_->stop();
}

void UringListener::stop() {
  ignore_new_connections(core_->fd.get());
  resume();
}

void UringListener::resume() {
  core_->paused = false;
  // Those that wait are handed over from a turn of their own, not from inside this call.
  if (!core_->waiting.empty())
    return core_->loop.timers().arm(core_->rest_timer, core_->loop.now());
  core_->arm();
}

}  // namespace evener::io

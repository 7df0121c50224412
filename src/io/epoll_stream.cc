#include "io/epoll_stream.h"

#include <sys/socket.h>

#include <cerrno>

namespace evener::io {
namespace {

constexpr std::uint32_t kAllEvents = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;

}  // namespace

EpollStream::EpollStream(EpollEngine& engine, Loop& loop, const Address& peer)
    : Stream(loop, peer),
      engine_(engine),
      deferred_{{[](Deferred& d) { static_cast<Work&>(d).stream.run_deferred(); }}, *this} {}

bool EpollStream::adopt(Fd fd) {
  fd_ = std::move(fd);
  return engine_.add(fd_.get(), kAllEvents, *this);
}

void EpollStream::note(std::uint32_t events) {
  constexpr std::uint32_t kEnd = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
  if ((events & (EPOLLIN | kEnd)) != 0) readable_ = true;
  if ((events & kEnd) != 0) ended_ = true;
  if ((events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0) writable_ = true;
}

void EpollStream::deliver() {
  if (connecting_) {
    if (writable_) finish_connect();
  } else if (send_pending_ && writable_ && flush()) {
    interrupt_send_.reset();
    complete_send(sent_);
  }
  if (fd_.valid()) deliver_receive();
}

void EpollStream::deliver_receive() {
  Received result;
  if (!receive_pending_ || !readable_ || !try_receive(result)) return;
  interrupt_receive_.reset();
  complete_receive(result.status, std::move(result.chunk));
}

bool EpollStream::start_connect() {
  fd_ = make_client_socket(peer_, true);
  if (!fd_.valid()) {
    sent_ = status_of_errno(errno);
    return true;
  }
  const bool connected = ::connect(fd_.get(), peer_.raw(), peer_.raw_size()) == 0;
  const int error = connected ? 0 : errno;
  if (!connected && error != EINPROGRESS) {
    sent_ = status_of_errno(error);
    return true;
  }
  writable_ = connected;
  connecting_ = !connected;
  if (!engine_.add(fd_.get(), kAllEvents, *this)) {
    connecting_ = false;
    sent_ = IoStatus::kNoDescriptors;
    return true;
  }
  sent_ = IoStatus::kOk;
  return connected;
}

void EpollStream::finish_connect() {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  connecting_ = false;
  interrupt_send_.reset();
  complete_send(status_of_errno(error));
}

bool EpollStream::start_receive(std::size_t want) {
  want_ = want;
  if (!readable_) return false;
  if (reads_turn_ != engine_.turn_number()) {
    reads_turn_ = engine_.turn_number();
    reads_ = 0;
  }
  if (++reads_ > kReadsPerTurn) {
    loop_.defer(deferred_);
    return false;
  }
  Received result;
  if (!try_receive(result)) return false;
  store_received(result.status, std::move(result.chunk));
  return true;
}

bool EpollStream::try_receive(Received& result) {
  Block* block = loop_.buffers().take(want_);
  ssize_t n = 0;
  do {
    n = receive_bytes(fd_.get(), block->payload(), block->capacity);
  } while (n < 0 && errno == EINTR);
  if (n > 0) {
    // A short read empties the queue; the next byte makes a new edge. A known end has had its edge.
    readable_ = static_cast<std::size_t>(n) == block->capacity || ended_;
    result = {IoStatus::kOk, Chunk::adopt(block, static_cast<std::size_t>(n))};
    return true;
  }
  const int error = n == 0 ? 0 : errno;
  Chunk::adopt(block, 0).release();
  if (error == EAGAIN || error == EWOULDBLOCK) {
    readable_ = false;
    return false;
  }
  result.status = n == 0 ? IoStatus::kEof : status_of_errno(error);
  return true;
}

bool EpollStream::start_send(bool last) {
  last_ = last;
  return flush();
}

bool EpollStream::flush() {
  sent_ = IoStatus::kOk;
  while (!outgoing_.empty()) {
    const ssize_t n = send_some();
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      writable_ = false;
      return false;
    }
    if (n < 0) {
      sent_ = status_of_errno(errno);
      return true;
    }
    bytes_sent_ += static_cast<std::size_t>(n);
    outgoing_.consume(static_cast<std::size_t>(n));
  }
  if (last_) ::shutdown(fd_.get(), SHUT_WR);
  return true;
}

ssize_t EpollStream::send_some() {
  const auto chunks = outgoing_.chunks();
  // One chunk is the usual case, and the plain call is the cheaper one.
  if (chunks.size() == 1) {
    return send_bytes(fd_.get(), chunks[0].data(), chunks[0].size(), MSG_NOSIGNAL);
  }
  std::array<iovec, ChunkList::kMax> vectors{};
  std::size_t count = 0;
  for (const Chunk& chunk : chunks) {
    vectors[count++] = {const_cast<char*>(chunk.data()), chunk.size()};
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  return send_message(fd_.get(), message, MSG_NOSIGNAL);
}

void EpollStream::interrupt(Ops ops, IoStatus why) {
  if (receive_pending_) interrupt_receive_ = why;
  if (ops == Ops::kAll && send_pending_) interrupt_send_ = why;
  if (receive_pending_ || send_pending_) loop_.defer(deferred_);
}

void EpollStream::run_deferred() {
  if (!fd_.valid() && !send_pending_ && !receive_pending_) return;
  if (const auto why = std::exchange(interrupt_send_, std::nullopt); why && send_pending_) {
    connecting_ = false;
    complete_send(*why);
  }
  if (!fd_.valid()) return;
  if (const auto why = std::exchange(interrupt_receive_, std::nullopt); why && receive_pending_) {
    complete_receive(*why, {});
    return;
  }
  deliver_receive();
}

bool EpollStream::is_quiet() {
  return !readable_ && !received_ready_ && fd_.valid() && socket_is_quiet(fd_.get());
}

void EpollStream::close() {
  if (fd_.valid()) {
    engine_.forget(*this);
    if (aborted_) reset_on_close(fd_.get());
    fd_.reset();
  }
  outgoing_.clear();
  received_.chunk.release();
  receive_pending_ = false;
  send_pending_ = false;
  engine_.bury(*this);
}

EpollListener::EpollListener(EpollEngine& engine, Loop& loop, ListeningSocket socket,
                             AcceptHandler on_accept)
    : engine_(engine),
      loop_(loop),
      fd_(std::move(socket.fd)),
      on_accept_(std::move(on_accept)),
      rest_timer_(*this) {
  address_ = socket.address;
}

EpollListener::~EpollListener() { engine_.forget(*this); }

void EpollListener::pause() {
  paused_ = true;
  watch();
}

void EpollListener::resume() {
  paused_ = false;
  watch();
}

void EpollListener::stop() {
  ignore_new_connections(fd_.get());
  resume();
}

void EpollListener::watch() {
  const bool wanted = !paused_ && !rest_timer_.armed();
  if (wanted == watching_) return;
  watching_ = wanted;
  engine_.change(fd_.get(), wanted ? static_cast<std::uint32_t>(EPOLLIN) : 0, *this);
}

void EpollListener::rest(int error) {
  rest_.begin(loop_, rest_timer_, address_, error);
  watch();
}

void EpollListener::deliver() {
  for (int i = 0; i < kAcceptsPerTurn && watching_; ++i) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    const int fd = ::accept4(fd_.get(), reinterpret_cast<sockaddr*>(&peer), &size,
                             SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      if (is_out_of_descriptors(errno)) rest(errno);
      if (errno == EAGAIN || errno == EWOULDBLOCK || is_out_of_descriptors(errno)) return;
      continue;  // the connection broke while it waited: nobody to serve
    }
    StreamPtr stream =
        engine_.adopt(Fd(fd), Address::from_sockaddr(reinterpret_cast<sockaddr*>(&peer)));
    if (stream) on_accept_(std::move(stream));
  }
}

}  // namespace evener::io

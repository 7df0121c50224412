#include "io/epoll_engine.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "io/epoll_stream.h"
#include "io/loop.h"

namespace evener::io {

std::expected<std::unique_ptr<Engine>, std::string> make_epoll_engine(Loop& loop) {
  return EpollEngine::make(loop);
}

std::expected<std::unique_ptr<Engine>, std::string> EpollEngine::make(Loop& loop) {
  Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
  Fd wake_fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!epoll.valid() || !wake_fd.valid()) {
    return std::unexpected("can't make an epoll engine: " + errno_text(errno));
  }
  epoll_event event{.events = EPOLLIN, .data = {.ptr = nullptr}};
  if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, wake_fd.get(), &event) != 0) {
    return std::unexpected("can't make an epoll engine: " + errno_text(errno));
  }
  return std::unique_ptr<Engine>(
      new EpollEngine(loop, std::move(epoll), std::move(wake_fd)));  // tidy: allow(new) private
}

EpollEngine::EpollEngine(Loop& loop, Fd epoll, Fd wake_fd)
    : Engine("epoll"), loop_(loop), epoll_(std::move(epoll)), wake_fd_(std::move(wake_fd)) {}

EpollEngine::~EpollEngine() {
  for (EpollStream* stream : buried_) delete stream;  // tidy: allow(delete) release() gave it to us
}

void EpollEngine::wake() noexcept {
  const std::uint64_t one = 1;
  // The only failure is a full counter, which wakes as well.
  static_cast<void>(!::write(wake_fd_.get(), &one, sizeof one));
}

int EpollEngine::wait(Time until) {
  const int capacity = static_cast<int>(kBatch);
  if (until == Time::never()) return ::epoll_wait(epoll_.get(), batch_.data(), capacity, -1);
  if (until <= loop_.now()) return ::epoll_wait(epoll_.get(), batch_.data(), capacity, 0);
  const Duration left = std::max(until - monotonic_now(), Duration());
  if (precise_) {
    const timespec ts{.tv_sec = left.ns() / 1'000'000'000, .tv_nsec = left.ns() % 1'000'000'000};
    const int n = ::epoll_pwait2(epoll_.get(), batch_.data(), capacity, &ts, nullptr);
    if (n >= 0 || errno == EINTR) return n;
    precise_ = false;  // an older kernel, or a profile that refuses the call
  }
  const std::int64_t ms = std::min<std::int64_t>(left.ms() + 1, 60'000);
  return ::epoll_wait(epoll_.get(), batch_.data(), capacity, static_cast<int>(ms));
}

void EpollEngine::turn(Time until) {
  free_buried();
  const int n = wait(until);
  loop_.set_now(monotonic_now());
  ++turn_number_;
  batch_size_ = n > 0 ? static_cast<std::size_t>(n) : 0;
  for (std::size_t i = 0; i < batch_size_; ++i) {
    if (batch_[i].data.ptr == nullptr) {
      std::uint64_t count = 0;
      static_cast<void>(!::read(wake_fd_.get(), &count, sizeof count));
    } else {
      static_cast<EpollHandler*>(batch_[i].data.ptr)->note(batch_[i].events);
    }
  }
  for (std::size_t i = 0; i < batch_size_; ++i) {
    if (batch_[i].data.ptr != nullptr) static_cast<EpollHandler*>(batch_[i].data.ptr)->deliver();
  }
  batch_size_ = 0;
}

void EpollEngine::forget(EpollHandler& handler) {
  for (std::size_t i = 0; i < batch_size_; ++i) {
    if (batch_[i].data.ptr == &handler) batch_[i].data.ptr = nullptr;
  }
}

void EpollEngine::bury(EpollStream& stream) { buried_.push_back(&stream); }

void EpollEngine::free_buried() {
  std::erase_if(buried_, [](EpollStream* stream) {
    if (stream->has_queued_work()) return false;
    delete stream;  // tidy: allow(delete) release() gave it to us
    return true;
  });
}

bool EpollEngine::add(int fd, std::uint32_t events, EpollHandler& handler) {
  epoll_event event{.events = events, .data = {.ptr = &handler}};
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

void EpollEngine::change(int fd, std::uint32_t events, EpollHandler& handler) {
  epoll_event event{.events = events, .data = {.ptr = &handler}};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

StreamPtr EpollEngine::open(const Address& peer) {
  return StreamPtr(new EpollStream(*this, loop_, peer));  // tidy: allow(new) StreamPtr releases it
}

StreamPtr EpollEngine::adopt(Fd fd, const Address& peer) {
  auto* stream = new EpollStream(*this, loop_, peer);  // tidy: allow(new) StreamPtr releases it
  StreamPtr owned(stream);
  if (!stream->adopt(std::move(fd))) return nullptr;
  return owned;
}

std::expected<ListenerPtr, std::string> EpollEngine::listen(const Address& address,
                                                            const ListenOptions& options,
                                                            AcceptHandler on_accept) {
  auto socket = make_listening_socket(address, options, true);
  if (!socket) return std::unexpected(std::move(socket.error()));
  auto listener =
      std::make_unique<EpollListener>(*this, loop_, std::move(*socket), std::move(on_accept));
  if (!listener->start()) {
    return std::unexpected("can't watch " + address.text() + ": " + errno_text(errno));
  }
  return listener;
}

}  // namespace evener::io

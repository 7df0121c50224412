#include "io/socket.h"

#include <fmt/format.h>
#include <linux/filter.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

namespace evener::io {
namespace {

void set_option(int fd, int level, int name, int value) {
  // Every option set here is an improvement, not a need: a refusal changes no meaning.
  static_cast<void>(::setsockopt(fd, level, name, &value, sizeof value));
}

int socket_type(bool nonblocking) {
  return SOCK_STREAM | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0);
}

std::string listen_error(const Address& address, int error) {
  const std::string text = address.text();
  switch (error) {
    case EADDRINUSE:
      return fmt::format(
          "can't listen on {}: the port is taken by another process; stop it or choose "
          "another port ('ss -ltnp' shows who has it)",
          text);
    case EACCES:
      return fmt::format(
          "can't listen on {}: not allowed; ports below 1024 need root or "
          "CAP_NET_BIND_SERVICE",
          text);
    case EADDRNOTAVAIL:
      return fmt::format("can't listen on {}: this machine has no such address", text);
    default:
      return fmt::format("can't listen on {}: {}", text, errno_text(error));
  }
}

}  // namespace

void Fd::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

std::string errno_text(int error) {
  std::string buffer(128, '\0');
  return ::strerror_r(error, buffer.data(), buffer.size());
}

std::expected<ListeningSocket, std::string> make_listening_socket(const Address& address,
                                                                  const ListenOptions& options,
                                                                  bool nonblocking) {
  const int family = address.is_v6() ? AF_INET6 : AF_INET;
  Fd fd(::socket(family, socket_type(nonblocking), 0));
  if (!fd.valid()) return std::unexpected(listen_error(address, errno));
  set_option(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (options.reuse_port) set_option(fd.get(), SOL_SOCKET, SO_REUSEPORT, 1);
  if (address.is_v6()) set_option(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 1);
  // Accepted sockets inherit it, which saves a call for each.
  set_option(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  if (::bind(fd.get(), address.raw(), address.raw_size()) != 0 ||
      ::listen(fd.get(), options.backlog) != 0) {
    return std::unexpected(listen_error(address, errno));
  }
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0) {
    return std::unexpected(listen_error(address, errno));
  }
  return ListeningSocket{std::move(fd),
                         Address::from_sockaddr(reinterpret_cast<sockaddr*>(&bound))};
}

void ignore_new_connections(int listening_fd) {
  // The filter sees the segment from its TCP header on: octet 13 holds the flags, 2 is SYN.
  std::array<sock_filter, 4> drop_syn{{
      {BPF_LD | BPF_B | BPF_ABS, 0, 0, 13},
      {BPF_JMP | BPF_JSET | BPF_K, 0, 1, 2},
      {BPF_RET | BPF_K, 0, 0, 0},
      {BPF_RET | BPF_K, 0, 0, 0xffffffff},
  }};
  const sock_fprog program{.len = drop_syn.size(), .filter = drop_syn.data()};
  // Where this is not allowed a few connections may be reset when the socket closes.
  static_cast<void>(
      ::setsockopt(listening_fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program));
}

Fd make_client_socket(const Address& peer, bool nonblocking) {
  Fd fd(::socket(peer.is_v6() ? AF_INET6 : AF_INET, socket_type(nonblocking), 0));
  if (fd.valid()) set_option(fd.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  return fd;
}

ssize_t receive_bytes(int fd, char* buffer, std::size_t size) {
  return ::syscall(SYS_recvfrom, fd, buffer, size, 0, nullptr, nullptr);
}

ssize_t send_bytes(int fd, const char* bytes, std::size_t size, int flags) {
  return ::syscall(SYS_sendto, fd, bytes, size, flags, nullptr, 0);
}

ssize_t send_message(int fd, const msghdr& message, int flags) {
  return ::syscall(SYS_sendmsg, fd, &message, flags);
}

void reset_on_close(int fd) {
  const linger now{.l_onoff = 1, .l_linger = 0};
  static_cast<void>(::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now));
}

bool socket_is_quiet(int fd) {
  char byte = 0;
  const ssize_t n = ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

bool is_out_of_descriptors(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

IoStatus status_of_errno(int error) {
  switch (error) {
    case 0:
      return IoStatus::kOk;
    case ECONNREFUSED:
      return IoStatus::kRefused;
    case ENETUNREACH:
    case EHOSTUNREACH:
    case EADDRNOTAVAIL:
    case EACCES:
    case EPERM:
      return IoStatus::kUnreachable;
    case ETIMEDOUT:
      return IoStatus::kTimedOut;
    case ECANCELED:
      return IoStatus::kCancelled;
    default:
      return is_out_of_descriptors(error) ? IoStatus::kNoDescriptors : IoStatus::kReset;
  }
}

Time monotonic_now() {
  timespec ts{};
  ::clock_gettime(CLOCK_MONOTONIC, &ts);
  return Time::from_ns(ts.tv_sec * 1'000'000'000 + ts.tv_nsec);
}

}  // namespace evener::io

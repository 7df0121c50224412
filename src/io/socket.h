// Sockets: the few system calls on descriptors that both engines share.
//
// Owner: Fd closes what it holds. Thread: any. Errors are errno values or text for people.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

#include "io/address.h"
#include "io/engine.h"
#include "io/stream.h"

namespace evener::io {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& o) noexcept : fd_(std::exchange(o.fd_, -1)) {}
  Fd& operator=(Fd&& o) noexcept {
    std::swap(fd_, o.fd_);
    return *this;
  }
  ~Fd() { reset(); }
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

struct ListeningSocket {
  Fd fd;
  Address address;  // with the port the kernel chose for port 0
};

// REQUIRES: `nonblocking` as the engine needs it.
std::expected<ListeningSocket, std::string> make_listening_socket(const Address& address,
                                                                  const ListenOptions& options,
                                                                  bool nonblocking);
// From now on handshakes that begin are ignored and those under way still end, so that a listening
// socket's queue runs empty before it is closed: nobody who was let in is reset.
void ignore_new_connections(int listening_fd);
// A TCP socket with small-write delay off. Invalid with errno set when out of descriptors.
Fd make_client_socket(const Address& peer, bool nonblocking);
// recv, send and sendmsg without the C library's thread cancellation points, which nobody here uses
// and which cost two locked instructions a call in a process with threads.
ssize_t receive_bytes(int fd, char* buffer, std::size_t size);
ssize_t send_bytes(int fd, const char* bytes, std::size_t size, int flags);
ssize_t send_message(int fd, const msghdr& message, int flags);
// The next close of `fd` resets the connection instead of ending it in order.
void reset_on_close(int fd);
// Peeks: true when nothing can be read, no end and no error is known.
bool socket_is_quiet(int fd);
// The status that an errno of connect, send or receive stands for.
IoStatus status_of_errno(int error);
bool is_out_of_descriptors(int error);
// CLOCK_MONOTONIC: the engines' clock.
Time monotonic_now();
std::string errno_text(int error);

}  // namespace evener::io

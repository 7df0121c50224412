#include "io/signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "base/check.h"

namespace evener::io {

SignalWatcher::SignalWatcher(Loop& loop, std::initializer_list<int> signals,
                             std::function<void(int)> on_signal) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signal_fd_ = Fd(::signalfd(-1, &set, SFD_CLOEXEC));
  stop_fd_ = Fd(::eventfd(0, EFD_CLOEXEC));
  EV_CHECK(signal_fd_.valid() && stop_fd_.valid(), "no descriptor left for signals at start");
  thread_ = std::jthread([this, &loop, call = std::move(on_signal)] {
    for (;;) {
      std::array<pollfd, 2> fds{{{.fd = signal_fd_.get(), .events = POLLIN, .revents = 0},
                                 {.fd = stop_fd_.get(), .events = POLLIN, .revents = 0}}};
      if (::poll(fds.data(), fds.size(), -1) < 0) continue;
      if (fds[1].revents != 0) return;
      signalfd_siginfo info{};
      if (::read(signal_fd_.get(), &info, sizeof info) != sizeof info) continue;
      loop.post([call, signal = static_cast<int>(info.ssi_signo)] { call(signal); });
    }
  });
}

SignalWatcher::~SignalWatcher() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(stop_fd_.get(), &one, sizeof one));
}

}  // namespace evener::io

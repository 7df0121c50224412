#include "io/uring_engine.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/check.h"
#include "io/loop.h"
#include "io/uring_stream.h"

namespace evener::io {
namespace {

constexpr std::size_t kBufferRingBytes(std::size_t buffers) {
  return buffers * sizeof(io_uring_buf);
}

}  // namespace

std::expected<std::unique_ptr<Engine>, std::string> make_uring_engine(Loop& loop) {
  return UringEngine::make(loop);
}

std::expected<std::unique_ptr<Engine>, std::string> UringEngine::make(Loop& loop) {
  Fd wake_fd(::eventfd(0, EFD_CLOEXEC));
  if (!wake_fd.valid()) return std::unexpected("eventfd: " + errno_text(errno));
  std::unique_ptr<UringEngine> engine(
      new UringEngine(loop, std::move(wake_fd)));  // tidy: allow(new) the constructor is private
  if (std::string error = engine->set_up(); !error.empty())
    return std::unexpected(std::move(error));
  return engine;
}

UringEngine::UringEngine(Loop& loop, Fd wake_fd)
    : Engine("uring"), loop_(loop), wake_fd_(std::move(wake_fd)) {}

std::string UringEngine::set_up() {
  io_uring_params params{};
  params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SUBMIT_ALL |
                 IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
  params.cq_entries = kEntries * 4;
  if (const int r = io_uring_queue_init_params(kEntries, &ring_, &params); r < 0) {
    return "io_uring: " + errno_text(-r);
  }
  ring_made_ = true;
  constexpr unsigned kNeeded = IORING_FEAT_NODROP | IORING_FEAT_EXT_ARG | IORING_FEAT_FAST_POLL;
  if ((params.features & kNeeded) != kNeeded) return "io_uring: the kernel is too old";
  if (std::string error = set_up_buffers(); !error.empty()) return error;
  io_uring_register_ring_fd(&ring_);  // saves a look-up per call; fine without
  arm_wake();
  return {};
}

std::string UringEngine::set_up_buffers() {
  void* memory = ::mmap(nullptr, kBufferRingBytes(kBuffers), PROT_READ | PROT_WRITE,
                        MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
  if (memory == MAP_FAILED) return "io_uring buffers: " + errno_text(errno);
  buffer_ring_ = static_cast<io_uring_buf_ring*>(memory);
  io_uring_buf_reg registration{};
  registration.ring_addr = reinterpret_cast<std::uint64_t>(buffer_ring_);
  registration.ring_entries = kBuffers;
  registration.bgid = kBufferGroup;
  if (const int r = io_uring_register_buf_ring(&ring_, &registration, 0); r < 0) {
    return "io_uring buffers: " + errno_text(-r);
  }
  buffers_registered_ = true;
  io_uring_buf_ring_init(buffer_ring_);
  buffers_.resize(kBuffers);
  for (std::uint16_t id = 0; id < kBuffers; ++id) {
    buffers_[id] = loop_.buffers().take(kSmallBlock);
    io_uring_buf_ring_add(buffer_ring_, buffers_[id]->payload(), kSmallBlock, id,
                          io_uring_buf_ring_mask(kBuffers), id);
  }
  io_uring_buf_ring_advance(buffer_ring_, kBuffers);
  return {};
}

UringEngine::~UringEngine() {
  // Everything in the kernel is asked to end before the ring goes: a ring torn down later by the
  // kernel would keep listening ports and buffers.
  if (ring_made_ && ops_in_kernel_ > 0) {
    cancel(wake_op_);
    for (int round = 0; round < 50 && ops_in_kernel_ > 0; ++round) {
      __kernel_timespec ts{.tv_sec = 0, .tv_nsec = 20'000'000};
      io_uring_cqe* cqe = nullptr;
      io_uring_submit_and_wait_timeout(&ring_, &cqe, 1, &ts, nullptr);
      deliver();
    }
  }
  free_buried();
  if (ring_made_) {
    if (buffers_registered_) io_uring_unregister_buf_ring(&ring_, kBufferGroup);
    io_uring_queue_exit(&ring_);
  }
  for (Block* block : buffers_) Chunk::adopt(block, 0).release();
  if (buffer_ring_ != nullptr) ::munmap(buffer_ring_, kBufferRingBytes(kBuffers));
}

io_uring_sqe* UringEngine::next_sqe() {
  io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
  while (sqe == nullptr) {
    io_uring_submit(&ring_);
    sqe = io_uring_get_sqe(&ring_);
  }
  return sqe;
}

void UringEngine::cancel(UringOp& op) {
  io_uring_sqe* sqe = next_sqe();
  io_uring_prep_cancel(sqe, &op, 0);
  io_uring_sqe_set_data(sqe, nullptr);
}

void UringEngine::arm_wake() {
  wake_op_.engine = this;
  wake_op_.complete = [](UringOp& op, int result, std::uint32_t) {
    UringEngine& engine = *static_cast<WakeOp&>(op).engine;
    engine.op_ended();
    if (result >= 0) engine.arm_wake();
  };
  submit(wake_op_, [this](io_uring_sqe& sqe) {
    io_uring_prep_read(&sqe, wake_fd_.get(), &wake_op_.count, sizeof wake_op_.count, 0);
  });
}

void UringEngine::wake() noexcept {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_fd_.get(), &one, sizeof one));
}

Chunk UringEngine::take_buffer(std::uint16_t id, std::size_t size) {
  Block* filled = buffers_[id];
  buffers_[id] = loop_.buffers().take(kSmallBlock);
  io_uring_buf_ring_add(buffer_ring_, buffers_[id]->payload(), kSmallBlock, id,
                        io_uring_buf_ring_mask(kBuffers), 0);
  io_uring_buf_ring_advance(buffer_ring_, 1);
  return Chunk::adopt(filled, size);
}

void UringEngine::enter(Time until) {
  if (until <= loop_.now()) {
    io_uring_submit_and_get_events(&ring_);
    return;
  }
  io_uring_cqe* cqe = nullptr;
  if (until == Time::never()) {
    io_uring_submit_and_wait(&ring_, 1);
    return;
  }
  const Duration left = std::max(until - monotonic_now(), Duration());
  __kernel_timespec ts{.tv_sec = left.ns() / 1'000'000'000, .tv_nsec = left.ns() % 1'000'000'000};
  io_uring_submit_and_wait_timeout(&ring_, &cqe, 1, &ts, nullptr);
}

void UringEngine::turn(Time until) {
  free_buried();
  enter(until);
  loop_.set_now(monotonic_now());
  deliver();
}

void UringEngine::deliver() {
  // Copied out first: a handler may submit, and the kernel may reuse the entries meanwhile.
  std::array<io_uring_cqe*, kBatch> cqes{};
  std::array<Completion, kBatch> batch{};
  for (;;) {
    const unsigned n = io_uring_peek_batch_cqe(&ring_, cqes.data(), kBatch);
    for (unsigned i = 0; i < n; ++i) {
      batch[i] = {static_cast<UringOp*>(io_uring_cqe_get_data(cqes[i])), cqes[i]->res,
                  cqes[i]->flags};
    }
    io_uring_cq_advance(&ring_, n);
    for (unsigned i = 0; i < n; ++i) {
      if (batch[i].op != nullptr)
        batch[i].op->complete(*batch[i].op, batch[i].result, batch[i].flags);
    }
    if (n < kBatch) return;
  }
}

void UringEngine::free_buried() {
  for (UringStream* stream : buried_) delete stream;  // tidy: allow(delete) release() gave it to us
  buried_.clear();
}

StreamPtr UringEngine::open(const Address& peer) {
  return StreamPtr(
      new UringStream(*this, loop_, peer, Fd()));  // tidy: allow(new) StreamPtr releases
}

StreamPtr UringEngine::adopt(Fd fd, const Address& peer) {
  return StreamPtr(new UringStream(*this, loop_, peer,
                                   std::move(fd)));  // tidy: allow(new) StreamPtr releases it
}

std::expected<ListenerPtr, std::string> UringEngine::listen(const Address& address,
                                                            const ListenOptions& options,
                                                            AcceptHandler on_accept) {
  auto socket = make_listening_socket(address, options, false);
  if (!socket) return std::unexpected(std::move(socket.error()));
  return std::make_unique<UringListener>(*this, loop_, std::move(*socket), std::move(on_accept));
}

}  // namespace evener::io

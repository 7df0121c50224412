// The io_uring engine: operations are queued during a turn and handed over in one system call.
//
// Owner: its Loop. Thread: the loop's (single issuer, deferred task run), but for wake. Receives
// take their buffer from a ring of pool blocks only when data is there, so an idle connection holds
// none. Whether the kernel and the container allow all this is found out by trying it in make().
#pragma once

#include <liburing.h>

#include <vector>

#include "io/engine.h"
#include "io/socket.h"

namespace evener::io {

class UringStream;

// One operation that the kernel knows by address. It must live until its last completion.
struct UringOp {
  void (*complete)(UringOp&, int result, std::uint32_t flags);
};

class UringEngine final : public Engine {
 public:
  static std::expected<std::unique_ptr<Engine>, std::string> make(Loop& loop);
  ~UringEngine() override;

  void turn(Time until) override;
  void wake() noexcept override;
  StreamPtr open(const Address& peer) override;
  std::expected<ListenerPtr, std::string> listen(const Address& address,
                                                 const ListenOptions& options,
                                                 AcceptHandler on_accept) override;
  StreamPtr adopt(Fd fd, const Address& peer);

  // A submission entry whose completion goes to `op`; the caller prepares it at once.
  template <class Prepare>
  void submit(UringOp& op, Prepare prepare) {
    io_uring_sqe* sqe = next_sqe();
    prepare(*sqe);
    io_uring_sqe_set_data(sqe, &op);
    ++ops_in_kernel_;
  }
  // Asks the kernel to end `op` early; it completes with -ECANCELED, or as it would have.
  void cancel(UringOp& op);
  // The last completion of an op has been delivered.
  void op_ended() { --ops_in_kernel_; }
  // Takes the ring's buffer `id`, holding `size` bytes, and puts a fresh one in its place.
  Chunk take_buffer(std::uint16_t id, std::size_t size);
  // Frees `stream` at the start of a later turn.
  void bury(UringStream& stream) { buried_.push_back(&stream); }

  static constexpr std::uint16_t kBufferGroup = 0;

 private:
  static constexpr unsigned kEntries = 1024;
  static constexpr std::uint16_t kBuffers = 256;
  static constexpr std::size_t kBatch = 256;

  struct Completion {
    UringOp* op;
    int result;
    std::uint32_t flags;
  };
  struct WakeOp : UringOp {
    UringEngine* engine;
    std::uint64_t count;
  };

  UringEngine(Loop& loop, Fd wake_fd);
  std::string set_up();
  std::string set_up_buffers();
  io_uring_sqe* next_sqe();
  void enter(Time until);
  void deliver();
  void arm_wake();
  void free_buried();

  Loop& loop_;
  Fd wake_fd_;
  io_uring ring_{};
  bool ring_made_ = false;
  io_uring_buf_ring* buffer_ring_ = nullptr;
  bool buffers_registered_ = false;
  std::vector<Block*> buffers_;
  WakeOp wake_op_{};
  std::size_t ops_in_kernel_ = 0;
  std::vector<UringStream*> buried_;
};

}  // namespace evener::io

// NetStream: one side of a simulated connection, as a Stream. See io/stream.h for the contract.
//
// Owner: a StreamPtr. Thread: the world's.
#pragma once

#include <optional>

#include "io/loop.h"
#include "sim/net/engine.h"

namespace evener::sim {

class NetStream final : public io::Stream, public NetHandler {
 public:
  // To connect.
  NetStream(NetEngine& engine, io::Loop& loop, const io::Address& peer);
  // Accepted.
  NetStream(NetEngine& engine, io::Loop& loop, Connection& connection);
  ~NetStream() override = default;

  void changed() override { engine_.ready(*this); }
  void deliver() override;
  bool is_quiet() override;
  bool has_queued_work() const { return deferred_.queued; }

 private:
  bool start_connect() override;
  bool start_receive(std::size_t want) override;
  bool start_send(bool last) override;
  void interrupt(io::Ops ops, io::IoStatus why) override;
  void close() override;

  bool try_receive(io::Received& result);
  bool flush();
  void finish_connect();
  void deliver_receive();
  void run_deferred();

  struct Work : io::Deferred {
    NetStream& stream;
  };

  NetEngine& engine_;
  Connection* connection_ = nullptr;
  Side side_ = Side::kClient;
  Work deferred_;
  std::optional<io::IoStatus> interrupt_receive_;
  std::optional<io::IoStatus> interrupt_send_;
  std::size_t want_ = 0;
  bool has_descriptor_ = false;
  bool connecting_ = false;
  bool closed_ = false;
  bool last_ = false;
  bool told_end_ = false;
};

}  // namespace evener::sim

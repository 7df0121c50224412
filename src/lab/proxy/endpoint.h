// EndpointProcess: a simulated endpoint that answers what it is asked, or misbehaves on cue.
//
// What a request asks for is in its target: /POOL/r?n=BYTES, and its number in x-id. The answer
// carries both the number and how often the request had come before (x-copy). Owner: the run, until
// it is quiet() after stop() or kill. One thread.
#pragma once

#include <list>

#include "http/wire.h"
#include "lab/proxy/process.h"

namespace evener::lab::fleet {

class EndpointProcess : public Process {
 public:
  static constexpr std::uint16_t kPort = 8080;

  EndpointProcess(RunState& run, sim::HostId host, std::uint32_t pool, Rng luck);

  // No longer listens; open connections break.
  void stop();
  bool quiet() const { return wires_.empty(); }
  void set_slowness(double factor) { slowness_ = factor; }

 private:
  // What is asked of it, and how it goes about it.
  struct Job {
    std::uint64_t id = 0;
    std::uint32_t copy = 0;
    std::size_t bytes = 0;
    bool to_head = false;
    bool close = false;  // after the answer
    Mischief mischief = Mischief::kNone;
  };

  io::Task<void> serve(std::list<http::Wire>::iterator at);
  io::Task<bool> exchange(http::Wire& wire);
  io::Task<bool> read_body(http::Wire& wire, http::Message& message, std::uint64_t id);
  io::Task<bool> answer(http::Wire& wire, const Job& job);
  io::Task<bool> answer_plainly(http::Wire& wire, const Job& job, int status,
                                std::string_view fields);
  io::Task<bool> answer_partly(http::Wire& wire, const Job& job);
  io::Task<bool> answer_in_pieces(http::Wire& wire, const Job& job);
  io::Task<bool> answer_without_end(http::Wire& wire, const Job& job);
  io::Task<bool> answer_without_body(http::Wire& wire, const Job& job);
  std::string interim_storm();
  std::string head(const Job& job, int status, std::string_view fields) const;
  Mischief draw_mischief();

  std::uint32_t pool_;
  io::ListenerPtr listener_;
  std::list<http::Wire> wires_;
  double slowness_ = 1;
};

}  // namespace evener::lab::fleet

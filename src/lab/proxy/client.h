// ClientProcess: simulated clients behind one host: requests at random times, each checked.
//
// Owner: the run, until it is quiet(). One thread.
#pragma once

#include <list>
#include <vector>

#include "http/wire.h"
#include "lab/proxy/process.h"

namespace evener::lab::fleet {

class ClientProcess : public Process {
 public:
  // Longer than all that a proxy may take for one request, and than the faults last.
  static constexpr Duration kPatience = Duration::seconds(60);

  ClientProcess(RunState& run, sim::HostId host, std::vector<io::Address> proxies, Rng luck);

  // Requests per second from now on.
  void start(double rate);
  // No further request; idle connections are closed.
  void stop();
  bool quiet() const { return under_way_ == 0 && idle_.empty(); }

 private:
  struct Idle {
    http::Wire wire;
    io::Address proxy;
    Time since;
  };
  struct Request {
    std::uint64_t id = 0;
    Manner manner = Manner::kPlain;
    std::string_view method = "GET";
    std::size_t upload = 0;
    bool chunked = false;
  };

  struct NextTimer : io::Timer {
    explicit NextTimer(ClientProcess& c);
    ClientProcess& client;
  };

  void next();
  io::Task<void> exchange();
  io::Task<void> talk(http::Wire& wire, const io::Address& proxy);
  io::Task<bool> send(http::Wire& wire, const Request& request);
  io::Task<bool> send_slowly(http::Wire& wire, const Request& request);
  // True when the connection can be kept. `sent`: the request has gone out in full.
  io::Task<bool> receive(http::Wire& wire, const Request& request, bool sent);
  bool judge(const http::Wire& wire, const http::Message& message, const Request& request,
             bool sent);
  Request draw_request();
  std::string head(const Request& request);
  std::string malformed(const Request& request);
  void keep(http::Wire wire, const io::Address& proxy);
  void expire();

  std::vector<io::Address> proxies_;
  std::list<Idle> idle_;
  NextTimer next_timer_;
  double rate_ = 0;
  bool running_ = false;
  std::size_t under_way_ = 0;
};

}  // namespace evener::lab::fleet

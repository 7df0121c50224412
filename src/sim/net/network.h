// Network: the hosts, listeners and connections of a simulated world, and what may go wrong there.
//
// Hosts are numbered from 0 and have one address each, 10.x.y.z. A way between two hosts can be
// closed (a partition; what is under way waits and comes later), a host can be out of reach, slow,
// or have moved. The same calls on the same seed give the same run, to the byte: `digest` tells.
// Owner: whoever runs the world; it outlives the engines. One thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/net/connection.h"
#include "sim/net/link.h"
#include "sim/world.h"

namespace evener::sim {

class NetListener;

class Network {
 public:
  Network(World& world, const Link& link);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  World& world() { return world_; }

  // ---- hosts
  HostId add_host(std::string name);
  const std::string& name(HostId host) const { return hosts_[index(host)].name; }
  io::Address address(HostId host, std::uint16_t port) const;
  // A new address in place of the old one, where nobody answers any more.
  void move(HostId host);
  // From `host` to any other, and back from it.
  void set_link(HostId host, const Link& link);
  const Link& link(HostId from, HostId to) const;

  // ---- faults
  void close_way(HostId a, HostId b);
  void open_way(HostId a, HostId b);
  // Packets to it vanish, and none come from it.
  void set_down(HostId host, bool down);
  // Connects to it fail at once, as with a route that is gone.
  void set_unreachable(HostId host, bool unreachable) {
    hosts_[index(host)].unreachable = unreachable;
  }
  // Cuts a share of the open connections of `host`; how many.
  std::size_t cut_connections(HostId host, double share, Rng& luck);

  // ---- for engines and connections
  Connection* connect(HostId from, const io::Address& to);
  // A port nobody listens on at `host`.
  std::uint16_t free_port(HostId host);
  void add_listener(NetListener& listener);
  void remove_listener(NetListener& listener);
  // Resets all that the process holds; its listeners are gone.
  void kill(NetEngine& engine);
  // The listener for a new connection: one of several at random. Null: nobody, or no room.
  NetListener* listener_for(const Connection& connection, Rng& luck);
  // Somebody listens there, but does not take this one.
  bool ignores(const io::Address& address) const { return listeners_.contains(address.text()); }
  bool way_is_open(HostId from, HostId to) const;
  bool is_unreachable(HostId host) const { return hosts_[index(host)].unreachable; }
  void free(Connection& connection);
  // Frees what is finished. Not to be called while a connection is in a call.
  void reap();
  void note(std::string_view what, const Connection& connection, Side side, std::size_t bytes);

  // ---- what happened
  // Called with each line of the timeline, when set.
  std::function<void(std::string_view line)> on_trace;
  // Called, when set, with the first bytes of a write that the side that connected begins although
  // it has read the other's end.
  std::function<void(const Connection&, std::string_view bytes)> on_late_write;
  // Of everything that happened so far.
  std::uint64_t digest() const { return digest_; }
  std::size_t connections() const { return connections_.size(); }
  std::uint64_t connections_made() const { return next_number_; }
  // The next draw of each generator, folded: equal in two runs of a seed.
  std::uint64_t final_draw();

 private:
  struct Host {
    std::string name;
    std::string ip;
    Link link;
    bool own_link = false;
    bool down = false;
    bool unreachable = false;
    std::uint16_t next_port = 20'000;
  };
  static std::size_t index(HostId host) { return static_cast<std::size_t>(host); }
  std::string next_ip();
  void ways_changed();

  World& world_;
  Link link_;
  Rng luck_;
  std::vector<Host> hosts_;
  std::uint32_t ips_ = 0;
  std::unordered_map<std::string, HostId> host_of_ip_;
  std::set<std::pair<HostId, HostId>> closed_ways_;
  std::map<std::string, std::vector<NetListener*>> listeners_;
  std::map<std::uint32_t, std::unique_ptr<Connection>> connections_;
  std::vector<std::uint32_t> doomed_;
  std::uint32_t next_number_ = 0;
  std::uint64_t digest_ = 0;
};

}  // namespace evener::sim

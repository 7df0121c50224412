#include "sim/net/network.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "sim/net/listener.h"

namespace evener::sim {

Network::Network(World& world, const Link& link)
    : world_(world), link_(link), luck_(world.stream("network")) {}

Network::~Network() = default;

std::string Network::next_ip() {
  const std::uint32_t n = ++ips_;
  return fmt::format("10.{}.{}.{}", n >> 16 & 255, n >> 8 & 255, n & 255);
}

HostId Network::add_host(std::string name) {
  const HostId id{static_cast<std::uint32_t>(hosts_.size())};
  Host host;
  host.name = std::move(name);
  host.ip = next_ip();
  host_of_ip_[host.ip] = id;
  hosts_.push_back(std::move(host));
  return id;
}

io::Address Network::address(HostId host, std::uint16_t port) const {
  return io::Address::parse(fmt::format("{}:{}", hosts_[index(host)].ip, port)).value();
}

void Network::move(HostId host) {
  Host& moved = hosts_[index(host)];
  host_of_ip_.erase(moved.ip);
  moved.ip = next_ip();
  host_of_ip_[moved.ip] = host;
}

void Network::set_link(HostId host, const Link& link) {
  hosts_[index(host)].link = link;
  hosts_[index(host)].own_link = true;
}

const Link& Network::link(HostId from, HostId to) const {
  const Host& a = hosts_[index(from)];
  if (a.own_link) return a.link;
  const Host& b = hosts_[index(to)];
  return b.own_link ? b.link : link_;
}

void Network::close_way(HostId a, HostId b) { closed_ways_.insert(std::minmax(a, b)); }

void Network::open_way(HostId a, HostId b) {
  closed_ways_.erase(std::minmax(a, b));
  ways_changed();
}

void Network::set_down(HostId host, bool down) {
  hosts_[index(host)].down = down;
  if (!down) ways_changed();
}

void Network::ways_changed() {
  for (auto& [number, connection] : connections_) connection->way_changed();
}

bool Network::way_is_open(HostId from, HostId to) const {
  if (hosts_[index(from)].down || hosts_[index(to)].down) return false;
  return closed_ways_.empty() || !closed_ways_.contains(std::minmax(from, to));
}

std::size_t Network::cut_connections(HostId host, double share, Rng& luck) {
  std::vector<Connection*> chosen;
  for (auto& [number, connection] : connections_) {
    const bool its = connection->party(Side::kClient).host == host ||
                     connection->party(Side::kServer).host == host;
    if (its && connection->connect_state() == ConnectState::kOpen && luck.uniform01() < share) {
      chosen.push_back(connection.get());
    }
  }
  for (Connection* connection : chosen) connection->cut();
  return chosen.size();
}

Connection* Network::connect(HostId from, const io::Address& to) {
  reap();
  const auto found = host_of_ip_.find(to.host_text());
  const std::uint32_t number = next_number_++;
  Host& host = hosts_[index(from)];
  const std::uint16_t port = host.next_port++;
  if (host.next_port == 0) host.next_port = 20'000;
  // An address that nobody has, or has any more, is a host that never answers: ourselves, unheard.
  if (found == host_of_ip_.end()) return nullptr;
  auto made = std::make_unique<Connection>(
      *this, number, Connection::Party{from, address(from, port)},
      Connection::Party{found->second, to}, luck_.fork(std::uint64_t{number}));
  return connections_.emplace(number, std::move(made)).first->second.get();
}

std::uint16_t Network::free_port(HostId host) {
  for (std::uint16_t port = 8000; port != 0; ++port) {
    if (!listeners_.contains(address(host, port).text())) return port;
  }
  EV_CHECK(false, "a simulated host is out of ports");
}

void Network::add_listener(NetListener& listener) {
  listeners_[listener.address().text()].push_back(&listener);
}

void Network::remove_listener(NetListener& listener) {
  const auto found = listeners_.find(listener.address().text());
  if (found == listeners_.end()) return;
  std::erase(found->second, &listener);
  if (found->second.empty()) listeners_.erase(found);
  listener.forget_queue();
  for (auto& [number, connection] : connections_) {
    if (connection->listener() == &listener) connection->listener_gone();
  }
}

void Network::kill(NetEngine& engine) {
  std::vector<NetListener*> gone;
  for (auto& [address, list] : listeners_) {
    for (NetListener* listener : list) {
      if (&listener->engine() == &engine) gone.push_back(listener);
    }
  }
  for (NetListener* listener : gone) remove_listener(*listener);
  for (auto& [number, connection] : connections_) {
    for (const Side side : {Side::kClient, Side::kServer}) {
      if (connection->engine(side) == &engine) connection->die(side);
    }
  }
}

NetListener* Network::listener_for(const Connection& connection, Rng& luck) {
  const auto found = listeners_.find(connection.party(Side::kServer).address.text());
  if (found == listeners_.end()) return nullptr;
  std::vector<NetListener*> open;
  for (NetListener* listener : found->second) {
    if (!listener->stopped()) open.push_back(listener);
  }
  if (open.empty()) return nullptr;
  NetListener* taken = open[open.size() == 1 ? 0 : luck.below(open.size())];
  return taken->full() ? nullptr : taken;
}

void Network::free(Connection& connection) {
  if (std::exchange(connection.doomed_, true)) return;
  doomed_.push_back(connection.number());
}

void Network::reap() {
  for (const std::uint32_t number : doomed_) connections_.erase(number);
  doomed_.clear();
}

void Network::note(std::string_view what, const Connection& connection, Side side,
                   std::size_t bytes) {
  digest_ = mix64(digest_ ^ static_cast<std::uint64_t>(world_.now().ns()) ^
                  std::uint64_t{connection.number()} << 40 ^ what.size() << 32 ^
                  static_cast<std::uint64_t>(side) << 31 ^ bytes);
  if (!on_trace) return;
  const auto& here = connection.party(side);
  const auto& there = connection.party(other(side));
  on_trace(fmt::format("c{} {} ({}): {}{}", connection.number(), name(here.host), name(there.host),
                       what, bytes > 0 ? fmt::format(" {}", bytes) : std::string()));
}

std::uint64_t Network::final_draw() {
  std::uint64_t folded = luck_.u64();
  for (auto& [number, connection] : connections_) folded = mix64(folded ^ connection->luck_left());
  return folded;
}

}  // namespace evener::sim

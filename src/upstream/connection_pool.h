// ConnectionPool: idle HTTP/1 connections to the endpoints of one pool, kept for reuse.
//
// Owner: one worker. Thread: the worker's loop. An idle connection has a receive pending, so a
// byte, an end or an error that arrives while it waits removes it at once; the newest is taken
// first, so that the rest may age out. Bounds: per endpoint, per worker (IdleBudget) and by idle
// time. Cost: take and put are a hash look-up, no system call on the way to reuse.
#pragma once

#include <evener/endpoint.h>
#include <evener/time.h>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "http/parser.h"
#include "io/stream.h"

namespace evener::upstream {

class ConnectionPool;

// One connection to an endpoint: in a pool while idle, else with the exchange that uses it.
class EndpointConnection : private io::Waiter {
 public:
  EndpointConnection(EndpointId id, io::StreamPtr stream, const http::ParserLimits& limits);

  EndpointId id() const { return id_; }
  io::Stream& stream() { return *stream_; }
  http::Parser& parser() { return parser_; }
  // It has served a request before this one.
  bool reused() const { return reused_; }

 private:
  friend class ConnectionPool;
  EndpointId id_;
  io::StreamPtr stream_;
  http::Parser parser_;
  ConnectionPool* pool_ = nullptr;  // while idle
  bool reused_ = false;
};
using EndpointConnectionPtr = std::unique_ptr<EndpointConnection>;

// How many idle connections a worker may keep in all its pools together.
struct IdleBudget {
  std::size_t limit = 1024;
  std::size_t used = 0;
};

class ConnectionPool {
 public:
  struct Options {
    Duration keep_alive;
    std::size_t idle_per_endpoint = 64;
  };

  ConnectionPool(Options options, IdleBudget& budget) : options_(options), budget_(budget) {}
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;
  ~ConnectionPool() { close_all(); }

  // The newest idle connection to `id`, or null. `surely_quiet` asks the kernel as well: for
  // requests that can't be sent a second time.
  EndpointConnectionPtr take(EndpointId id, bool surely_quiet);
  // Keeps `connection` for reuse, or closes it when the bounds are reached or it is not quiet.
  // REQUIRES: its last response was read to the end and allows reuse.
  void put(EndpointConnectionPtr connection, Time now);
  void close_all();
  std::size_t idle() const { return idle_count_; }

 private:
  using List = std::vector<EndpointConnectionPtr>;

  void woke(EndpointConnection& connection);
  EndpointConnectionPtr detach(List& list, std::size_t index);

  Options options_;
  IdleBudget& budget_;
  std::unordered_map<EndpointId, List> idle_;
  std::size_t idle_count_ = 0;

  friend class EndpointConnection;
};

}  // namespace evener::upstream

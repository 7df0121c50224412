// ClientConnection: one connection from a client, between and around its exchanges.
//
// Owner: its Worker's list; it asks the worker to be removed when it ends. Thread: the worker's
// loop. While idle it is this plain object with a receive pending and no buffer; a coroutine exists
// only while requests are being served. Pipelined requests are served one after the other.
// Cost idle: about 500 bytes with its stream.
#pragma once

#include <list>
#include <string>

#include "http/parser.h"
#include "io/stream.h"
#include "io/task.h"

namespace evener::proxy {

class Exchange;
class Worker;

class ClientConnection {
 public:
  ClientConnection(Worker& worker, io::StreamPtr stream);
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;
  ~ClientConnection();

  // Waits for the first request. May destroy this.
  void start(std::list<ClientConnection>::iterator self) {
    self_ = self;
    wait_for_request();
  }
  std::list<ClientConnection>::iterator self() const { return self_; }
  // Ends after the exchange under way; if idle, when no request comes within a short while, so that
  // one already on its way is answered.
  void close_when_idle();
  // Breaks the connection whatever it does; it ends in this or the next turn.
  void abort();

  // For the exchange under way.
  io::Stream& stream() { return *stream_; }
  http::Parser& parser() { return parser_; }
  // Bytes received and not parsed yet.
  io::Chunk& input() { return input_; }
  std::string_view ip() const { return ip_; }
  // The client has ended its direction.
  bool ended() const { return ended_; }
  // Tells `exchange` when the client goes away; bytes that come meanwhile are kept as input.
  // REQUIRES: nothing else receives from the stream.
  void watch(Exchange& exchange);
  void stop_watching();
  std::uint32_t requests() const { return requests_; }

 private:
  struct IdleWaiter : io::Waiter {
    ClientConnection& client;
  };

  void wait_for_request();
  void received();
  void feed();
  void refuse(int status, std::string_view reason);
  void watched();
  void close();
  io::Detached serve();
  io::Task<void> refuse_and_close(int status, std::string_view reason);
  io::Task<void> linger();

  Worker& worker_;
  io::StreamPtr stream_;
  http::Parser parser_;
  io::Chunk input_;
  io::Chunk head_bytes_;  // keeps the bytes that the head's views point into
  IdleWaiter idle_waiter_;
  IdleWaiter watch_waiter_;
  Exchange* exchange_ = nullptr;  // while one is under way
  std::list<ClientConnection>::iterator self_;
  std::string ip_;
  std::uint32_t requests_ = 0;
  bool serving_ = false;
  bool ended_ = false;
};

}  // namespace evener::proxy

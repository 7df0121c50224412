// Exchange: one request and its response, from the parsed head to the last byte.
//
// Owner: the coroutine of its ClientConnection, which runs it to its end; it is never destroyed
// earlier. Thread: the worker's loop. Whatever happens (client gone, time-outs, drain) wakes it by
// aborting the stream it waits on, so that every path leads through the end of run().
// The ticket counts from the pick, connecting included, until the endpoint's last byte.
#pragma once

#include <evener/balancer.h>

#include <optional>
#include <vector>

#include "io/event.h"
#include "io/task.h"
#include "io/timer.h"
#include "proxy/client.h"
#include "proxy/interim.h"
#include "proxy/pool.h"
#include "proxy/upload.h"

namespace evener::proxy {

class Exchange {
 public:
  // REQUIRES: the client's parser has a request head.
  Exchange(Worker& worker, ClientConnection& client);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  // True when the client's connection can serve another request.
  io::Task<bool> run();
  // A part of the request was never read, so that closing needs care.
  bool request_unread() const { return !upload_.complete(); }

  // The client has ended its direction; it may still wait for the response.
  void client_ended();
  // The client is gone: nobody wants the response.
  void client_gone();

 private:
  // Endpoints tried when connecting fails; nothing was sent to them, so any request may move on.
  static constexpr std::size_t kConnectAttempts = 3;
  static constexpr int kInterimMax = 32;

  struct TotalTimer : io::Timer {
    explicit TotalTimer(Exchange& e);
    Exchange& exchange;
  };

  io::Task<bool> fail(Reason failure);
  io::Task<Reason> obtain_response();
  io::Task<Reason> attempt();
  io::Task<Reason> connect(EndpointId id);
  io::Task<Reason> send_request();
  io::Task<Reason> receive_head();
  io::Task<Reason> take_interim(int status);
  io::Task<void> run_upload(io::Stream& endpoint);
  io::Task<void> end_upload();  // REQUIRES: upload_running_
  io::Task<bool> reply(Reason reason);
  io::Task<bool> relay_response();

  Reason route();
  Reason failure_of(io::IoStatus status, bool connecting) const;
  Reason overriding(Reason found) const;
  bool replayable() const;
  bool must_close() const;
  void stop_waiting();
  void drop_endpoint();
  void finish_ticket(Outcome outcome, Duration retry_after = Duration());
  Reason outcome_reason(Reason found) const;

  Worker& worker_;
  ClientConnection& client_;
  const http::Head& head_;
  Pool* pool_ = nullptr;
  const config::Route* route_ = nullptr;
  Time started_;
  Time picked_;
  Ticket ticket_;
  std::vector<EndpointId> tried_;
  upstream::EndpointConnectionPtr endpoint_;
  io::Chunk endpoint_input_;
  io::Stream* waiting_on_ = nullptr;  // the endpoint's stream, connecting included
  Upload upload_;
  bool upload_running_ = false;
  io::Event upload_done_;
  TotalTimer total_timer_;
  Interim interim_;
  bool response_begun_ = false;  // towards the client
  bool response_seen_ = false;   // a byte came from the endpoint in this attempt
  bool gone_ = false;
  bool total_timed_out_ = false;
};

}  // namespace evener::proxy

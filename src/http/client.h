// Client: a small HTTP/1.1 client to one address, for the demo's load, probes and tests.
//
// Owner: whoever makes it; it must outlive its requests. Thread: its loop's. Connections are kept
// for reuse, newest first; there is no retry: a failure is reported as it is. Bodies are whole
// strings.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "http/parser.h"
#include "io/loop.h"
#include "io/task.h"

namespace evener::http {

struct ClientResponse {
  int status = 0;
  std::string body;
  std::string evener_reason;  // the evener-reason field, when Evener answered itself
};

class Client {
 public:
  Client(io::Loop& loop, const io::Address& address) : loop_(loop), address_(address) {}

  // GET, answered in full by `deadline`. The error says why there is no answer.
  io::Task<std::expected<ClientResponse, io::IoStatus>> get(std::string_view path, Time deadline);

 private:
  io::Task<std::expected<io::StreamPtr, io::IoStatus>> connect(Time deadline);

  io::Loop& loop_;
  io::Address address_;
  std::vector<io::StreamPtr> idle_;
};

}  // namespace evener::http

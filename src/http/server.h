// Server: a small HTTP/1 server for what Evener says itself: admin pages, the demo's endpoints,
// tests.
//
// Not the data plane: a coroutine and its buffers stay for each connection, requests and responses
// are whole strings. Owner: whoever makes it. Thread: its loop's. Bounded: body and head sizes,
// connections, idle time. Destroying it breaks its connections.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/message.h"
#include "io/loop.h"
#include "io/task.h"

namespace evener::http {

struct ServerRequest {
  Method method = Method::kGet;
  std::string path;  // with the query
  std::string body;
};

struct ServerResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> fields;
};

class Server {
 public:
  // May wait; the request lives until it returns.
  using Handler = std::move_only_function<io::Task<ServerResponse>(const ServerRequest&)>;
  struct Options {
    std::size_t connections_max = 1024;
    std::size_t body_bytes_max = 1 << 20;
    Duration idle = Duration::seconds(60);
  };

  Server(io::Loop& loop, Handler handler) : Server(loop, std::move(handler), Options{}) {}
  Server(io::Loop& loop, Handler handler, Options options);
  ~Server();

  std::expected<io::Address, std::string> listen(const io::Address& address);
  // Stops listening and breaks the connections; they are gone when connections() is 0.
  void close();
  std::size_t connections() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace evener::http

#include "admin/admin_server.h"

#include <memory>
#include <optional>

#include "admin/render.h"
#include "io/event.h"

namespace evener::admin {

AdminServer::AdminServer(io::Loop& control, Source source)
    : source_(std::move(source)),
      server_(control, [this](const http::ServerRequest& request) { return handle(request); }) {}

std::expected<io::Address, std::string> AdminServer::listen(const io::Address& address) {
  return server_.listen(address);
}

io::Task<Snapshot> AdminServer::snapshot() {
  // Shared: the answer may come after this coroutine's connection has gone.
  struct Answer {
    io::Event ready;
    Snapshot value;
  };
  auto answer = std::make_shared<Answer>();
  source_([answer](Snapshot value) {
    answer->value = std::move(value);
    answer->ready.set();
  });
  co_await answer->ready;
  co_return std::move(answer->value);
}

io::Task<http::ServerResponse> AdminServer::handle(const http::ServerRequest& request) {
  const std::string path = request.path.substr(0, request.path.find('?'));
  if (request.method != http::Method::kGet && request.method != http::Method::kHead) {
    co_return http::ServerResponse{.status = 405,
                                   .body = "only GET and HEAD are answered here\n",
                                   .fields = {{"Allow", "GET, HEAD"}}};
  }
  if (path == "/healthz") {
    co_return http::ServerResponse{
        .status = draining_ ? 503 : 200, .body = draining_ ? "draining\n" : "ok\n", .fields = {}};
  }
  if (path == "/metrics") {
    co_return http::ServerResponse{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                                   .body = prometheus_text(co_await snapshot()),
                                   .fields = {}};
  }
  if (path == "/endpoints") {
    co_return http::ServerResponse{.content_type = "application/json",
                                   .body = endpoints_json(co_await snapshot()),
                                   .fields = {}};
  }
  co_return http::ServerResponse{
      .status = 404, .body = "there are /healthz, /metrics and /endpoints\n", .fields = {}};
}

}  // namespace evener::admin

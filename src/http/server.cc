#include "http/server.h"

#include <list>

#include "http/parser.h"
#include "http/serialize.h"

namespace evener::http {

struct Server::State {
  State(io::Loop& l, Handler h, Options o) : loop(l), handler(std::move(h)), options(o) {}

  static io::Task<void> serve(std::shared_ptr<State> state,
                              std::list<io::StreamPtr>::iterator self);

  io::Loop& loop;
  Handler handler;
  Options options;
  std::list<io::StreamPtr> streams;
  std::vector<io::ListenerPtr> listeners;
  bool closed = false;
};

namespace {

std::string response_text(const ServerResponse& response, const Head& head) {
  std::string text = "HTTP/1.1 " + std::to_string(response.status) + " ";
  text += reason_phrase(response.status);
  text += "\r\nContent-Type: " + response.content_type;
  text += "\r\nContent-Length: " + std::to_string(response.body.size());
  for (const auto& [name, value] : response.fields) text += "\r\n" + name + ": " + value;
  if (!head.keep_alive) text += "\r\nConnection: close";
  text += "\r\n\r\n";
  if (head.method != Method::kHead) text += response.body;
  return text;
}

io::Task<io::IoStatus> send_text(io::Stream& stream, std::string_view text) {
  while (!text.empty()) {
    const std::size_t n = std::min(text.size(), io::kLargeBlock);
    io::Chunk chunk = stream.loop().buffers().make(n);
    chunk.append(text.substr(0, n));
    text.remove_prefix(n);
    const io::IoStatus sent = co_await stream.send(io::ChunkList(std::move(chunk)));
    if (sent != io::IoStatus::kOk) co_return sent;
  }
  co_return io::IoStatus::kOk;
}

// Reads one request. False: the connection has ended, or was answered with an error.
struct RequestReader {
  io::Stream& stream;
  Parser parser{Role::kRequest};
  io::Chunk input;
  io::Chunk head_bytes;
  std::size_t body_max;
  Duration idle;

  io::Task<bool> read(ServerRequest& request) {
    parser.reset();
    head_bytes.release();
    request.body.clear();
    stream.set_deadline(stream.loop().now() + idle);
    for (;;) {
      const Step step = parser.feed(input.bytes());
      if (step.event == Event::kHead) {
        head_bytes = input.slice(0, input.size());
        request.method = parser.head().method;
        request.path = parser.head().path;
      } else if (step.event == Event::kBody) {
        request.body.append(step.body.data(), step.body.size());
        if (request.body.size() > body_max) co_return co_await refuse(413, "body_too_large");
      } else if (step.event == Event::kError) {
        co_return co_await refuse(status_for(parser.error()), reason_for(parser.error()));
      }
      input.drop_front(step.consumed);
      if (step.event == Event::kEnd) co_return true;
      if (step.event != Event::kNeedMore) continue;
      io::Received received = co_await stream.receive();
      if (received.status != io::IoStatus::kOk) co_return false;
      input = std::move(received.chunk);
    }
  }

  io::Task<bool> refuse(int status, std::string_view reason) {
    std::string text;
    append_local_reply(text, status, reason, Version::k11, true, false);
    static_cast<void>(co_await send_text(stream, text));
    co_return false;
  }
};

}  // namespace

io::Task<void> Server::State::serve(std::shared_ptr<State> state,
                                    std::list<io::StreamPtr>::iterator self) {
  io::Stream& stream = **self;
  {
    RequestReader reader{.stream = stream,
                         .input = {},
                         .head_bytes = {},
                         .body_max = state->options.body_bytes_max,
                         .idle = state->options.idle};
    ServerRequest request;
    while (co_await reader.read(request)) {
      const ServerResponse response = co_await state->handler(request);
      if (state->closed) break;
      stream.set_deadline(stream.loop().now() + state->options.idle);
      const std::string text = response_text(response, reader.parser.head());
      if (co_await send_text(stream, text) != io::IoStatus::kOk) break;
      if (!reader.parser.head().keep_alive) break;
    }
  }
  state->streams.erase(self);
}

Server::Server(io::Loop& loop, Handler handler, Options options)
    : state_(std::make_shared<State>(loop, std::move(handler), options)) {}

Server::~Server() { close(); }

void Server::close() {
  state_->closed = true;
  state_->listeners.clear();
  for (const io::StreamPtr& stream : state_->streams) stream->abort();
}

std::expected<io::Address, std::string> Server::listen(const io::Address& address) {
  State* state = state_.get();
  auto listener = state->loop.listen(address, {}, [this](io::StreamPtr stream) {
    if (state_->streams.size() >= state_->options.connections_max) return;
    state_->streams.push_front(std::move(stream));
    io::spawn(State::serve(state_, state_->streams.begin()));
  });
  if (!listener) return std::unexpected(std::move(listener.error()));
  state->listeners.push_back(std::move(*listener));
  return state->listeners.back()->address();
}

std::size_t Server::connections() const { return state_->streams.size(); }

}  // namespace evener::http

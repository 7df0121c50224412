#include "endpoint.h"

#include <fmt/format.h>

#include <charconv>
#include <list>
#include <string>

#include "base/check.h"
#include "content.h"
#include "http/parser.h"
#include "io/task.h"

namespace evener::soak {
namespace {

struct Asked {
  std::uint64_t id = 0;
  std::uint64_t size = 0;
  bool chunked = false;
};

Asked parse_path(std::string_view path) {
  Asked asked;
  const char* end = path.data() + path.size();
  const auto id = std::from_chars(path.data() + 1, end, asked.id);
  const auto size = std::from_chars(id.ptr + 1, end, asked.size);
  asked.chunked = std::string_view(size.ptr, end) == "/c";
  return asked;
}

io::Chunk copied(io::Loop& loop, std::string_view text) {
  io::Chunk chunk = loop.buffers().make(text.size());
  EV_CHECK(chunk.append(text), "short texts only");
  return chunk;
}

}  // namespace

struct Endpoints::State {
  static io::Task<void> serve(std::shared_ptr<State> state,
                              std::list<io::StreamPtr>::iterator self);
  io::Task<bool> answer(io::Stream& stream, Asked asked, bool good, bool close);

  std::list<io::StreamPtr> streams;
  std::vector<io::ListenerPtr> listeners;
};

io::Task<bool> Endpoints::State::answer(io::Stream& stream, Asked asked, bool good, bool close) {
  std::string head = good ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 500 Wrong Body\r\n";
  if (close) head += "Connection: close\r\n";
  head += asked.chunked ? std::string("Transfer-Encoding: chunked\r\n\r\n")
                        : fmt::format("Content-Length: {}\r\n\r\n", asked.size);
  io::ChunkList list(copied(stream.loop(), head));
  for (std::uint64_t at = 0; at < asked.size;) {
    const std::string_view piece = content(asked.id, at, asked.size - at);
    if (asked.chunked) list.add(copied(stream.loop(), fmt::format("{:x}\r\n", piece.size())));
    list.add(io::Chunk::constant(piece));
    if (asked.chunked) list.add(io::Chunk::constant("\r\n"));
    at += piece.size();
    if (co_await stream.send(std::move(list)) != io::IoStatus::kOk) co_return false;
    list.clear();
  }
  if (asked.chunked) list.add(io::Chunk::constant("0\r\n\r\n"));
  co_return co_await stream.send(std::move(list)) == io::IoStatus::kOk && !close;
}

io::Task<void> Endpoints::State::serve(std::shared_ptr<State> state,
                                       std::list<io::StreamPtr>::iterator self) {
  io::Stream& stream = **self;
  {
    http::Parser parser(http::Role::kRequest);
    io::Chunk input;
    Asked asked;
    std::uint64_t got = 0;
    bool good = true;
    bool alive = true;
    while (alive) {
      const http::Step step = parser.feed(input.bytes());
      if (step.event == http::Event::kHead) {
        asked = parse_path(parser.head().path);
        got = 0;
        good = true;
      } else if (step.event == http::Event::kBody) {
        good &= same(upload_id(asked.id), got, {step.body.data(), step.body.size()});
        got += step.body.size();
      } else if (step.event == http::Event::kError) {
        break;
      }
      input.drop_front(step.consumed);
      if (step.event == http::Event::kEnd) {
        // Some connections end in good order, so that reuse and new connections mix.
        alive = co_await state->answer(stream, asked, good, asked.id % 53 == 0);
        parser.reset();
      } else if (step.event == http::Event::kNeedMore) {
        io::Received received = co_await stream.receive(io::kLargeBlock);
        alive = received.status == io::IoStatus::kOk;
        input = std::move(received.chunk);
      }
    }
  }
  state->streams.erase(self);
}

Endpoints::Endpoints(io::EngineKind engine, std::size_t count) : state_(std::make_shared<State>()) {
  auto thread = service::LoopThread::start(engine);
  EV_CHECK(thread.has_value(), "a thread for the endpoints");
  thread_ = std::move(*thread);
  addresses_ = thread_->call([&] {
    std::vector<io::Address> made;
    for (std::size_t i = 0; i < count; ++i) {
      auto listener =
          thread_->loop().listen(io::Address::loopback(0), {}, [state = state_](io::StreamPtr s) {
            state->streams.push_front(std::move(s));
            io::spawn(State::serve(state, state->streams.begin()));
          });
      EV_CHECK(listener.has_value(), "a free port");
      made.push_back((*listener)->address());
      state_->listeners.push_back(std::move(*listener));
    }
    return made;
  });
}

Endpoints::~Endpoints() {
  thread_->call([&] {
    state_->listeners.clear();
    for (const auto& stream : state_->streams) stream->abort();
  });
  while (thread_->call([&] { return !state_->streams.empty(); })) continue;
  thread_->call([&] { state_.reset(); });
}

}  // namespace evener::soak

// sat_load: closed-loop clients and the endpoints behind the proxy, in one thread on one loop.
//
// It costs less than any proxy between its clients and its endpoints, so the proxy is what is
// saturated; with wrk and nginx around it the load's core would be the bottleneck.
//   sat_load serve PORTS...              only prints the ports it answers on (0: free ones)
//   stdin lines "PORT CONNECTIONS MS PATH" each start a run; one JSON line answers each.
#include <fmt/format.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/histogram.h"
#include "http/parser.h"
#include "io/loop.h"
#include "io/task.h"

namespace {

using namespace evener;

constexpr std::string_view kRequestTail =
    " HTTP/1.1\r\nHost: bench.test\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) "
    "AppleWebKit/537.36 "
    "(KHTML, like Gecko) Chrome/126.0 Safari/537.36\r\nAccept: text/html,application/xhtml+xml,"
    "application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r\nAccept-Language: en-US,en;q=0.5\r\n"
    "Accept-Encoding: gzip, deflate, br\r\nCookie: session=0123456789abcdef0123456789abcdef; "
    "theme=dark\r\nUpgrade-Insecure-Requests: 1\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Mode: "
    "navigate\r\nSec-Fetch-Site: none\r\n\r\n";

std::string response_text(std::size_t size) {
  return fmt::format(
             "HTTP/1.1 200 OK\r\nServer: sat\r\nDate: Mon, 30 Nov 2026 10:00:00 GMT\r\n"
             "Content-Type: application/octet-stream\r\nContent-Length: {}\r\n\r\n",
             size) +
         std::string(size, 'x');
}

io::Task<io::IoStatus> send_all(io::Stream& stream, std::string_view text) {
  while (!text.empty()) {
    const std::size_t n = std::min(text.size(), io::kLargeBlock);
    // The text outlives the connection, so it is sent from where it lies.
    const io::IoStatus sent =
        co_await stream.send(io::ChunkList(io::Chunk::constant(text.substr(0, n))));
    if (sent != io::IoStatus::kOk) co_return sent;
    text.remove_prefix(n);
  }
  co_return io::IoStatus::kOk;
}

// Answers every request head that ends in an empty line; requests here have no bodies.
io::Task<void> serve(io::StreamPtr stream, const std::string& response) {
  for (;;) {
    io::Received received = co_await stream->receive();
    if (received.status != io::IoStatus::kOk) co_return;
    if (!received.chunk.text().ends_with("\r\n\r\n")) continue;
    if (co_await send_all(*stream, response) != io::IoStatus::kOk) co_return;
  }
}

struct Run {
  io::Address target;
  std::string request;
  Time end;
  std::size_t open = 0;
  std::uint64_t requests = 0;
  std::uint64_t errors = 0;
  Histogram latency;
};

io::Task<bool> one_request(io::Loop& loop, io::Stream& stream, Run& run) {
  const Time start = loop.now();
  if (co_await send_all(stream, run.request) != io::IoStatus::kOk) co_return false;
  http::Parser parser(http::Role::kResponse);
  io::Chunk kept;  // the head's views point into it
  bool good = false;
  for (;;) {
    io::Received received = co_await stream.receive(io::kLargeBlock);
    if (received.status != io::IoStatus::kOk) co_return false;
    std::span<const char> rest = received.chunk.bytes();
    for (;;) {
      const http::Step step = parser.feed(rest);
      rest = rest.subspan(step.consumed);
      if (step.event == http::Event::kHead) {
        good = parser.head().status == 200;
        kept = received.chunk.slice(0, received.chunk.size());
      }
      if (step.event == http::Event::kError) co_return false;
      if (step.event == http::Event::kEnd) {
        run.latency.record(loop.now() - start);
        co_return good&& rest.empty();
      }
      if (step.event == http::Event::kNeedMore) break;
    }
  }
}

io::Task<void> client(io::Loop& loop, Run& run) {
  io::StreamPtr stream = loop.open(run.target);
  if (co_await stream->connect() == io::IoStatus::kOk) {
    while (loop.now() < run.end) {
      if (!co_await one_request(loop, *stream, run)) {
        ++run.errors;
        break;
      }
      ++run.requests;
    }
  } else {
    ++run.errors;
  }
  --run.open;
}

std::string run_line(io::Loop& loop, const std::string& line) {
  unsigned port = 0;
  unsigned connections = 0;
  unsigned ms = 0;
  std::string path;
  std::istringstream words(line);
  if (!(words >> port >> connections >> ms >> path) || port > 65535) return "{\"errors\": 1}";
  Run run{.target = io::Address::loopback(static_cast<std::uint16_t>(port)),
          .request = "GET " + path + std::string(kRequestTail),
          .end = loop.now() + Duration::milliseconds(ms),
          .latency = {}};
  run.open = connections;
  for (unsigned i = 0; i < connections; ++i) io::spawn(client(loop, run));
  const Time limit = run.end + Duration::seconds(10);
  while (run.open > 0 && loop.now() < limit) loop.turn(limit);
  return fmt::format("{{\"requests\": {}, \"errors\": {}, \"p50_us\": {}, \"p99_us\": {}}}",
                     run.requests, run.errors + run.open, run.latency.quantile(0.5).ns() / 1000,
                     run.latency.quantile(0.99).ns() / 1000);
}

}  // namespace

int main(int argc, char** argv) {
  auto made = io::Loop::create(io::EngineKind::kAuto);
  if (!made || argc < 3) {
    fmt::print(stderr, "usage: sat_load ENDPOINTS BODY_BYTES, then lines on standard input\n");
    return 2;
  }
  io::Loop& loop = **made;
  const std::string response = response_text(static_cast<std::size_t>(std::atol(argv[2])));
  std::vector<io::ListenerPtr> listeners;
  for (int i = 0; i < std::atoi(argv[1]); ++i) {
    auto listener = loop.listen(io::Address::loopback(0), {}, [&response](io::StreamPtr stream) {
      io::spawn(serve(std::move(stream), response));
    });
    if (!listener) return 1;
    listeners.push_back(std::move(*listener));
    fmt::print("{}{}", i == 0 ? "" : " ", listeners.back()->address().port());
  }
  fmt::print("\n");
  std::fflush(stdout);
  std::jthread reader([&loop] {
    for (std::string line; std::getline(std::cin, line);) {
      loop.post([&loop, line] {
        fmt::print("{}\n", run_line(loop, line));
        std::fflush(stdout);
      });
    }
    loop.post([&loop] { loop.stop(); });
  });
  loop.run();
  // Connections of the proxies are still open: the process ends without taking them down one by
  // one.
  std::_Exit(0);
}

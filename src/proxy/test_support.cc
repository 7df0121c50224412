#include "proxy/test_support.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace evener::proxy {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::vector<std::string> values_of(std::string_view head, std::string_view name) {
  std::vector<std::string> values;
  std::size_t at = head.find("\r\n");
  while (at != std::string_view::npos && at + 2 < head.size()) {
    const std::size_t next = head.find("\r\n", at + 2);
    const std::string_view line = head.substr(at + 2, next - at - 2);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && same_name(line.substr(0, colon), name)) {
      std::string_view value = line.substr(colon + 1);
      while (value.starts_with(' ')) value.remove_prefix(1);
      values.emplace_back(value);
    }
    at = next;
  }
  return values;
}

std::size_t number(std::string_view text, int base) {
  std::size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value, base);
  return value;
}

config::Address config_address(const io::Address& address) {
  return {.host = "127.0.0.1", .port = address.port(), .ipv6 = false};
}

}  // namespace

int Message::status() const {
  return head.size() < 12 ? 0 : static_cast<int>(number(std::string_view(head).substr(9, 3), 10));
}

std::string Message::field(std::string_view name) const {
  const auto values = values_of(head, name);
  return values.empty() ? "" : values.front();
}

int Message::count(std::string_view name) const {
  return static_cast<int>(values_of(head, name).size());
}

std::string Message::target() const {
  const std::size_t from = head.find(' ') + 1;
  return head.substr(from, head.find(' ', from) - from);
}

io::Task<bool> Wire::write(std::string bytes, bool last) {
  std::string_view left = bytes;
  io::IoStatus status = io::IoStatus::kOk;
  do {
    const std::size_t n = std::min(left.size(), io::kLargeBlock);
    io::ChunkList list;
    if (n > 0) {
      io::Chunk chunk = loop().buffers().make(n);
      chunk.append(left.substr(0, n));
      list.add(std::move(chunk));
      left.remove_prefix(n);
    }
    status = co_await stream_->send(std::move(list), last && left.empty());
  } while (status == io::IoStatus::kOk && !left.empty());
  co_return status == io::IoStatus::kOk;
}

io::Task<bool> Wire::fill() {
  if (end_ != io::IoStatus::kOk) co_return false;
  const io::Received received = co_await stream_->receive();
  end_ = received.status;
  buffer_ += received.chunk.text();
  co_return end_ == io::IoStatus::kOk;
}

io::Task<std::string> Wire::until(std::string mark) {
  std::size_t searched = 0;
  for (;;) {
    const std::size_t at = buffer_.find(mark, searched);
    if (at != std::string::npos) co_return co_await take(at + mark.size());
    searched = buffer_.size() < mark.size() ? 0 : buffer_.size() - mark.size();
    if (!co_await fill()) co_return std::exchange(buffer_, {});
  }
}

io::Task<std::string> Wire::take(std::size_t n) {
  while (buffer_.size() < n && co_await fill()) continue;
  std::string taken = buffer_.substr(0, n);
  buffer_.erase(0, n);
  co_return taken;
}

io::Task<std::string> Wire::rest() {
  while (co_await fill()) continue;
  co_return std::exchange(buffer_, {});
}

void Wire::reset() {
  stream_->abort();
  stream_.reset();
}

io::Task<void> Wire::chunks(Message& message) {
  for (;;) {
    const std::string line = co_await until("\r\n");
    if (!line.ends_with("\r\n")) co_return;
    const std::size_t size = number(line, 16);
    if (size == 0) break;
    const std::string data = co_await take(size + 2);
    message.body += data.substr(0, size);
    if (data.size() != size + 2) co_return;
  }
  for (;;) {
    const std::string line = co_await until("\r\n");
    if (line == "\r\n") break;
    if (!line.ends_with("\r\n")) co_return;
    message.trailers += line;
  }
  message.whole = true;
}

io::Task<Message> Wire::message(bool response, bool to_head) {
  Message message;
  message.head = co_await until("\r\n\r\n");
  if (!message.head.ends_with("\r\n\r\n")) co_return message;
  const int status = response ? message.status() : 0;
  const bool no_body = to_head || (response && (status < 200 || status == 204 || status == 304));
  if (no_body) {
    message.whole = true;
  } else if (same_name(message.field("Transfer-Encoding"), "chunked")) {
    co_await chunks(message);
  } else if (message.count("Content-Length") > 0) {
    const std::size_t length = number(message.field("Content-Length"), 10);
    message.body = co_await take(length);
    message.whole = message.body.size() == length;
  } else if (response) {
    message.body = co_await rest();
    message.by_close = true;
    message.whole = end_ == io::IoStatus::kEof;
  } else {
    message.whole = true;
  }
  co_return message;
}

ScriptedEndpoint::ScriptedEndpoint(io::Loop& loop, Script script, int backlog)
    : script_(std::move(script)) {
  auto made = loop.listen(io::Address::loopback(0), {.backlog = backlog}, [this](io::StreamPtr s) {
    ++connections_;
    wires_.emplace_back(std::move(s));
    io::spawn(serve(*this, std::prev(wires_.end())));
  });
  EV_CHECK(made.has_value(), "a free port");
  listener_ = std::move(*made);
  address_ = listener_->address();
}

io::Task<void> ScriptedEndpoint::serve(ScriptedEndpoint& self, std::list<Wire>::iterator wire) {
  co_await self.script_(*wire);
  self.wires_.erase(wire);
}

void ScriptedEndpoint::shut() {
  listener_.reset();
  for (Wire& wire : wires_) {
    if (!wire.closed()) wire.stream().abort();
  }
}

ScriptedEndpoint::Script always(std::string answer) {
  return [answer = std::move(answer)](Wire& wire) -> io::Task<void> {
    for (;;) {
      const Message request = co_await wire.request();
      if (!request.whole || !co_await wire.write(answer)) co_return;
    }
  };
}

std::string response_with(std::string_view body, std::string_view fields) {
  return "HTTP/1.1 200 OK\r\n" + std::string(fields) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>((i * 131 + (i >> 9)) & 0xff);
  return bytes;
}

void ProxyTest::SetUp() {
  auto made = io::Loop::create(GetParam());
  if (!made) GTEST_SKIP() << "engine not available here: " << made.error();
  loop_ = std::move(*made);
  idle_blocks_ = loop_->buffers().blocks_out();
  config::Pool pool;
  pool.name = "web";
  config_.pools.push_back(std::move(pool));
  config_.routes.emplace_back();
  config_.routes.back().pool = "web";
}

ScriptedEndpoint& ProxyTest::endpoint(ScriptedEndpoint::Script script, int backlog) {
  ScriptedEndpoint& made = endpoints_.emplace_back(*loop_, std::move(script), backlog);
  config::EndpointConfig configured;
  configured.address = config_address(made.address());
  configured.name = "endpoint-" + std::to_string(config_.pools[0].endpoints.size());
  config_.pools[0].endpoints.push_back(std::move(configured));
  return made;
}

void ProxyTest::dead_endpoint() {
  endpoint([](Wire&) -> io::Task<void> { co_return; }).stop_listening();
}

void ProxyTest::start(Worker::Options options) {
  auto config = std::make_shared<const config::Config>(config_);
  std::vector<EndpointSetPtr> sets;
  for (const config::Pool& pool : config->pools) sets.push_back(*make_endpoint_set(pool, 1));
  worker_ = std::make_unique<Worker>(*loop_, config, sets, options);
  address_ = *worker_->listen(io::Address::loopback(0));
}

void ProxyTest::turn_until(const std::function<bool()>& condition) {
  const Time limit = loop_->now() + kPatience;
  while (!condition() && loop_->now() < limit) {
    loop_->turn(std::min(limit, loop_->now() + Duration::milliseconds(5)));
  }
}

void ProxyTest::run_task(io::Task<void> task) {
  bool done = false;
  io::spawn([](io::Task<void> inner, bool& flag) -> io::Task<void> {
    co_await std::move(inner);
    flag = true;
  }(std::move(task), done));
  // Longer than any single wait, so that those end first and say where.
  const Time limit = loop_->now() + kPatience * 3;
  while (!done && loop_->now() < limit) loop_->turn(limit);
  ASSERT_TRUE(done) << "the test's coroutine is stuck";
}

io::Task<Wire> ProxyTest::connect() {
  io::StreamPtr stream = loop_->open(address_);
  const io::IoStatus status = co_await stream->connect();
  EXPECT_EQ(status, io::IoStatus::kOk);
  co_return Wire(std::move(stream));
}

io::Task<Message> ProxyTest::ask(std::string request) {
  Wire client = co_await connect();
  co_await client.write(std::move(request));
  co_return co_await client.response(false);
}

io::Task<bool> ProxyTest::eventually(std::function<bool()> condition) {
  const Time limit = loop_->now() + kPatience;
  while (!condition() && loop_->now() < limit) co_await loop_->sleep(Duration::milliseconds(1));
  co_return condition();
}

EndpointStatus ProxyTest::status_of_endpoint(std::size_t index) {
  std::vector<EndpointStatus> all;
  pool().balancer().snapshot(loop_->now(), all);
  return all.at(index);
}

void ProxyTest::TearDown() {
  if (!loop_) return;
  if (worker_) {
    turn_until([&] { return idle() && worker_->counters().requests_open == 0; });
    EXPECT_EQ(pool().balancer().in_flight(), 0u);
    EXPECT_EQ(worker_->clients(), 0u);
    EXPECT_EQ(worker_->counters().requests_open, 0u);
    EXPECT_EQ(worker_->counters().connections_open, 0u);
    bool drained = false;
    if (!worker_->draining()) worker_->drain(loop_->now(), [&] { drained = true; });
    turn_until([&] { return drained || worker_->clients() == 0; });
    EXPECT_EQ(worker_->idle_endpoint_connections(), 0u);
    worker_.reset();
  }
  for (ScriptedEndpoint& endpoint : endpoints_) endpoint.shut();
  turn_until([&] {
    return std::ranges::all_of(endpoints_, [](auto& endpoint) { return endpoint.open() == 0; });
  });
  endpoints_.clear();
  turn_until([&] { return loop_->buffers().blocks_out() == idle_blocks_; });
  EXPECT_EQ(loop_->buffers().blocks_out(), idle_blocks_);
}

}  // namespace evener::proxy

#include "proxy/test_support.h"

#include <algorithm>
#include <utility>

namespace evener::proxy {
namespace {

config::Address config_address(const io::Address& address) {
  return {.host = "127.0.0.1", .port = address.port(), .ipv6 = false};
}

}  // namespace

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

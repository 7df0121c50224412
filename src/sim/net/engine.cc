#include "sim/net/engine.h"

#include <algorithm>

#include "base/check.h"
#include "sim/net/listener.h"
#include "sim/net/stream.h"

namespace evener::sim {

NetEngine::NetEngine(io::Loop& loop, Network& network, HostId host, ProcessOptions options)
    : Engine("simulated"), loop_(loop), network_(network), host_(host), options_(options) {}

NetEngine::~NetEngine() {
  network_.world().cancel(event_);
  for (NetStream* stream : buried_) delete stream;  // tidy: allow(delete) release() gave it to us
}

std::unique_ptr<io::Loop> NetEngine::make_loop(Network& network, HostId host,
                                               const ProcessOptions& options, NetEngine*& engine) {
  auto loop = io::Loop::create([&](io::Loop& made) -> std::expected<io::ChosenEngine, std::string> {
    auto own = std::make_unique<NetEngine>(made, network, host, options);
    engine = own.get();
    return io::ChosenEngine{std::move(own), {}};
  });
  return std::move(*loop);
}

void NetEngine::turn_at(Time when) {
  if (when == Time::never()) return;
  when = std::max({when, busy_until_, frozen_until_, network_.world().now()});
  if (event_at_ <= when) return;
  network_.world().cancel(event_);
  event_at_ = when;
  event_ = network_.world().at(when, *this);
}

void NetEngine::fire(std::uint64_t) {
  event_at_ = Time::never();
  event_ = EventId::kNone;
  const Time now = network_.world().now();
  if (now < frozen_until_) return turn_at(frozen_until_);
  busy_until_ = now + options_.turn_time;
  loop_.turn(now);
  if (on_turn) on_turn();
  turn_at(ready_.empty() ? loop_.next_turn() : now);
}

void NetEngine::turn(Time) {
  free_buried();
  network_.reap();
  loop_.set_now(network_.world().now());
  batch_.swap(ready_);
  // What gets ready from here on is for the next turn; deliver() may forget entries of the batch.
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    if (batch_[i] != nullptr) batch_[i]->deliver();
  }
  batch_.clear();
}

void NetEngine::wake() noexcept { turn_at(network_.world().now()); }

void NetEngine::ready(NetHandler& handler) {
  if (std::ranges::find(ready_, &handler) == ready_.end()) ready_.push_back(&handler);
  turn_at(network_.world().now());
}

void NetEngine::forget(NetHandler& handler) {
  std::erase(ready_, &handler);
  std::ranges::replace(batch_, &handler, nullptr);
}

void NetEngine::bury(NetStream& stream) { buried_.push_back(&stream); }

void NetEngine::free_buried() {
  std::erase_if(buried_, [](NetStream* stream) {
    if (stream->has_queued_work()) return false;
    delete stream;  // tidy: allow(delete) release() gave it to us
    return true;
  });
}

bool NetEngine::take_descriptor() {
  if (descriptors_ >= options_.descriptors_max) return false;
  ++descriptors_;
  return true;
}

void NetEngine::kill() {
  dead_ = true;
  network_.kill(*this);
}

io::StreamPtr NetEngine::open(const io::Address& peer) {
  return io::StreamPtr(
      new NetStream(*this, loop_, peer));  // tidy: allow(new) StreamPtr releases it
}

std::expected<io::ListenerPtr, std::string> NetEngine::listen(const io::Address& address,
                                                              const io::ListenOptions& options,
                                                              io::AcceptHandler on_accept) {
  const std::uint16_t port = address.port() != 0 ? address.port() : network_.free_port(host_);
  const io::Address here = network_.address(host_, port);
  if (!options.reuse_port && network_.ignores(here)) {
    return std::unexpected("can't listen on " + here.text() +
                           ": the port is taken by another process");
  }
  return std::make_unique<NetListener>(*this, loop_, here, options, std::move(on_accept));
}

}  // namespace evener::sim

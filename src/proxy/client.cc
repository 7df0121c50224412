#include "proxy/client.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "http/serialize.h"
#include "proxy/exchange.h"
#include "proxy/text.h"
#include "proxy/worker.h"

namespace evener::proxy {
namespace {

constexpr Duration kLinger = Duration::seconds(10);     // in all
constexpr Duration kLingerIdle = Duration::seconds(2);  // for one more byte
constexpr std::uint64_t kLingerBytes = 1u << 30;
constexpr Duration kDrainIdle = Duration::milliseconds(500);

}  // namespace

ClientConnection::ClientConnection(Worker& worker, io::StreamPtr stream)
    : worker_(worker),
      stream_(std::move(stream)),
      parser_(http::Role::kRequest, worker.parser_limits()),
      idle_waiter_{{[](io::Waiter& w) { static_cast<IdleWaiter&>(w).client.received(); }}, *this},
      watch_waiter_{{[](io::Waiter& w) { static_cast<IdleWaiter&>(w).client.watched(); }}, *this},
      ip_(stream_->peer().host_text()) {}

ClientConnection::~ClientConnection() {
  worker_.counters().client_bytes_in += stream_->bytes_received();
  worker_.counters().client_bytes_out += stream_->bytes_sent();
}

void ClientConnection::close() { worker_.client_closed(*this); }

void ClientConnection::wait_for_request() {
  const config::ClientTimeouts& timeouts = worker_.config().timeouts;
  stream_->set_deadline(worker_.loop().now() + (!parser_.at_start()  ? timeouts.header
                                                : worker_.draining() ? kDrainIdle
                                                                     : timeouts.keep_alive));
  if (stream_->arm_receive(idle_waiter_, io::kSmallBlock)) received();
}

void ClientConnection::received() {
  io::Received result = stream_->take_received();
  if (result.status == io::IoStatus::kTimedOut && !parser_.at_start()) {
    worker_.counters().count(Reason::kHeaderTimeout);
    return refuse(status_of(Reason::kHeaderTimeout), to_string(Reason::kHeaderTimeout));
  }
  // An idle connection that ends or times out is closed without a word: nobody asked anything.
  if (result.status != io::IoStatus::kOk) return close();
  input_ = std::move(result.chunk);
  feed();
}

void ClientConnection::feed() {
  const bool first = parser_.at_start();
  const http::Step step = parser_.feed(input_.bytes());
  switch (step.event) {
    case http::Event::kHead:
      head_bytes_ = input_.slice(0, input_.size());
      input_.drop_front(step.consumed);
      serve();
      return;
    case http::Event::kNeedMore:
      input_.release();
      if (first && !parser_.at_start()) {
        // The head's time runs from its first byte, so a byte now and then does not prolong it.
        stream_->set_deadline(worker_.loop().now() + worker_.config().timeouts.header);
      }
      if (stream_->arm_receive(idle_waiter_, io::kSmallBlock)) received();
      return;
    case http::Event::kError:
      worker_.counters().count(Reason::kBadRequest);
      return refuse(http::status_for(parser_.error()), http::reason_for(parser_.error()));
    case http::Event::kBody:
    case http::Event::kEnd:
      break;
  }
  EV_CHECK(false, "a body before its head");
}

io::Detached ClientConnection::serve() {
  serving_ = true;
  for (;;) {
    ++requests_;
    bool keep = false;
    bool unread = false;
    {
      Exchange exchange(worker_, *this);
      exchange_ = &exchange;
      keep = co_await exchange.run();
      unread = exchange.request_unread();
      exchange_ = nullptr;
    }
    head_bytes_.release();
    if (!keep || ended_) {
      if ((unread || !input_.empty()) && !stream_->aborted()) co_await linger();
      close();
      co_return;
    }
    parser_.reset();
    if (input_.empty()) break;
    const http::Step step = parser_.feed(input_.bytes());
    if (step.event == http::Event::kHead) {
      head_bytes_ = input_.slice(0, input_.size());
      input_.drop_front(step.consumed);
      continue;
    }
    if (step.event == http::Event::kError) {
      serving_ = false;
      worker_.counters().count(Reason::kBadRequest);
      co_await refuse_and_close(http::status_for(parser_.error()),
                                http::reason_for(parser_.error()));
      co_return;
    }
    input_.release();
    break;
  }
  serving_ = false;
  wait_for_request();  // may destroy this
}

void ClientConnection::refuse(int status, std::string_view reason) {
  io::spawn(refuse_and_close(status, reason));
}

io::Task<void> ClientConnection::refuse_and_close(int status, std::string_view reason) {
  serving_ = true;
  std::string text;
  http::append_local_reply(text, status, reason, http::Version::k11, true, false);
  ++worker_.counters().responses_by_class[static_cast<std::size_t>(status / 100)];
  io::ChunkList list;
  add_text(list, worker_.loop().buffers(), text);
  stream_->set_deadline(worker_.loop().now() + worker_.config().timeouts.send);
  const io::IoStatus sent = co_await stream_->send(std::move(list), true);
  if (sent == io::IoStatus::kOk) co_await linger();
  close();
}

// Reads and forgets what the client still sends, so that closing does not reset the connection
// before the reply has been read (RFC 9112 section 9.6).
io::Task<void> ClientConnection::linger() {
  input_.release();
  static_cast<void>(co_await stream_->send({}, true));
  const std::uint64_t before = stream_->bytes_received();
  const Time end = worker_.loop().now() + kLinger;
  while (stream_->bytes_received() - before < kLingerBytes && worker_.loop().now() < end) {
    stream_->set_deadline(std::min(end, worker_.loop().now() + kLingerIdle));
    const io::Received result = co_await stream_->receive(io::kLargeBlock);
    if (result.status != io::IoStatus::kOk) co_return;
  }
}

void ClientConnection::watch(Exchange& exchange) {
  EV_CHECK(exchange_ == &exchange, "only the exchange under way watches");
  // With a request waiting the connection is full: reading on would only pile up bytes.
  if (!input_.empty() || ended_) return;
  if (stream_->arm_receive(watch_waiter_, io::kSmallBlock)) watched();
}

void ClientConnection::stop_watching() { stream_->forget_receive(); }

void ClientConnection::watched() {
  io::Received result = stream_->take_received();
  switch (result.status) {
    case io::IoStatus::kOk:
      input_ = std::move(result.chunk);
      return;
    case io::IoStatus::kTimedOut:
      return watch(*exchange_);  // a deadline meant for a send
    case io::IoStatus::kEof:
      ended_ = true;
      return exchange_->client_ended();
    default:
      ended_ = true;
      return exchange_->client_gone();
  }
}

void ClientConnection::close_when_idle() {
  if (serving_ || !parser_.at_start()) return;
  stream_->set_deadline(std::min(stream_->deadline(), worker_.loop().now() + kDrainIdle));
}

void ClientConnection::abort() {
  stream_->abort();
  if (exchange_ != nullptr) exchange_->client_gone();
  // An idle connection has a receive pending, which now ends and closes it.
}

}  // namespace evener::proxy

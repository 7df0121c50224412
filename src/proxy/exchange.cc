#include "proxy/exchange.h"

#include <algorithm>
#include <string>

#include "base/check.h"
#include "http/retry_after.h"
#include "http/serialize.h"
#include "proxy/download.h"
#include "proxy/request_key.h"
#include "proxy/text.h"
#include "proxy/worker.h"

namespace evener::proxy {

Exchange::TotalTimer::TotalTimer(Exchange& e)
    : Timer([](Timer& timer) {
        Exchange& exchange = static_cast<TotalTimer&>(timer).exchange;
        exchange.total_timed_out_ = true;
        exchange.stop_waiting();
        if (exchange.response_begun_) exchange.client_.stream().abort();
      }),
      exchange(e) {}

Exchange::Exchange(Worker& worker, ClientConnection& client)
    : worker_(worker),
      client_(client),
      head_(client.parser().head()),
      started_(worker.loop().now()),
      upload_(client, head_,
              {worker.config().limits.request_body_bytes, worker.config().timeouts.body_idle}),
      total_timer_(*this),
      interim_(client, upload_,
               {worker.config().timeouts.send, worker.config().timeouts.body_idle}) {
  ++worker_.counters().requests;
  ++worker_.counters().requests_open;
}

Exchange::~Exchange() { --worker_.counters().requests_open; }

io::Task<bool> Exchange::run() {
  Reason refused = route();
  if (refused == Reason::kNone &&
      head_.content_length > worker_.config().limits.request_body_bytes) {
    refused = Reason::kBodyTooLarge;
  }
  // A request without a body is whole already.
  io::ChunkList nothing;
  if (head_.framing == http::Framing::kNone) upload_.take_ready(nothing);
  if (refused != Reason::kNone) co_return co_await reply(refused);
  worker_.loop().timers().arm(total_timer_, started_ + route_->total_timeout);
  const Reason failure = overriding(co_await obtain_response());
  // The usual request waits for nothing here; a coroutine that would do nothing costs as much as
  // one that does.
  if (!interim_.stop()) co_await interim_.end();
  const bool keep = failure == Reason::kNone ? co_await relay_response() : co_await fail(failure);
  if (upload_running_) co_await end_upload();
  total_timer_.disarm();
  client_.stop_watching();
  co_return keep && !client_.stream().aborted();
}

io::Task<bool> Exchange::fail(Reason failure) {
  if (upload_running_) co_await end_upload();
  drop_endpoint();
  if (failure != Reason::kClientGone) co_return co_await reply(failure);
  worker_.counters().count(failure);
  ++worker_.counters().responses_by_class[0];
  co_return false;
}

Reason Exchange::route() {
  route_ = worker_.router().match(head_.authority, head_.path);
  if (route_ == nullptr) return Reason::kNoRoute;
  pool_ = &worker_.pool(route_->pool_index);
  ++pool_->counters().requests;
  return Reason::kNone;
}

// What ended the exchange for a reason of its own comes before what the aborted stream reports.
Reason Exchange::overriding(Reason found) const {
  if (found == Reason::kNone) return found;
  if (upload_.failure() != Reason::kNone) return upload_.failure();
  if (gone_) return Reason::kClientGone;
  if (total_timed_out_) return Reason::kTotalTimeout;
  return found;
}

bool Exchange::replayable() const {
  using enum http::Method;
  const bool idempotent = head_.method != kPost && head_.method != kPatch &&
                          head_.method != kConnect && head_.method != kOther;
  return idempotent && head_.framing == http::Framing::kNone;
}

void Exchange::finish_ticket(Outcome outcome, Duration retry_after) {
  ticket_.finish(outcome, worker_.loop().now(), retry_after);
}

io::Task<Reason> Exchange::obtain_response() {
  Reason last = Reason::kNoEndpoint;
  const std::optional<Key> key = request_key(pool_->settings().key, head_, client_.ip());
  for (std::size_t attempts = 1;; ++attempts) {
    auto ticket = pool_->pick(tried_, key);
    if (!ticket) {
      const bool full = ticket.error() == PickError::kAllBusy && attempts == 1;
      co_return full ? Reason::kEndpointsFull : last;
    }
    ticket_ = std::move(*ticket);
    picked_ = worker_.loop().now();
    const EndpointId id = ticket_.id();
    last = overriding(co_await attempt());
    if (last == Reason::kNone) co_return last;
    const bool ours = last == Reason::kNoDescriptors;
    const bool theirs = last == Reason::kBadRequest || last == Reason::kBodyTooLarge ||
                        last == Reason::kBodyTimeout || last == Reason::kClientGone;
    const bool nothing_sent = last == Reason::kConnectRefused || last == Reason::kUnreachable ||
                              last == Reason::kConnectTimeout;
    finish_ticket(ours           ? Outcome::kRejected
                  : theirs       ? Outcome::kCancelled
                  : nothing_sent ? Outcome::kConnectFailed
                                 : Outcome::kFailure);
    if (!nothing_sent || attempts >= kConnectAttempts) co_return last;
    tried_.push_back(id);
    ++worker_.counters().retries;
  }
}

io::Task<Reason> Exchange::attempt() {
  const EndpointId id = ticket_.id();
  endpoint_ = pool_->connections().take(id, !replayable());
  if (endpoint_) {
    ++worker_.counters().reuses;
    Reason reason = co_await send_request();
    if (reason == Reason::kNone) reason = co_await receive_head();
    const bool died_idle = reason == Reason::kEndpointReset || reason == Reason::kEndpointClosed;
    if (!died_idle || response_seen_ || !replayable() || gone_ || total_timed_out_) {
      co_return reason;
    }
    // It was closed while it waited in the pool, most likely: once more, on a new connection.
    ++worker_.counters().retries;
    drop_endpoint();
  }
  Reason reason = co_await connect(id);
  if (reason == Reason::kNone) reason = co_await send_request();
  if (reason == Reason::kNone) reason = co_await receive_head();
  co_return reason;
}

io::Task<Reason> Exchange::connect(EndpointId id) {
  ++worker_.counters().connects;
  io::StreamPtr stream = worker_.loop().open(pool_->address_of(id));
  stream->set_deadline(worker_.loop().now() + pool_->settings().timeouts.connect);
  if (upload_.complete()) client_.watch(*this);
  waiting_on_ = stream.get();
  const io::IoStatus status = co_await stream->connect();
  waiting_on_ = nullptr;
  if (status != io::IoStatus::kOk) {
    if (!gone_ && !total_timed_out_) ++worker_.counters().connect_failures;
    co_return failure_of(status, true);
  }
  endpoint_ = std::make_unique<upstream::EndpointConnection>(id, std::move(stream),
                                                             worker_.parser_limits());
  co_return Reason::kNone;
}

io::Task<Reason> Exchange::send_request() {
  if (gone_) co_return Reason::kClientGone;
  io::Stream& stream = endpoint_->stream();
  response_seen_ = false;
  endpoint_->parser().expect_response_to(head_.method);
  std::string& text = worker_.scratch();
  text.clear();
  const std::string& name = ticket_.endpoint().name;
  const http::RequestNotes notes =
      http::append_request_head(text, head_, {.client_ip = client_.ip(), .host_fallback = name});
  worker_.counters().alias_fields_dropped += notes.aliases_dropped;
  io::ChunkList list;
  add_text(list, worker_.loop().buffers(), text);
  if (!upload_.complete()) upload_.take_ready(list);
  if (upload_.failure() != Reason::kNone) co_return upload_.failure();
  if (upload_.complete()) client_.watch(*this);
  if (gone_) co_return Reason::kClientGone;
  stream.set_deadline(worker_.loop().now() + pool_->settings().timeouts.first_byte);
  waiting_on_ = &stream;
  const io::IoStatus status = co_await stream.send(std::move(list));
  // After a refused write the endpoint's early answer may still be there to read.
  if (status != io::IoStatus::kOk && status != io::IoStatus::kReset) {
    co_return failure_of(status, false);
  }
  if (!upload_.complete()) {
    if (head_.expect_continue && !upload_.started()) interim_.await_continue();
    upload_running_ = true;
    io::spawn(run_upload(stream));
  }
  co_return Reason::kNone;
}

io::Task<void> Exchange::run_upload(io::Stream& endpoint) {
  co_await upload_.run(endpoint, pool_->settings().timeouts.idle);
  if (upload_.complete()) {
    if (!response_begun_) {
      endpoint.set_deadline(worker_.loop().now() + pool_->settings().timeouts.first_byte);
    }
    client_.watch(*this);
  }
  upload_running_ = false;
  upload_done_.set();  // last: whoever waits may end this exchange
}

io::Task<void> Exchange::end_upload() {
  upload_.stop();
  if (endpoint_) endpoint_->stream().abort();
  co_await upload_done_;
}

io::Task<Reason> Exchange::receive_head() {
  io::Stream& stream = endpoint_->stream();
  http::Parser& parser = endpoint_->parser();
  for (int interim = 0;;) {
    const http::Step step = parser.feed(endpoint_input_.bytes());
    if (step.event == http::Event::kNeedMore) {
      endpoint_input_.release();
      io::Received result = co_await stream.receive();
      if (result.status != io::IoStatus::kOk) co_return failure_of(result.status, false);
      response_seen_ = true;
      endpoint_input_ = std::move(result.chunk);
      continue;
    }
    if (step.event != http::Event::kHead) co_return Reason::kBadResponse;
    const int status = parser.head().status;
    if (status >= 200) {
      endpoint_input_.drop_front(step.consumed);
      ticket_.first_byte(worker_.loop().now());
      co_return Reason::kNone;
    }
    if (status == 101 || ++interim > kInterimMax) co_return Reason::kBadResponse;
    const Reason reason = co_await take_interim(status);
    if (reason != Reason::kNone) co_return reason;
    endpoint_input_.drop_front(step.consumed);
    parser.reset();
    parser.expect_response_to(head_.method);
  }
}

// Passes a 1xx on to a client that can understand it (RFC 9110 section 15.2).
io::Task<Reason> Exchange::take_interim(int status) {
  if (!interim_.wanted(status, head_.expect_continue) || head_.version != http::Version::k11) {
    co_return Reason::kNone;
  }
  std::string& text = worker_.scratch();
  text.clear();
  http::append_response_head(text, endpoint_->parser().head(), {.request_method = head_.method});
  co_return co_await interim_.send(status, text) ? Reason::kNone : Reason::kClientGone;
}

Reason Exchange::failure_of(io::IoStatus status, bool connecting) const {
  switch (status) {
    case io::IoStatus::kRefused:
      return Reason::kConnectRefused;
    case io::IoStatus::kUnreachable:
      return Reason::kUnreachable;
    case io::IoStatus::kNoDescriptors:
      return Reason::kNoDescriptors;
    case io::IoStatus::kTimedOut:
      return connecting ? Reason::kConnectTimeout : Reason::kFirstByteTimeout;
    case io::IoStatus::kEof:
      return Reason::kEndpointClosed;
    default:
      return connecting ? Reason::kConnectRefused : Reason::kEndpointReset;
  }
}

bool Exchange::must_close() const {
  return !head_.keep_alive || client_.ended() || worker_.draining() || !upload_.complete() ||
         upload_running_ || client_.requests() >= worker_.config().limits.requests_per_connection;
}

io::Task<bool> Exchange::relay_response() {
  const http::Head& response = endpoint_->parser().head();
  const int status = response.status;
  // A refusal of a body that is still coming: the rest of it is not wanted.
  if (!upload_.complete() && status >= 300) upload_.stop();
  std::string& text = worker_.scratch();
  text.clear();
  const http::ResponsePlan plan = http::append_response_head(
      text, response,
      {.client_version = head_.version, .request_method = head_.method, .close = must_close()});
  const Duration retry_after =
      status == 429 || status == 503 ? http::retry_after(response) : Duration();
  const Duration to_head = worker_.loop().now() - picked_;
  response_begun_ = true;
  Download download(client_.stream(), *endpoint_, std::move(endpoint_input_), text,
                    {pool_->settings().timeouts.idle, worker_.config().timeouts.send});
  const Download::Result result = co_await download.run(plan);
  waiting_on_ = nullptr;
  if (!result.head_sent && !gone_ && !total_timed_out_) {
    finish_ticket(Outcome::kFailure);
    co_return co_await fail(Reason::kBadResponse);
  }
  const Time now = worker_.loop().now();
  const Reason reason = outcome_reason(result.reason);
  if (reason != Reason::kNone) worker_.counters().count(reason);
  ++worker_.counters().responses_by_class[static_cast<std::size_t>(std::min(status / 100, 5))];
  // Cut for another reason than the endpoint's doing says nothing about the endpoint.
  const bool cut_here = reason != Reason::kNone && reason != Reason::kTruncated &&
                        (reason != Reason::kTotalTimeout || result.reason != Reason::kTruncated);
  const bool failed = status >= 500 || reason != Reason::kNone;
  // 429, and 503 with a time: it works, and says that it has too much to do.
  const bool overloaded = status == 429 || (status == 503 && retry_after > Duration());
  finish_ticket(cut_here     ? Outcome::kCancelled
                : overloaded ? Outcome::kOverloaded
                : failed     ? Outcome::kFailure
                             : Outcome::kSuccess,
                overloaded && !cut_here ? retry_after : Duration());
  pool_->counters().first_byte.record(to_head);
  pool_->counters().total.record(now - started_);
  const bool whole = upload_.complete() && !upload_running_;
  if (result.reusable && whole) pool_->connections().put(std::move(endpoint_), now);
  co_return reason == Reason::kNone && !plan.close && whole;
}

// Why a response that had begun ended as it did: a stream aborted here only looks like a loss
// there.
Reason Exchange::outcome_reason(Reason found) const {
  if (found == Reason::kNone) return found;
  if (total_timed_out_) return Reason::kTotalTimeout;
  if (found == Reason::kTruncated && upload_.failure() != Reason::kNone) return upload_.failure();
  return gone_ ? Reason::kClientGone : found;
}

io::Task<bool> Exchange::reply(Reason reason) {
  const bool bad = reason == Reason::kBadRequest;
  const int status = bad ? http::status_for(client_.parser().error()) : status_of(reason);
  const std::string_view word =
      bad ? http::reason_for(client_.parser().error()) : to_string(reason);
  const bool close = must_close();
  std::string text;
  http::append_local_reply(text, status, word, head_.version, close,
                           head_.method == http::Method::kHead);
  worker_.counters().count(reason);
  ++worker_.counters().responses_by_class[static_cast<std::size_t>(status / 100)];
  io::ChunkList list;
  add_text(list, worker_.loop().buffers(), text);
  io::Stream& stream = client_.stream();
  stream.set_deadline(worker_.loop().now() + worker_.config().timeouts.send);
  const io::IoStatus sent = co_await stream.send(std::move(list), close);
  co_return sent == io::IoStatus::kOk && !close;
}

void Exchange::stop_waiting() {
  if (waiting_on_ != nullptr) waiting_on_->abort();
}

void Exchange::drop_endpoint() {
  waiting_on_ = nullptr;
  endpoint_input_.release();
  endpoint_.reset();
}

void Exchange::client_ended() {
  // "Connection: close" and then an end is how some clients ask for one response; an end without it
  // is a client that went away.
  if (head_.keep_alive) client_gone();
}

void Exchange::client_gone() {
  gone_ = true;
  stop_waiting();
}

}  // namespace evener::proxy

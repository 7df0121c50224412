#include "lab/proxy/endpoint.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

#include "base/check.h"

namespace evener::lab::fleet {
namespace {

using http::Message;
using http::Wire;
using io::Task;

constexpr Duration kPatience = Duration::seconds(60);
constexpr int kEndlessPieces = 200;

std::uint64_t number_after(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return 0;
  std::uint64_t value = 0;
  std::from_chars(text.data() + at + mark.size(), text.data() + text.size(), value);
  return value;
}

std::string as_chunks(std::string_view body, std::size_t size) {
  std::string out;
  while (!body.empty()) {
    const std::string_view piece = body.substr(0, size);
    out += fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
    body.remove_prefix(piece.size());
  }
  return out + "0\r\n\r\n";
}

}  // namespace

EndpointProcess::EndpointProcess(RunState& run, sim::HostId host, std::uint32_t pool, Rng luck)
    : Process(run, host, run.plan.other_process, luck), pool_(pool) {
  post([this, host] {
    listener_ = std::move(
        *loop().listen(this->run().network.address(host, kPort), {}, [this](io::StreamPtr stream) {
          wires_.emplace_back(std::move(stream), kPatience);
          io::spawn(serve(std::prev(wires_.end())));
        }));
  });
}

void EndpointProcess::stop() {
  post([this] {
    listener_.reset();
    for (Wire& wire : wires_) {
      if (!wire.closed()) wire.stream().abort();
    }
  });
}

Mischief EndpointProcess::draw_mischief() {
  const FleetPlan& plan = run().plan;
  if (run().healed || !chance(plan.mischief)) return Mischief::kNone;
  return plan.mischiefs[below(plan.mischiefs.size())];
}

Task<void> EndpointProcess::serve(std::list<Wire>::iterator at) {
  Wire& wire = *at;
  if (draw_mischief() != Mischief::kCloseAtAccept) {
    while (!wire.closed() && co_await exchange(wire)) continue;
  }
  wires_.erase(at);
}

// False when the connection is over.
Task<bool> EndpointProcess::exchange(Wire& wire) {
  wire.stream().set_deadline(loop().now() + kPatience);
  Message message;
  message.head = co_await wire.head();
  if (message.head.empty()) co_return false;
  Job job;
  const std::string id = message.field("x-id");
  job.id = number_after("=" + id, "=");
  if (id.empty() || !run().ledger.known(job.id)) {
    run().ledger.violation(fmt::format("an endpoint got a request that nobody sent: {}",
                                       message.head.substr(0, message.head.find('\r'))));
    co_return false;
  }
  const std::string method = message.head.substr(0, message.head.find(' '));
  job.copy = run().ledger.arrived(job.id, method);
  if (!message.target().starts_with(fmt::format("/{}/", pool_))) {
    run().ledger.violation(
        fmt::format("r{}: came to pool {} for {}", job.id, pool_, message.target()));
  }
  job.bytes = number_after(message.target(), "n=");
  job.to_head = method == "HEAD";
  job.mischief = draw_mischief();
  job.close = chance(0.05) && !run().healed;
  const bool early = job.mischief == Mischief::kEarlyResponse;
  if (early) {
    if (!co_await answer_plainly(wire, job, 200, {}) || chance(0.3)) co_return false;
  }
  if (!early && message.count("Expect") > 0 && chance(0.7)) {
    if (!co_await wire.write("HTTP/1.1 100 Continue\r\n\r\n")) co_return false;
  }
  if (!co_await read_body(wire, message, job.id)) co_return false;
  if (early) co_return true;
  const double slow = run().healed ? 1 : slowness_;
  co_await loop().sleep(
      Duration::from_seconds(exponential(run().plan.service).to_seconds() * slow));
  const bool goes_on = co_await answer(wire, job);
  co_return goes_on && !job.close;
}

Task<bool> EndpointProcess::read_body(Wire& wire, Message& message, std::uint64_t id) {
  co_await wire.body(message, false, false);
  run().ledger.uploaded(id, message.body, message.whole);
  co_return message.whole;
}

std::string EndpointProcess::head(const Job& job, int status, std::string_view fields) const {
  return fmt::format("HTTP/1.1 {} Answer\r\nx-id: {}\r\nx-copy: {}\r\n{}{}\r\n", status, job.id,
                     job.copy, job.close ? "Connection: close\r\n" : "", fields);
}

Task<bool> EndpointProcess::answer_plainly(Wire& wire, const Job& job, int status,
                                           std::string_view fields) {
  Ledger& ledger = run().ledger;
  ledger.declare(job.id, job.copy, status, job.bytes);
  const std::string body = pattern(answer_key(job.id, job.copy), job.bytes);
  std::string text;
  if (chance(0.3)) {
    text = head(job, status, fmt::format("Transfer-Encoding: chunked\r\n{}", fields));
    if (!job.to_head) text += as_chunks(body, 1 + below(5000));
  } else {
    text = head(job, status, fmt::format("Content-Length: {}\r\n{}", job.bytes, fields));
    if (!job.to_head) text += body;
  }
  ledger.sent_whole(job.id, job.copy);
  if (job.mischief == Mischief::kExtraBytes && !job.to_head) text += "HTTP/1.1 200 EXTRA";
  if (job.mischief == Mischief::kUnasked) {
    text += "HTTP/1.1 200 Unasked\r\nx-id: unasked\r\nContent-Length: 7\r\n\r\nunasked";
  }
  co_return co_await wire.write(std::move(text));
}

Task<bool> EndpointProcess::answer_partly(Wire& wire, const Job& job) {
  const std::size_t bytes = job.bytes + 1;
  run().ledger.declare(job.id, job.copy, 200, bytes);
  const std::size_t sent = below(bytes);
  const std::string body = pattern(answer_key(job.id, job.copy), sent);
  const bool chunked = chance(0.5);
  std::string text = head(
      job, 200,
      chunked ? "Transfer-Encoding: chunked\r\n" : fmt::format("Content-Length: {}\r\n", bytes));
  if (chunked) text += fmt::format("{:x}\r\n", bytes);
  static_cast<void>(co_await wire.write(text + body));
  if (job.mischief == Mischief::kResetInBody) wire.reset();
  co_return false;
}

Task<bool> EndpointProcess::answer_in_pieces(Wire& wire, const Job& job) {
  run().ledger.declare(job.id, job.copy, 200, job.bytes);
  const bool by_close = job.mischief == Mischief::kByClose;
  const std::string body = pattern(answer_key(job.id, job.copy), job.to_head ? 0 : job.bytes);
  if (!co_await wire.write(
          head(job, 200, by_close ? "" : fmt::format("Content-Length: {}\r\n", job.bytes)))) {
    co_return false;
  }
  const std::size_t pieces = 1 + below(10);
  const std::size_t size = body.size() / pieces + 1;
  for (std::size_t at = 0; at < body.size(); at += size) {
    co_await loop().sleep(up_to(Duration::milliseconds(100)));
    if (!co_await wire.write(body.substr(at, size))) co_return false;
  }
  run().ledger.sent_whole(job.id, job.copy);
  co_return !by_close;
}

Task<bool> EndpointProcess::answer_without_end(Wire& wire, const Job& job) {
  run().ledger.declare(job.id, job.copy, 200, 0);
  const std::size_t size = 1 + below(16'000);
  const std::string body = pattern(answer_key(job.id, job.copy), size * kEndlessPieces);
  if (!co_await wire.write(head(job, 200, "Transfer-Encoding: chunked\r\n"))) co_return false;
  for (int i = 0; i < kEndlessPieces; ++i) {
    const std::string piece = body.substr(static_cast<std::size_t>(i) * size, size);
    if (!co_await wire.write(fmt::format("{:x}\r\n{}\r\n", piece.size(), piece))) break;
    co_await loop().sleep(Duration::milliseconds(20));
  }
  co_return false;
}

Task<bool> EndpointProcess::answer_without_body(Wire& wire, const Job& job) {
  const int status = chance(0.5) ? 204 : 304;
  run().ledger.declare(job.id, job.copy, status, 0);
  run().ledger.sent_whole(job.id, job.copy);
  co_return co_await wire.write(head(job, status, {}));
}

// Up to 40, of which the proxy passes on at most 32.
std::string EndpointProcess::interim_storm() {
  std::string storm;
  for (std::uint64_t n = 1 + below(40); n > 0; --n) {
    storm += n % 2 == 0 ? "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                        : "HTTP/1.1 102 Processing\r\n\r\n";
  }
  return storm;
}

Task<bool> EndpointProcess::answer(Wire& wire, const Job& job) {
  Ledger& ledger = run().ledger;
  if (job.mischief != Mischief::kNone) {
    ledger.note(fmt::format("r{} mischief: {}", job.id, to_string(job.mischief)));
  }
  switch (job.mischief) {
    case Mischief::kTruncated:
    case Mischief::kResetInBody:
      co_return co_await answer_partly(wire, job);
    case Mischief::kGarbage:
      static_cast<void>(co_await wire.write(
          chance(0.5) ? "no protocol at all\r\n\r\n"
                      : "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"));
      co_return false;
    case Mischief::kInterimStorm:
      if (!co_await wire.write(interim_storm())) co_return false;
      co_return co_await answer_plainly(wire, job, 200, {});
    case Mischief::kTrickle:
    case Mischief::kByClose:
      co_return co_await answer_in_pieces(wire, job);
    case Mischief::kHugeHead:
      co_return co_await answer_plainly(
          wire, job, 200, fmt::format("x-large: {}\r\n", std::string(1000 + below(60'000), 'a')));
    case Mischief::kEndless:
      co_return co_await answer_without_end(wire, job);
    case Mischief::kExtraBytes:
    case Mischief::kUnasked:
      co_return co_await answer_plainly(wire, job, 200, {});
    case Mischief::kHang:
      static_cast<void>(co_await wire.rest());
      co_return false;
    case Mischief::kError:
      co_return co_await answer_plainly(wire, job, 500, {});
    case Mischief::kOverloaded:
      co_return co_await answer_plainly(wire, job, 503, "Retry-After: 1\r\n");
    case Mischief::kNotModified:
      co_return co_await answer_without_body(wire, job);
    case Mischief::kSwitch:
      static_cast<void>(co_await wire.write(head(job, 101, "Upgrade: none\r\n")));
      co_return false;
    case Mischief::kIdleClose: {
      if (!co_await answer_plainly(wire, job, 200, {})) co_return false;
      if (chance(0.7)) co_await loop().sleep(up_to(Duration::milliseconds(5)));
      co_return false;
    }
    case Mischief::kNone:
    case Mischief::kEarlyResponse:
    case Mischief::kCloseAtAccept:
      break;
  }
  co_return co_await answer_plainly(wire, job, 200, {});
}

}  // namespace evener::lab::fleet

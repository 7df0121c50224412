#include "lab/proxy/client.h"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace evener::lab::fleet {
namespace {

using http::Message;
using http::Wire;
using io::IoStatus;
using io::Task;

constexpr Duration kEarlyPatience = Duration::seconds(5);

}  // namespace

ClientProcess::NextTimer::NextTimer(ClientProcess& c)
    : Timer([](io::Timer& t) { static_cast<NextTimer&>(t).client.next(); }), client(c) {}

ClientProcess::ClientProcess(RunState& run, sim::HostId host, std::vector<io::Address> proxies,
                             Rng luck)
    : Process(run, host, run.plan.other_process, luck),
      proxies_(std::move(proxies)),
      next_timer_(*this) {}

void ClientProcess::start(double rate) {
  rate_ = rate;
  post([this] {
    running_ = true;
    loop().timers().arm(next_timer_, loop().now() + exponential(Duration::from_seconds(1 / rate_)));
  });
}

void ClientProcess::stop() {
  post([this] {
    running_ = false;
    next_timer_.disarm();
    idle_.clear();
  });
}

void ClientProcess::next() {
  loop().timers().arm(next_timer_, loop().now() + exponential(Duration::from_seconds(1 / rate_)));
  expire();
  io::spawn(exchange());
}

void ClientProcess::expire() {
  while (!idle_.empty() && loop().now() - idle_.front().since > run().plan.client_idle) {
    idle_.pop_front();
  }
}

void ClientProcess::keep(Wire wire, const io::Address& proxy) {
  if (running_) idle_.push_back({std::move(wire), proxy, loop().now()});
}

ClientProcess::Request ClientProcess::draw_request() {
  const FleetPlan& plan = run().plan;
  Request request;
  if (!run().healed && chance(plan.manner)) {
    request.manner = plan.manners[below(plan.manners.size())];
  }
  if (request.manner == Manner::kHead) request.method = "HEAD";
  const bool uploads =
      request.manner == Manner::kSlowUpload || request.manner == Manner::kExpect ||
      (request.method == "GET" && request.manner != Manner::kMalformed && chance(0.3));
  if (uploads) {
    request.method = chance(0.7) ? "POST" : "PUT";
    request.upload = below(plan.body_max + 1);
    request.chunked =
        request.manner == Manner::kSlowUpload || (request.manner != Manner::kOld && chance(0.3));
  }
  request.id = run().ledger.open(request.method, request.method != "POST",
                                 request.manner == Manner::kPlain, request.upload);
  if (request.manner == Manner::kMalformed) run().ledger.unlawful(request.id);
  if (request.manner != Manner::kPlain) {
    run().ledger.note(fmt::format("r{} manner: {}", request.id, to_string(request.manner)));
  }
  return request;
}

std::string ClientProcess::head(const Request& request) {
  const bool old = request.manner == Manner::kOld;
  std::string text =
      fmt::format("{} /{}/r?n={} HTTP/1.{}\r\nHost: fleet\r\nx-id: {}\r\n", request.method,
                  below(run().plan.pools), below(run().plan.body_max + 1), old ? 0 : 1, request.id);
  if (request.manner == Manner::kExpect) text += "Expect: 100-continue\r\n";
  if (request.manner == Manner::kFresh) text += "Connection: close\r\n";
  if (request.chunked) {
    text += "Transfer-Encoding: chunked\r\n";
  } else if (request.method == "POST" || request.method == "PUT") {
    text += fmt::format("Content-Length: {}\r\n", request.upload);
  }
  return text + "\r\n";
}

std::string ClientProcess::malformed(const Request& request) {
  constexpr std::array<std::string_view, 7> kFaulty{
      "GET /r HTTP/1.1\r\nHost: fleet\r\nx-id: {}\r\nContent-Length: 3\r\nContent-Length: "
      "4\r\n\r\nabcd",
      "GET /r HTTP/1.1\r\nHost: fleet\r\nx-id: {}\r\nContent-Length: -3\r\n\r\n",
      "GET /r HTTP/1.1\r\nHost: fleet\r\nx-id : {}\r\n\r\n",
      "GET /r HTTP/1.1\r\nHost: a\r\nHost: b\r\nx-id: {}\r\n\r\n",
      "GET /r HTTP/9.7\r\nHost: fleet\r\nx-id: {}\r\n\r\n",
      "GET /r HTTP/1.1\r\nx-id: {}\r\n\r\n",
      "POST /r HTTP/1.1\r\nHost: fleet\r\nx-id: {}\r\nTransfer-Encoding: chunked, gzip\r\n\r\n"};
  return fmt::format(fmt::runtime(kFaulty[below(kFaulty.size())]), request.id);
}

Task<void> ClientProcess::exchange() {
  ++under_way_;
  const io::Address proxy = proxies_[below(proxies_.size())];
  std::optional<Wire> wire;
  for (auto at = idle_.begin(); at != idle_.end(); ++at) {
    if (at->proxy == proxy && at->wire.stream().is_quiet()) {
      wire.emplace(std::move(at->wire));
      idle_.erase(at);
      break;
    }
  }
  if (wire) {
    wire->stream().set_deadline(loop().now() + kPatience);
  } else {
    wire.emplace(loop().open(proxy), kPatience);
    const IoStatus status = co_await wire->stream().connect();
    if (status != IoStatus::kOk) {
      const Request request = draw_request();
      if (status == IoStatus::kTimedOut) {
        run().ledger.violation(
            fmt::format("r{}: no connection in {} s", request.id, kPatience.ms() / 1000));
      }
      run().ledger.broken(request.id, fmt::format("connect: {}", to_string(status)));
      --under_way_;
      co_return;
    }
  }
  co_await talk(*wire, proxy);
  --under_way_;
}

Task<void> ClientProcess::talk(Wire& wire, const io::Address& proxy) {
  const Request request = draw_request();
  std::optional<Request> second;
  if (request.manner == Manner::kPipelined) {
    second = draw_request();
    // The first still waits for its response.
    if (second->manner == Manner::kAbandon) second->manner = Manner::kPlain;
  }
  bool sent = co_await send(wire, request);
  if (sent && second) sent = co_await send(wire, *second);
  // An early response may be there to read; but nobody waits for it for long.
  if (!sent) wire.stream().set_deadline(loop().now() + kEarlyPatience);
  bool keeps = co_await receive(wire, request, sent);
  if (second) {
    if (keeps) {
      keeps = co_await receive(wire, *second, sent);
    } else {
      run().ledger.broken(second->id, "the connection ended before its turn");
    }
  }
  if (keeps && wire.unread() > 0) {
    run().ledger.violation(fmt::format("r{}: bytes behind its response", request.id));
  }
  if (keeps && sent) keep(std::move(wire), proxy);
}

Task<bool> ClientProcess::send(Wire& wire, const Request& request) {
  switch (request.manner) {
    case Manner::kMalformed:
      co_return co_await wire.write(malformed(request));
    case Manner::kSlowUpload:
      co_return co_await send_slowly(wire, request);
    case Manner::kExpect:
      // Its body goes out with the head's answer, or without waiting for long.
      if (!co_await wire.write(head(request))) co_return false;
      co_await loop().sleep(up_to(Duration::milliseconds(50)));
      break;
    default:
      break;
  }
  std::string text = request.manner == Manner::kExpect ? std::string() : head(request);
  const std::string body = pattern(request_key(request.id), request.upload);
  if (!request.chunked) {
    text += body;
  } else {
    const std::size_t size = 1 + below(8000);
    for (std::size_t at = 0; at < body.size(); at += size) {
      const std::string_view piece = std::string_view(body).substr(at, size);
      text += fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
    }
    text += "0\r\n\r\n";
  }
  if (request.manner == Manner::kAbandon) {
    wire.stream().set_deadline(loop().now() + up_to(Duration::milliseconds(40)));
  }
  co_return co_await wire.write(std::move(text), request.manner == Manner::kHalfClose);
}

Task<bool> ClientProcess::send_slowly(Wire& wire, const Request& request) {
  const std::string body = pattern(request_key(request.id), request.upload);
  if (!co_await wire.write(head(request))) co_return false;
  const std::size_t size = body.size() / (1 + below(8)) + 1;
  for (std::size_t at = 0; at < body.size(); at += size) {
    co_await loop().sleep(up_to(Duration::milliseconds(chance(0.1) ? 4000 : 100)));
    const std::string piece = body.substr(at, size);
    if (!co_await wire.write(fmt::format("{:x}\r\n{}\r\n", piece.size(), piece))) co_return false;
  }
  co_return co_await wire.write("0\r\n\r\n");
}

Task<bool> ClientProcess::receive(Wire& wire, const Request& request, bool sent) {
  if (request.manner == Manner::kSlowReader) {
    co_await loop().sleep(up_to(Duration::seconds(chance(0.2) ? 5 : 1)));
  }
  Message message;
  for (;;) {
    message = {};
    message.head = co_await wire.head();
    if (message.head.empty()) break;
    const int status = message.status();
    if (status < 100 || status > 199 || status == 101) break;
  }
  if (!message.head.empty()) co_await wire.body(message, true, request.method == "HEAD");
  co_return judge(wire, message, request, sent);
}

bool ClientProcess::judge(const Wire& wire, const Message& message, const Request& request,
                          bool sent) {
  Ledger& ledger = run().ledger;
  const bool in_time = wire.end() != IoStatus::kTimedOut || !sent;
  if (wire.end() == IoStatus::kTimedOut && request.manner == Manner::kAbandon) {
    ledger.left(request.id);
    return false;
  }
  if (!in_time) {
    ledger.violation(fmt::format("r{}: neither a whole response nor an end in {} s", request.id,
                                 kPatience.ms() / 1000));
  }
  if (message.head.empty()) {
    ledger.broken(request.id, fmt::format("no response: {}", to_string(wire.end())));
    return false;
  }
  const int status = message.status();
  const bool to_head = request.method == "HEAD";
  const bool has_body = !to_head && status != 204 && status != 304;
  const bool close = message.field("Connection") == "close" || message.by_close ||
                     request.manner == Manner::kOld || request.manner == Manner::kFresh ||
                     request.manner == Manner::kHalfClose;
  if (message.count("evener-reason") > 0) {
    const std::string reason = message.field("evener-reason");
    ledger.local(request.id, status, reason);
    if (!message.whole && !to_head) return false;
    return !close;
  }
  if (request.manner == Manner::kMalformed) {
    // Refused before a pool was asked: the reason is the parser's word.
    ledger.local(request.id, status, "malformed");
    return !close && message.whole;
  }
  if (message.whole) {
    ledger.answered(request.id, status, message.field("x-id"), message.field("x-copy"),
                    message.body, has_body);
    return !close;
  }
  ledger.cut(request.id, message.field("x-id"), message.field("x-copy"), message.body);
  return false;
}

}  // namespace evener::lab::fleet

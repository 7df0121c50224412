#include "client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "content.h"
#include "http/parser.h"
#include "io/task.h"

namespace evener::soak {
namespace {

constexpr Duration kPatience = Duration::seconds(60);
constexpr std::uint64_t kNever = ~std::uint64_t{0};

struct Plan {
  std::uint64_t id = 0;
  std::uint64_t size = 0;
  bool chunked = false;
  bool post = false;
  std::uint64_t upload = 0;
  bool upload_chunked = false;
  bool expect = false;
  // Where it is abandoned: behind so many octets sent, or received; kNever: it is not.
  std::uint64_t abort_sent = kNever;
  std::uint64_t abort_received = kNever;
  std::uint64_t abort_delay_us = 0;
  bool reset = false;
};

std::uint64_t mixed_size(Rng& rng) {
  const std::uint64_t kind = rng.below(1000);
  if (kind < 100) return 0;
  if (kind < 700) return rng.below(1000);
  if (kind < 950) return rng.below(16'000);
  if (kind < 995) return rng.below(128'000);
  return rng.below((1 << 20) + 1);
}

Plan make_plan(std::uint64_t id, Rng& rng) {
  Plan plan{.id = id, .size = mixed_size(rng), .chunked = rng.below(3) == 0};
  plan.post = rng.below(3) == 0;
  if (plan.post) {
    plan.upload = mixed_size(rng);
    plan.upload_chunked = rng.below(2) == 0;
    plan.expect = plan.upload > 0 && rng.below(20) == 0;
  }
  if (rng.below(6) == 0) {
    plan.reset = rng.below(2) == 0;
    if (rng.below(2) == 0) {
      plan.abort_sent = rng.below(150 + plan.upload);
    } else {
      plan.abort_received = rng.below(2) == 0 ? 0 : rng.below(plan.size + 1);
      plan.abort_delay_us = rng.below(4) * rng.below(300);
    }
  }
  return plan;
}

std::string head_of(const Plan& plan) {
  std::string text =
      fmt::format("{} /{}/{}/{} HTTP/1.1\r\nHost: soak\r\n", plan.post ? "POST" : "GET", plan.id,
                  plan.size, plan.chunked ? "c" : "l");
  if (plan.expect) text += "Expect: 100-continue\r\n";
  if (plan.post && plan.upload_chunked) text += "Transfer-Encoding: chunked\r\n";
  if (plan.post && !plan.upload_chunked) text += fmt::format("Content-Length: {}\r\n", plan.upload);
  return text + "\r\n";
}

}  // namespace

struct Clients::State {
  State(io::Loop& l, const io::Address& t, std::uint64_t n, std::uint64_t seed)
      : loop(l), target(t), requests(n), rng(seed) {}

  enum class End { kKeep, kClose, kAbandoned, kWrong };

  io::Task<void> client();
  io::Task<End> exchange(io::Stream& stream, const Plan& plan);
  io::Task<End> send(io::Stream& stream, const Plan& plan);
  io::Task<End> send_text(io::Stream& stream, const Plan& plan, std::string_view text,
                          std::uint64_t& sent);
  io::Task<End> receive(io::Stream& stream, const Plan& plan);
  End wrong(const Plan& plan, std::string what);

  io::Loop& loop;
  io::Address target;
  std::uint64_t requests;
  Rng rng;
  Tally tally;
};

Clients::State::End Clients::State::wrong(const Plan& plan, std::string what) {
  if (tally.wrong++ == 0) {
    tally.first_wrong =
        fmt::format("{}\nafter:\n{}upload {} size {}", what, head_of(plan), plan.upload, plan.size);
  }
  return End::kWrong;
}

io::Task<Clients::State::End> Clients::State::send_text(io::Stream& stream, const Plan& plan,
                                                        std::string_view text,
                                                        std::uint64_t& sent) {
  const std::uint64_t left = plan.abort_sent == kNever ? kNever : plan.abort_sent - sent;
  const bool cut = left <= text.size();
  if (cut) text = text.substr(0, left);
  io::ChunkList list;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t n = std::min(rest.size(), kPiece);
    io::Chunk chunk = loop.buffers().make(n);
    chunk.append(rest.substr(0, n));
    list.add(std::move(chunk));
    rest.remove_prefix(n);
  }
  sent += text.size();
  const io::IoStatus status = co_await stream.send(std::move(list));
  if (cut) co_return End::kAbandoned;
  if (status != io::IoStatus::kOk) {
    co_return wrong(plan, fmt::format("sending: {}", to_string(status)));
  }
  co_return End::kKeep;
}

io::Task<Clients::State::End> Clients::State::send(io::Stream& stream, const Plan& plan) {
  std::uint64_t sent = 0;
  const std::string head = head_of(plan);
  End end = co_await send_text(stream, plan, head, sent);
  for (std::uint64_t at = 0; at < plan.upload && end == End::kKeep;) {
    const std::string_view piece = content(upload_id(plan.id), at, plan.upload - at);
    std::string text;
    if (plan.upload_chunked) text = fmt::format("{:x}\r\n", piece.size());
    text += piece;
    if (plan.upload_chunked) text += "\r\n";
    at += piece.size();
    end = co_await send_text(stream, plan, text, sent);
  }
  if (end == End::kKeep && plan.post && plan.upload_chunked) {
    end = co_await send_text(stream, plan, "0\r\n\r\n", sent);
  }
  co_return end;
}

io::Task<Clients::State::End> Clients::State::receive(io::Stream& stream, const Plan& plan) {
  http::Parser parser(http::Role::kResponse);
  io::Chunk input;
  std::uint64_t got = 0;
  bool keep = false;
  int status = 0;
  for (;;) {
    const http::Step step = parser.feed(input.bytes());
    if (step.event == http::Event::kHead) {
      status = parser.head().status;
      keep = parser.head().keep_alive;
      if (status >= 200 && status != 200) co_return wrong(plan, fmt::format("status {}", status));
    } else if (step.event == http::Event::kBody) {
      if (!same(plan.id, got, {step.body.data(), step.body.size()})) {
        co_return wrong(plan, fmt::format("a wrong octet near {}", got));
      }
      got += step.body.size();
    } else if (step.event == http::Event::kError) {
      co_return wrong(plan, fmt::format("not HTTP: {}", http::reason_for(parser.error())));
    } else if (step.event == http::Event::kEnd && status < 200) {
      parser.reset();
    } else if (step.event == http::Event::kEnd) {
      if (got != plan.size) co_return wrong(plan, fmt::format("{} octets", got));
      tally.bytes += got;
      co_return keep ? End::kKeep : End::kClose;
    }
    if (got >= plan.abort_received) co_return End::kAbandoned;
    input.drop_front(step.consumed);
    if (step.event != http::Event::kNeedMore) continue;
    io::Received received = co_await stream.receive(io::kLargeBlock);
    if (received.status != io::IoStatus::kOk) {
      co_return wrong(plan, fmt::format("{} after {} octets", to_string(received.status), got));
    }
    input = std::move(received.chunk);
  }
}

io::Task<Clients::State::End> Clients::State::exchange(io::Stream& stream, const Plan& plan) {
  stream.set_deadline(loop.now() + kPatience);
  const End end = co_await send(stream, plan);
  if (end != End::kKeep) co_return end;
  if (plan.abort_delay_us > 0) {
    co_await loop.sleep(Duration::microseconds(static_cast<std::int64_t>(plan.abort_delay_us)));
  }
  co_return co_await receive(stream, plan);
}

io::Task<void> Clients::State::client() {
  io::StreamPtr stream;
  while (tally.requests < requests && tally.wrong == 0) {
    const Plan plan = make_plan(++tally.requests, rng);
    if (!stream) {
      stream = loop.open(target);
      stream->set_deadline(loop.now() + kPatience);
      const io::IoStatus status = co_await stream->connect();
      if (status != io::IoStatus::kOk) {
        wrong(plan, fmt::format("connecting: {}", to_string(status)));
        break;
      }
    }
    const End end = co_await exchange(*stream, plan);
    if (end == End::kAbandoned) ++tally.abandoned;
    if (end == End::kKeep || end == End::kClose) ++tally.answered;
    if (end == End::kAbandoned && plan.reset) stream->abort();
    if (end != End::kKeep) stream.reset();
  }
  --tally.running;
}

Clients::Clients(io::EngineKind engine, const io::Address& target, std::size_t count,
                 std::uint64_t requests, std::uint64_t seed) {
  auto thread = service::LoopThread::start(engine);
  EV_CHECK(thread.has_value(), "a thread for the clients");
  thread_ = std::move(*thread);
  thread_->call([&] {
    state_ = std::make_unique<State>(thread_->loop(), target, requests, seed);
    state_->tally.running = count;
    for (std::size_t i = 0; i < count; ++i) io::spawn(state_->client());
  });
}

Clients::~Clients() {
  while (tally().running > 0) continue;
  thread_->call([&] { state_.reset(); });
}

Tally Clients::tally() {
  return thread_->call([&] { return state_->tally; });
}

}  // namespace evener::soak

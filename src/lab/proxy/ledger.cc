#include "lab/proxy/ledger.h"

#include <evener/rng.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace evener::lab::fleet {
namespace {

// Eight bytes of the pattern at a time.
std::uint64_t word(std::uint64_t key, std::uint64_t index) {
  return (key * 0x9e3779b97f4a7c15ULL ^ index) * 0xff51afd7ed558ccdULL | 0x0101010101010101ULL;
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || at != text.data() + text.size()) return {};
  return value;
}

}  // namespace

std::uint64_t request_key(std::uint64_t id) { return mix64(id); }
std::uint64_t answer_key(std::uint64_t id, std::uint32_t copy) { return mix64(id * 16 + copy + 1); }

std::string pattern(std::uint64_t key, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>(word(key, i / 8) >> i % 8 * 8 & 0xff);
  }
  return bytes;
}

bool follows_pattern(std::uint64_t key, std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != static_cast<char>(word(key, i / 8) >> i % 8 * 8 & 0xff)) return false;
  }
  return true;
}

std::uint64_t Ledger::open(std::string_view method, bool repeatable, bool plain,
                           std::uint64_t body) {
  const std::uint64_t id = records_.size();
  RequestRecord record;
  record.id = id;
  record.method = method;
  record.repeatable = repeatable;
  record.plain = plain;
  record.body = body;
  record.sent = world_.now();
  records_.push_back(std::move(record));
  ++counts_.requests;
  if (on_note) on_note(fmt::format("r{} {} begins, {} bytes", id, method, body));
  return id;
}

std::uint32_t Ledger::arrived(std::uint64_t id, std::string_view method) {
  RequestRecord& record = records_[id];
  const auto copy = static_cast<std::uint32_t>(record.answers.size());
  record.answers.emplace_back();
  ++counts_.arrivals;
  if (on_note) on_note(fmt::format("r{} arrives, copy {}", id, copy));
  if (!record.lawful) violation(fmt::format("r{}: breaks RFC 9112 and came to an endpoint", id));
  if (method != record.method) {
    violation(fmt::format("r{}: sent as {}, arrived as {}", id, record.method, method));
  }
  if (copy > 0 && !record.repeatable) {
    violation(fmt::format("r{}: a {} was sent to endpoints {} times", id, method, copy + 1));
  }
  return copy;
}

void Ledger::declare(std::uint64_t id, std::uint32_t copy, int status, std::uint64_t body) {
  records_[id].answers[copy].status = status;
  records_[id].answers[copy].body = body;
}

void Ledger::sent_whole(std::uint64_t id, std::uint32_t copy) {
  records_[id].answers[copy].whole = true;
}

void Ledger::uploaded(std::uint64_t id, std::string_view body, bool whole) {
  const RequestRecord& record = records_[id];
  if (!follows_pattern(request_key(id), body)) {
    violation(fmt::format("r{}: the request's body arrived with bytes that are not its own", id));
  }
  if (whole && body.size() != record.body) {
    violation(fmt::format("r{}: {} bytes of body were sent, {} arrived as the whole", id,
                          record.body, body.size()));
  }
}

bool Ledger::end(std::uint64_t id, Ending ending, int status, std::string_view how) {
  RequestRecord& record = records_[id];
  if (record.ending != Ending::kNone) {
    violation(fmt::format("r{}: a second ending: {}", id, how));
    return false;
  }
  record.ending = ending;
  record.status = status;
  ++ended_;
  if (on_note) on_note(fmt::format("r{} ends: {}", id, how));
  if (id >= demanded_from_ && record.plain &&
      (ending != Ending::kAnswered || status < 200 || status > 299)) {
    violation(
        fmt::format("r{}: {} failed after all faults had healed: {}", id, record.method, how));
  }
  return true;
}

void Ledger::check_body(std::uint64_t id, std::string_view answer_id, std::string_view copy,
                        std::string_view body, bool whole, bool has_body) {
  const RequestRecord& record = records_[id];
  const auto for_id = number(answer_id);
  const auto for_copy = number(copy);
  if (!for_id || *for_id != id || !for_copy || *for_copy >= record.answers.size()) {
    return violation(fmt::format("r{}: got the answer to r{}, copy {}", id, answer_id, copy));
  }
  counts_.bytes += body.size();
  if (!follows_pattern(answer_key(id, static_cast<std::uint32_t>(*for_copy)), body)) {
    violation(fmt::format("r{}: the response's body has bytes that are not its own", id));
  }
  const Answer& answer = record.answers[*for_copy];
  if (!whole) return;
  if (!answer.whole && has_body) {
    violation(fmt::format("r{}: a response that its endpoint did not finish came as whole", id));
  } else if (has_body && body.size() != answer.body) {
    violation(fmt::format("r{}: the endpoint sent {} bytes, {} came as the whole", id, answer.body,
                          body.size()));
  }
}

void Ledger::answered(std::uint64_t id, int status, std::string_view answer_id,
                      std::string_view copy, std::string_view body, bool has_body) {
  check_body(id, answer_id, copy, body, true, has_body);
  if (end(id, Ending::kAnswered, status, fmt::format("answered {}, {} bytes", status, body.size())))
    ++counts_.answered;
}

void Ledger::cut(std::uint64_t id, std::string_view answer_id, std::string_view copy,
                 std::string_view body) {
  check_body(id, answer_id, copy, body, false, true);
  broken(id, fmt::format("cut after {} bytes of body", body.size()));
}

void Ledger::local(std::uint64_t id, int status, std::string_view reason) {
  if (end(id, Ending::kLocal, status, fmt::format("{} of the proxy: {}", status, reason))) {
    ++counts_.local;
  }
}

void Ledger::broken(std::uint64_t id, std::string_view how) {
  if (end(id, Ending::kBroken, 0, how)) ++counts_.broken;
}

void Ledger::left(std::uint64_t id) {
  if (end(id, Ending::kLeft, 0, "the client left")) ++counts_.left;
}

void Ledger::close() {
  for (const RequestRecord& record : records_) {
    if (record.ending != Ending::kNone) continue;
    violation(fmt::format("r{}: {} begun at {:.6f} s has neither a response nor an end", record.id,
                          record.method, (record.sent - Time()).to_seconds()));
  }
  if (dropped_violations_ > 0) {
    violations_.push_back(fmt::format("and {} more", dropped_violations_));
  }
}

void Ledger::violation(std::string text) {
  note("VIOLATION " + text);
  if (violations_.size() >= kViolationsMax) {
    ++dropped_violations_;
    return;
  }
  violations_.push_back(fmt::format("at {:.6f} s: {}", (world_.now() - Time()).to_seconds(), text));
}

}  // namespace evener::lab::fleet

// Ledger: what every request of a run asked for and what became of it, and what must never be.
//
// Clients and endpoints report here; what contradicts a rule becomes a violation with its time.
// Bodies are patterns of their request's and answer's number, so that a byte in the wrong place or
// exchange shows. Owner: the run. One thread.
#pragma once

#include <evener/time.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/world.h"

namespace evener::lab::fleet {

// What a request's body and the body of an answer to it are patterns of.
std::uint64_t request_key(std::uint64_t id);
std::uint64_t answer_key(std::uint64_t id, std::uint32_t copy);
// `size` bytes that belong to `key` and to no other.
std::string pattern(std::uint64_t key, std::size_t size);
bool follows_pattern(std::uint64_t key, std::string_view bytes);

// How a request ended for its client.
enum class Ending : std::uint8_t {
  kNone,      // it still waits
  kAnswered,  // a whole response of an endpoint
  kLocal,     // a whole response of the proxy's own
  kBroken,    // a connection end or a visibly cut response
  kLeft,      // the client left
};

// What an endpoint answered to one arrival of a request.
struct Answer {
  int status = 0;
  std::uint64_t body = 0;  // its length
  bool whole = false;      // sent to its declared end
};

struct RequestRecord {
  std::uint64_t id = 0;
  std::string_view method;
  bool repeatable = false;
  bool lawful = true;  // else no endpoint may ever see it
  bool plain = true;   // nothing in it or its client's manner may make it fail
  std::uint64_t body = 0;
  Time sent;
  Ending ending = Ending::kNone;
  int status = 0;
  std::vector<Answer> answers;  // one for each arrival at an endpoint
};

struct LedgerCounts {
  std::uint64_t requests = 0;
  std::uint64_t arrivals = 0;
  std::uint64_t answered = 0;
  std::uint64_t local = 0;
  std::uint64_t broken = 0;
  std::uint64_t left = 0;
  std::uint64_t bytes = 0;  // of response bodies that were compared
};

class Ledger {
 public:
  static constexpr std::size_t kViolationsMax = 20;

  explicit Ledger(const sim::World& world) : world_(world) {}

  std::uint64_t open(std::string_view method, bool repeatable, bool plain, std::uint64_t body);
  const RequestRecord& request(std::uint64_t id) const { return records_[id]; }
  void unlawful(std::uint64_t id) { records_[id].lawful = false; }
  bool known(std::uint64_t id) const { return id < records_.size(); }
  // A request's head has come to an endpoint; the number of the arrival, from 0.
  std::uint32_t arrived(std::uint64_t id, std::string_view method);
  void declare(std::uint64_t id, std::uint32_t copy, int status, std::uint64_t body);
  void sent_whole(std::uint64_t id, std::uint32_t copy);
  void uploaded(std::uint64_t id, std::string_view body, bool whole);

  // ---- ends; each request has one
  // A whole response, as its client read it.
  void answered(std::uint64_t id, int status, std::string_view answer_id, std::string_view copy,
                std::string_view body, bool has_body);
  // The same, cut: what came of the body must still be its own.
  void cut(std::uint64_t id, std::string_view answer_id, std::string_view copy,
           std::string_view body);
  void local(std::uint64_t id, int status, std::string_view reason);
  void broken(std::uint64_t id, std::string_view how);
  void left(std::uint64_t id);

  // From here on every plain request must be answered in full, with success.
  void demand_success() { demanded_from_ = records_.size(); }
  // Requests that still wait.
  std::uint64_t waiting() const { return counts_.requests - ended_; }
  // Records what has no ending as a violation.
  void close();

  void violation(std::string text);
  void note(std::string_view text) const {
    if (on_note) on_note(text);
  }
  const std::vector<std::string>& violations() const { return violations_; }
  const LedgerCounts& counts() const { return counts_; }
  // Called with each line of the timeline, when set.
  std::function<void(std::string_view)> on_note;

 private:
  bool end(std::uint64_t id, Ending ending, int status, std::string_view how);
  void check_body(std::uint64_t id, std::string_view answer_id, std::string_view copy,
                  std::string_view body, bool whole, bool has_body);

  const sim::World& world_;
  std::vector<RequestRecord> records_;
  std::vector<std::string> violations_;
  std::uint64_t dropped_violations_ = 0;
  LedgerCounts counts_;
  std::uint64_t ended_ = 0;
  std::uint64_t demanded_from_ = ~std::uint64_t{0};
};

}  // namespace evener::lab::fleet

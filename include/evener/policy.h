// Policies: the choice. A policy is two functions, `rebuild` when the eligible endpoints or their
// weights change and `pick` for each request; it keeps no counts of its own beyond its schedule.
//
// In-flight counts, latency estimates, success windows and explanations live once, in Balancer.
// Time and luck come in through the arguments. The catalog is one explicit table (no
// self-registration). A policy belongs to one Balancer and its thread. Cost: pick must not
// allocate, lock or wait; each policy's .cc states its own.
#pragma once

#include <evener/error.h>
#include <evener/rng.h>
#include <evener/time.h>

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace evener {

struct PoolView;        // what a policy may see: balance/pool_view.h
struct PickContext;     // one pick's arguments: balance/pool_view.h
struct EndpointReport;  // what an endpoint says of itself: evener/balancer.h

// How latency samples become one number (base/ewma.h).
// kMean: an average over elapsed time; does not depend on the request rate. The default.
// kPeak: jumps to the largest sample, then decays: reacts at once, but grows with the request rate
// (a decaying maximum), so an endpoint that gets more requests looks slower.
enum class Estimator : std::uint8_t { kMean, kPeak };

// Where a key's endpoints are looked up (bounded_load).
enum class KeyedOver : std::uint8_t { kRing, kRendezvous };

inline constexpr std::uint32_t kChoicesMax = 64;
inline constexpr std::uint32_t kChoicesUsual = 0xffff'fffd;
inline constexpr std::uint32_t kChoicesAuto = 0xffff'fffe;
inline constexpr std::uint32_t kChoicesAll = 0xffff'ffff;

struct PolicySettings {
  std::string name = "peak_ewma";
  // Endpoints compared per pick, 1..kChoicesMax; peak_ewma also takes kChoicesAll, every one, and
  // kChoicesAuto: every one of up to 256, of more 16. kChoicesUsual: kChoicesAuto for peak_ewma
  // (docs/adr/0007), 2 for the others.
  std::uint32_t choices = kChoicesUsual;
  // Draws may repeat an endpoint, as in the theory's first form; worse, for comparison (p2c).
  bool replacement = false;
  // Probability of comparing; else the first drawn is taken: (1 + beta) choice, 0..1 (p2c).
  double beta = 1;
  Estimator estimator = Estimator::kMean;
  // Memory of the latency estimate, and how fast an idle endpoint's returns to the pool's median.
  Duration tau = Duration::seconds(10);
  // Latencies below this count as this.
  Duration floor = Duration::microseconds(1);
  // Latency assumed while nothing in the pool has answered yet.
  Duration prior = Duration::milliseconds(30);
  // The success factor looks at the present and the last window of this length.
  Duration window = Duration::seconds(10);
  // An endpoint that loses every comparison is picked anyway when it got nothing for this long
  // *and* for 8 n picks, so that its recovery is seen.
  Duration reprobe = Duration::seconds(5);
  // Points on the ring per unit of weight, 1..kPointsMax (ring, bounded_load); 160 as nginx has.
  std::uint32_t points = 160;
  // Entries of the table: a prime, 3..kTableSizeMax, best 100 or more per endpoint (maglev).
  std::uint32_t table_size = 65'537;
  // No endpoint holds more than this times its fair share of what is in flight, rounded up;
  // 1.01..100 (bounded_load).
  double load_factor = 1.25;
  KeyedOver over = KeyedOver::kRing;

  bool operator==(const PolicySettings&) const = default;
};

inline constexpr std::uint32_t kPointsMax = 10'000;
inline constexpr std::uint32_t kTableSizeMax = 5'000'011;

class Policy {
 public:
  virtual ~Policy() = default;
  // The members or a weight changed. May allocate.
  virtual void rebuild(const PoolView& pool, Rng& rng) = 0;
  // Returns the slot index of an eligible endpoint that was not tried, or kNoSlot to let the
  // balancer draw one evenly among those. REQUIRES: at least one eligible endpoint is untried.
  virtual std::uint32_t pick(const PoolView& pool, PickContext& context) noexcept = 0;
  // Whether it wants changed(), which costs every pick and finish two calls. Asked once.
  virtual bool follows_load() const { return false; }
  // A member's load, estimate, cost factor or eligibility changed. O(1), or nearly.
  virtual void changed(const PoolView& pool, std::uint32_t slot) noexcept {
    static_cast<void>(pool), static_cast<void>(slot);
  }
  // A member said something of itself; only if PolicyInfo::takes_reports.
  virtual void reported(const PoolView& pool, std::uint32_t slot, const EndpointReport& report,
                        Time now) noexcept {
    static_cast<void>(pool), static_cast<void>(slot), static_cast<void>(report);
    static_cast<void>(now);
  }

  static constexpr std::uint32_t kNoSlot = 0xffff'ffff;
};

struct PolicyInfo {
  std::string_view name;
  std::string_view summary;                      // one line, for people
  std::string_view source;                       // where the rule comes from
  std::span<const std::string_view> parameters;  // the PolicySettings fields it takes, by name
  std::unique_ptr<Policy> (*make)(const PolicySettings&) = nullptr;
  bool uses_latency = false;   // estimates and ages decide
  bool uses_success = false;   // failures cost share
  bool uses_key = false;       // PickRequest::key decides
  bool uses_load = true;       // in-flight counts decide, at least between candidates
  bool takes_reports = false;  // wants Policy::reported
};

// What `choices` means: never kChoicesUsual.
std::uint32_t choices_of(const PolicySettings& settings);

// Every policy, in the order documentation lists them.
std::span<const PolicyInfo> policy_catalog();
// Null when there is none of that name.
const PolicyInfo* find_policy(std::string_view name);

// Checks every setting's range, whether or not the policy takes it.
std::expected<void, Error> check_settings(const PolicySettings& settings);

// A policy by name. An unknown name is an error that suggests the nearest one.
std::expected<std::unique_ptr<Policy>, Error> make_policy(const PolicySettings& settings);

}  // namespace evener

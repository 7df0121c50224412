#include <evener/balancer.h>

#include "balance/core.h"
#include "base/check.h"

namespace evener {

using balance_internal::Core;

std::string_view to_string(PickError error) {
  switch (error) {
    case PickError::kNoEndpoints:
      return "no endpoints";
    case PickError::kNoneEligible:
      return "no endpoint is eligible";
    case PickError::kAllTried:
      return "every eligible endpoint was tried";
    case PickError::kAllBusy:
      return "every endpoint holds as many requests as it may";
  }
  return "unknown";
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSuccess:
      return "success";
    case Outcome::kFailure:
      return "failure";
    case Outcome::kCancelled:
      return "cancelled";
    case Outcome::kRejected:
      return "rejected";
    case Outcome::kOverloaded:
      return "overloaded";
    case Outcome::kConnectFailed:
      return "connect failed";
  }
  return "unknown";
}

EndpointId Ticket::id() const {
  EV_CHECK(core_ != nullptr, "an empty ticket has no endpoint");
  return core_->id(slot_);
}

const Endpoint& Ticket::endpoint() const {
  EV_CHECK(core_ != nullptr, "an empty ticket has no endpoint");
  return core_->endpoint(slot_);
}

void Ticket::first_byte(Time now) noexcept {
  if (core_ == nullptr || first_byte_ns_ != Core::kNoFirstByte) return;
  first_byte_ns_ = core_->first_byte(slot_, start_, now);
}

void Ticket::finish(Outcome outcome, Time now, Duration retry_after) noexcept {
  if (core_ == nullptr) return;
  Core& core = *std::exchange(core_, nullptr);
  if (outcome == Outcome::kSuccess && first_byte_ns_ == Core::kNoFirstByte &&
      retry_after <= Duration()) {
    return core.succeed(slot_, start_, now);
  }
  core.finish(slot_, start_, first_byte_ns_, outcome, now, retry_after);
}

void Ticket::report(const EndpointReport& report, Time now) noexcept {
  if (core_ != nullptr) core_->report(slot_, report, now);
}

void Ticket::cancel() noexcept { finish(Outcome::kCancelled, core_->last_time()); }

std::expected<void, Error> check_options(const BalancerOptions& options) {
  if (options.custom != nullptr) {
    if (auto ok = check_settings(options.policy); !ok) return ok;
    if (find_policy(options.policy.name) != nullptr) {
      return std::unexpected(
          Error{"custom policy: expected a name of its own in policy.name, "
                "found the catalog's \"" +
                options.policy.name + "\""});
    }
  } else if (auto made = make_policy(options.policy); !made) {
    return std::unexpected(std::move(made.error()));
  }
  if (options.shadow) {
    if (auto made = make_policy(*options.shadow); !made) {
      return std::unexpected(Error{"shadow: " + made.error().message});
    }
  }
  const DecisionSettings& decisions = options.decisions;
  if (decisions.entries > kDecisionsMax || decisions.every == 0) {
    return std::unexpected(Error{"decisions: expected at most " + std::to_string(kDecisionsMax) +
                                 " entries and at least 1 for every, found " +
                                 std::to_string(decisions.entries) + " and " +
                                 std::to_string(decisions.every)});
  }
  if (auto ok = check_settings(options.ejection); !ok) return ok;
  if (auto ok = check_settings(options.warm_up); !ok) return ok;
  return check_settings(options.pushback);
}

Balancer::Balancer(BalancerOptions options) : core_(std::make_unique<Core>(std::move(options))) {}
Balancer::~Balancer() { Core::release(std::move(core_)); }
Balancer::Balancer(Balancer&&) noexcept = default;
Balancer& Balancer::operator=(Balancer&& other) noexcept {
  if (this != &other) {
    Core::release(std::move(core_));
    core_ = std::move(other.core_);
  }
  return *this;
}

void Balancer::apply(EndpointSetPtr set, Time now) { core_->apply(std::move(set), now); }
std::expected<Ticket, PickError> Balancer::pick(const PickRequest& request) noexcept {
  return core_->pick(request);
}
void Balancer::tick(Time now) { core_->tick(now); }
std::expected<std::size_t, PickError> Balancer::pick_batch(const PickRequest& request,
                                                           std::uint32_t probes,
                                                           std::span<Ticket> tickets) noexcept {
  return core_->pick_batch(request, probes, tickets);
}
void Balancer::report(EndpointId id, const EndpointReport& report, Time now) noexcept {
  core_->report(id, report, now);
}
Explanation Balancer::explain() const { return core_->explain(); }
std::vector<Explanation> Balancer::decisions(std::size_t most) const {
  return core_->decisions(most);
}
ShadowReport Balancer::shadow() const { return core_->shadow(); }
std::string Balancer::save(Time now) const { return core_->save(now); }
std::expected<void, Error> Balancer::restore(std::string_view blob, Time now) {
  return core_->restore(blob, now);
}
void Balancer::snapshot(Time now, std::vector<EndpointStatus>& out) const {
  core_->snapshot(now, out);
}
std::size_t Balancer::eligible() const { return core_->eligible(); }
std::uint64_t Balancer::in_flight() const { return core_->in_flight(); }
const EndpointSetPtr& Balancer::set() const { return core_->set(); }

}  // namespace evener

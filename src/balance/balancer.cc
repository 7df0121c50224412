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
  }
  return "unknown";
}

EndpointId Ticket::id() const { return endpoint().id; }

const Endpoint& Ticket::endpoint() const {
  EV_CHECK(core_ != nullptr, "an empty ticket has no endpoint");
  return core_->endpoint(slot_);
}

void Ticket::first_byte(Time now) noexcept {
  if (core_ == nullptr || first_byte_ns_ != Core::kNoFirstByte) return;
  first_byte_ns_ = core_->first_byte(slot_, start_, now);
}

void Ticket::finish(Outcome outcome, Time now) noexcept {
  if (core_ == nullptr) return;
  std::exchange(core_, nullptr)->finish(slot_, start_, first_byte_ns_, outcome, now);
}

void Ticket::cancel() noexcept { finish(Outcome::kCancelled, core_->last_time()); }

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
Explanation Balancer::explain() const { return core_->explain(); }
void Balancer::snapshot(Time now, std::vector<EndpointStatus>& out) const {
  core_->snapshot(now, out);
}
std::size_t Balancer::eligible() const { return core_->eligible(); }
std::uint64_t Balancer::in_flight() const { return core_->in_flight(); }
const EndpointSetPtr& Balancer::set() const { return core_->set(); }

}  // namespace evener

#include "sim/balancer_chooser.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace evener::sim {

BalancerChooser::BalancerChooser(BalancerOptions options)
    : balancer_(options),
      keyed_(find_policy(options.policy.name) != nullptr &&
             find_policy(options.policy.name)->uses_key) {}

std::optional<Choice> BalancerChooser::choose(const ChoiceRequest& request) {
  PickRequest pick{.now = request.now};
  if (keyed_) {
    pick.key = make_key({reinterpret_cast<const char*>(&request.key), sizeof request.key});
  }
  std::array<EndpointId, kTriedMax> tried;
  if (!request.tried.empty()) {
    const std::size_t count = std::min(request.tried.size(), kTriedMax);
    for (std::size_t i = 0; i < count; ++i) tried[i] = EndpointId{request.tried[i]};
    pick.tried = std::span(tried).first(count);
  }
  auto ticket = balancer_.pick(pick);
  if (!ticket) return std::nullopt;
  const auto server = static_cast<std::uint32_t>(ticket->id());
  const std::uint32_t token = tickets_.take();
  tickets_[token] = std::move(*ticket);
  return Choice{server, token};
}

void BalancerChooser::done(const Choice& choice, const Answer& answer) {
  Ticket& ticket = tickets_[choice.token];
  const EndpointReport& report = answer.report;
  if (report.in_flight || report.utilization || report.latency) ticket.report(report, answer.now);
  ticket.finish(answer.outcome, answer.now, answer.retry_after);
  tickets_.give_back(choice.token);
}

ChooserFactory balancer_choosers(const BalancerOptions& options) {
  const auto ok = check_options(options);
  EV_CHECK(ok.has_value(), ok.error().message);
  return [options](const ChooserContext& context) {
    BalancerOptions own = options;
    own.seed = context.seed;
    own.worker = context.balancer;
    return std::make_unique<BalancerChooser>(std::move(own));
  };
}

ChooserFactory balancer_choosers(const PolicySettings& policy) {
  return balancer_choosers(BalancerOptions{.policy = policy});
}

}  // namespace evener::sim

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "config/reader.h"
#include "lab/scenario/parse_parts.h"
#include "lab/scenario/scenario.h"

namespace evener::lab {
namespace {

using config::Node;
using config::Reader;
using namespace std::string_view_literals;

constexpr std::array kKeys = {
    "name"sv,   "about"sv,    "servers"sv, "balancers"sv,  "arrivals"sv,       "work"sv,
    "delay"sv,  "timeout"sv,  "retry"sv,   "hedge"sv,      "reports"sv,        "keys"sv,
    "faults"sv, "rollouts"sv, "run"sv,     "error_time"sv, "serve_abandoned"sv};
constexpr std::array kRunKeys = {"for"sv, "warmup"sv, "runs"sv};

// More would be a mistake, or a cluster's work: hours on one core.
constexpr double kCallsMax = 2e8;

class Parse {
 public:
  Parse(Reader& reader, Scenario& out) : reader_(reader), out_(out) {}

  void read(const Node& root) {
    for (const auto& [key, value] : reader_.map(root, "a scenario", {kKeys})) {
      nodes_.emplace_back(key->text, value);
    }
    if (const Node* node = need(root, "name", "NAME")) {
      reader_.value(*node, "`name`", config::parse_name, out_.name);
    }
    if (const Node* node = find("about")) out_.about = node->text;
    sim::FleetOptions& fleet = out_.fleet;
    fleet.tick_every = Duration::milliseconds(5);
    if (const Node* node = need(root, "servers", "[{ count: 10 }]")) read_groups(*node);
    if (const Node* node = find("balancers")) read_balancers(reader_, *node, fleet);
    if (const Node* node = need(root, "work", "exp(mean=0.01)")) {
      if (read_law(reader_, *node, "`work`", fleet.work) && fleet.work.mean() <= 0) {
        reader_.error(node->mark, "`work`: expected a mean above 0, in seconds");
      }
    }
    if (const Node* node = need(root, "arrivals", "{ load: 0.7 }")) {
      read_arrivals(reader_, *node, fleet.arrivals, out_.loads);
    }
    if (const Node* node = find("delay")) {
      read_law(reader_, *node, "`delay`", fleet.delay_out);
      fleet.delay_back = fleet.delay_out;
    }
    read_rest(fleet);
    if (const Node* node = need(root, "run", "{ for: 60s }")) read_run(*node);
    if (!reader_.any_errors()) settle(root);
  }

 private:
  const Node* find(std::string_view key) const {
    const auto found = std::ranges::find(nodes_, key, [](const auto& n) { return n.first; });
    return found == nodes_.end() ? nullptr : found->second;
  }
  const Node* need(const Node& root, std::string_view key, std::string_view example) {
    const Node* node = find(key);
    if (node == nullptr) {
      reader_.error(root.mark,
                    fmt::format("a scenario: expected `{}: {}`, found none", key, example));
    }
    return node;
  }

  void read_groups(const Node& node) {
    for (const Node* item : reader_.list(node, "`servers`")) {
      out_.fleet.servers.push_back(read_group(reader_, *item));
    }
    if (out_.fleet.servers.empty()) {
      reader_.error(node.mark, "`servers`: expected at least one group, found none");
    }
  }

  void read_rest(sim::FleetOptions& fleet) {
    const std::uint32_t servers = std::max(1U, sim::server_count(fleet));
    double s = 0;
    if (const Node* node = find("timeout");
        node != nullptr && read_seconds(reader_, *node, "`timeout`", 1e-3, kLongest, s)) {
      fleet.timeout = Duration::from_seconds(s);
    }
    if (const Node* node = find("retry")) read_retry(reader_, *node, fleet.retry);
    if (const Node* node = find("hedge")) read_hedge(reader_, *node, fleet.hedge);
    // What a caller waits before giving up.
    if (fleet.timeout > Duration()) out_.error_time = fleet.timeout * fleet.retry.attempts;
    s = out_.error_time.to_seconds();
    if (const Node* node = find("error_time");
        node != nullptr && read_seconds(reader_, *node, "`error_time`", 1e-3, kLongest, s)) {
      out_.error_time = Duration::from_seconds(s);
    }
    if (const Node* node = find("reports")) read_flag(reader_, *node, "`reports`", fleet.reports);
    if (const Node* node = find("serve_abandoned")) {
      read_flag(reader_, *node, "`serve_abandoned`", fleet.serve_abandoned);
    }
    if (const Node* node = find("keys")) {
      reader_.count(*node, "`keys`", 1, 1'000'000'000, fleet.keys);
    }
    if (const Node* node = find("faults")) read_faults(reader_, *node, servers, fleet.faults);
    if (const Node* node = find("rollouts")) read_rollouts(reader_, *node, servers, fleet.rollouts);
  }

  void read_run(const Node& node) {
    for (const auto& [key, value] : reader_.map(node, "`run`", {kRunKeys})) {
      const std::string what = fmt::format("`{}`", key->text);
      sim::FleetOptions& fleet = out_.fleet;
      if (key->text == "for") read_seconds(reader_, *value, what, 0.01, kLongest, fleet.until_s);
      if (key->text == "warmup") {
        read_seconds(reader_, *value, what, 0, kLongest, fleet.warm_up_s);
      }
      if (key->text == "runs") reader_.count(*value, what, 1, 1000, out_.runs);
    }
    if (out_.fleet.until_s <= 0) {
      reader_.error(node.mark, "`run`: expected `for: TIME`, found none: a run must end");
    } else if (out_.fleet.warm_up_s >= out_.fleet.until_s) {
      reader_.error(node.mark, fmt::format("`run`: expected `warmup` below `for`, found {:g}s and "
                                           "{:g}s",
                                           out_.fleet.warm_up_s, out_.fleet.until_s));
    }
  }

  // What follows from several keys.
  void settle(const Node& root) {
    sim::FleetOptions& fleet = out_.fleet;
    bool plain = fleet.faults.empty() && fleet.rollouts.empty() && fleet.delay_out.is_zero() &&
                 fleet.retry.attempts == 1 && !fleet.hedge.on && fleet.servers.size() == 1;
    for (const sim::ServerGroup& group : fleet.servers) {
      out_.capacity += group.count * group.spec.slots * group.spec.speed / fleet.work.mean();
      plain = plain && group.spec.discipline == sim::Discipline::kFcfs && group.spec.slots == 1 &&
              group.spec.limit == sim::kNoIndex && group.cold <= Duration();
    }
    out_.central_queue_bounds = plain;
    out_.steady = fleet.faults.empty() && fleet.rollouts.empty() &&
                  fleet.arrivals.profile.empty() &&
                  std::ranges::none_of(fleet.servers, &sim::ServerGroup::cold_at_start);
    if (!out_.loads.empty()) fleet.arrivals.rate = out_.capacity;
    fleet.drain_s = std::max(60.0, 2 * fleet.timeout.to_seconds());
    const double most = out_.loads.empty() ? 1 : std::ranges::max(out_.loads);
    const double calls = fleet.arrivals.mean_rate() * most * fleet.until_s;
    if (calls > kCallsMax) {
      return reader_.error(
          root.mark, fmt::format("a scenario: expected at most {:g} calls a run, found {:.3g} "
                                 "({:.4g} a second for {:g} s): shorten it, or use fewer servers",
                                 kCallsMax, calls, calls / fleet.until_s, fleet.until_s));
    }
    sim::FleetOptions whole = options_at(out_, 0, 1);
    whole.chooser = [](const sim::ChooserContext&) { return nullptr; };
    if (const auto ok = sim::check(whole); !ok) reader_.error(root.mark, ok.error().message);
  }

  Reader& reader_;
  Scenario& out_;
  std::vector<std::pair<std::string_view, const Node*>> nodes_;
};

}  // namespace

std::expected<Scenario, std::vector<config::Diagnostic>> parse_scenario(std::string_view yaml,
                                                                        std::string_view file) {
  config::Diagnostics diagnostics(yaml, file);
  config::YamlTree tree;
  Scenario scenario;
  if (const Node* root = tree.load(yaml, diagnostics)) {
    Reader reader(diagnostics);
    Parse(reader, scenario).read(*root);
  }
  if (diagnostics.any()) return std::unexpected(diagnostics.take());
  return scenario;
}

}  // namespace evener::lab

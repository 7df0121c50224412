#include "config/parse_health.h"

#include <fmt/format.h>

#include <array>

namespace evener::config {
namespace {

using namespace std::string_view_literals;

constexpr std::array kKeys = {
    "consecutive"sv,   "window"sv, "failure_share"sv, "failure_requests"sv, "success_deviations"sv,
    "slow_multiple"sv, "base"sv,   "longest"sv,       "max_share"sv,        "trial_timeout"sv};

constexpr Duration kAny = Duration::max();

bool is_off(const Node& node) { return node.kind == Node::Kind::kScalar && node.text == "off"; }

}  // namespace

void read_ejection(Reader& reader, const Node& node, EjectionSettings& out) {
  if (is_off(node)) {
    out.enabled = false;
    return;
  }
  for (const auto& [key, value] : reader.map(node, "`ejection`", {kKeys})) {
    const std::string what = fmt::format("`{}`", key->text);
    const auto duration = [&](Duration& into) {
      reader.duration(*value, what, Duration(), kAny, into);
    };
    if (key->text == "consecutive") reader.count(*value, what, 0, 1'000'000, out.consecutive);
    if (key->text == "window") duration(out.window);
    if (key->text == "failure_share") reader.value(*value, what, parse_share, out.failure_share);
    if (key->text == "failure_requests") {
      reader.count(*value, what, 1, 1'000'000, out.failure_requests);
    }
    if (key->text == "success_deviations") {
      reader.value(*value, what, parse_number, out.success_deviations);
    }
    if (key->text == "slow_multiple") reader.value(*value, what, parse_number, out.slow_multiple);
    if (key->text == "base") duration(out.base);
    if (key->text == "longest") duration(out.longest);
    if (key->text == "max_share") reader.value(*value, what, parse_share, out.max_share);
    if (key->text == "trial_timeout") duration(out.trial_timeout);
  }
  if (const auto checked = check_settings(out); !checked) {
    reader.error(node.mark, checked.error().message);
  }
}

void read_warm_up(Reader& reader, const Node& node, WarmUpSettings& out) {
  if (is_off(node)) {
    out.window = Duration();
    return;
  }
  reader.duration(node, "`warmup`", Duration(), kAny, out.window);
  if (const auto checked = check_settings(out); !checked) {
    reader.error(node.mark, checked.error().message);
  }
}

}  // namespace evener::config

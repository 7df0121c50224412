#include <fmt/format.h>

#include <array>

#include "lab/scenario/parse_parts.h"

namespace evener::lab {
namespace {

using config::Node;
using config::Reader;
using namespace std::string_view_literals;

constexpr std::array kFaultKeys = {"fault"sv,       "servers"sv, "at"sv,  "until"sv,
                                   "value"sv,       "latency"sv, "gap"sv, "length"sv,
                                   "retry_after"sv, "together"sv};
// In the order of sim::FaultKind.
constexpr std::array kKinds = {"slow"sv,   "pause"sv, "errors"sv, "fast_fail"sv,
                               "refuse"sv, "dead"sv,  "hang"sv,   "partition"sv};

void read_fault(Reader& reader, const Node& node, std::uint32_t servers, sim::Fault& fault) {
  const Node* kind = nullptr;
  const Node* which = nullptr;
  const Node* number = nullptr;
  for (const auto& [key, value] : reader.map(node, "a fault", {kFaultKeys})) {
    const std::string what = fmt::format("`{}`", key->text);
    if (key->text == "fault") {
      kind = value;
      fault.kind = static_cast<sim::FaultKind>(reader.choice(*value, what, kKinds, 0));
    }
    if (key->text == "servers") {
      which = value;
      read_servers(reader, *value, what, servers, fault.servers);
    }
    if (key->text == "at") read_seconds(reader, *value, what, 0, kLongest, fault.at_s);
    if (key->text == "until") read_seconds(reader, *value, what, 0, kLongest, fault.until_s);
    if (key->text == "value") {
      number = value;
      read_number(reader, *value, what, 0, 1000, fault.value);
    }
    double s = 0;
    if (key->text == "latency" && read_seconds(reader, *value, what, 0, kLongest, s)) {
      fault.latency = Duration::from_seconds(s);
    }
    if (key->text == "retry_after" && read_seconds(reader, *value, what, 0, kLongest, s)) {
      fault.retry_after = Duration::from_seconds(s);
    }
    if (key->text == "gap" && read_law(reader, *value, what, fault.gap_s.emplace())) continue;
    if (key->text == "length" && read_law(reader, *value, what, fault.length_s.emplace())) continue;
    if (key->text == "together") read_flag(reader, *value, what, fault.together);
  }
  if (kind == nullptr || which == nullptr) {
    reader.error(node.mark, "a fault: expected `fault: KIND` and `servers: SERVERS`, found " +
                                std::string(kind == nullptr ? "no kind" : "no servers"));
  }
  const bool needs = fault.kind == sim::FaultKind::kSlow || fault.kind == sim::FaultKind::kErrors;
  if (kind != nullptr && needs != (number != nullptr)) {
    reader.error(node.mark,
                 needs ? fmt::format("fault `{}`: expected `value: {}`, found none",
                                     sim::to_string(fault.kind),
                                     fault.kind == sim::FaultKind::kSlow ? "FACTOR of the speed"
                                                                         : "SHARE that fails")
                       : fmt::format("fault `{}` has no `value`", sim::to_string(fault.kind)));
  }
  if (fault.until_s < fault.at_s) {
    reader.error(node.mark, fmt::format("a fault: expected `until` after `at`, found {:g}s and "
                                        "{:g}s",
                                        fault.until_s, fault.at_s));
  }
}

}  // namespace

void read_faults(Reader& reader, const Node& node, std::uint32_t servers,
                 std::vector<sim::Fault>& out) {
  for (const Node* item : reader.list(node, "`faults`")) {
    sim::Fault fault;
    fault.until_s = kLongest;
    read_fault(reader, *item, servers, fault);
    out.push_back(std::move(fault));
  }
}

}  // namespace evener::lab

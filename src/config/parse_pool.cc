#include "config/parse_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "config/parse_health.h"
#include "config/parse_key.h"

namespace evener::config {
namespace {

using namespace std::string_view_literals;

constexpr std::array kPoolKeys = {"endpoints"sv, "policy"sv,   "key"sv,   "ejection"sv,
                                  "warmup"sv,    "timeouts"sv, "limits"sv};
constexpr std::array kPoolLater = {"discovery"sv, "probe"sv, "budget"sv, "hedge"sv,
                                   "subset"sv,    "tls"sv,   "retry"sv};
constexpr std::array kEndpointKeys = {"address"sv, "name"sv, "weight"sv};
constexpr std::array kEndpointLater = {"zone"sv, "labels"sv, "tls"sv};
constexpr std::array kTimeoutKeys = {"connect"sv, "first_byte"sv, "idle"sv, "keep_alive"sv};
constexpr std::array kLimitKeys = {"idle_connections_per_endpoint"sv, "in_flight_per_endpoint"sv};
constexpr std::array kLimitLater = {"queue"sv, "queue_wait"sv};
constexpr std::array kPolicyKeys = {"name"sv,        "choices"sv,    "estimator"sv,   "tau"sv,
                                    "floor"sv,       "prior"sv,      "window"sv,      "reprobe"sv,
                                    "points"sv,      "table_size"sv, "load_factor"sv, "over"sv,
                                    "replacement"sv, "beta"sv};

constexpr Duration kLeast = Duration::milliseconds(1);
constexpr Duration kDay = Duration::seconds(24 * 3600);
constexpr double kWeightMax = 1e6;

void read_weight(Reader& reader, const Node& node, double& weight) {
  double read = 0;
  if (!reader.value(node, "`weight`", parse_number, read)) return;
  if (read <= 0 || read > kWeightMax) {
    reader.error(
        node.mark,
        fmt::format("`weight`: expected a number above 0, at most {}, found `{}`{}", kWeightMax,
                    node.text, read == 0 ? ": to send nothing there, remove the endpoint" : ""));
    return;
  }
  weight = read;
}

std::optional<EndpointConfig> read_endpoint(Reader& reader, const Node& node) {
  EndpointConfig endpoint;
  endpoint.mark = node.mark;
  bool addressed = false;
  if (node.kind != Node::Kind::kMap) {
    addressed = reader.value(node, "an endpoint", parse_address, endpoint.address);
    if (!addressed) return std::nullopt;
  } else {
    const Node* address = nullptr;
    for (const auto& [key, value] :
         reader.map(node, "an endpoint", {kEndpointKeys, kEndpointLater})) {
      if (key->text == "address") address = value;
      if (key->text == "name")
        reader.value(*value, "an endpoint's `name`", parse_name, endpoint.name);
      if (key->text == "weight") read_weight(reader, *value, endpoint.weight);
    }
    if (address == nullptr) {
      reader.error(node.mark, "an endpoint: expected `address: ADDRESS:PORT`, found none");
      return std::nullopt;
    }
    addressed = reader.value(*address, "an endpoint's `address`", parse_address, endpoint.address);
    if (!addressed) return std::nullopt;
    endpoint.mark = address->mark;
  }
  if (endpoint.address.port == 0) {
    reader.error(endpoint.mark, "an endpoint: expected a port from 1 to 65535, found 0");
    return std::nullopt;
  }
  if (endpoint.name.empty()) endpoint.name = to_string(endpoint.address);
  return endpoint;
}

void read_endpoints(Reader& reader, const Node& node, Pool& pool) {
  std::map<std::string, int> addresses;
  std::map<std::string, int> names;
  for (const Node* item : reader.list(node, "`endpoints`")) {
    std::optional<EndpointConfig> endpoint = read_endpoint(reader, *item);
    if (!endpoint) continue;
    const int line = endpoint->mark.line;
    const auto [address, fresh] = addresses.emplace(to_string(endpoint->address), line);
    const auto [name, fresh_name] = names.emplace(endpoint->name, line);
    if (!fresh) {
      reader.error(
          endpoint->mark,
          fmt::format("endpoint `{}` is in this pool already, on line {}: to send it more, "
                      "give it a `weight`",
                      address->first, address->second));
    } else if (!fresh_name) {
      reader.error(endpoint->mark, fmt::format("an endpoint named `{}` is in this pool already, on "
                                               "line {}",
                                               name->first, name->second));
    }
    pool.endpoints.push_back(std::move(*endpoint));
  }
  if (node.kind == Node::Kind::kSequence && node.items.empty()) {
    reader.error(node.mark, "`endpoints`: expected at least one endpoint, found an empty list");
  }
}

const PolicyInfo* find_policy(Reader& reader, const Node& node) {
  const std::span<const PolicyInfo> catalog = policy_catalog();
  std::vector<std::string_view> names;
  for (const PolicyInfo& info : catalog) names.push_back(info.name);
  const std::size_t index = reader.choice(node, "`policy`", names, catalog.size());
  return index < catalog.size() ? &catalog[index] : nullptr;
}

void read_choices(Reader& reader, const Node& value, PolicyConfig& policy) {
  if (policy.name == "peak_ewma" && value.kind == Node::Kind::kScalar) {
    if (value.text == "all") policy.choices = kChoicesAll;
    if (value.text == "auto") policy.choices = kChoicesAuto;
    if (value.text == "all" || value.text == "auto") return;
  }
  reader.count(value, "`choices`", 1, kChoicesMax, policy.choices);
}

void read_policy_setting(Reader& reader, std::string_view key, const Node& value,
                         PolicyConfig& policy) {
  static constexpr std::array kEstimators = {"mean"sv, "peak"sv};
  static constexpr std::array kNoYes = {"false"sv, "true"sv};
  static constexpr std::array kOvers = {"ring"sv, "rendezvous"sv};
  constexpr Duration kAny = Duration::max();
  if (key == "choices") read_choices(reader, value, policy);
  if (key == "replacement") {
    policy.replacement = reader.choice(value, "`replacement`", kNoYes, 0) == 1;
  }
  if (key == "beta") reader.value(value, "`beta`", parse_number, policy.beta);
  if (key == "estimator") {
    const bool peak = reader.choice(value, "`estimator`", kEstimators, 0) == 1;
    policy.estimator = peak ? Estimator::kPeak : Estimator::kMean;
  }
  if (key == "tau") reader.duration(value, "`tau`", Duration(), kAny, policy.tau);
  if (key == "floor") reader.duration(value, "`floor`", Duration(), kAny, policy.floor);
  if (key == "prior") reader.duration(value, "`prior`", Duration(), kAny, policy.prior);
  if (key == "window") reader.duration(value, "`window`", Duration(), kAny, policy.window);
  if (key == "reprobe") reader.duration(value, "`reprobe`", Duration(), kAny, policy.reprobe);
  if (key == "points") reader.count(value, "`points`", 1, kPointsMax, policy.points);
  if (key == "table_size") {
    reader.count(value, "`table_size`", 3, kTableSizeMax, policy.table_size);
  }
  if (key == "load_factor") {
    reader.value(value, "`load_factor`", parse_number, policy.load_factor);
  }
  if (key == "over") {
    const bool ring = reader.choice(value, "`over`", kOvers, 0) == 0;
    policy.over = ring ? KeyedOver::kRing : KeyedOver::kRendezvous;
  }
}

void read_policy_map(Reader& reader, const Node& node, PolicyConfig& policy) {
  const Reader::Entries entries = reader.map(node, "`policy`", {kPolicyKeys});
  const auto name = std::ranges::find(
      entries, "name"sv, [](const auto& e) -> std::string_view { return e.first->text; });
  if (name == entries.end()) {
    if (node.kind == Node::Kind::kMap) {
      reader.error(node.mark, "`policy`: expected `name: POLICY` in the map, found none");
    }
    return;
  }
  const PolicyInfo* info = find_policy(reader, *name->second);
  if (info == nullptr) return;
  policy.name = info->name;
  for (const auto& [key, value] : entries) {
    if (key->text == "name") continue;
    if (std::ranges::find(info->parameters, key->text) == info->parameters.end()) {
      const std::string takes =
          info->parameters.empty() ? "nothing" : words_text(info->parameters, "and");
      reader.error(key->mark, fmt::format("policy `{}` does not take `{}`; it takes {}", info->name,
                                          key->text, takes));
      continue;
    }
    read_policy_setting(reader, key->text, *value, policy);
  }
}

void read_policy(Reader& reader, const Node& node, PolicyConfig& policy) {
  policy.mark = node.mark;
  policy.name.clear();  // stays so when there is no such policy
  if (node.kind == Node::Kind::kMap) {
    read_policy_map(reader, node, policy);
  } else if (const PolicyInfo* info = find_policy(reader, node); info != nullptr) {
    policy.name = info->name;
  }
  if (const auto checked = check_settings(policy); !checked) {
    reader.error(node.mark, checked.error().message);
  }
}

void read_timeouts(Reader& reader, const Node& node, PoolTimeouts& out) {
  for (const auto& [key, value] : reader.map(node, "a pool's `timeouts`", {kTimeoutKeys})) {
    if (key->text == "connect") reader.duration(*value, "`connect`", kLeast, kDay, out.connect);
    if (key->text == "first_byte") {
      reader.duration(*value, "`first_byte`", kLeast, kDay, out.first_byte);
    }
    if (key->text == "idle") reader.duration(*value, "`idle`", kLeast, kDay, out.idle);
    if (key->text == "keep_alive") {
      reader.duration(*value, "`keep_alive`", kLeast, kDay, out.keep_alive);
    }
  }
}

void read_limits(Reader& reader, const Node& node, PoolLimits& out) {
  constexpr std::uint64_t kMany = 1'000'000;
  for (const auto& [key, value] :
       reader.map(node, "a pool's `limits`", {kLimitKeys, kLimitLater})) {
    const bool idle = key->text == "idle_connections_per_endpoint";
    reader.count(*value, fmt::format("`{}`", key->text), idle ? 0 : 1, kMany,
                 idle ? out.idle_connections_per_endpoint : out.in_flight_per_endpoint);
  }
}

}  // namespace

Pool read_pool(Reader& reader, const Node& name, const Node& node) {
  Pool pool;
  pool.mark = name.mark;
  reader.value(name, "a pool's name", parse_name, pool.name);
  bool has_endpoints = false;
  const std::string what = fmt::format("pool `{}`", pool.name);
  for (const auto& [key, value] : reader.map(node, what, {kPoolKeys, kPoolLater})) {
    if (key->text == "endpoints") {
      has_endpoints = true;
      read_endpoints(reader, *value, pool);
    }
    if (key->text == "policy") read_policy(reader, *value, pool.policy);
    if (key->text == "key") read_key(reader, *value, pool.key);
    if (key->text == "ejection") read_ejection(reader, *value, pool.ejection);
    if (key->text == "warmup") read_warm_up(reader, *value, pool.warm_up);
    if (key->text == "timeouts") read_timeouts(reader, *value, pool.timeouts);
    if (key->text == "limits") read_limits(reader, *value, pool.limits);
  }
  if (!has_endpoints && node.kind == Node::Kind::kMap) {
    reader.error(name.mark,
                 fmt::format("{}: expected `endpoints: [ADDRESS:PORT, ...]`, found none", what));
  }
  check_key(reader, pool);
  return pool;
}

}  // namespace evener::config

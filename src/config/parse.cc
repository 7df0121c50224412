#include "config/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "config/parse_pool.h"
#include "config/reader.h"

namespace evener::config {
namespace {

using namespace std::string_view_literals;

constexpr std::array kTopKeys = {"listeners"sv, "routes"sv, "pools"sv,    "admin"sv,
                                 "workers"sv,   "engine"sv, "timeouts"sv, "limits"sv};
constexpr std::array kTopLater = {"access_log"sv, "tls"sv, "tracing"sv, "cluster"sv};
constexpr std::array kListenerKeys = {"address"sv, "name"sv};
constexpr std::array kListenerLater = {"tls"sv, "tcp"sv, "protocols"sv};
constexpr std::array kRouteKeys = {"match"sv, "pool"sv, "timeouts"sv};
constexpr std::array kRouteLater = {"retry"sv, "hedge"sv, "budget"sv};
constexpr std::array kMatchKeys = {"host"sv, "path"sv};
constexpr std::array kMatchLater = {"headers"sv, "method"sv, "query"sv};
constexpr std::array kRouteTimeoutKeys = {"total"sv};
constexpr std::array kAdminKeys = {"address"sv};
constexpr std::array kTimeoutKeys = {"header"sv, "body_idle"sv, "send"sv, "keep_alive"sv,
                                     "drain"sv};
constexpr std::array kLimitKeys = {"connections"sv,
                                   "head_bytes"sv,
                                   "target_bytes"sv,
                                   "trailer_bytes"sv,
                                   "chunk_extension_bytes"sv,
                                   "field_count"sv,
                                   "request_body_bytes"sv,
                                   "requests_per_connection"sv,
                                   "idle_endpoint_connections"sv};
constexpr std::array kEngines = {"auto"sv, "epoll"sv, "uring"sv};

constexpr Duration kLeast = Duration::milliseconds(1);
constexpr Duration kDay = Duration::seconds(24 * 3600);
constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = kKiB * kKiB;
constexpr std::uint64_t kMany = 100'000'000;
constexpr std::uint64_t kWorkersMax = 256;

// One file's reading: the value so far, and what was given of it.
class FileReader {
 public:
  explicit FileReader(Diagnostics& diagnostics) : reader_(diagnostics) {}

  Config read(const Node& root);

 private:
  void read_top(std::string_view key, const Node& value);
  void read_listeners(const Node& node);
  Listener read_listener(const Node& node, std::size_t number);
  void read_routes(const Node& node);
  Route read_route(const Node& node);
  void read_match(const Node& node, Match& match);
  void read_pools(const Node& node);
  void read_admin(const Node& node);
  void read_timeouts(const Node& node);
  void read_limits(const Node& node);
  void read_size_limit(std::string_view key, const Node& value);
  void read_count_limit(std::string_view key, const Node& value);

  void check_listeners();
  void check_routes();
  void check_limits();
  void warn();

  Reader reader_;
  Config config_;
  std::vector<SourceMark> route_pool_marks_;
  SourceMark limits_mark_;
};

Config FileReader::read(const Node& root) {
  const Reader::Entries entries = reader_.map(root, "the file", {kTopKeys, kTopLater});
  // Routes name pools, so pools come first whatever the file's order.
  for (const bool pools : {true, false}) {
    for (const auto& [key, value] : entries) {
      if ((key->text == "pools") == pools) read_top(key->text, *value);
    }
  }
  if (root.kind != Node::Kind::kMap) return {};
  for (const std::string_view needed : {"listeners"sv, "routes"sv, "pools"sv}) {
    const bool given = std::ranges::any_of(
        root.pairs, [needed](const auto& pair) { return pair.first->text == needed; });
    if (!given) {
      reader_.error({.line = 1, .column = 1},
                    fmt::format("expected `{}:` at the top of the file, found none", needed));
    }
  }
  check_listeners();
  check_routes();
  check_limits();
  if (!reader_.any_errors()) warn();
  return std::move(config_);
}

void FileReader::read_top(std::string_view key, const Node& value) {
  if (key == "listeners") read_listeners(value);
  if (key == "routes") read_routes(value);
  if (key == "pools") read_pools(value);
  if (key == "admin") read_admin(value);
  if (key == "timeouts") read_timeouts(value);
  if (key == "limits") read_limits(value);
  if (key == "workers" && value.text != "auto") {
    reader_.count(value, "`workers` (or `auto`)", 1, kWorkersMax, config_.workers);
  }
  if (key == "engine") {
    constexpr std::array kValues = {Engine::kAuto, Engine::kEpoll, Engine::kUring};
    config_.engine = kValues[reader_.choice(value, "`engine`", kEngines, 0)];
  }
}

Listener FileReader::read_listener(const Node& node, std::size_t number) {
  Listener listener;
  listener.name = fmt::format("listener-{}", number);
  listener.mark = node.mark;
  bool addressed = false;
  const Reader::Entries entries = reader_.map(node, "a listener", {kListenerKeys, kListenerLater});
  for (const auto& [key, value] : entries) {
    if (key->text == "name") {
      reader_.value(*value, "a listener's `name`", parse_name, listener.name);
    } else {
      addressed = true;
      listener.mark = value->mark;
      reader_.value(*value, "a listener's `address`", parse_address, listener.address);
    }
  }
  if (!addressed && node.kind == Node::Kind::kMap) {
    reader_.error(node.mark, "a listener: expected `address: ADDRESS:PORT`, found none");
  }
  return listener;
}

void FileReader::read_listeners(const Node& node) {
  for (const Node* item : reader_.list(node, "`listeners`")) {
    config_.listeners.push_back(read_listener(*item, config_.listeners.size()));
  }
  if (node.kind == Node::Kind::kSequence && node.items.empty()) {
    reader_.error(node.mark, "`listeners`: expected at least one listener, found an empty list");
  }
}

void FileReader::read_match(const Node& node, Match& match) {
  for (const auto& [key, value] :
       reader_.map(node, "a route's `match`", {kMatchKeys, kMatchLater})) {
    if (key->text == "host") {
      reader_.value(*value, "`host`", parse_host_match, match.host);
      continue;
    }
    if (!reader_.value(
            *value, "`path`", [](const std::string& text) -> Value<std::string> { return text; },
            match.path)) {
      continue;
    }
    const bool odd = std::ranges::any_of(
        match.path, [](char c) { return c <= ' ' || c >= 0x7f || c == '?' || c == '#'; });
    if (!match.path.starts_with('/') || odd) {
      reader_.error(value->mark, fmt::format("`path`: expected a path prefix that begins with `/`, "
                                             "percent-encoded, without a query, found `{}`",
                                             match.path.substr(0, 60)));
    }
  }
}

Route FileReader::read_route(const Node& node) {
  Route route;
  route.mark = node.mark;
  SourceMark pool_mark;
  for (const auto& [key, value] : reader_.map(node, "a route", {kRouteKeys, kRouteLater})) {
    if (key->text == "match") read_match(*value, route.match);
    if (key->text == "pool") {
      reader_.value(*value, "a route's `pool`", parse_name, route.pool);
      pool_mark = value->mark;
    }
    if (key->text == "timeouts") {
      for (const auto& [name, time] :
           reader_.map(*value, "a route's `timeouts`", {kRouteTimeoutKeys})) {
        reader_.duration(*time, "`total`", kLeast, kDay, route.total_timeout);
      }
    }
  }
  if (pool_mark.line == 0 && node.kind == Node::Kind::kMap) {
    reader_.error(node.mark, "a route: expected `pool: NAME`, found none");
  }
  route_pool_marks_.push_back(pool_mark);
  return route;
}

void FileReader::read_routes(const Node& node) {
  for (const Node* item : reader_.list(node, "`routes`")) {
    config_.routes.push_back(read_route(*item));
  }
  if (node.kind == Node::Kind::kSequence && node.items.empty()) {
    reader_.error(node.mark, "`routes`: expected at least one route, found an empty list");
  }
}

void FileReader::read_pools(const Node& node) {
  for (const auto& [name, value] : reader_.named_map(node, "`pools`")) {
    config_.pools.push_back(read_pool(reader_, *name, *value));
  }
  if (node.kind == Node::Kind::kMap && node.pairs.empty()) {
    reader_.error(node.mark, "`pools`: expected at least one pool, found an empty map");
  }
}

void FileReader::read_admin(const Node& node) {
  for (const auto& [key, value] : reader_.map(node, "`admin`", {kAdminKeys})) {
    Admin admin{.address = {}, .mark = value->mark};
    if (reader_.value(*value, "`admin.address`", parse_address, admin.address)) {
      config_.admin = admin;
    }
  }
  if (node.kind == Node::Kind::kMap && node.pairs.empty()) {
    reader_.error(node.mark, "`admin`: expected `address: ADDRESS:PORT`, found none");
  }
}

void FileReader::read_timeouts(const Node& node) {
  ClientTimeouts& out = config_.timeouts;
  for (const auto& [key, value] : reader_.map(node, "`timeouts`", {kTimeoutKeys})) {
    if (key->text == "header") reader_.duration(*value, "`header`", kLeast, kDay, out.header);
    if (key->text == "body_idle") {
      reader_.duration(*value, "`body_idle`", kLeast, kDay, out.body_idle);
    }
    if (key->text == "send") reader_.duration(*value, "`send`", kLeast, kDay, out.send);
    if (key->text == "keep_alive") {
      reader_.duration(*value, "`keep_alive`", kLeast, kDay, out.keep_alive);
    }
    if (key->text == "drain") reader_.duration(*value, "`drain`", Duration(), kDay, out.drain);
  }
}

void FileReader::read_limits(const Node& node) {
  limits_mark_ = node.mark;
  for (const auto& [key, value] : reader_.map(node, "`limits`", {kLimitKeys})) {
    if (key->text.ends_with("_bytes")) {
      read_size_limit(key->text, *value);
    } else {
      read_count_limit(key->text, *value);
    }
  }
}

void FileReader::read_size_limit(std::string_view key, const Node& value) {
  Limits& out = config_.limits;
  const std::string what = fmt::format("`{}`", key);
  if (key == "head_bytes") reader_.size(value, what, kKiB, 16 * kMiB, out.head_bytes);
  if (key == "target_bytes") reader_.size(value, what, 64, kMiB, out.target_bytes);
  if (key == "trailer_bytes") reader_.size(value, what, 2, 16 * kMiB, out.trailer_bytes);
  if (key == "chunk_extension_bytes") {
    reader_.size(value, what, 0, 64 * kKiB, out.chunk_extension_bytes);
  }
  if (key == "request_body_bytes") {
    reader_.size(value, what, 0, kMiB * kMiB, out.request_body_bytes);
  }
}

void FileReader::read_count_limit(std::string_view key, const Node& value) {
  Limits& out = config_.limits;
  const std::string what = fmt::format("`{}`", key);
  if (key == "connections" && value.text != "auto") {
    reader_.count(value, "`connections` (or `auto`)", 1, kMany, out.connections);
  }
  if (key == "field_count") reader_.count(value, what, 8, 10'000, out.field_count);
  if (key == "requests_per_connection") {
    reader_.count(value, what, 1, kMany, out.requests_per_connection);
  }
  if (key == "idle_endpoint_connections") {
    reader_.count(value, what, 0, kMany, out.idle_endpoint_connections);
  }
}

void FileReader::check_listeners() {
  std::map<std::string, int> addresses;
  std::map<std::string, int> names;
  const auto note_address = [&](const Address& address, SourceMark mark, std::string_view what) {
    if (address.port == 0) return;
    const auto [place, fresh] = addresses.emplace(to_string(address), mark.line);
    if (fresh) return;
    reader_.error(mark, fmt::format("{}: address `{}` is taken by the listener on line {}", what,
                                    place->first, place->second));
  };
  for (const Listener& listener : config_.listeners) {
    note_address(listener.address, listener.mark, "a listener");
    const auto [place, fresh] = names.emplace(listener.name, listener.mark.line);
    if (fresh) continue;
    reader_.error(listener.mark, fmt::format("a listener: name `{}` is taken by the one on line {}",
                                             place->first, place->second));
  }
  if (config_.admin) note_address(config_.admin->address, config_.admin->mark, "`admin`");
}

// Exact hosts, then longer suffixes, then any host; within a host longer paths first; then the
// file's order.
auto specificity(const Route& route) {
  const std::string& host = route.match.host;
  const int kind = host.empty() ? 2 : host.starts_with('*') ? 1 : 0;
  const std::size_t length = kind == 1 ? host.size() : 0;
  return std::tuple(kind, std::numeric_limits<std::size_t>::max() - length,
                    std::numeric_limits<std::size_t>::max() - route.match.path.size(),
                    route.mark.line, route.mark.column);
}

void FileReader::check_routes() {
  std::vector<std::string_view> names;
  for (const Pool& pool : config_.pools) names.push_back(pool.name);
  std::map<std::pair<std::string, std::string>, int> matches;
  for (std::size_t i = 0; i < config_.routes.size(); ++i) {
    Route& route = config_.routes[i];
    const auto found = std::ranges::find(names, route.pool);
    route.pool_index = static_cast<std::size_t>(found - names.begin());
    if (found == names.end() && !route.pool.empty()) {
      const std::string_view near = nearest(route.pool, names);
      reader_.error(route_pool_marks_[i],
                    fmt::format("a route: no pool is named `{}`{}", route.pool,
                                near.empty() ? ": add it under `pools`"
                                             : fmt::format(", did you mean `{}`?", near)));
    }
    const auto [place, fresh] =
        matches.emplace(std::pair(route.match.host, route.match.path), route.mark.line);
    if (fresh) continue;
    reader_.error(route.mark, fmt::format("a route: the one on line {} matches the same requests, "
                                          "so this one is never used: remove one",
                                          place->second));
  }
  std::ranges::sort(config_.routes, {}, specificity);
}

void FileReader::check_limits() {
  const Limits& limits = config_.limits;
  if (limits.target_bytes >= limits.head_bytes) {
    reader_.error(limits_mark_,
                  fmt::format("`limits`: expected `target_bytes` ({}) below `head_bytes` ({})",
                              size_text(limits.target_bytes), size_text(limits.head_bytes)));
  }
}

void FileReader::warn() {
  for (const Pool& pool : config_.pools) {
    if (std::ranges::find(config_.routes, pool.name, &Route::pool) != config_.routes.end())
      continue;
    config_.warnings.push_back({pool.mark, fmt::format("pool `{}`: no route uses it", pool.name)});
  }
  if (config_.admin && !config_.admin->address.host.starts_with("127.") &&
      config_.admin->address.host != "::1") {
    config_.warnings.push_back(
        {config_.admin->mark, "`admin`: this address may be reached from other machines"});
  }
}

}  // namespace

std::expected<Config, std::vector<Diagnostic>> parse(std::string_view yaml,
                                                     std::string_view file_name) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (yaml.starts_with(kByteOrderMark)) yaml.remove_prefix(kByteOrderMark.size());
  Diagnostics diagnostics(yaml, file_name);
  YamlTree tree;
  const Node* root = tree.load(yaml, diagnostics);
  if (root == nullptr) return std::unexpected(diagnostics.take());
  Config config = FileReader(diagnostics).read(*root);
  if (diagnostics.any()) return std::unexpected(diagnostics.take());
  return config;
}

}  // namespace evener::config

#include "lab/scenario/contender.h"

#include <evener/balancer.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "config/parse.h"
#include "config/values.h"
#include "lab/peers/peers.h"
#include "lab/scenario/oracle.h"
#include "lab/trials/trials.h"
#include "sim/balancer_chooser.h"

namespace evener::lab {
namespace {

using namespace std::string_view_literals;

constexpr auto kDefault = "evener"sv;
constexpr auto kOracle = "oracle"sv;
constexpr std::array kPoolKeys = {"ejection"sv, "warmup"sv};

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

std::unexpected<Error> wrong(std::string_view text, std::string_view what) {
  return std::unexpected(Error{fmt::format("policy `{}`: {}", text, what)});
}

struct Words {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> settings;
};

std::expected<Words, Error> split(std::string_view text) {
  Words out;
  const std::size_t open = text.find('(');
  out.name = trim(text.substr(0, open));
  if (open == std::string_view::npos) return out;
  if (text.back() != ')') return wrong(text, "expected `)` at its end");
  std::string_view rest = trim(text.substr(open + 1, text.size() - open - 2));
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view one = rest.substr(0, comma);
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos) {
      return wrong(text, fmt::format("expected KEY=VALUE, found `{}`", trim(one)));
    }
    out.settings.emplace_back(trim(one.substr(0, equals)), trim(one.substr(equals + 1)));
    rest = comma == std::string_view::npos ? "" : trim(rest.substr(comma + 1));
  }
  return out;
}

std::vector<std::string_view> all_names() {
  std::vector<std::string_view> names = {kDefault, kOracle};
  for (const PolicyInfo& policy : policy_catalog()) names.push_back(policy.name);
  for (const PeerRule& peer : peer_rules()) names.push_back(peer.name);
  for (const Trial& trial : trials()) names.push_back(trial.name);
  return names;
}

// The pool's settings as its configuration would have them, so that both mean the same.
std::expected<BalancerOptions, std::string> pool_options(const Words& words) {
  const PolicyInfo* info = words.name == kDefault ? nullptr : find_policy(words.name);
  std::string policy = info != nullptr ? fmt::format("name: {}", words.name) : "";
  std::string pool = "endpoints: [127.0.0.1:1]";
  if (info != nullptr && info->uses_key) pool += ", key: path";
  for (const auto& [key, value] : words.settings) {
    const bool of_pool = std::ranges::find(kPoolKeys, key) != kPoolKeys.end();
    std::string& into = of_pool ? pool : policy;
    into += fmt::format("{}{}: {}", into.empty() ? "" : ", ", key, value);
  }
  if (!policy.empty()) pool += fmt::format(", policy: {{ {} }}", policy);
  const auto config =
      config::parse(fmt::format("listeners: [{{ address: 127.0.0.1:1 }}]\nroutes: [{{ pool: p }}]\n"
                                "pools: {{ p: {{ {} }} }}\n",
                                pool),
                    "policy");
  if (!config) return std::unexpected(config.error().front().message);
  const config::Pool& read = config->pools.front();
  return BalancerOptions{.policy = read.policy, .ejection = read.ejection, .warm_up = read.warm_up};
}

}  // namespace

std::expected<Contender, Error> parse_contender(std::string_view text) {
  text = trim(text);
  const auto words = split(text);
  if (!words) return std::unexpected(words.error());
  const PolicyInfo* info = find_policy(words->name);
  if (info != nullptr || words->name == kDefault) {
    const auto options = pool_options(*words);
    if (!options) return wrong(text, options.error());
    return Contender{
        std::string(text),
        info != nullptr ? std::string(info->summary) : "what `evener run` does unasked",
        Contender::Side::kOurs, sim::balancer_choosers(*options)};
  }
  if (!words->settings.empty()) return wrong(text, "expected no settings: they are its own");
  if (words->name == kOracle) {
    return Contender{std::string(text), "knows all servers' work and its own; nobody can",
                     Contender::Side::kBound, oracle_choosers()};
  }
  if (const PeerRule* peer = find_peer(words->name)) {
    return Contender{std::string(text), std::string(peer->summary), Contender::Side::kPeer,
                     peer->make()};
  }
  if (const Trial* trial = find_trial(words->name)) {
    return Contender{std::string(text), std::string(trial->summary), Contender::Side::kOurs,
                     trial->make()};
  }
  const std::vector<std::string_view> names = all_names();
  const std::string_view near = config::nearest(words->name, names);
  if (!near.empty()) return wrong(text, fmt::format("unknown; did you mean `{}`?", near));
  return wrong(text, fmt::format("unknown; expected one of {}", fmt::join(names, ", ")));
}

std::expected<std::vector<Contender>, Error> parse_contenders(std::string_view list) {
  std::vector<Contender> out;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    depth += c == '(' ? 1 : 0;
    depth -= c == ')' ? 1 : 0;
    if (c != ',' || (depth > 0 && i < list.size())) continue;
    auto one = parse_contender(list.substr(begin, i - begin));
    if (!one) return std::unexpected(std::move(one.error()));
    if (std::ranges::find(out, one->text, &Contender::text) != out.end()) {
      return wrong(one->text, "it is named twice");
    }
    out.push_back(std::move(*one));
    begin = i + 1;
  }
  return out;
}

std::vector<Contender> default_contenders() {
  std::vector<std::string> texts = {std::string(kDefault),
                                    "peak_ewma(choices=all)",
                                    "peak_ewma(choices=8)",
                                    "peak_ewma(choices=2)",
                                    "p2c",
                                    "least_request",
                                    "idle_first",
                                    "lsq",
                                    "random",
                                    "round_robin"};
  for (const PeerRule& peer : peer_rules()) {
    // Ours do what these two do, with the name that people expect.
    if (peer.name != "random" && peer.name != "round_robin") texts.emplace_back(peer.name);
  }
  std::vector<Contender> out;
  for (const std::string& text : texts) {
    auto one = parse_contender(text);
    EV_CHECK(one.has_value(), one.error().message);
    out.push_back(std::move(*one));
  }
  return out;
}

}  // namespace evener::lab

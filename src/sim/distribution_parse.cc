#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <span>

#include "sim/distribution.h"

namespace evener::sim {
namespace {

constexpr double kNeeded = -1;  // no default
constexpr double kLarge = 1e12;

struct Parameter {
  std::string_view name;
  double standard;
  double least;
  double most;
};
constexpr Parameter kMean = {"mean", 1, 0, kLarge};
constexpr Parameter kOnlyMean[] = {kMean};
constexpr Parameter kHyper[] = {{"scv", kNeeded, 1, 1e6}, kMean};
constexpr Parameter kTwo[] = {
    {"low", kNeeded, 0, kLarge}, {"high", kNeeded, 0, kLarge}, {"p", kNeeded, 0, 1}};
constexpr Parameter kPareto[] = {
    {"alpha", kNeeded, 0.01, 100}, {"ratio", kNeeded, 1.000001, kLarge}, kMean};
constexpr Parameter kLog[] = {{"sigma", kNeeded, 0, 10}, kMean};
constexpr Parameter kUniform[] = {{"low", kNeeded, 0, kLarge}, {"high", kNeeded, 0, kLarge}};
constexpr Parameter kFile[] = {{"mean", 0, 0, kLarge}};

using Values = std::array<double, 3>;

struct Law {
  std::string_view name;
  std::string_view example;
  std::span<const Parameter> parameters;
  Distribution (*make)(const Values&);
};
constexpr Law kLaws[] = {
    {"exp", "exp", kOnlyMean, [](const Values& v) { return Distribution::exponential(v[0]); }},
    {"const", "const(mean=0.002)", kOnlyMean,
     [](const Values& v) { return Distribution::constant(v[0]); }},
    {"h2", "h2(scv=10)", kHyper,
     [](const Values& v) { return Distribution::hyperexponential(v[0], v[1]); }},
    {"two_point", "two_point(low=0.5,high=50.5,p=0.01)", kTwo,
     [](const Values& v) { return Distribution::two_point(v[0], v[1], v[2]); }},
    {"bounded_pareto", "bounded_pareto(alpha=1.5,ratio=10000)", kPareto,
     [](const Values& v) { return Distribution::bounded_pareto(v[0], v[1], v[2]); }},
    {"lognormal", "lognormal(sigma=1)", kLog,
     [](const Values& v) { return Distribution::lognormal(v[0], v[1]); }},
    {"uniform", "uniform(low=0,high=2)", kUniform,
     [](const Values& v) { return Distribution::uniform(v[0], v[1]); }},
    {"empirical", "empirical(file=times.txt)", kFile, nullptr},
};

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::unexpected<Error> wrong(std::string_view text, std::string what) {
  return std::unexpected(Error{fmt::format("distribution \"{}\": {}", text, what)});
}

std::string examples() {
  std::string all;
  for (const Law& law : kLaws) all += fmt::format("{}{}", all.empty() ? "" : ", ", law.example);
  return all;
}

struct Arguments {
  Values values{};
  std::string_view file;
};

std::expected<Arguments, Error> take(std::string_view text, const Law& law, std::string_view list) {
  Arguments out;
  std::array<bool, 3> given{};
  for (std::size_t i = 0; i < law.parameters.size(); ++i) {
    out.values[i] = law.parameters[i].standard;
  }
  while (!trim(list).empty()) {
    const std::size_t comma = list.find(',');
    const std::string_view item = trim(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    const std::size_t equal = item.find('=');
    const std::string_view key = trim(item.substr(0, equal));
    const std::string_view value =
        equal == std::string_view::npos ? std::string_view() : trim(item.substr(equal + 1));
    if (law.make == nullptr && key == "file") {
      out.file = value;
      continue;
    }
    std::size_t at = 0;
    while (at < law.parameters.size() && law.parameters[at].name != key) ++at;
    if (at == law.parameters.size()) {
      return wrong(text, fmt::format("\"{}\" is no parameter of {}; write it as {}", key, law.name,
                                     law.example));
    }
    const Parameter& parameter = law.parameters[at];
    const auto found = number(value);
    if (!found || *found < parameter.least || *found > parameter.most) {
      return wrong(text, fmt::format("{}: expected a number from {} to {}, found \"{}\"", key,
                                     parameter.least, parameter.most, value));
    }
    if (given[at]) return wrong(text, fmt::format("{} is given twice; keep one", key));
    given[at] = true;
    out.values[at] = *found;
  }
  for (std::size_t i = 0; i < law.parameters.size(); ++i) {
    if (out.values[i] == kNeeded) {
      return wrong(
          text, fmt::format("{} is missing; write it as {}", law.parameters[i].name, law.example));
    }
  }
  return out;
}

std::expected<Distribution, Error> from_file(std::string_view text, const Arguments& arguments) {
  if (arguments.file.empty()) {
    return wrong(text, "file is missing; write it as empirical(file=times.txt)");
  }
  const std::string path(arguments.file);
  std::ifstream in(path, std::ios::binary);
  if (!in) return wrong(text, fmt::format("expected a readable file, found none at {}", path));
  const std::string content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  auto numbers = Distribution::parse_numbers(content, path);
  if (!numbers) return std::unexpected(std::move(numbers.error()));
  Distribution made = Distribution::empirical(std::move(*numbers), path);
  if (arguments.values[0] == 0) return made;
  if (made.mean() == 0) return wrong(text, "all its numbers are 0, so mean cannot scale them");
  return made.with_mean(arguments.values[0]);
}

}  // namespace

std::expected<Distribution, Error> Distribution::parse(std::string_view text) {
  const std::string_view whole = trim(text);
  const std::size_t open = whole.find('(');
  const std::string_view name = trim(whole.substr(0, open));
  std::string_view list;
  if (open != std::string_view::npos) {
    if (whole.back() != ')') return wrong(text, "expected ) at the end");
    list = whole.substr(open + 1, whole.size() - open - 2);
  }
  for (const Law& law : kLaws) {
    if (law.name != name) continue;
    const auto arguments = take(text, law, list);
    if (!arguments) return std::unexpected(arguments.error());
    if (law.make == nullptr) return from_file(text, *arguments);
    const bool bounded = law.name == "two_point" || law.name == "uniform";
    if (bounded && arguments->values[1] < arguments->values[0]) {
      return wrong(text, "expected low <= high; exchange them");
    }
    return law.make(arguments->values);
  }
  return wrong(text, "expected one of " + examples());
}

std::expected<std::vector<double>, Error> Distribution::parse_numbers(std::string_view text,
                                                                      std::string_view source) {
  std::vector<double> values;
  std::size_t line = 1;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(" \t\r\n,#");
    const std::string_view word = text.substr(0, end);
    if (!word.empty()) {
      const auto value = number(word);
      if (!value || *value < 0) {
        return std::unexpected(Error{fmt::format(
            "{}:{}: expected a number that is not negative, found \"{}\"", source, line, word)});
      }
      values.push_back(*value);
    }
    if (end == std::string_view::npos) break;
    if (text[end] == '#') {
      const std::size_t newline = text.find('\n', end);
      if (newline == std::string_view::npos) break;
      text.remove_prefix(newline);
      continue;
    }
    if (text[end] == '\n') ++line;
    text.remove_prefix(end + 1);
  }
  if (values.empty()) {
    return std::unexpected(
        Error{fmt::format("{}: expected at least one number, found none", source)});
  }
  return values;
}

}  // namespace evener::sim

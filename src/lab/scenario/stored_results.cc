#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "lab/scenario/render_scores.h"

namespace evener::lab {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kFormat = "evener lab results 2";

std::unexpected<Error> wrong(std::string_view name, std::string what) {
  return std::unexpected(Error{fmt::format("{}: {}", name, what)});
}

ordered_json head_of(const Contest& contest) {
  ordered_json out = {{"format", kFormat}, {"seed", contest.seed}, {"scale", contest.scale}};
  out["scenarios"] = contest.sources;
  out["files"] = contest.files;
  out["policies"] = ordered_json::array();
  for (const Contender& one : contest.contenders) out["policies"].push_back(one.text);
  return out;
}

std::expected<Contest, Error> contest_of(const ordered_json& head, std::string_view name) {
  Contest out;
  out.seed = head.at("seed").get<std::uint64_t>();
  out.scale = head.at("scale").get<double>();
  for (const auto& source : head.at("scenarios")) {
    out.sources.push_back(source.get<std::string>());
    auto scenario = parse_scenario(out.sources.back(), name);
    if (!scenario) return std::unexpected(Error{config::to_string(scenario.error().front())});
    out.scenarios.push_back(std::move(*scenario));
  }
  head.at("files").get_to(out.files);
  if (out.files.size() != out.scenarios.size()) {
    return wrong(name, fmt::format("expected a file's name for each of the {} scenarios, found {}",
                                   out.scenarios.size(), out.files.size()));
  }
  for (const auto& text : head.at("policies")) {
    auto contender = parse_contender(text.get<std::string>());
    if (!contender) return wrong(name, contender.error().message);
    out.contenders.push_back(std::move(*contender));
  }
  return out;
}

CellResult cell_of(const ordered_json& cell) {
  CellResult out;
  cell.at("quantiles_s").get_to(out.quantiles);
  cell.at("mean_s").get_to(out.mean);
  cell.at("calls").get_to(out.calls);
  cell.at("errors").get_to(out.errors);
  cell.at("attempts").get_to(out.attempts);
  cell.at("longest_queue").get_to(out.longest_queue);
  cell.at("unfinished").get_to(out.unfinished);
  if (cell.contains("warm_up")) {
    const ordered_json& warm_up = cell.at("warm_up");
    warm_up.at(0).get_to(out.settling.share);
    warm_up.at(1).get_to(out.settling.growth);
    warm_up.at(2).get_to(out.settling.settled);
  }
  if (cell.contains("stopped")) cell.at("stopped").get_to(out.stopped);
  return out;
}

}  // namespace

std::string results_json(const Contest& contest, const CellResults& results) {
  const auto situations = contest.situations();
  const auto cells = cells_of(contest);
  ordered_json out = head_of(contest);
  out["cells"] = ordered_json::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) continue;
    const CellResult& result = *results[i];
    ordered_json cell = {{"cell", i},
                         {"quantiles_s", result.quantiles},
                         {"mean_s", result.mean},
                         {"calls", result.calls},
                         {"errors", result.errors},
                         {"attempts", result.attempts},
                         {"longest_queue", result.longest_queue},
                         {"unfinished", result.unfinished}};
    if (contest.scenarios[situations[cells[i].situation].scenario].steady) {
      const Settling& settling = result.settling;
      cell["warm_up"] = {settling.share, settling.growth, settling.settled};
    }
    if (!result.stopped.empty()) cell["stopped"] = result.stopped;
    out["cells"].push_back(std::move(cell));
  }
  return out.dump() + "\n";
}

std::expected<StoredResults, Error> merge_results(const std::vector<std::string>& files,
                                                  const std::vector<std::string>& names) {
  StoredResults out;
  ordered_json first;
  for (std::size_t f = 0; f < files.size(); ++f) {
    // What a file may hold is checked by at() and get(), which throw.
    try {
      ordered_json read = ordered_json::parse(files[f]);
      if (!read.is_object() || read.value("format", "") != kFormat) {
        return wrong(names[f], fmt::format("expected a file of `--shard`, format \"{}\"", kFormat));
      }
      const ordered_json cells = read.at("cells");
      read.erase("cells");
      if (f == 0) {
        auto contest = contest_of(read, names[f]);
        if (!contest) return std::unexpected(contest.error());
        out.contest = std::move(*contest);
        out.results.resize(cells_of(out.contest).size());
        first = std::move(read);
      } else if (read != first) {
        return wrong(names[f], fmt::format("expected the same scenarios, policies, seed and scale "
                                           "as {}, found others",
                                           names[0]));
      }
      for (const ordered_json& cell : cells) {
        const std::size_t at = cell.at("cell").get<std::size_t>();
        if (at >= out.results.size())
          return wrong(names[f], fmt::format("there is no cell {}", at));
        out.results[at] = cell_of(cell);
      }
    } catch (const nlohmann::json::exception& error) {
      return wrong(names[f], fmt::format("it is damaged: {}", error.what()));
    }
  }
  std::size_t missing = 0;
  std::size_t example = 0;
  for (std::size_t i = 0; i < out.results.size(); ++i) {
    if (out.results[i]) continue;
    if (missing++ == 0) example = i;
  }
  if (missing > 0) {
    return std::unexpected(
        Error{fmt::format("{} of {} cells are in no file, the first is {}: run the shards that are "
                          "missing",
                          missing, out.results.size(), example)});
  }
  return out;
}

}  // namespace evener::lab

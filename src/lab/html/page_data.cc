#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/html/page.h"
#include "lab/scenario/render_scores.h"

namespace evener::lab {
namespace {

using nlohmann::ordered_json;

std::string compact(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string_view side_text(Contender::Side side) {
  switch (side) {
    case Contender::Side::kOurs:
      return "ours";
    case Contender::Side::kPeer:
      return "peer";
    case Contender::Side::kBound:
      break;
  }
  return "bound";
}

ordered_json load_json(const Contest& contest, const LoadSeries& series) {
  ordered_json out = {{"situation", series.situation},
                      {"policy", contest.contenders[series.contender].text},
                      {"servers", series.servers},
                      {"bands", series.bands},
                      {"at_s", series.at_s}};
  out["lines"] = ordered_json::array();
  for (const LoadSeries::Line& line : series.lines) {
    out["lines"].push_back({{"name", line.name}, {"in_system", line.in_system}});
  }
  out["stopped"] = series.stopped;
  return out;
}

}  // namespace

std::string experiments_html(std::span<const Finished> finished, const Look& look,
                             std::string_view command) {
  const std::size_t off = static_cast<std::size_t>(
      std::ranges::count_if(finished, [](const Finished& one) { return !one.report.good(); }));
  PageFacts facts{.title = fmt::format("evener lab: {} experiments", finished.size()),
                  .about = "",
                  .command = std::string(command)};
  if (finished.size() == 1) {
    facts.title =
        fmt::format("evener lab: {} {}", finished[0].experiment->id, finished[0].experiment->name);
  }
  facts.about = off == 0 ? "What theory says, beside what came out. Every row is as expected."
                         : fmt::format(
                               "What theory says, beside what came out. {} of {} "
                               "experiments have a row that is off.",
                               off, finished.size());
  const ordered_json data = {{"kind", "experiments"},
                             {"command", command},
                             {"result", ordered_json::parse(to_json(finished, look))}};
  return page_html(facts, compact(data));
}

std::string plan_html(const PlanQuestion& question, const std::vector<PlanAnswer>& answers,
                      std::string_view command) {
  const ordered_json data = {{"kind", "plan"},
                             {"command", command},
                             {"most", kPlanMax},
                             {"result", ordered_json::parse(plan_json(question, answers))}};
  const PageFacts facts{
      .title = fmt::format("evener lab: endpoints for {:g} calls a second", question.rate),
      .about = fmt::format(
          "How many endpoints keep the p99 below {:g} ms: work {} s, delay {} s each way, {} at a "
          "time per endpoint, {} balancer{}.",
          question.p99_s * 1e3, question.work.text(), question.delay.text(), question.slots,
          question.balancers, question.balancers == 1 ? "" : "s"),
      .command = std::string(command)};
  return page_html(facts, compact(data));
}

std::string contest_html(const Contest& contest, const Scoreboard& board,
                         std::span<const LoadSeries> load, std::string_view command) {
  ordered_json data = {{"kind", "contest"},
                       {"command", command},
                       {"conventions", conventions_text(contest)},
                       {"quantiles", kQuantiles}};
  for (const Contender& one : contest.contenders) {
    data["policies"].push_back(
        {{"name", one.text}, {"about", one.about}, {"side", side_text(one.side)}});
  }
  data["result"] = ordered_json::parse(score_json(contest, board));
  data["load"] = ordered_json::array();
  for (const LoadSeries& one : load) data["load"].push_back(load_json(contest, one));
  const PageFacts facts{
      .title = fmt::format("evener lab: {} policies in {} situations", contest.contenders.size(),
                           board.situations.size()),
      .about =
          "Regret is the p99 of the time of calls over that of the situation's bound: 1 is as "
          "good as can be.",
      .command = std::string(command)};
  return page_html(facts, compact(data));
}

}  // namespace evener::lab

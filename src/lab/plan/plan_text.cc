#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/plan/plan.h"

namespace evener::lab {
namespace {

using nlohmann::ordered_json;

std::string ms(double s) { return fmt::format("{:.1f} ms", s * 1e3); }

std::string answer_text(const PlanAnswer& answer) {
  if (answer.endpoints == 0) return fmt::format("more than {} endpoints", kPlanMax);
  if (answer.perhaps == answer.endpoints) return fmt::format("{} endpoints", answer.endpoints);
  return fmt::format("{} endpoints ({} may do)", answer.endpoints, answer.perhaps);
}

// p99 over endpoints, the goal marked: where the bars end left of it, it is met.
std::string curve(const PlanQuestion& question, const PlanAnswer& answer) {
  constexpr double kWidth = 40;
  constexpr double kGoalAt = 20;
  std::string out;
  for (const PlanPoint& point : answer.points) {
    const double length = std::clamp(point.p99_s.value / question.p99_s * kGoalAt, 0.0, kWidth);
    std::string bar(static_cast<std::size_t>(length), '=');
    bar.resize(static_cast<std::size_t>(kWidth), ' ');
    if (bar[static_cast<std::size_t>(kGoalAt)] == ' ') bar[static_cast<std::size_t>(kGoalAt)] = '|';
    if (length >= kWidth) bar.back() = '>';
    out += fmt::format("  {:>6} endpoints, load {:.2f}  {}  {} +- {}\n", point.endpoints,
                       point.load, bar, ms(point.p99_s.value), ms(point.p99_s.half_width));
  }
  return out;
}

}  // namespace

std::string plan_text(const PlanQuestion& question, const std::vector<PlanAnswer>& answers) {
  std::string out = fmt::format(
      "{:g} calls a second, work {} s, {} at a time per endpoint, {} balancer{}: p99 below {}\n"
      "+-: 95 % interval over {} independent runs of {} calls; enough: the whole interval is "
      "below. Seed {}.\n\n",
      question.rate, question.work.text(), question.slots, question.balancers,
      question.balancers == 1 ? "" : "s", ms(question.p99_s), question.runs, question.calls,
      question.seed);
  std::size_t width = 6;
  for (const PlanAnswer& answer : answers) width = std::max(width, answer.policy.size());
  for (const PlanAnswer& answer : answers) {
    out += fmt::format("{:<{}}  {}\n", answer.policy, width, answer_text(answer));
  }
  for (const PlanAnswer& answer : answers) {
    out += fmt::format("\n{}: p99 (| is the goal)\n{}", answer.policy, curve(question, answer));
  }
  return out;
}

std::string plan_json(const PlanQuestion& question, const std::vector<PlanAnswer>& answers) {
  ordered_json out = {{"rate", question.rate},          {"work", question.work.text()},
                      {"slots", question.slots},        {"balancers", question.balancers},
                      {"delay", question.delay.text()}, {"p99_s", question.p99_s},
                      {"runs", question.runs},          {"calls", question.calls},
                      {"seed", question.seed}};
  out["answers"] = ordered_json::array();
  for (const PlanAnswer& answer : answers) {
    ordered_json one = {
        {"policy", answer.policy},
        {"endpoints",
         answer.endpoints == 0 ? ordered_json(nullptr) : ordered_json(answer.endpoints)},
        {"perhaps", answer.endpoints == 0 ? ordered_json(nullptr) : ordered_json(answer.perhaps)}};
    for (const PlanPoint& point : answer.points) {
      one["points"].push_back({{"endpoints", point.endpoints},
                               {"load", point.load},
                               {"p99_s", point.p99_s.value},
                               {"p99_half_width_s", point.p99_s.half_width},
                               {"mean_s", point.mean_s.value}});
    }
    out["answers"].push_back(std::move(one));
  }
  return out.dump(2) + "\n";
}

}  // namespace evener::lab

#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/render.h"

namespace evener::lab {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no infinity and no NaN.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json row_json(const Row& row) {
  Json out = {{"row", row.label}, {"kind", to_string(row.kind)}};
  switch (row.kind) {
    case Kind::kWithin:
      out["expected"] = number(row.expected);
      out["tolerance"] = number(row.tolerance);
      break;
    case Kind::kExact:
      out["expected"] = number(row.expected);
      break;
    case Kind::kRange:
      out["low"] = number(row.low);
      out["high"] = number(row.high);
      break;
    case Kind::kOrder:
      out["expected"] = row.expected_text;
      out["figures"] = row.got_text;
      break;
    case Kind::kInfo:
      break;
  }
  out["got"] = number(row.got.value);
  out["half_width"] = number(row.got.half_width);
  out["runs"] = row.got.runs;
  out["verdict"] = row.verdict == Verdict::kOff ? "off" : to_string(row.verdict);
  if (row.verdict == Verdict::kInfo) out["verdict"] = nullptr;
  out["source"] = row.source;
  return out;
}

Json experiment_json(const Experiment& experiment) {
  return {{"id", experiment.id},
          {"name", experiment.name},
          {"summary", experiment.summary},
          {"source", experiment.source},
          {"conventions",
           {{"sampling", experiment.conventions.sampling},
            {"ties", experiment.conventions.ties},
            {"counting", experiment.conventions.counting}}},
          {"nightly", experiment.nightly},
          {"seconds", experiment.seconds}};
}

std::string text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_json(std::span<const Finished> finished, const Look& look) {
  Json out = {{"seed", look.seed},
              {"scale", look.scale},
              {"interval", "95 %, Student's t over independent runs (shares of runs: Wilson)"}};
  bool good = true;
  out["experiments"] = Json::array();
  for (const auto& [experiment, report] : finished) {
    good = good && report.good();
    Json one = experiment_json(*experiment);
    one["good"] = report.good();
    one["replay"] = replay_line(*experiment, look);
    one["warm_up"] = report.warm_up();
    one["rows"] = Json::array();
    for (const Row& row : report.rows()) one["rows"].push_back(row_json(row));
    one["series"] = Json::array();
    for (const Series& series : report.all_series()) {
      one["series"].push_back({{"name", series.name},
                               {"x_name", series.x_name},
                               {"y_name", series.y_name},
                               {"x", series.x},
                               {"y", series.y}});
    }
    out["experiments"].push_back(std::move(one));
  }
  out["good"] = good;
  return text(out);
}

std::string list_json(std::span<const Experiment> experiments) {
  Json out = Json::array();
  for (const Experiment& experiment : experiments) out.push_back(experiment_json(experiment));
  return text({{"experiments", out}});
}

}  // namespace evener::lab

// HTML reports: one file that holds everything, data as JSON, charts by web/report/.
//
// Pure functions: the same results give the same bytes. Any thread. Cost: a page is about 70 KB and
// the results' JSON without spaces. What is drawn is decided in web/report/src.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "lab/plan/plan.h"
#include "lab/render.h"
#include "lab/scenario/load_series.h"
#include "lab/scenario/scores.h"

namespace evener::lab {

// Whether this build can make reports; what to say and to do if not.
bool html_built();
std::string_view html_missing();

struct PageFacts {
  std::string title;
  std::string about;    // a sentence under it
  std::string command;  // the line that makes the page again
};

// The frame; `json` is anything, also with `</script>` in it. REQUIRES: html_built().
std::string page_html(const PageFacts& facts, std::string_view json);

// REQUIRES: html_built().
std::string experiments_html(std::span<const Finished> finished, const Look& look,
                             std::string_view command);
// `load` may be empty. REQUIRES: html_built().
std::string contest_html(const Contest& contest, const Scoreboard& board,
                         std::span<const LoadSeries> load, std::string_view command);
// REQUIRES: html_built().
std::string plan_html(const PlanQuestion& question, const std::vector<PlanAnswer>& answers,
                      std::string_view command);

}  // namespace evener::lab

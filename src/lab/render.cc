#include "lab/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace evener::lab {
namespace {

struct Line {
  std::string label;
  std::string expected;
  std::string got;
  std::string tolerance;
  Verdict verdict = Verdict::kInfo;
  std::string source;
};

std::string number(double value) { return fmt::format("{:.5g}", value); }

std::string expected_text(const Row& row) {
  switch (row.kind) {
    case Kind::kWithin:
    case Kind::kExact:
      return number(row.expected);
    case Kind::kRange:
      if (std::isinf(row.high)) return ">= " + number(row.low);
      if (std::isinf(row.low)) return "<= " + number(row.high);
      return fmt::format("{} to {}", number(row.low), number(row.high));
    case Kind::kOrder:
      return row.expected_text;
    case Kind::kInfo:
      return "";
  }
  return "";
}

std::string got_text(const Row& row) {
  if (row.kind == Kind::kOrder) return row.got_text;
  if (row.got.runs == 0) return number(row.got.value);
  if (std::isinf(row.got.half_width)) return number(row.got.value) + " (one run)";
  return fmt::format("{} +- {:.2g}", number(row.got.value), row.got.half_width);
}

std::string tolerance_text(const Row& row) {
  if (row.kind == Kind::kWithin) return fmt::format("{:.3g}", row.tolerance);
  return row.kind == Kind::kInfo ? std::string() : std::string(to_string(row.kind));
}

std::vector<Line> lines_of(const Report& report) {
  std::vector<Line> lines;
  for (const Row& row : report.rows()) {
    lines.push_back({row.label, expected_text(row), got_text(row), tolerance_text(row), row.verdict,
                     row.source});
  }
  return lines;
}

std::string verdict_text(Verdict verdict, bool colours) {
  const std::string padded = fmt::format("{:<7}", to_string(verdict));
  if (!colours || verdict == Verdict::kInfo) return padded;
  return (verdict == Verdict::kGood ? "\033[32m" : "\033[1;31m") + padded + "\033[0m";
}

// Widths by what is in the columns; the last column, the source, is as long as it is.
std::string table(const std::vector<Line>& lines, bool colours, std::string_view indent) {
  std::size_t label = 3;
  std::size_t expected = 8;
  std::size_t got = 12;
  std::size_t tolerance = 9;
  for (const Line& line : lines) {
    label = std::max(label, line.label.size());
    expected = std::max(expected, line.expected.size());
    got = std::max(got, line.got.size());
    tolerance = std::max(tolerance, line.tolerance.size());
  }
  std::string out =
      fmt::format("{}{:<{}}  {:<{}}  {:<{}}  {:<{}}  {:<7}  {}\n", indent, "row", label, "expected",
                  expected, "got", got, "tolerance", tolerance, "verdict", "expected value from");
  for (const Line& line : lines) {
    out += fmt::format("{}{:<{}}  {:<{}}  {:<{}}  {:<{}}  {}  {}\n", indent, line.label, label,
                       line.expected, expected, line.got, got, line.tolerance, tolerance,
                       verdict_text(line.verdict, colours), line.source);
  }
  return out;
}

std::string replays(const Experiment& experiment, const Report& report, const Look& look) {
  if (report.good()) return fmt::format("Again: {}\n", replay_line(experiment, look));
  return fmt::format("{}: {} of {} rows off. Again: {}\n", experiment.id, report.off(),
                     report.rows().size(), replay_line(experiment, look));
}

// As a CSV field: quoted when it must be, quotes doubled.
std::string field(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

// Empty for what is infinite, as there is no limit then.
std::string csv_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.10g}", value) : std::string();
}

}  // namespace

std::string replay_line(const Experiment& experiment, const Look& look) {
  std::string line = fmt::format("evener lab run {} --seed {}", experiment.id, look.seed);
  if (look.scale != 1) line += fmt::format(" --scale {}", look.scale);
  return line;
}

std::string to_text(const Experiment& experiment, const Report& report, const Look& look) {
  const Conventions& conventions = experiment.conventions;
  std::string out = fmt::format("{} {}: {}\n", experiment.id, experiment.name, experiment.summary);
  out += fmt::format("source    {}\n", experiment.source);
  out += fmt::format("samples   {}\n", conventions.sampling);
  out += fmt::format("ties      {}\n", conventions.ties);
  out += fmt::format("counts    {}\n", conventions.counting);
  if (!report.warm_up().empty()) out += fmt::format("warm-up   {}\n", report.warm_up());
  out += "interval  95 %, Student's t over independent runs (shares of runs: Wilson)\n";
  out += fmt::format("seed      {}", look.seed);
  if (look.scale != 1) {
    out += fmt::format(", scale {}", look.scale);
    if (report.widen() > 1) out += fmt::format(": tolerances x {:.3g}", report.widen());
  }
  out += "\n\n" + table(lines_of(report), look.colours, "");
  return out + replays(experiment, report, look);
}

std::string to_lines(const Experiment& experiment, const Report& report, const Look& look) {
  return fmt::format("{} {}\n", experiment.id, experiment.name) +
         table(lines_of(report), look.colours, "  ") +
         (report.good() ? "" : replays(experiment, report, look)) + "\n";
}

std::string off_lines(const Experiment& experiment, const Report& report, const Look& look) {
  std::string out;
  for (const Row& row : report.rows()) {
    if (row.verdict != Verdict::kOff) continue;
    const std::string within =
        row.kind == Kind::kWithin ? fmt::format(" +- {}", tolerance_text(row)) : "";
    out += fmt::format("{} {}: {}: expected {}{}, got {}. Again: {}\n", experiment.id,
                       experiment.name, row.label, expected_text(row), within, got_text(row),
                       replay_line(experiment, look));
  }
  return out;
}

std::string to_csv(std::span<const Finished> finished) {
  std::string out =
      "experiment,name,row,kind,expected,low,high,tolerance,got,half_width,runs,verdict,source\n";
  for (const auto& [experiment, report] : finished) {
    for (const Row& row : report.rows()) {
      const bool point = row.kind == Kind::kWithin || row.kind == Kind::kExact;
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", experiment->id,
                         experiment->name, field(row.label), to_string(row.kind),
                         point ? csv_number(row.expected) : field(row.expected_text),
                         csv_number(row.low), csv_number(row.high),
                         row.kind == Kind::kWithin ? csv_number(row.tolerance) : "",
                         csv_number(row.got.value), csv_number(row.got.half_width), row.got.runs,
                         to_string(row.verdict), field(row.source));
    }
  }
  return out;
}

std::string list_text(std::span<const Experiment> experiments) {
  std::size_t name = 4;
  std::size_t summary = 4;
  for (const Experiment& experiment : experiments) {
    name = std::max(name, experiment.name.size());
    summary = std::max(summary, experiment.summary.size());
  }
  std::string out = fmt::format("{:<4}  {:<{}}  {:<{}}  {:>9}  {}\n", "id", "name", name, "what",
                                summary, "time", "source");
  for (const Experiment& experiment : experiments) {
    const std::string time =
        fmt::format("{:.1f} s{}", experiment.seconds, experiment.nightly ? " *" : "");
    out += fmt::format("{:<4}  {:<{}}  {:<{}}  {:>9}  {}\n", experiment.id, experiment.name, name,
                       experiment.summary, summary, time, experiment.source);
  }
  return out + "\ntime: about, on two cores. *: only with `evener lab check --nightly`\n";
}

}  // namespace evener::lab

#include "lab/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace evener::lab {

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::kWithin:
      return "within";
    case Kind::kExact:
      return "exact";
    case Kind::kRange:
      return "range";
    case Kind::kOrder:
      return "order";
    case Kind::kInfo:
      return "info";
  }
  return "?";
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kGood:
      return "good";
    case Verdict::kOff:
      return "OFF";
    case Verdict::kInfo:
      return "-";
  }
  return "?";
}

void Report::add(Row row, bool good) {
  row.verdict = good ? Verdict::kGood : Verdict::kOff;
  rows_.push_back(std::move(row));
}

// Comparisons are written so that a value that is no number fails them.
void Report::within(std::string label, Estimate got, double expected, double tolerance,
                    std::string source) {
  Row row{.label = std::move(label),
          .kind = Kind::kWithin,
          .expected = expected,
          .tolerance = tolerance * widen_,
          .got = got,
          .source = std::move(source)};
  const bool good = std::abs(got.value - expected) <= row.tolerance;
  add(std::move(row), good);
}

void Report::within_share(std::string label, Estimate got, double expected, double share,
                          std::string source) {
  within(std::move(label), got, expected, std::abs(expected) * share, std::move(source));
}

void Report::exactly(std::string label, double got, double expected, std::string source) {
  add({.label = std::move(label),
       .kind = Kind::kExact,
       .expected = expected,
       .got = exact(got),
       .source = std::move(source)},
      got == expected);
}

void Report::between(std::string label, Estimate got, double low, double high, std::string source) {
  add({.label = std::move(label),
       .kind = Kind::kRange,
       .low = low,
       .high = high,
       .got = got,
       .source = std::move(source)},
      got.value >= low && got.value <= high);
}

void Report::at_least(std::string label, Estimate got, double low, std::string source) {
  between(std::move(label), got, low, std::numeric_limits<double>::infinity(), std::move(source));
}

void Report::at_most(std::string label, Estimate got, double high, std::string source) {
  between(std::move(label), got, -std::numeric_limits<double>::infinity(), high, std::move(source));
}

void Report::rising(std::string label, std::span<const Named> figures, std::string source,
                    double slack) {
  EV_CHECK(figures.size() >= 2, "an order has two figures");
  Row row{.label = std::move(label), .kind = Kind::kOrder, .source = std::move(source)};
  bool good = true;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::string_view between = i == 0 ? "" : slack > 0 ? " <= " : " < ";
    row.expected_text += fmt::format("{}{}", between, figures[i].name);
    row.got_text += fmt::format("{}{:.4g}", i == 0 ? "" : ", ", figures[i].value);
    if (i == 0) continue;
    const double last = figures[i - 1].value;
    const double floor = last - slack * std::abs(last);
    good = good && (slack > 0 ? figures[i].value >= floor : figures[i].value > floor);
  }
  row.got = exact(figures.back().value);
  add(std::move(row), good);
}

void Report::info(std::string label, Estimate got, std::string source) {
  rows_.push_back({.label = std::move(label), .got = got, .source = std::move(source)});
}

void Report::series(Series series) {
  EV_CHECK(series.x.size() == series.y.size(), "a curve has as many x as y");
  series_.push_back(std::move(series));
}

std::size_t Report::off() const {
  return static_cast<std::size_t>(
      std::ranges::count(rows_, Verdict::kOff, [](const Row& row) { return row.verdict; }));
}

bool Report::good() const { return off() == 0; }

}  // namespace evener::lab

// Report: what an experiment found: rows, each with an expected value and a verdict, and curves.
//
// A value; made by one thread. Rows are added with a function for each kind of expectation, so that
// the verdict is always computed in one place. Errors: a value that is no number is off.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lab/stats.h"

namespace evener::lab {

enum class Kind : std::uint8_t {
  kWithin,  // |got - expected| <= tolerance
  kExact,   // got == expected
  kRange,   // low <= got <= high
  kOrder,   // figures in the expected order
  kInfo,    // nothing is expected: shown for comparison
};
std::string_view to_string(Kind kind);

enum class Verdict : std::uint8_t { kGood, kOff, kInfo };
std::string_view to_string(Verdict verdict);

struct Row {
  std::string label;
  Kind kind = Kind::kInfo;
  double expected = 0;                                    // kWithin, kExact
  double tolerance = 0;                                   // kWithin: absolute
  double low = -std::numeric_limits<double>::infinity();  // kRange
  double high = std::numeric_limits<double>::infinity();
  std::string expected_text = {};  // kOrder: "LI < all < 3"
  std::string got_text = {};       // kOrder: the figures in that order
  Estimate got = {};
  Verdict verdict = Verdict::kInfo;
  std::string source = {};  // where the expected value is from
};

// A curve for plots.
struct Series {
  std::string name;  // unique in its report
  std::string x_name;
  std::string y_name;
  std::vector<double> x;
  std::vector<double> y;
};

struct Named {
  std::string name;
  double value = 0;
};

class Report {
 public:
  // `widen`: tolerances of kWithin are multiplied by it; for runs shorter than they were set for.
  explicit Report(double widen = 1) : widen_(widen) {}

  void within(std::string label, Estimate got, double expected, double tolerance,
              std::string source);
  // The tolerance as a part of the expected value: 0.01 is 1 %.
  void within_share(std::string label, Estimate got, double expected, double share,
                    std::string source);
  void exactly(std::string label, double got, double expected, std::string source);
  void between(std::string label, Estimate got, double low, double high, std::string source);
  void at_least(std::string label, Estimate got, double low, std::string source);
  void at_most(std::string label, Estimate got, double high, std::string source);
  // `figures` in the order in which they should rise. `slack`: a step down by at most this part of
  // the figure counts as equal.
  void rising(std::string label, std::span<const Named> figures, std::string source,
              double slack = 0);
  void info(std::string label, Estimate got, std::string source);
  // REQUIRES: x.size() == y.size().
  void series(Series series);
  // What was not measured, and what the runs say of it: a line of the header.
  void warm_up(std::string text) { warm_up_ = std::move(text); }

  double widen() const { return widen_; }
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<Series>& all_series() const { return series_; }
  const std::string& warm_up() const { return warm_up_; }  // empty: nothing is steady here
  // No row is off.
  bool good() const;
  std::size_t off() const;

 private:
  void add(Row row, bool good);

  double widen_;
  std::vector<Row> rows_;
  std::vector<Series> series_;
  std::string warm_up_;
};

}  // namespace evener::lab

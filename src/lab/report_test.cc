#include "lab/report.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace evener::lab {
namespace {

TEST(Report, each_kind_has_its_verdict) {
  Report report;
  report.within("a", exact(1.05), 1, 0.1, "");
  report.within("b", exact(1.15), 1, 0.1, "");
  report.within_share("c", exact(103), 100, 0.02, "");
  report.exactly("d", 3, 3, "");
  report.exactly("e", 3.0001, 3, "");
  report.between("f", exact(2), 1, 2, "");
  report.at_least("g", exact(0.9), 1, "");
  report.at_most("h", exact(0.9), 1, "");
  report.info("i", exact(7), "");
  std::vector<std::string> off;
  for (const Row& row : report.rows()) {
    if (row.verdict == Verdict::kOff) off.push_back(row.label);
  }
  EXPECT_EQ(off, (std::vector<std::string>{"b", "c", "e", "g"}));
  EXPECT_EQ(report.off(), 4u);
  EXPECT_FALSE(report.good());
}

TEST(Report, what_is_no_number_is_off) {
  Report report;
  const Estimate nan = exact(std::nan(""));
  report.within("a", nan, 1, 1e9, "");
  report.exactly("b", std::nan(""), 1, "");
  report.between("c", nan, -1e9, 1e9, "");
  const std::array<Named, 2> order = {{{"x", 1}, {"y", std::nan("")}}};
  report.rising("d", order, "");
  report.rising("e", order, "", 0.01);
  EXPECT_EQ(report.off(), 5u);
}

TEST(Report, an_order_is_strict_unless_it_has_slack) {
  Report report;
  const std::array<Named, 3> figures = {{{"x", 1}, {"y", 0.995}, {"z", 2}}};
  report.rising("strict", figures, "");
  report.rising("slack", figures, "", 0.01);
  EXPECT_EQ(report.rows()[0].verdict, Verdict::kOff);
  EXPECT_EQ(report.rows()[1].verdict, Verdict::kGood);
  EXPECT_EQ(report.rows()[0].expected_text, "x < y < z");
  EXPECT_EQ(report.rows()[0].got_text, "1, 0.995, 2");
}

TEST(Report, shorter_runs_get_wider_tolerances_and_say_so) {
  Report report(2);
  report.within("a", exact(1.15), 1, 0.1, "");
  EXPECT_DOUBLE_EQ(report.rows()[0].tolerance, 0.2);
  EXPECT_TRUE(report.good());
}

}  // namespace
}  // namespace evener::lab

#include "cli/progress.h"

#include <gtest/gtest.h>

namespace evener::cli {
namespace {

Time at(double seconds) { return Time() + Duration::from_seconds(seconds); }

TEST(ProgressLine, is_silent_for_two_seconds_then_every_ten_when_nobody_watches) {
  testing::internal::CaptureStderr();
  {
    ProgressLine line(false, at(0));
    for (int i = 1; i <= 30; ++i) line.show("work", i, 40, at(i));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "work: 25 %, about 30 s left\nwork: 50 %, about 20 s left\n"
            "work: 75 %, about 10 s left\n");
}

TEST(ProgressLine, redraws_on_a_terminal_and_leaves_nothing_behind) {
  testing::internal::CaptureStderr();
  {
    ProgressLine line(true, at(0));
    line.show("work", 1, 4, at(1));
    line.show("work", 2, 4, at(3));
    line.show("work", 2, 4, at(3.1));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "\r\033[Kwork: 50 %, about 3 s left\r\033[K");
}

TEST(ProgressLine, promises_nothing_before_it_knows) {
  testing::internal::CaptureStderr();
  ProgressLine(false, at(0)).show("work", 0, 4, at(12));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "work: 0 %, 12 s so far\n");
}

TEST(ProgressLine, times_are_rough) {
  EXPECT_EQ(rough_time(12.4), "12 s");
  EXPECT_EQ(rough_time(185), "3 min 5 s");
  EXPECT_EQ(rough_time(7'260), "2 h 1 min");
  EXPECT_EQ(rough_time(-1), "0 s");
}

}  // namespace
}  // namespace evener::cli

#include "base/check.h"

#include <gtest/gtest.h>

#include "base/check_note.h"

namespace evener {
namespace {

TEST(CheckDeathTest, SaysWhereAndWhat) {
  EXPECT_DEATH(EV_CHECK(1 + 1 == 3, "arithmetic"),
               "internal error at .*check_test.cc:[0-9]+: 1 \\+ 1 == 3: arithmetic");
}

TEST(CheckDeathTest, TellsTheNewestNoteThatLives) {
  const CheckNote outer("Again: evener outer");
  EXPECT_DEATH(EV_CHECK(false, "x"), "x\nevener: Again: evener outer\n");
  {
    const CheckNote inner("Again: evener inner");
    EXPECT_DEATH(EV_CHECK(false, "x"), "x\nevener: Again: evener inner\n");
  }
  EXPECT_DEATH(EV_CHECK(false, "x"), "x\nevener: Again: evener outer\n");
}

}  // namespace
}  // namespace evener

#include "lab/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evener::lab {
namespace {

using testing::HasSubstr;

TEST(Capacity, WhatCannotBeIsSaid) {
  PlanQuestion question;
  question.p99_s = 0.045;  // the work's own p99 is 46.05 ms
  EXPECT_THAT(check(question).error().message, HasSubstr("no number of endpoints"));
  question.rate = -1;
  EXPECT_THAT(check(question).error().message, HasSubstr("rate"));
  question.rate = 1e9;
  EXPECT_THAT(check(question).error().message, HasSubstr("plan a part"));
}

// M/M/1 and a random choice: p99 = ln(100) x 10 ms / (1 - load), so 200 ms needs a load of 0.77:
// 13 endpoints for 1,000 calls a second. The oracle needs fewer: a central queue.
TEST(Capacity, AgreesWithTheClosedFormWhereThereIsOne) {
  PlanQuestion question;
  question.rate = 1000;
  question.p99_s = 0.2;
  ASSERT_TRUE(check(question));
  const PlanAnswer random = plan(question, parse_contender("random").value(), 2);
  EXPECT_GE(random.endpoints, 13U);
  EXPECT_LE(random.endpoints, 14U);
  EXPECT_LE(random.perhaps, random.endpoints);
  const PlanAnswer best = plan(question, parse_contender("evener").value(), 1);
  EXPECT_LT(best.endpoints, random.endpoints);
  EXPECT_EQ(plan_json(question, {plan(question, parse_contender("evener").value(), 3)}),
            plan_json(question, {best}));
  EXPECT_THAT(plan_text(question, {random, best}), HasSubstr("endpoints"));
}

}  // namespace
}  // namespace evener::lab

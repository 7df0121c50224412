#include "sim/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace evener::sim {
namespace {

constexpr std::uint64_t kSeed = 20'261'130;

struct Moments {
  double mean;
  double scv;
};

Moments measure(const Distribution& law, std::size_t n) {
  Rng rng(kSeed);
  double sum = 0;
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = law.sample(rng);
    EXPECT_GE(x, 0);
    sum += x;
    squares += x * x;
  }
  const auto count = static_cast<double>(n);
  const double mean = sum / count;
  return {mean, squares / count / (mean * mean) - 1};
}

TEST(Distribution, DrawsHaveTheStatedMoments) {
  struct Case {
    const char* text;
    double scv_tolerance;  // relative; heavy tails converge slowly
  };
  const Case cases[] = {{"exp", 0.02},
                        {"const(mean=3)", 0},
                        {"h2(scv=10)", 0.05},
                        {"two_point(low=0.5,high=50.5,p=0.01)", 0.05},
                        {"lognormal(sigma=1)", 0.15},
                        {"uniform(low=1,high=2)", 0.02},
                        {"bounded_pareto(alpha=2.5,ratio=100)", 0.1}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto law = Distribution::parse(c.text);
    ASSERT_TRUE(law.has_value()) << law.error().message;
    const Moments found = measure(*law, 1'000'000);
    const double se = law->mean() * std::sqrt(law->scv() / 1e6);
    EXPECT_NEAR(found.mean, law->mean(), 5 * se + 1e-12);
    EXPECT_NEAR(found.scv, law->scv(), c.scv_tolerance * law->scv() + 1e-9);
  }
}

TEST(Distribution, KnownVariances) {
  EXPECT_NEAR(Distribution::two_point(0.5, 50.5, 0.01).scv(), 24.75, 1e-9);
  EXPECT_NEAR(Distribution::two_point(0.5, 50.5, 0.01).mean(), 1, 1e-12);
  EXPECT_NEAR(Distribution::bounded_pareto(1.5, 1e4).scv(), 32.7, 0.05);
  EXPECT_DOUBLE_EQ(Distribution::hyperexponential(10).scv(), 10);
  EXPECT_NEAR(Distribution::lognormal(1).scv(), std::exp(1) - 1, 1e-12);
}

// Kolmogorov's distance of sorted draws from a law's distribution function, times sqrt(n): above
// 1.95 once in a thousand.
template <typename Cdf>
double distance(std::vector<double> draws, Cdf&& cdf) {
  std::ranges::sort(draws);
  const auto n = static_cast<double>(draws.size());
  double worst = 0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double f = cdf(draws[i]);
    worst = std::max({worst, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return worst * std::sqrt(n);
}

TEST(Luck, ExponentialDrawsFollowTheLaw) {
  Rng rng(kSeed);
  std::vector<double> draws(1'000'000);
  double cubes = 0;
  double largest = 0;
  for (double& x : draws) {
    x = exponential(rng);
    cubes += x * x * x;
    largest = std::max(largest, x);
  }
  EXPECT_NEAR(cubes / 1e6, 6, 0.15);
  EXPECT_GT(largest, 10);
  EXPECT_LT(distance(std::move(draws), [](double x) { return -std::expm1(-x); }), 1.95);
}

// Beyond the last layer: given x > 7.697, x - 7.697 is exponential again.
TEST(Luck, ExponentialTailIsExponential) {
  Rng rng(kSeed + 1);
  std::vector<double> tail;
  for (int i = 0; i < 20'000'000; ++i) {
    const double x = exponential(rng);
    if (x > 7.69711747013105) tail.push_back(x - 7.69711747013105);
  }
  EXPECT_NEAR(static_cast<double>(tail.size()), 2e7 * std::exp(-7.69711747013105), 500);
  EXPECT_LT(distance(std::move(tail), [](double x) { return -std::expm1(-x); }), 1.95);
}

TEST(Luck, NormalDrawsFollowTheLaw) {
  Rng rng(kSeed);
  std::vector<double> draws(300'000);
  for (double& x : draws) x = normal(rng);
  EXPECT_LT(distance(std::move(draws), [](double x) { return std::erfc(-x / std::sqrt(2)) / 2; }),
            1.95);
}

TEST(Distribution, TextIsReadBackAsTheSame) {
  const char* texts[] = {"exp",
                         "exp(mean=0.01)",
                         "const",
                         "const(mean=0.002)",
                         "h2(scv=10)",
                         "h2(scv=4,mean=2.5)",
                         "two_point(low=0.5,high=50.5,p=0.01)",
                         "bounded_pareto(alpha=1.5,ratio=10000)",
                         "lognormal(sigma=1.25,mean=3)",
                         "uniform(low=0,high=2)"};
  for (const char* text : texts) {
    const auto law = Distribution::parse(text);
    ASSERT_TRUE(law.has_value()) << law.error().message;
    EXPECT_EQ(law->text(), text);
    const auto again = Distribution::parse(law->with_mean(0.3).text());
    ASSERT_TRUE(again.has_value()) << again.error().message;
    EXPECT_NEAR(again->mean(), 0.3, 1e-12);
    EXPECT_NEAR(again->scv(), law->scv(), 1e-9);
  }
}

TEST(Distribution, ErrorsSayWhatToDo) {
  struct Case {
    const char* text;
    const char* part;
  };
  const Case cases[] = {{"gauss", "expected one of exp"},
                        {"h2", "scv is missing"},
                        {"h2(scv=0.5)", "expected a number from 1 to"},
                        {"h2(scv=ten)", "found \"ten\""},
                        {"h2(scv=2", "expected ) at the end"},
                        {"h2(cv=2)", "is no parameter of h2"},
                        {"exp(mean=-1)", "expected a number from 0"},
                        {"exp(mean=nan)", "found \"nan\""},
                        {"exp(mean=1,mean=2)", "given twice"},
                        {"uniform(low=3,high=2)", "expected low <= high"},
                        {"empirical", "file is missing"},
                        {"empirical(file=/nowhere/at/all)", "expected a readable file"}};
  for (const Case& c : cases) {
    const auto law = Distribution::parse(c.text);
    ASSERT_FALSE(law.has_value()) << c.text;
    EXPECT_NE(law.error().message.find(c.part), std::string::npos) << law.error().message;
    EXPECT_NE(law.error().message.find(c.text), std::string::npos) << law.error().message;
  }
}

TEST(Distribution, EmpiricalFromAFile) {
  const std::string path = testing::TempDir() + "sim_numbers.txt";
  std::ofstream(path) << "1, 2 # and 99\n3\t4\n";
  const auto law = Distribution::parse("empirical(file=" + path + ")");
  ASSERT_TRUE(law.has_value()) << law.error().message;
  EXPECT_DOUBLE_EQ(law->mean(), 2.5);
  EXPECT_NEAR(measure(*law, 100'000).mean, 2.5, 0.02);
  EXPECT_EQ(law->text(), "empirical(file=" + path + ")");
  const auto bad = Distribution::parse_numbers("1\n2\nx\n", "f");
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().message, "f:3: expected a number that is not negative, found \"x\"");
  EXPECT_FALSE(Distribution::parse_numbers("# nothing\n", "f").has_value());
}

}  // namespace
}  // namespace evener::sim

// A pool around an Ejector in virtual time, for its tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "balance/state/ejector.h"

namespace evener {

struct EjectorPool {
  explicit EjectorPool(std::uint32_t n, EjectionSettings chosen = {}, std::uint64_t seed = 1)
      : settings(chosen), ejector(chosen), rng(seed), slots(n) {
    EXPECT_TRUE(check_settings(chosen));
    ejector.resize(n);
    for (std::uint32_t slot = 0; slot < n; ++slot) ejector.join(slot);
  }

  void answer(std::uint32_t slot, Outcome outcome, int times = 1,
              Duration latency = Duration::milliseconds(1)) {
    for (int i = 0; i < times; ++i) ejector.finished(slot, now, outcome, latency, now);
  }
  void fail(std::uint32_t slot, int times = 1) { answer(slot, Outcome::kFailure, times); }
  void succeed(std::uint32_t slot, int times = 1) { answer(slot, Outcome::kSuccess, times); }
  // Spread evenly, so that no streak decides.
  void mixed(std::uint32_t slot, int good, int bad) {
    int failed = 0;
    for (int i = 0; i < good + bad; ++i) {
      const bool fails = (i + 1) * bad / (good + bad) > failed;
      failed += fails ? 1 : 0;
      answer(slot, fails ? Outcome::kFailure : Outcome::kSuccess);
    }
  }

  std::vector<std::uint32_t> pass() {
    const auto changed = ejector.pass(now, median, rng);
    return {changed.begin(), changed.end()};
  }
  std::vector<std::uint32_t> after(Duration elapsed) {
    now = now + elapsed;
    return pass();
  }
  std::vector<std::uint32_t> after_seconds(double s) { return after(Duration::from_seconds(s)); }
  std::vector<std::uint32_t> out() const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      if (ejector.out(slot)) found.push_back(slot);
    }
    return found;
  }
  Ejector::State state(std::uint32_t slot) const { return ejector.state(slot); }
  std::string reason(std::uint32_t slot) const { return ejector.reason(slot, now); }
  // Waits for the end of the ejection and lets the trial succeed or not.
  void trial(std::uint32_t slot, Outcome outcome) {
    while (state(slot) == Ejector::State::kOut) after_seconds(0.5);
    ejector.begin_trial(slot, now);
    answer(slot, outcome);
    pass();
  }

  EjectionSettings settings;
  Ejector ejector;
  Rng rng;
  std::uint32_t slots;
  Time now = Time() + Duration::seconds(1000);
  Duration median = Duration::milliseconds(1);
};

}  // namespace evener

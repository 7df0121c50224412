#include "lab/parallel.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace evener::lab {
namespace {

TEST(Parallel, each_index_once_whatever_the_number_of_threads) {
  for (const unsigned jobs : {1U, 2U, 7U, 64U}) {
    std::vector<std::uint32_t> calls(1'000);
    std::size_t last = 0;
    for_each_index(
        calls.size(), jobs, [&](std::size_t i) { ++calls[i]; },
        [&](std::size_t done) {
          EXPECT_GE(done, last);
          last = done;
        });
    EXPECT_EQ(calls, std::vector<std::uint32_t>(1'000, 1));
    EXPECT_EQ(last, calls.size());
  }
}

TEST(Parallel, nothing_to_do_is_done_at_once) {
  for_each_index(0, 4, [](std::size_t) { FAIL(); });
}

TEST(Parallel, there_is_at_least_one_core) { EXPECT_GE(available_cores(), 1u); }

}  // namespace
}  // namespace evener::lab

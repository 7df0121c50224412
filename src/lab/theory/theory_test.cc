// Every closed form against figures computed by an independent program (Python, other algorithms
// for integrals, roots and powers) and, where there are any, published ones.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <tuple>

#include "lab/theory/balls.h"
#include "lab/theory/queues.h"
#include "lab/theory/supermarket.h"

namespace evener::lab::theory {
namespace {

TEST(Theory, supermarket_times) {
  constexpr std::array<std::tuple<double, std::size_t, double>, 18> kTable = {{
      {0.5, 1, 2.0},
      {0.5, 2, 1.265686036},
      {0.5, 3, 1.125244141},
      {0.5, 5, 1.031250001},
      {0.7, 2, 1.61445377},
      {0.7, 3, 1.356842197},
      {0.7, 5, 1.168092539},
      {0.8, 2, 1.947363386},
      {0.9, 1, 10.0},
      {0.9, 2, 2.614057377},
      {0.9, 3, 2.027855969},
      {0.9, 5, 1.632881239},
      {0.95, 2, 3.383046003},
      {0.95, 5, 1.988772201},
      {0.99, 1, 100.0},
      {0.99, 2, 5.431996579},
      {0.99, 3, 3.85784652},
      {0.99, 5, 2.901682829},
  }};
  for (const auto& [load, choices, time] : kTable) {
    EXPECT_NEAR(supermarket_time(load, choices), time, 1e-8 * time) << load << " " << choices;
  }
  EXPECT_NEAR(queue_tail(0.9, 2, 3), std::pow(0.9, 7), 1e-15);
  EXPECT_EQ(queue_tail(0.9, 2, 0), 1);
  EXPECT_EQ(queue_tail(0.5, 5, 100), 0);
}

// The corrections of the tails add up to that of the mean queue.
TEST(Theory, refined_tails) {
  double sum = 0;
  for (std::size_t k = 1; k <= 12; ++k) sum += refined_tail(0.9, 2, k).correction;
  EXPECT_NEAR(sum / 0.9, refined_time(0.9, 2).correction, 1e-6);
  EXPECT_NEAR(refined_tail(0.9, 2, 1).correction, 0, 1e-9) << "the load is what it is";
}

TEST(Theory, refined_corrections) {
  constexpr std::array<std::tuple<double, std::size_t, double>, 9> kTable = {{
      {0.5, 2, 0.5828651013},
      {0.7, 2, 1.212950768},
      {0.7, 5, 1.554775227},
      {0.9, 2, 4.429363319},
      {0.9, 3, 4.570602457},
      {0.9, 5, 5.114419479},
      {0.95, 2, 9.345637508},
      {0.99, 2, 49.1457593},
      {0.99, 5, 48.48617299},
  }};
  for (const auto& [load, choices, correction] : kTable) {
    EXPECT_NEAR(refined_time(load, choices).correction, correction, 1e-6 * correction)
        << load << " " << choices;
  }
  // Gast and Van Houdt's table: mean queue at n = 10.
  EXPECT_NEAR(0.7 * refined_time(0.7, 2).at(10), 1.2150, 1e-4);
  EXPECT_NEAR(0.9 * refined_time(0.9, 2).at(10), 2.7513, 1e-4);
  EXPECT_NEAR(0.95 * refined_time(0.95, 2).at(10), 4.1017, 1e-4);
}

TEST(Theory, beta_and_longest_queue) {
  EXPECT_NEAR(beta_time(0.9, 0.5), 3.724684242, 1e-8);
  EXPECT_NEAR(beta_time(0.9, 1), supermarket_time(0.9, 2), 1e-9);
  EXPECT_NEAR(beta_time(0.9, 0), 10, 1e-9);
  EXPECT_NEAR(longest_queue(0.9, 1, 100), 48.73454944, 1e-7);
  EXPECT_NEAR(longest_queue(0.9, 2, 100), 5.102566184, 1e-8);
}

TEST(Theory, stale_board_times) {
  constexpr std::array<std::tuple<std::size_t, double, double>, 8> kTable = {{
      {2, 0.5, 2.781046592},
      {2, 1, 2.935919803},
      {2, 2, 3.221153219},
      {2, 4, 3.732818629},
      {2, 8, 4.638763922},
      {3, 1, 2.559259958},
      {3, 2, 3.02402934},
      {3, 4, 3.878002443},
  }};
  for (const auto& [choices, period, time] : kTable) {
    EXPECT_NEAR(stale_board_time(0.9, choices, period), time, 1e-5 * time)
        << choices << " " << period;
  }
  EXPECT_NEAR(stale_board_time(0.9, 2, 0.001), supermarket_time(0.9, 2), 1e-3);
}

TEST(Theory, central_queue_and_round_robin) {
  EXPECT_NEAR(erlang_c_time(10, 0.9), 1.668731524, 1e-9);
  EXPECT_NEAR(erlang_c_time(100, 0.9), 1.021694048, 1e-9);
  EXPECT_NEAR(erlang_c_time(1000, 0.9), 1.000005927, 1e-9);
  EXPECT_NEAR(erlang_c_time(100, 0.95), 1.101291371, 1e-9);
  EXPECT_NEAR(erlang_c_time(100, 0.99), 1.882768463, 1e-8);
  EXPECT_NEAR(erlang_c_time(1, 0.9), 10, 1e-9);
  EXPECT_NEAR(round_robin_time(100, 0.9), 5.226810735, 1e-7);
  EXPECT_NEAR(round_robin_time(100, 0.5), 1.26185976, 1e-7);
  EXPECT_NEAR(round_robin_time(1, 0.5), 2, 1e-7);
}

TEST(Theory, one_server_for_each_job) {
  EXPECT_NEAR(pollaczek_khinchine_time(0.7, 25.75), 31.0416667, 1e-6);
  EXPECT_NEAR(pollaczek_khinchine_time(0.7, 11), 13.8333333, 1e-6);
  EXPECT_NEAR(pollaczek_khinchine_time(0.9, 1), 5.5, 1e-12);
  EXPECT_NEAR(pollaczek_khinchine_time(0.9, 2), 10, 1e-12);
}

TEST(Theory, least_work_left) {
  constexpr std::array<std::pair<double, double>, 6> kTable = {{{0.5, 1.150728293},
                                                                {0.7, 1.374172561},
                                                                {0.8, 1.596330078},
                                                                {0.9, 2.050285443},
                                                                {0.95, 2.579393797},
                                                                {0.99, 3.996567236}}};
  for (const auto& [load, time] : kTable) {
    EXPECT_NEAR(least_work_time(load, 2), time, 1e-6) << load;
  }
  EXPECT_NEAR(least_work_time(0.9, 3), 1.487516547, 1e-6);
}

TEST(Theory, redundancy_and_idle_queues) {
  EXPECT_NEAR(redundancy_time(100, 2, 0.9), 1.76510331, 1e-8);
  EXPECT_NEAR(redundancy_time(100, 3, 0.9), 1.055047535, 1e-8);
  EXPECT_NEAR(redundancy_time(100, 1, 0.9), 10, 1e-9);
  EXPECT_NEAR(redundancy_time(100, 100, 0.9), 0.1, 1e-12) << "one server a hundred times as fast";
  EXPECT_NEAR(redundancy_time(1000, 2, 0.9), -std::log(0.1) / 0.81 - 1 / 0.9, 5e-3);
  EXPECT_NEAR(join_idle_time(0.9, 10), 1.818181818, 1e-8);
  EXPECT_NEAR(join_idle_time(0.9, 40), 1.219512195, 1e-8);
}

TEST(Theory, slow_servers_and_slowest_tasks) {
  EXPECT_NEAR(stable_load(100, 50, 0.1, 1), 0.1818181818, 1e-9);
  EXPECT_NEAR(stable_load(100, 50, 0.1, 2), 0.3673469388, 1e-9);
  EXPECT_NEAR(stable_load(100, 50, 0.1, 3), 0.75, 1e-9);
  EXPECT_NEAR(stable_load(100, 50, 0.25, 2), 0.8081632653, 1e-9);
  EXPECT_EQ(stable_load(100, 1, 0.1, 2), 1) << "two draws never meet one slow server alone";
  EXPECT_NEAR(slowest_of(100), 5.18738, 1e-5);
}

TEST(Theory, tails_of_balls) {
  const auto one = ball_tails(1);
  EXPECT_NEAR(one[1], 1 - std::exp(-1), 1e-9);
  EXPECT_NEAR(one[8], 1.024919667e-05, 1e-12);
  const auto two = ball_tails(2);
  EXPECT_NEAR(two[1], std::tanh(1), 1e-9);
  EXPECT_NEAR(two[2], 0.2295045385, 1e-9);
  EXPECT_NEAR(two[3], 0.008895258291, 1e-9);
  EXPECT_NEAR(two[4], 6.047255803e-06, 1e-12);
  EXPECT_NEAR(ball_tails(3)[3], 0.0005077038178, 1e-9);
  EXPECT_NEAR(ball_tails(4)[3], 2.300595962e-05, 1e-10);
  const auto left = go_left_tails(2);
  EXPECT_NEAR(left[1], 0.7716751724, 1e-9);
  EXPECT_NEAR(left[3], 0.004475053274, 1e-9);
  EXPECT_NEAR(left[4], 5.152372702e-08, 1e-14);
}

TEST(Theory, fullest_bins) {
  constexpr double k16 = 65'536;
  const auto one = fullest_distribution(ball_tails(1, 1, 16), 1e6);
  EXPECT_NEAR(one[8], 0.324551, 1e-5);
  EXPECT_NEAR(one[9], 0.569971, 1e-5);
  EXPECT_NEAR(mean_of(one), 8.7917167, 1e-4);
  EXPECT_NEAR(fullest_distribution(ball_tails(2), 1e6)[4], 0.997634, 1e-6);
  EXPECT_NEAR(fullest_distribution(ball_tails(2), k16)[3], 0.672796, 1e-5);
  EXPECT_NEAR(fullest_distribution(ball_tails(4), k16)[3], 0.778585, 1e-5);
  EXPECT_NEAR(fullest_distribution(go_left_tails(2), k16)[3], 0.996629, 1e-6);
  // Simulated 1e4 runs, theory.md 2.2: three groups at 2^12, 95.4 % have 2.
  EXPECT_NEAR(fullest_distribution(go_left_tails(3), 4096)[2], 0.954, 0.01);
  const auto exact = fullest_of_one_choice(100, 100, 12);
  EXPECT_NEAR(mean_of(exact), 4.232595, 1e-5);
  EXPECT_NEAR(exact[3], 0.12614712, 1e-7);
  EXPECT_NEAR(exact[4], 0.57548982, 1e-7);
  EXPECT_NEAR(exact[5], 0.24595271, 1e-7);
}

TEST(Theory, gaps) {
  EXPECT_NEAR(one_choice_gap(100, 10), 8.760646123, 1e-5);
  EXPECT_NEAR(one_choice_gap(1000, 10), 11.70959967, 1e-5);
  EXPECT_NEAR(one_choice_gap(1000, 100), 33.96598015, 1e-5);
  EXPECT_NEAR(one_choice_gap(1000, 1000), 104.0904049, 1e-4);
  EXPECT_NEAR(mean_of(fullest_distribution(ball_tails(2, 20, 30), 1000)) - 20, 2.07014645, 1e-4);
  EXPECT_NEAR(mean_of(fullest_distribution(ball_tails(3, 20, 30), 1000)) - 20, 1.547351112, 1e-4);
  EXPECT_NEAR(gonnet_fullest(1e6), 8.945608914, 1e-8);
}

TEST(Theory, constants_and_thresholds) {
  EXPECT_NEAR(go_left_base(2), (1 + std::sqrt(5)) / 2, 1e-12);
  EXPECT_NEAR(go_left_base(3), 1.839286755, 1e-9);
  EXPECT_NEAR(go_left_base(4), 1.927561975, 1e-9);
  constexpr std::array<std::tuple<std::size_t, std::size_t, double>, 10> kTable = {{
      {2, 1, 0.5},
      {2, 2, 0.8970118682},
      {2, 3, 0.9591542686},
      {2, 4, 0.9803697743},
      {2, 8, 0.997853283},
      {3, 1, 0.9179352767},
      {3, 2, 0.988201414},
      {4, 1, 0.9767701649},
      {5, 1, 0.9924383913},
      {6, 1, 0.9973795528},
  }};
  for (const auto& [hashes, slots, load] : kTable) {
    EXPECT_NEAR(cuckoo_threshold(hashes, slots), load, 1e-8) << hashes << " " << slots;
  }
}

}  // namespace
}  // namespace evener::lab::theory

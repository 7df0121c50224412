// The factories of the policies; catalog.cc lists them. One .cc each, under 200 lines.
#pragma once

#include <evener/policy.h>

#include <memory>

namespace evener {

std::unique_ptr<Policy> make_random(const PolicySettings& settings);
std::unique_ptr<Policy> make_round_robin(const PolicySettings& settings);
std::unique_ptr<Policy> make_least_request(const PolicySettings& settings);
std::unique_ptr<Policy> make_p2c(const PolicySettings& settings);
std::unique_ptr<Policy> make_p2c_memory(const PolicySettings& settings);
std::unique_ptr<Policy> make_go_left(const PolicySettings& settings);
std::unique_ptr<Policy> make_idle_first(const PolicySettings& settings);
std::unique_ptr<Policy> make_peak_ewma(const PolicySettings& settings);
std::unique_ptr<Policy> make_lsq(const PolicySettings& settings);
std::unique_ptr<Policy> make_reported(const PolicySettings& settings);
std::unique_ptr<Policy> make_prequal(const PolicySettings& settings);
std::unique_ptr<Policy> make_rendezvous(const PolicySettings& settings);
std::unique_ptr<Policy> make_two_choice_hash(const PolicySettings& settings);
std::unique_ptr<Policy> make_ring(const PolicySettings& settings);
std::unique_ptr<Policy> make_bounded_load(const PolicySettings& settings);
std::unique_ptr<Policy> make_maglev(const PolicySettings& settings);
std::unique_ptr<Policy> make_jump(const PolicySettings& settings);

}  // namespace evener

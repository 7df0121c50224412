// What a replication of a balls experiment does: placements by the lean engine or by the Balancer,
// and the numbers taken from them. For the experiments of this folder only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "lab/balls/bins.h"
#include "lab/balls/real.h"
#include "lab/experiment.h"

namespace evener::lab::balls {

using Cells = std::function<Sample(Rng&)>;

// {fullest bin} after as many balls as bins.
Cells lean_fullest(std::size_t n, const Rule& rule);
// {fullest bin, share of balls in the lower half of the bins}, by the Balancer.
Cells real_fullest(const EndpointSetPtr& set, const PolicySettings& policy);

// {fullest bin - mean} after `each` balls a bin.
Cells lean_gap(std::size_t n, std::uint64_t each, const Rule& rule);
Cells real_gap(const EndpointSetPtr& set, std::uint64_t each, const PolicySettings& policy);

}  // namespace evener::lab::balls

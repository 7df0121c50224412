// AliasTable: draws an index in proportion to weights in O(1) (Walker 1974, Vose 1991).
//
// Built once per change of weights, O(n), allocates; empty when all weights are equal, since then
// an even draw does. Probabilities are exact to 2^-32. Draw: one multiplication, one line.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace evener {

class AliasTable {
 public:
  // REQUIRES: weights positive and finite, at most 2^32 - 1 of them.
  void build(std::span<const double> weights);
  bool empty() const { return cells_.empty(); }

  // The index for 64 random bits. REQUIRES: !empty().
  std::uint32_t draw(std::uint64_t bits) const {
    const auto index = static_cast<std::uint32_t>((bits >> 32) * cells_.size() >> 32);
    const Cell& cell = cells_[index];
    return static_cast<std::uint32_t>(bits) <= cell.keep ? index : cell.alias;
  }

 private:
  struct Cell {
    std::uint32_t keep;  // of 2^32, less one
    std::uint32_t alias;
  };
  std::vector<Cell> cells_;
};

}  // namespace evener

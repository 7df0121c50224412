// LoadBoard: how workers see each other's in-flight counts without a lock (design D6).
//
// One row per worker, one column per endpoint of the set the board was made for. A row has one
// writer, its worker's Balancer, and any number of readers; cells are relaxed atomics, so a reader
// sees each count a little late and never torn. Rows start on their own cache line. The EndpointSet
// owns the board: a new set brings a new, empty board, and `Balancer::apply` writes this worker's
// counts into its row there. Until every worker has applied the new set, those still on the old one
// see the last counts of those that left; that lasts as long as the roll-out of the set. A Balancer
// whose tickets outlive it goes on publishing: give the one that takes its place a new set, or both
// write the same row.
// Cost: publish is one plain store; elsewhere() reads one cell per worker. 4 bytes per cell.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace evener {

class LoadBoard {
 public:
  // REQUIRES: workers >= 1.
  LoadBoard(std::uint32_t workers, std::size_t columns);
  LoadBoard(const LoadBoard&) = delete;
  LoadBoard& operator=(const LoadBoard&) = delete;

  std::uint32_t workers() const { return workers_; }
  std::size_t columns() const { return columns_; }

  // Says that `worker` holds `in_flight` requests to the endpoint in `column`.
  // REQUIRES: called by the one thread that owns this row; worker and column in range.
  void publish(std::uint32_t worker, std::size_t column, std::uint32_t in_flight) {
    cell(worker, column).store(in_flight, std::memory_order_relaxed);
  }

  // The count `worker` last published.
  std::uint32_t published(std::uint32_t worker, std::size_t column) const {
    return cell(worker, column).load(std::memory_order_relaxed);
  }

  // What all workers but `worker` hold together, at most 2^32 - 1.
  std::uint32_t elsewhere(std::uint32_t worker, std::size_t column) const;

 private:
  static constexpr std::size_t kCellsPerLine = 16;
  struct alignas(64) Line {
    std::array<std::atomic<std::uint32_t>, kCellsPerLine> cells{};
  };

  std::atomic<std::uint32_t>& cell(std::uint32_t worker, std::size_t column) {
    return lines_[worker * lines_per_row_ + column / kCellsPerLine].cells[column % kCellsPerLine];
  }
  const std::atomic<std::uint32_t>& cell(std::uint32_t worker, std::size_t column) const {
    return lines_[worker * lines_per_row_ + column / kCellsPerLine].cells[column % kCellsPerLine];
  }

  std::uint32_t workers_;
  std::size_t columns_;
  std::size_t lines_per_row_;
  std::vector<Line> lines_;
};

}  // namespace evener

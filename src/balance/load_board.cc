#include <evener/load_board.h>

#include <algorithm>
#include <limits>

namespace evener {

LoadBoard::LoadBoard(std::uint32_t workers, std::size_t columns)
    : workers_(workers),
      columns_(columns),
      lines_per_row_((columns + kCellsPerLine - 1) / kCellsPerLine),
      lines_(workers * lines_per_row_) {}

std::uint32_t LoadBoard::elsewhere(std::uint32_t worker, std::size_t column) const {
  std::uint64_t sum = 0;
  for (std::uint32_t w = 0; w < workers_; ++w) {
    if (w != worker) sum += published(w, column);
  }
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(sum, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace evener

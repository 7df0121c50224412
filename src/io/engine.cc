#include "io/engine.h"

namespace evener::io {

std::expected<ChosenEngine, std::string> choose_engine(Loop& loop, EngineKind kind) {
  std::string note;
  if (kind != EngineKind::kEpoll) {
    auto uring = make_uring_engine(loop);
    if (uring) return ChosenEngine{std::move(*uring), {}};
    if (kind == EngineKind::kUring) {
      return std::unexpected("engine uring can't be used here: " + uring.error() +
                             "; use engine auto or epoll");
    }
    note = std::move(uring.error());
  }
  auto epoll = make_epoll_engine(loop);
  if (!epoll) return std::unexpected(std::move(epoll.error()));
  return ChosenEngine{std::move(*epoll), std::move(note)};
}

}  // namespace evener::io

// YarpcHeap: the rule of yarpc-go's `pendingheap` (newest snapshot of 2026; Finagle's
// HeapLeastLoaded is the same idea): the fewest pending of all, from one heap behind one lock.
//
// Ordered by pending requests, of equals by who was picked longest ago. A pick pops the top and
// pushes it back with the next number; then its pending count rises, and its place is mended under
// the lock taken once more; the end of a request does the same downwards. Exact, O(log n). Any
// number of threads share one. Facts: peers-clients.md 1A to 1C, 5.
//
// It knows no latency and no errors: compare it with `least_request`. Left out, to the peer's
// advantage: Go's interface calls in container/heap, the list's own lock, the peers' status.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "peer.h"

namespace evener::peers {

class YarpcHeap {
 public:
  using Pending = peers::Pending;

  YarpcHeap(std::size_t n, std::size_t) {
    for (std::uint32_t i = 0; i < n; ++i) {
      nodes_.push_back(std::make_unique<Node>(Node{.index = i, .endpoint = i, .last = ++next_}));
      heap_.push_back(nodes_.back().get());
    }
  }

  Pending pick(Caller&, Time now) {
    Node* chosen = nullptr;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      chosen = heap_.front();
      swap_places(0, heap_.size() - 1);
      down(0, heap_.size() - 1);
      chosen->last = ++next_;
      up(heap_.size() - 1);
    }
    change(*chosen, 1);
    return {chosen->endpoint, now};
  }

  void finish(Caller&, const Pending& pending, bool, Time) {
    change(*nodes_[pending.endpoint], -1);
  }

 private:
  struct Node {
    std::size_t index = 0;  // in heap_
    std::uint32_t endpoint = 0;
    std::uint64_t last = 0;
    std::int64_t pending = 0;
  };

  bool less(std::size_t a, std::size_t b) const {
    const Node& left = *heap_[a];
    const Node& right = *heap_[b];
    return left.pending == right.pending ? left.last < right.last : left.pending < right.pending;
  }
  void swap_places(std::size_t a, std::size_t b) {
    std::swap(heap_[a], heap_[b]);
    heap_[a]->index = a;
    heap_[b]->index = b;
  }
  void up(std::size_t at) {
    while (at > 0 && less(at, (at - 1) / 2)) {
      swap_places(at, (at - 1) / 2);
      at = (at - 1) / 2;
    }
  }
  // Whether it moved. Only the first `size` count.
  bool down(std::size_t at, std::size_t size) {
    const std::size_t begin = at;
    for (std::size_t child = 2 * at + 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && less(child + 1, child)) ++child;
      if (!less(child, at)) break;
      swap_places(at, child);
      at = child;
    }
    return at != begin;
  }
  void change(Node& node, std::int64_t by) {
    const std::lock_guard<std::mutex> lock(mutex_);
    node.pending += by;
    if (!down(node.index, heap_.size())) up(node.index);
  }

  std::mutex mutex_;
  std::uint64_t next_ = 0;
  std::vector<std::unique_ptr<Node>> nodes_;  // by endpoint
  std::vector<Node*> heap_;
};

}  // namespace evener::peers

#include "balance/keyed/maglev_table.h"

#include <algorithm>
#include <compare>

namespace evener {
namespace {

// One endpoint's permutation of the entries, and when its next turn is.
struct Filler {
  double weight;
  double turns = 0;    // so far
  std::uint32_t slot;  // of the endpoint
  std::uint32_t next;  // entry it asks for
  std::uint32_t skip;

  // The k-th turn is at k / weight, so everybody's first comes before all else.
  double time() const { return turns / weight; }
};

struct Turn {
  auto operator<=>(const Turn&) const = default;

  double time;
  std::uint32_t filler;
};

// By identity, so that every instance fills alike.
std::vector<Filler> fillers_of(std::span<const KeyedMember> members, std::uint32_t size) {
  std::vector<KeyedMember> sorted(members.begin(), members.end());
  std::ranges::sort(sorted, {}, &KeyedMember::id);
  std::vector<Filler> fillers;
  fillers.reserve(sorted.size());
  for (const KeyedMember& member : sorted) {
    const std::uint64_t first = mix64(member.id);
    const std::uint64_t second = mix64(first);
    fillers.push_back({.weight = member.weight,
                       .slot = member.slot,
                       .next = static_cast<std::uint32_t>(first % size),
                       .skip = static_cast<std::uint32_t>(second % (size - 1)) + 1});
  }
  return fillers;
}

void take_entry(Filler& filler, std::vector<std::uint32_t>& entries) {
  const auto size = static_cast<std::uint32_t>(entries.size());
  for (;;) {
    std::uint32_t& entry = entries[filler.next];
    const std::uint32_t left = size - filler.next;
    filler.next = filler.skip < left ? filler.next + filler.skip : filler.skip - left;
    if (entry != Slot::kNone) continue;
    entry = filler.slot;
    return;
  }
}

}  // namespace

void MaglevTable::build(std::span<const KeyedMember> members, std::uint32_t size) {
  entries_.clear();
  if (members.empty()) return;
  entries_.assign(size, Slot::kNone);
  std::vector<Filler> fillers = fillers_of(members, size);
  double sum = 0;
  for (const Filler& filler : fillers) sum += filler.weight;
  // A round is the time in which the average endpoint has one turn. Within a round their order
  // matters little, but in the last one, which the table's end cuts short, the earliest go first.
  const double length = static_cast<double>(fillers.size()) / sum;
  std::vector<Turn> turns;
  std::uint32_t left = size;
  for (double round = 1; left > 0; ++round) {
    turns.clear();
    for (std::uint32_t i = 0; i < fillers.size(); ++i) {
      for (; fillers[i].time() < round * length; ++fillers[i].turns) {
        turns.push_back({fillers[i].time(), i});
      }
    }
    if (turns.size() > left) {
      std::ranges::sort(turns);
      turns.resize(left);
    }
    for (const Turn& turn : turns) take_entry(fillers[turn.filler], entries_);
    left -= static_cast<std::uint32_t>(turns.size());
  }
}

}  // namespace evener

#include "balance/sampler.h"

#include <utility>

namespace evener {
namespace {

// Numbers of choices that have their own code.
constexpr std::uint32_t kEight = 8;
constexpr std::uint32_t kSixteen = 16;
// So many times the choices make repeats rare.
constexpr std::uint32_t kMany = 8;

// Bias below n / 2^32: for a million endpoints one part in four thousand of one share.
std::uint32_t scale(std::uint64_t bits32, std::uint32_t n) {
  return static_cast<std::uint32_t>(bits32 * n >> 32);
}

void shuffle_all(const PoolView& pool, PickContext& context, std::uint32_t untried,
                 Candidates& out) {
  out.count = untried;
  for (std::uint32_t i = 0; i < untried; ++i) {
    out.slot[i] = pool.eligible[context.untried(i)];
  }
  for (std::uint32_t i = untried; i > 1; --i) {
    std::swap(out.slot[i - 1], out.slot[scale(context.rng.u64() >> 32, i)]);
  }
}

// Positions already taken (tried and drawn), kept in order so that a draw can step over them.
class Holes {
 public:
  explicit Holes(const PickContext& context) : context_(context) {}

  // Maps a rank among what is left to a rank among the untried, and takes it.
  std::uint32_t take(std::uint32_t k) {
    std::uint32_t at = 0;
    while (at < count_ && k >= ranks_[at]) {
      ++k;
      ++at;
    }
    for (std::uint32_t i = count_; i > at; --i) ranks_[i] = ranks_[i - 1];
    ranks_[at] = k;
    ++count_;
    return context_.untried(k);
  }

 private:
  const PickContext& context_;
  std::uint32_t count_ = 0;
  std::array<std::uint32_t, kChoicesMax> ranks_;
};

void draw_evenly(const PoolView& pool, PickContext& context, std::uint32_t untried,
                 std::uint32_t choices, Candidates& out) {
  Holes holes(context);
  for (std::uint32_t i = 0; i < choices; ++i) {
    out.slot[i] = pool.eligible[holes.take(scale(context.rng.u64() >> 32, untried - i))];
  }
  out.count = choices;
}

bool drawn(const Candidates& out, std::uint32_t slot) {
  for (std::uint32_t i = 0; i < out.count; ++i) {
    if (out.slot[i] == slot) return true;
  }
  return false;
}

// What is neither tried nor drawn, evenly: for pools where a few weights are nearly everything.
std::uint32_t draw_rest(const PoolView& pool, PickContext& context, std::uint32_t untried,
                        const Candidates& out) {
  std::uint32_t rank = scale(context.rng.u64() >> 32, untried - out.count);
  for (std::uint32_t k = 0; k < untried; ++k) {
    const std::uint32_t slot = pool.eligible[context.untried(k)];
    if (drawn(out, slot)) continue;
    if (rank-- == 0) return slot;
  }
  return Slot::kNone;
}

// Where repeats are rare, drawing again is cheaper than stepping over holes.
void draw_again_on_repeats(const PoolView& pool, PickContext& context, std::uint32_t untried,
                           std::uint32_t choices, Candidates& out) {
  for (out.count = 0; out.count < choices;) {
    const std::uint64_t bits = context.rng.u64();
    for (const std::uint64_t half : {bits >> 32, bits & 0xffff'ffff}) {
      const std::uint32_t slot = pool.eligible[context.untried(scale(half, untried))];
      if (out.count < choices && !drawn(out, slot)) out.slot[out.count++] = slot;
    }
  }
}

// Uniform positions below n, some from each number: what one draw leaves below the point is for the
// next. Bias below n^kEach / 2^64.
template <std::uint32_t kEach, std::size_t kCount>
void draw_positions(std::uint64_t n, Rng& rng, std::array<std::uint32_t, kCount>& at) {
  for (std::size_t i = 0; i < kCount; i += kEach) {
    std::uint64_t bits = rng.u64();
    for (std::size_t k = i; k < i + kEach; ++k) {
      const Product128 product = multiply128(bits, n);
      at[k] = static_cast<std::uint32_t>(product.high);
      bits = product.low;
    }
  }
}

// Each is compared with those up to half of them further on, around the end: these are all pairs.
template <std::size_t kCount>
bool has_repeat(const std::array<std::uint32_t, kCount>& at) {
  std::uint32_t repeats = 0;
  for (std::size_t step = 1; step <= kCount / 2; ++step) {
    for (std::size_t i = 0; i < kCount; ++i) {
      repeats |= at[i] == at[(i + step) % kCount] ? 1U : 0U;
    }
  }
  return repeats != 0;
}

// Of many that nobody has tried: all drawn, and all again on a repeat, which is rare.
template <std::size_t kCount>
void draw_fixed(const PoolView& pool, Rng& rng, Candidates& out) {
  // n^4 / 2^64 <= n / 2^32, the bias of scale().
  constexpr std::uint64_t kFewEnough = 1625;
  const std::uint64_t n = pool.eligible.size();
  std::array<std::uint32_t, kCount> at;
  do {
    if (n <= kFewEnough) {
      draw_positions<4>(n, rng, at);
    } else {
      draw_positions<2>(n, rng, at);
    }
  } while (has_repeat(at));
  for (std::size_t i = 0; i < kCount; ++i) out.slot[i] = pool.eligible[at[i]];
  out.count = kCount;
}

void draw_by_weight(const PoolView& pool, PickContext& context, std::uint32_t untried,
                    std::uint32_t choices, Candidates& out) {
  constexpr int kLooks = 16;
  out.count = 0;
  while (out.count < choices) {
    std::uint32_t slot = Slot::kNone;
    for (int look = 0; look < kLooks && slot == Slot::kNone; ++look) {
      const std::uint32_t s = pool.members[pool.by_weight.draw(context.rng.u64())];
      if (!drawn(out, s) && !context.excluded(s)) slot = s;
    }
    if (slot == Slot::kNone) slot = draw_rest(pool, context, untried, out);
    out.slot[out.count++] = slot;
  }
}

}  // namespace

void draw_candidates(const PoolView& pool, PickContext& context, std::uint32_t choices,
                     Candidates& out) noexcept {
  const auto n = static_cast<std::uint32_t>(pool.eligible.size());
  const auto untried = n - static_cast<std::uint32_t>(context.tried_positions.size());
  if (untried <= choices) {
    shuffle_all(pool, context, untried, out);
  } else if (!pool.by_weight.empty()) {
    draw_by_weight(pool, context, untried, choices, out);
  } else if (choices == 2) {
    const std::uint64_t bits = context.rng.u64();
    const std::uint32_t a = scale(bits >> 32, untried);
    std::uint32_t b = scale(bits & 0xffff'ffff, untried - 1);
    b += b >= a ? 1 : 0;
    out.slot[0] = pool.eligible[context.untried(a)];
    out.slot[1] = pool.eligible[context.untried(b)];
    out.count = 2;
  } else if (choices == kEight && untried == n && n >= kMany * kEight) {
    draw_fixed<kEight>(pool, context.rng, out);
  } else if (choices == kSixteen && untried == n && n >= kMany * kSixteen) {
    draw_fixed<kSixteen>(pool, context.rng, out);
  } else if (untried >= kMany * choices) {
    draw_again_on_repeats(pool, context, untried, choices, out);
  } else {
    draw_evenly(pool, context, untried, choices, out);
  }
}

}  // namespace evener

#include "lab/balls/bins.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/check.h"

namespace evener::lab::balls {
namespace {

constexpr std::uint32_t kChoicesMost = 8;

// `bits` uniform in 32 bits to [0, n).
std::uint32_t scaled(std::uint64_t bits, std::uint64_t n) {
  return static_cast<std::uint32_t>((bits & 0xffff'ffff) * n >> 32);
}

struct Pair {
  std::uint32_t first;
  std::uint32_t second;
};

template <bool kReplacement>
Pair draw_pair(std::uint64_t n, Rng& rng) {
  const std::uint64_t bits = rng.u64();
  const std::uint32_t a = scaled(bits >> 32, n);
  if (kReplacement) return {a, scaled(bits, n)};
  const std::uint32_t b = scaled(bits, n - 1);
  return {a, b + (b >= a ? 1 : 0)};
}

template <typename Count>
void place_one_choice(std::span<Count> bins, std::uint64_t balls, Rng& rng) {
  const std::uint64_t n = bins.size();
  for (; balls >= 2; balls -= 2) {
    const std::uint64_t bits = rng.u64();
    ++bins[scaled(bits >> 32, n)];
    ++bins[scaled(bits, n)];
  }
  if (balls > 0) ++bins[scaled(rng.u64(), n)];
}

// Written without branches on counts: they are as good as random, and a wrong guess costs more
// than all the rest.
template <typename Count, bool kReplacement>
void place_two_choices(std::span<Count> bins, std::uint64_t balls, Rng& rng) {
  const std::uint64_t n = bins.size();
  Count* const count = bins.data();
  for (; balls > 0; --balls) {
    const Pair pair = draw_pair<kReplacement>(n, rng);
    const std::uint32_t other =
        0U - static_cast<std::uint32_t>(count[pair.second] < count[pair.first]);
    const std::uint32_t chosen = (pair.first & ~other) | (pair.second & other);
    ++count[chosen];
  }
}

template <typename Count, bool kReplacement>
void place_sometimes_two(std::span<Count> bins, std::uint64_t balls, double beta, Rng& rng) {
  const std::uint64_t n = bins.size();
  const auto compares = static_cast<std::uint64_t>(beta * 0x1.0p63);
  Count* const count = bins.data();
  for (; balls > 0; --balls) {
    const bool both = rng.u64() >> 1 < compares;
    const Pair pair = draw_pair<kReplacement>(n, rng);
    const bool less = count[pair.second] < count[pair.first];
    const std::uint32_t other = 0U - static_cast<std::uint32_t>(both & less);
    ++count[(pair.first & ~other) | (pair.second & other)];
  }
}

class Draws {
 public:
  Draws(const Rule& rule, std::uint64_t n) : rule_(rule), n_(n) {}

  // The candidates of one ball, fresh ones first in random order.
  std::span<const std::uint32_t> draw(Rng& rng) {
    if (rule_.go_left) return draw_left(rng);
    std::uint32_t count = 0;
    while (count < rule_.choices) {
      const auto bin = static_cast<std::uint32_t>(rng.below(n_));
      if (!rule_.replacement && known(bin, count)) continue;
      bins_[count++] = bin;
    }
    return {bins_.data(), count};
  }

  bool known(std::uint32_t bin, std::uint32_t count) const {
    return std::find(bins_.begin(), bins_.begin() + count, bin) != bins_.begin() + count;
  }

 private:
  std::span<const std::uint32_t> draw_left(Rng& rng) {
    for (std::uint64_t group = 0; group < rule_.choices; ++group) {
      const std::uint64_t begin = group * n_ / rule_.choices;
      const std::uint64_t end = (group + 1) * n_ / rule_.choices;
      bins_[group] = static_cast<std::uint32_t>(begin + rng.below(end - begin));
    }
    return {bins_.data(), rule_.choices};
  }

  const Rule& rule_;
  std::uint64_t n_;
  std::array<std::uint32_t, kChoicesMost> bins_ = {};
};

// The least loaded; of equals the first, or with Ties::kFirst the lowest index.
template <typename Count>
std::uint32_t least(std::span<const Count> bins, std::span<const std::uint32_t> candidates,
                    Ties ties) {
  std::uint32_t best = candidates[0];
  for (const std::uint32_t bin : candidates.subspan(1)) {
    const bool equal = bins[bin] == bins[best];
    if (bins[bin] < bins[best] || (equal && ties == Ties::kFirst && bin < best)) best = bin;
  }
  return best;
}

template <typename Count>
void place_any(std::span<Count> bins, std::uint64_t balls, const Rule& rule, Rng& rng) {
  Draws draws(rule, bins.size());
  for (; balls > 0; --balls) {
    const std::span<const std::uint32_t> candidates = draws.draw(rng);
    ++bins[least<Count>(bins, candidates, rule.ties)];
  }
}

// A remembered bin that is also drawn is one candidate; equals go to a fresh one.
template <typename Count>
void place_with_memory(std::span<Count> bins, std::uint64_t balls, const Rule& rule, Rng& rng) {
  Draws draws(rule, bins.size());
  std::array<std::uint32_t, kChoicesMost + 1> all;
  bool remembers = false;
  std::uint32_t memory = 0;
  for (; balls > 0; --balls) {
    const std::span<const std::uint32_t> fresh = draws.draw(rng);
    std::ranges::copy(fresh, all.begin());
    std::size_t count = fresh.size();
    if (remembers && !draws.known(memory, rule.choices)) all[count++] = memory;
    const std::span<const std::uint32_t> candidates(all.data(), count);
    ++bins[least<Count>(bins, candidates, rule.ties)];
    memory = least<Count>(bins, candidates, rule.ties);
    remembers = true;
  }
}

}  // namespace

template <typename Count>
void place(std::span<Count> bins, std::uint64_t balls, const Rule& rule, Rng& rng) {
  EV_CHECK(rule.choices >= 1 && rule.choices <= kChoicesMost && bins.size() > rule.choices,
           "choices from 1 to 8, and more bins");
  EV_CHECK(bins.size() < (std::size_t{1} << 31), "draws have 32 bits");
  if (rule.memory) return place_with_memory(bins, balls, rule, rng);
  if (rule.beta < 1) {
    EV_CHECK(rule.choices == 2 && rule.beta >= 0, "beta is the probability of two choices");
    if (rule.replacement) return place_sometimes_two<Count, true>(bins, balls, rule.beta, rng);
    return place_sometimes_two<Count, false>(bins, balls, rule.beta, rng);
  }
  if (rule.go_left || rule.choices > 2 || rule.ties != Ties::kRandom) {
    return place_any(bins, balls, rule, rng);
  }
  if (rule.choices == 1) return place_one_choice(bins, balls, rng);
  if (rule.replacement) return place_two_choices<Count, true>(bins, balls, rng);
  return place_two_choices<Count, false>(bins, balls, rng);
}

template void place(std::span<std::uint8_t>, std::uint64_t, const Rule&, Rng&);
template void place(std::span<std::uint32_t>, std::uint64_t, const Rule&, Rng&);

void place_in_batches(std::span<std::uint32_t> bins, std::uint64_t balls, std::uint64_t batch,
                      const Rule& rule, Rng& rng) {
  EV_CHECK(batch >= 1 && rule.choices == 2, "batches are for two choices");
  if (batch == 1) return place(bins, balls, rule, rng);
  std::vector<std::uint32_t> before(bins.size());
  while (balls > 0) {
    std::ranges::copy(bins, before.begin());
    const std::uint64_t now = std::min(balls, batch);
    for (std::uint64_t i = 0; i < now; ++i) {
      const Pair pair =
          rule.replacement ? draw_pair<true>(bins.size(), rng) : draw_pair<false>(bins.size(), rng);
      ++bins[before[pair.second] < before[pair.first] ? pair.second : pair.first];
    }
    balls -= now;
  }
}

void place_weighted(std::span<double> weights, std::span<std::uint32_t> counts, std::uint64_t balls,
                    Compare compare, Rng& rng) {
  EV_CHECK(weights.size() == counts.size() && weights.size() > 2,
           "a weight and a count for each bin");
  for (; balls > 0; --balls) {
    const Pair pair = draw_pair<false>(weights.size(), rng);
    bool other = false;
    if (compare == Compare::kWeight) other = weights[pair.second] < weights[pair.first];
    if (compare == Compare::kCount) other = counts[pair.second] < counts[pair.first];
    const std::uint32_t chosen = other ? pair.second : pair.first;
    weights[chosen] -= std::log1p(-rng.uniform01());
    ++counts[chosen];
  }
}

template <typename Count>
Count most_loaded(std::span<const Count> bins) {
  return std::ranges::max(bins);
}

template std::uint8_t most_loaded(std::span<const std::uint8_t>);
template std::uint32_t most_loaded(std::span<const std::uint32_t>);

}  // namespace evener::lab::balls

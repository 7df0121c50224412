#include "balance/keyed/ketama_ring.h"

#include <evener/key.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "balance/conformance.h"

namespace evener {
namespace {

constexpr auto kAny = [](std::uint32_t) { return true; };

KeyedMember member(std::uint32_t slot, const std::string& name, double weight = 1) {
  return {static_cast<std::uint64_t>(endpoint_id(name)), weight, slot, ketama_start(name)};
}

std::vector<KeyedMember> members(std::uint32_t n) {
  std::vector<KeyedMember> out;
  for (std::uint32_t i = 0; i < n; ++i) {
    out.push_back(member(i, "10.0.0." + std::to_string(i) + ":80"));
  }
  return out;
}

TEST(KetamaRing, HasTheOwnersThatNginxGives) {
  std::ifstream file(EV_SOURCE_DIR "/tests/vectors/nginx_ring.txt");
  ASSERT_TRUE(file) << "tests/vectors/nginx_ring.txt is missing";
  std::map<std::string, std::uint32_t> slots;
  std::vector<KeyedMember> all;
  std::uint32_t down = Slot::kNone;
  int checked = 0;
  KetamaRing ring;
  KetamaRing without;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind;
    std::string name;
    words >> kind >> name;
    if (kind == "server") {
      double weight = 0;
      words >> weight;
      all.push_back(member(static_cast<std::uint32_t>(slots.size()), name, weight));
      slots.emplace(name, static_cast<std::uint32_t>(slots.size()));
    } else if (kind == "down") {
      ring.build(all, 160);
      down = slots.at(name);
      std::erase_if(all, [down](const KeyedMember& m) { return m.slot == down; });
      without.build(all, 160);
    } else if (kind == "key") {
      std::string owner;
      std::string owner_while_down;
      words >> owner >> owner_while_down;
      const std::uint32_t crc = make_key(name).crc;
      EXPECT_EQ(ring.walk(crc, kAny), slots.at(owner)) << name;
      const auto up = [down](std::uint32_t slot) { return slot != down; };
      EXPECT_EQ(ring.walk(crc, up), slots.at(owner_while_down)) << name;
      EXPECT_EQ(without.walk(crc, kAny), slots.at(owner_while_down)) << name;
      ++checked;
    }
  }
  EXPECT_GT(checked, 500);
}

TEST(KetamaRing, FindsTheFirstPointFromTheKeyOnAndWrapsRound) {
  Rng rng(conformance::seed_from_environment());
  for (const std::uint32_t n : {1U, 2U, 5U, 100U}) {
    for (const std::uint32_t per_weight : {1U, 160U}) {
      KetamaRing ring;
      ring.build(members(n), per_weight);
      const auto points = ring.points();
      ASSERT_EQ(points.size(), n * per_weight);
      ASSERT_TRUE(std::ranges::is_sorted(points, {}, &KetamaRing::Point::hash));
      std::vector<std::uint32_t> hashes = {0, 0xffff'ffff, points.front().hash, points.back().hash,
                                           points.back().hash + 1};
      for (int i = 0; i < 2000; ++i) hashes.push_back(static_cast<std::uint32_t>(rng.u64()));
      for (const std::uint32_t hash : hashes) {
        auto expected = std::ranges::lower_bound(points, hash, {}, &KetamaRing::Point::hash);
        if (expected == points.end()) expected = points.begin();
        ASSERT_EQ(ring.find(hash), static_cast<std::size_t>(expected - points.begin())) << hash;
      }
    }
  }
}

TEST(KetamaRing, PointsFollowWeightsAndEveryEndpointHasOne) {
  std::vector<KeyedMember> all = {member(0, "a:1", 0.5), member(1, "b:1", 2),
                                  member(2, "c:1", 1e-6), member(3, "d", 1.001)};
  KetamaRing ring;
  ring.build(all, 160);
  std::vector<int> counts(4);
  for (const auto& point : ring.points()) ++counts.at(point.slot);
  EXPECT_EQ(counts, (std::vector<int>{80, 320, 1, 160}));
  all.push_back(member(4, "e:1", 1e6));
  ring.build(all, 10'000);
  EXPECT_LE(ring.points().size(), KetamaRing::kTotalMax + all.size());
  counts.assign(5, 0);
  for (const auto& point : ring.points()) ++counts.at(point.slot);
  EXPECT_EQ(std::ranges::min(counts), 1);
}

TEST(KetamaRing, EndpointsOfOneNameShareItsPoints) {
  std::vector<KeyedMember> all;
  for (std::uint32_t i = 0; i < 4; ++i) {
    all.push_back(member(i, "same"));
    all.back().id = 1000 + i;
  }
  KetamaRing ring;
  ring.build(all, 1000);
  std::vector<double> hits(4);
  Rng rng(conformance::seed_from_environment());
  for (int i = 0; i < 4000; ++i) ++hits[ring.walk(static_cast<std::uint32_t>(rng.u64()), kAny)];
  for (const double hit : hits) EXPECT_NEAR(hit, 1000, 250);
  // And the others' points stay where they are when one of the name leaves.
  std::vector<std::uint32_t> before;
  for (std::uint32_t k = 0; k < 4000; ++k) before.push_back(ring.walk(k << 20, kAny));
  all.pop_back();
  ring.build(all, 1000);
  for (std::uint32_t k = 0; k < 4000; ++k) {
    if (before[k] != 3) ASSERT_EQ(ring.walk(k << 20, kAny), before[k]);
  }
}

TEST(KetamaRing, AWalkEnds) {
  KetamaRing ring;
  EXPECT_EQ(ring.walk(7, kAny), Slot::kNone) << "no points";
  ring.build(members(5), 160);
  std::size_t asked = 0;
  EXPECT_EQ(ring.walk(7,
                      [&](std::uint32_t) {
                        ++asked;
                        return false;
                      }),
            Slot::kNone);
  EXPECT_LE(asked, KetamaRing::kLooks);
}

TEST(KetamaRing, SharesScatterByTheRootOfThePoints) {
  for (const std::uint32_t per_weight : {160U, 1000U}) {
    KetamaRing ring;
    ring.build(members(50), per_weight);
    std::vector<double> share(50);
    const auto points = ring.points();
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::uint32_t before = points[i == 0 ? points.size() - 1 : i - 1].hash;
      share[points[i].slot] += static_cast<double>(points[i].hash - before) * 0x1.0p-32;
    }
    double variance = 0;
    for (const double s : share) variance += (50 * s - 1) * (50 * s - 1) / 50;
    EXPECT_NEAR(std::sqrt(variance), 1 / std::sqrt(per_weight), 0.5 / std::sqrt(per_weight));
  }
}

}  // namespace
}  // namespace evener

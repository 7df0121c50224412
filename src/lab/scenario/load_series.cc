#include "lab/scenario/load_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "lab/experiment.h"
#include "lab/parallel.h"
#include "sim/fleet.h"

namespace evener::lab {
namespace {

struct Wanted {
  std::size_t situation;
  std::size_t contender;
};

std::vector<Wanted> wanted_of(const Contest& contest, const Scoreboard& board) {
  std::vector<Wanted> out;
  for (std::size_t s = 0; s < board.situations.size(); ++s) {
    const auto& scores = board.situations[s].scores;
    constexpr std::size_t kNone = ~std::size_t{0};
    std::size_t ours = kNone;
    std::size_t peer = kNone;
    for (std::size_t c = 0; c < scores.size(); ++c) {
      const auto side = contest.contenders[c].side;
      if (side == Contender::Side::kOurs && ours == kNone) ours = c;
      if (side != Contender::Side::kPeer) continue;
      if (peer == kNone || scores[c].regret < scores[peer].regret) peer = c;
    }
    if (ours != kNone) out.push_back({s, ours});
    if (peer != kNone) out.push_back({s, peer});
  }
  return out;
}

// How long calls come, roughly.
double length_s(const sim::FleetOptions& options, double capacity) {
  if (options.until_s > 0) return options.until_s;
  const double rate = options.arrivals.mean_rate() > 0 ? options.arrivals.mean_rate() : capacity;
  return rate > 0 ? static_cast<double>(options.calls) / rate : 0;
}

void add_bands(const std::vector<sim::FleetSample>& samples, LoadSeries& out) {
  constexpr std::pair<const char*, double> kLevels[] = {
      {"most", 1}, {"90 %", 0.9}, {"median", 0.5}, {"10 %", 0.1}, {"least", 0}};
  for (const auto& level : kLevels) out.lines.push_back({level.first, {}});
  for (const sim::FleetSample& sample : samples) {
    const std::vector<double> values(sample.in_system.begin(), sample.in_system.end());
    for (std::size_t i = 0; i < std::size(kLevels); ++i) {
      out.lines[i].in_system.push_back(quantile(values, kLevels[i].second));
    }
  }
}

// "server 2, speed 0.1": what tells it from the others.
std::vector<std::string> names_of(const sim::FleetOptions& options) {
  std::vector<std::string> out;
  const auto& groups = options.servers;
  const bool alike = std::ranges::all_of(groups, [&](const sim::ServerGroup& group) {
    return group.spec.speed == groups.front().spec.speed;
  });
  for (const sim::ServerGroup& group : groups) {
    const std::string speed = alike ? "" : fmt::format(", speed {:g}", group.spec.speed);
    for (std::uint32_t i = 0; i < group.count; ++i) {
      out.push_back(fmt::format("server {}{}", out.size(), speed));
    }
  }
  return out;
}

void add_lines(const std::vector<sim::FleetSample>& samples, std::vector<std::string> names,
               LoadSeries& out) {
  for (std::uint32_t server = 0; server < out.servers; ++server) {
    LoadSeries::Line line{std::move(names[server]), {}};
    for (const sim::FleetSample& sample : samples) {
      line.in_system.push_back(sample.in_system[server]);
    }
    out.lines.push_back(std::move(line));
  }
}

// Runs that are longer than thought, for want of arrivals or of an end, have more samples.
std::vector<sim::FleetSample> thinned(std::vector<sim::FleetSample> samples) {
  const std::size_t step = (samples.size() + 2 * kSamplesWanted - 1) / (2 * kSamplesWanted);
  if (step <= 1) return samples;
  std::vector<sim::FleetSample> out;
  for (std::size_t i = 0; i < samples.size(); i += step) out.push_back(std::move(samples[i]));
  return out;
}

LoadSeries run_one(const Contest& contest, const Situation& situation, std::size_t contender) {
  const Scenario& scenario = contest.scenarios[situation.scenario];
  LoadSeries out;
  out.situation = title(scenario, situation.load);
  out.contender = contender;
  Rng luck = replication_rng(contest.seed, "scenario", out.situation, 0);
  sim::FleetOptions options = options_at(scenario, situation.load, luck.u64());
  options.chooser = contest.contenders[contender].chooser;
  options.series_every_s = length_s(options, scenario.capacity) / kSamplesWanted;
  auto found = sim::run_fleet(options);
  EV_CHECK(found.has_value(), found.error().message);
  out.servers = sim::server_count(options);
  out.bands = out.servers > kServersAsLines;
  out.stopped = found->stopped;
  const auto samples = thinned(std::move(found->series));
  for (const sim::FleetSample& sample : samples) out.at_s.push_back(sample.at_s);
  out.bands ? add_bands(samples, out) : add_lines(samples, names_of(options), out);
  return out;
}

}  // namespace

std::vector<LoadSeries> load_over_time(const Contest& contest, const Scoreboard& board,
                                       unsigned jobs) {
  const std::vector<Wanted> wanted = wanted_of(contest, board);
  std::vector<LoadSeries> out(wanted.size());
  for_each_index(wanted.size(), jobs, [&](std::size_t i) {
    const Situation& situation = board.situations[wanted[i].situation].situation;
    out[i] = run_one(contest, situation, wanted[i].contender);
  });
  return out;
}

}  // namespace evener::lab

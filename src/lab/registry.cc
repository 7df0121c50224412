#include "lab/registry.h"

#include <fmt/format.h>

#include <cctype>
#include <vector>

#include "config/values.h"
#include "lab/balls/experiments.h"
#include "lab/hashing/experiments.h"
#include "lab/probing/experiments.h"
#include "lab/queueing/experiments.h"
#include "lab/sparrow/experiments.h"

namespace evener::lab {
namespace {

const std::vector<Experiment>& table() {
  static const std::vector<Experiment> kTable = {
      queueing::single_server(),
      queueing::fluid_limit(),
      queueing::published_table(),
      queueing::published_heavy(),
      queueing::sampling_matters(),
      queueing::tail_shape(),
      queueing::few_servers(),
      balls::max_load(),
      balls::two_choices(),
      balls::max_load_table(),
      balls::million_bins(),
      balls::go_left(),
      balls::heavy_gap(),
      balls::one_choice_gap(),
      balls::one_plus_beta(),
      balls::weighted_balls(),
      balls::batches(),
      balls::memory(),
      queueing::stale_board(),
      queueing::stale_order(),
      queueing::own_increments(),
      queueing::many_balancers(),
      queueing::local_shortest_queue(),
      queueing::round_robin(),
      queueing::least_work_left(),
      queueing::floor_of_all(),
      queueing::least_work_of_two(),
      queueing::pollaczek_khinchine(),
      queueing::variability(),
      queueing::join_idle_queue(),
      queueing::slow_half(),
      queueing::slow_half_repaired(),
      sparrow::sparrow(),
      hashing::cuckoo(),
      queueing::redundancy(),
      probing::prequal(),
  };
  return kTable;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::span<const Experiment> experiments() { return table(); }

std::expected<const Experiment*, std::string> find_experiment(std::string_view word) {
  const std::string wanted = lower(word);
  std::vector<std::string_view> names;
  for (const Experiment& experiment : experiments()) {
    if (wanted == lower(experiment.id) || wanted == experiment.name) return &experiment;
    names.push_back(experiment.name);
    names.push_back(experiment.id);
  }
  const std::string_view near = config::nearest(wanted, names);
  return std::unexpected(
      fmt::format("no experiment `{}`{}; `evener lab list` shows all", word,
                  near.empty() ? std::string() : fmt::format(", did you mean `{}`", near)));
}

}  // namespace evener::lab

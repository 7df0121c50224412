// Endpoint and EndpointSet: the facts. Who can be picked, with what weight, and what probes say.
//
// A set is immutable, numbered and shared between threads; a change is a new set. It carries the
// LoadBoard on which the workers that use it see each other's in-flight counts (load_board.h).
// Made by the control loop, applied by each worker's Balancer. Cost: make() is O(n) and allocates;
// find() is one hash lookup; everything else is a read.
#pragma once

#include <evener/error.h>
#include <evener/load_board.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace evener {

// An endpoint's identity. The same value in the next set means the same endpoint: its counts stay.
enum class EndpointId : std::uint64_t {};
enum class ZoneId : std::uint32_t {};

// Sorted as given; few, so a lookup is a scan.
using Labels = std::vector<std::pair<std::string, std::string>>;

// The identity that follows from a name: the same name is the same endpoint on every machine.
EndpointId endpoint_id(std::string_view name);

struct Endpoint {
  EndpointId id{};
  std::string name;   // for people, and for connecting: "10.0.0.7:8080"
  double weight = 1;  // share relative to the others; in (0, kWeightMax]
  ZoneId zone{};
  bool up = true;         // what probes say
  bool draining = false;  // finishes what it has, gets nothing new
  Labels labels;

  bool operator==(const Endpoint&) const = default;
};

class EndpointSet {
 public:
  static constexpr std::size_t kEndpointsMax = 1'000'000;
  static constexpr double kWeightMin = 1e-6;
  static constexpr double kWeightMax = 1e6;
  static constexpr std::uint32_t kWorkersMax = 1024;

  // Refuses duplicate ids, weights that are not finite or not in [kWeightMin, kWeightMax], more
  // than kEndpointsMax endpoints, and workers outside 1..kWorkersMax. Endpoints keep their order.
  // With workers > 1 the set gets a LoadBoard of that many rows.
  static std::expected<std::shared_ptr<const EndpointSet>, Error> make(
      std::uint64_t version, std::vector<Endpoint> endpoints, std::uint32_t workers = 1);

  std::uint64_t version() const { return version_; }
  std::span<const Endpoint> endpoints() const { return endpoints_; }
  std::size_t size() const { return endpoints_.size(); }
  // The endpoint with this identity, or nullptr.
  const Endpoint* find(EndpointId id) const;
  // The board of this set's workers; nullptr with one worker. Columns are indexes in endpoints().
  LoadBoard* board() const { return board_.get(); }

 private:
  EndpointSet(std::uint64_t version, std::vector<Endpoint> endpoints) noexcept
      : version_(version), endpoints_(std::move(endpoints)) {}

  std::uint64_t version_;
  std::vector<Endpoint> endpoints_;
  std::unordered_map<EndpointId, std::uint32_t> index_;
  std::unique_ptr<LoadBoard> board_;
};

using EndpointSetPtr = std::shared_ptr<const EndpointSet>;

}  // namespace evener

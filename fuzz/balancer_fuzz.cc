// Any sequence of calls on a Balancer, against a model that knows who is in the set and who holds
// what. The bytes choose the options, then one call after the other.
#include <evener/balancer.h>
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace evener;

constexpr std::size_t kEndpoints = 9;
constexpr std::size_t kTicketsMax = 64;

void require(bool ok, const char* what) {
  if (ok) return;
  std::fprintf(stderr, "balancer_fuzz: %s\n", what);
  std::abort();
}

class Run {
 public:
  explicit Run(FuzzedDataProvider& data) : data_(data), balancer_(options(data)) {
    for (std::size_t i = 0; i < kEndpoints; ++i) {
      all_[i].id = EndpointId{i};
      all_[i].name = "10.0.0." + std::to_string(i) + ":80";
    }
  }

  void go() {
    while (data_.remaining_bytes() > 0) {
      step(data_.ConsumeIntegralInRange<int>(0, 15));
      compare();
    }
    while (!tickets_.empty()) tickets_.pop_back();
    compare();
  }

 private:
  BalancerOptions options(FuzzedDataProvider& data) {
    const auto catalog = policy_catalog();
    const auto any_policy = [&] {
      PolicySettings settings;
      settings.name = catalog[data.ConsumeIntegralInRange<std::size_t>(0, catalog.size() - 1)].name;
      settings.choices = data.ConsumeIntegralInRange<std::uint32_t>(1, 16);
      settings.table_size = 101;
      settings.points = 7;
      return settings;
    };
    BalancerOptions out;
    out.policy = any_policy();
    out.seed = data.ConsumeIntegral<std::uint64_t>();
    out.ejection.enabled = data.ConsumeBool();
    out.ejection.consecutive = 2;
    out.ejection.base = Duration::milliseconds(50);
    out.ejection.window = Duration::milliseconds(200);
    out.ejection.trial_timeout = Duration::milliseconds(30);
    out.ejection.max_share = data.ConsumeFloatingPointInRange<double>(0, 1);
    if (data.ConsumeBool()) out.warm_up.window = Duration::milliseconds(100);
    out.max_in_flight = data.ConsumeIntegralInRange<std::uint32_t>(0, 3);
    out.panic = static_cast<Panic>(data.ConsumeIntegralInRange<int>(0, 2));
    out.decisions = {.entries = data.ConsumeIntegralInRange<std::uint32_t>(0, 3), .every = 2};
    if (data.ConsumeBool()) out.shadow = any_policy();
    options_ = out;
    return out;
  }

  void step(int call) {
    switch (call) {
      case 0:
        return apply();
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
        return pick();
      case 6:
        return pick_batch();
      case 7:
      case 8:
      case 9:
        return finish();
      case 10:
        return first_byte();
      case 11:
        return advance();
      case 12:
        return saved();
      case 13:
        return report();
      case 14:
        (void)to_string(balancer_.explain());
        (void)balancer_.shadow();
        for (const Explanation& decision : balancer_.decisions(5)) (void)to_string(decision);
        return;
      default:
        return drop();
    }
  }

  void apply() {
    present_.clear();
    for (Endpoint& endpoint : all_) {
      const auto bits = data_.ConsumeIntegral<std::uint8_t>();
      endpoint.up = (bits & 7) != 0;
      endpoint.draining = (bits & 56) == 0;
      endpoint.weight = (bits & 64) != 0 ? 1 : 1 + bits;
      if ((bits & 128) == 0) present_.push_back(endpoint);
    }
    auto set = EndpointSet::make(++version_, present_);
    require(set.has_value(), "a good set was refused");
    balancer_.apply(std::move(*set), now_);
  }

  bool is_tried(EndpointId id) const { return std::ranges::find(tried_, id) != tried_.end(); }

  PickRequest request() {
    tried_.clear();
    const auto bits = data_.ConsumeIntegral<std::uint16_t>();
    for (std::size_t i = 0; i < kEndpoints + 1; ++i) {
      if ((bits & (3U << i)) == 0 && (bits & 0x8000) != 0) tried_.push_back(EndpointId{i});
    }
    std::optional<Key> key;
    if ((bits & 0x4000) != 0) key = Key{data_.ConsumeIntegral<std::uint64_t>(), bits};
    return {.now = now_, .tried = tried_, .key = key};
  }

  void pick() {
    const PickRequest asked = request();
    balancer_.snapshot(now_, before_);
    auto picked = balancer_.pick(asked);
    if (!picked) return check_error(picked.error());
    check_choice(picked->id());
    if (tickets_.size() < kTicketsMax) tickets_.push_back(std::move(*picked));
  }

  void check_choice(EndpointId id) {
    const auto found = std::ranges::find(before_, id, &EndpointStatus::id);
    require(found != before_.end(), "an endpoint that is not in the set was picked");
    require(!is_tried(id), "a tried endpoint was picked");
    require(!found->draining, "a draining endpoint was picked");
    const bool full = options_.max_in_flight != 0 && found->in_flight >= options_.max_in_flight;
    require(!full, "an endpoint at its limit was picked");
    if (found->eligible) return;
    std::string_view note;
    const Explanation explained = balancer_.explain();
    for (const auto& candidate : explained.candidates) {
      if (candidate.chosen) note = candidate.note;
    }
    require(note == "trial" || note == "panic", "an endpoint that is out was picked");
    require(found->up || options_.panic == Panic::kAll, "an endpoint that is down was picked");
  }

  void check_error(PickError error) {
    require((error == PickError::kNoEndpoints) == before_.empty(), "kNoEndpoints");
    for (const EndpointStatus& status : before_) {
      require(!status.eligible || is_tried(status.id), "an eligible endpoint was not picked");
    }
  }

  void pick_batch() {
    const PickRequest asked = request();
    std::vector<Ticket> batch(data_.ConsumeIntegralInRange<std::size_t>(0, 6));
    balancer_.snapshot(now_, before_);
    const auto probes = data_.ConsumeIntegralInRange<std::uint32_t>(0, 4);
    const auto placed = balancer_.pick_batch(asked, probes, batch);
    if (!placed) return check_error(placed.error());
    require(*placed <= batch.size(), "more were placed than asked for");
    for (std::size_t i = 0; i < batch.size(); ++i) {
      require(bool(batch[i]) == (i < *placed), "the batch is filled from the front");
      if (i == 0 || !batch[i]) continue;
      require(!is_tried(batch[i].id()), "a batch picked a tried endpoint");
    }
    for (Ticket& ticket : batch) {
      if (ticket && tickets_.size() < kTicketsMax) tickets_.push_back(std::move(ticket));
    }
  }

  Ticket* any_ticket() {
    if (tickets_.empty()) return nullptr;
    return &tickets_[data_.ConsumeIntegralInRange<std::size_t>(0, tickets_.size() - 1)];
  }

  void remove(Ticket* ticket) {
    std::swap(*ticket, tickets_.back());
    tickets_.pop_back();
  }

  void finish() {
    Ticket* const ticket = any_ticket();
    if (ticket == nullptr) return;
    const auto outcome =
        static_cast<Outcome>(data_.ConsumeIntegralInRange<int>(0, int{kOutcomes} - 1));
    const auto wait = Duration::milliseconds(data_.ConsumeIntegralInRange<int>(-5, 100));
    // Clocks may be read out of order.
    const auto skew = Duration::milliseconds(data_.ConsumeIntegralInRange<int>(-20, 20));
    ticket->finish(outcome, now_ + skew, wait);
    ticket->finish(Outcome::kFailure, now_);
    remove(ticket);
  }

  void drop() {
    if (Ticket* const ticket = any_ticket(); ticket != nullptr) remove(ticket);
  }

  void first_byte() {
    if (Ticket* const ticket = any_ticket(); ticket != nullptr) ticket->first_byte(now_);
  }

  void advance() {
    const auto ms = data_.ConsumeIntegral<std::uint16_t>();
    now_ = now_ + Duration::milliseconds(ms % 97);
    if (ms > 65'000) now_ = now_ + Duration::seconds(86'400);
    balancer_.tick(now_);
  }

  void saved() {
    std::string blob = balancer_.save(now_);
    if (data_.ConsumeBool()) {
      blob[data_.ConsumeIntegralInRange<std::size_t>(0, blob.size() - 1)] ^= 1;
      require(!balancer_.restore(blob, now_), "damage was not seen");
      return;
    }
    require(balancer_.restore(blob, now_).has_value(), "its own state was refused");
  }

  void report() {
    EndpointReport report;
    if (data_.ConsumeBool()) {
      report.utilization = data_.ConsumeFloatingPointInRange<double>(0, 2);
    }
    if (data_.ConsumeBool()) report.in_flight = data_.ConsumeIntegral<std::uint8_t>();
    if (data_.ConsumeBool())
      report.latency = Duration::milliseconds(data_.ConsumeIntegral<std::uint8_t>());
    balancer_.report(EndpointId{data_.ConsumeIntegral<std::uint8_t>() % 12U}, report, now_);
    if (Ticket* const ticket = any_ticket(); ticket != nullptr) ticket->report(report, now_);
  }

  void compare() {
    balancer_.snapshot(now_, before_);
    require(before_.size() == present_.size(), "the snapshot has another size than the set");
    std::size_t eligible = 0;
    for (std::size_t i = 0; i < present_.size(); ++i) {
      const EndpointStatus& status = before_[i];
      require(status.id == present_[i].id, "the snapshot is not in the set's order");
      const auto held = std::ranges::count_if(
          tickets_, [&](const Ticket& ticket) { return ticket.id() == status.id; });
      require(status.in_flight == static_cast<std::uint64_t>(held), "in-flight counts differ");
      const bool full = options_.max_in_flight != 0 && status.in_flight >= options_.max_in_flight;
      const bool could = present_[i].up && !present_[i].draining && !full;
      require(!status.eligible || could, "one that cannot be picked is called eligible");
      require(status.warmup > 0 && status.warmup <= 1, "warm-up factor out of range");
      require(status.cost >= 0, "a cost below zero");
      eligible += status.eligible ? 1 : 0;
    }
    require(eligible == balancer_.eligible(), "eligible() and the snapshot differ");
    require(balancer_.in_flight() == tickets_.size(), "the sum of in-flight differs");
  }

  FuzzedDataProvider& data_;
  BalancerOptions options_;
  Balancer balancer_;
  std::array<Endpoint, kEndpoints> all_;
  std::vector<Endpoint> present_;
  std::vector<EndpointStatus> before_;
  std::vector<EndpointId> tried_;
  std::vector<Ticket> tickets_;
  std::uint64_t version_ = 0;
  Time now_ = Time() + Duration::seconds(10);
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider data(bytes, size);
  Run(data).go();
  return 0;
}

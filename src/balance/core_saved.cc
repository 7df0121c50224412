#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "balance/core.h"
#include "base/hash.h"

namespace evener::balance_internal {
namespace {

constexpr std::uint32_t kMagic = 0x4256'4e45;  // "ENVB", low byte first
constexpr std::uint32_t kVersion = 1;

// Fixed-size records of the machine's own byte order: the blob goes to a process beside this one.
struct Header {
  std::uint32_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t record_size = 0;
  std::uint32_t outcomes = kOutcomes;
  std::uint64_t records = 0;
  double median_ns = 0;  // 0: nothing has answered yet
};

struct Record {
  std::uint64_t id = 0;
  double latency_ns = 0;
  std::int64_t latency_age_ns = 0;
  std::int64_t warm_ns = 0;
  std::int64_t ejected_ns = -1;  // how long still; -1: not ejected
  std::uint64_t outcomes[kOutcomes] = {};
  float latency_mass = 0;  // 0: unknown
  std::uint32_t level = 0;
  std::uint32_t reason_count = 0;
  std::uint32_t reason_of = 0;
  std::uint16_t good[2] = {};
  std::uint16_t bad[2] = {};
  std::uint8_t reason = 0;
  std::uint8_t streak = 0;
  std::uint8_t padding[6] = {};
};
static_assert(std::is_trivially_copyable_v<Record> && sizeof(Record) == 120);

template <typename T>
void put(std::string& blob, const T& value) {
  blob.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
T take(std::string_view& blob) {
  T value;
  std::memcpy(&value, blob.data(), sizeof value);
  blob.remove_prefix(sizeof value);
  return value;
}

std::unexpected<Error> refused(const std::string& why) {
  return std::unexpected(Error{"saved balancer state: " + why + "; starting without it"});
}

// Numbers that only a broken writer would put there, behind a checksum that fits.
bool plausible(const Record& r) {
  return r.latency_ns >= 0 && r.latency_ns < 1e300 && r.latency_mass >= 0 && r.latency_mass <= 1 &&
         r.latency_age_ns >= 0 && r.warm_ns >= 0 && r.ejected_ns >= -1 && r.level <= 64 &&
         r.reason <= static_cast<std::uint8_t>(EjectionCause::kTrialTimedOut);
}

}  // namespace

std::string Core::save(Time now) const {
  std::string blob;
  Header header;
  header.record_size = sizeof(Record);
  header.records = by_column_.size();
  header.median_ns = median_known_ ? model_.median : 0;
  put(blob, header);
  const auto window = static_cast<std::uint8_t>(now.ns() / options_.policy.window.ns());
  for (const std::uint32_t index : by_column_) {
    const Slot& slot = slots_[index];
    Record record;
    record.id = static_cast<std::uint64_t>(infos_[index].endpoint.id);
    record.latency_ns = slot.latency.value();
    record.latency_mass = slot.latency.mass();
    record.latency_age_ns = std::max(now - slot.latency.stamp(), Duration()).ns();
    record.warm_ns =
        warm_up_ ? warm_up_->age(index, now).ns() : std::numeric_limits<std::int64_t>::max();
    if (ejector_) {
      const Ejector::Saved saved = ejector_->saved(index, now);
      record.ejected_ns = saved.out ? saved.left.ns() : -1;
      record.level = saved.level;
      record.reason = static_cast<std::uint8_t>(saved.reason.cause);
      record.reason_count = saved.reason.count;
      record.reason_of = saved.reason.of;
    }
    const SuccessWindows::Saved windows = slot.windows.saved(window);
    std::ranges::copy(windows.good, record.good);
    std::ranges::copy(windows.bad, record.bad);
    record.streak = windows.streak;
    std::ranges::copy(outcomes(index), record.outcomes);
    put(blob, record);
  }
  put(blob, hash64(blob));
  return blob;
}

std::expected<void, Error> Core::restore(std::string_view blob, Time now) {
  if (blob.size() < sizeof(Header) + sizeof(std::uint64_t)) {
    return refused("expected at least " + std::to_string(sizeof(Header) + sizeof(std::uint64_t)) +
                   " bytes, found " + std::to_string(blob.size()));
  }
  std::string_view tail = blob.substr(blob.size() - sizeof(std::uint64_t));
  std::string_view rest = blob.substr(0, blob.size() - sizeof(std::uint64_t));
  const std::uint64_t sum = hash64(rest);
  const auto header = take<Header>(rest);
  if (header.magic != kMagic) return refused("this is something else");
  if (header.version != kVersion || header.record_size != sizeof(Record) ||
      header.outcomes != kOutcomes) {
    return refused("expected version " + std::to_string(kVersion) + ", found " +
                   std::to_string(header.version));
  }
  if (header.records != rest.size() / sizeof(Record) || rest.size() % sizeof(Record) != 0 ||
      take<std::uint64_t>(tail) != sum || !(header.median_ns >= 0 && header.median_ns < 1e300)) {
    return refused("it is damaged");
  }
  std::vector<Record> records;
  while (!rest.empty()) {
    records.push_back(take<Record>(rest));
    if (!plausible(records.back())) return refused("it is damaged");
  }
  last_ = now;
  if (header.median_ns > 0) {
    model_.median = header.median_ns;
    median_known_ = true;
    median_ticked_ = true;
  }
  for (const Record& record : records) {
    const auto found = index_.find(EndpointId{record.id});
    if (found == index_.end() || !infos_[found->second].present) continue;
    const std::uint32_t index = found->second;
    Slot& slot = slots_[index];
    slot.latency.restore(record.latency_ns, now - Duration::nanoseconds(record.latency_age_ns),
                         record.latency_mass);
    SuccessWindows::Saved windows{};
    std::ranges::copy(record.good, windows.good);
    std::ranges::copy(record.bad, windows.bad);
    windows.streak = record.streak;
    slot.windows.restore(windows, window_at(now));
    std::ranges::copy(record.outcomes, counters_[index].begin());
    if (positions_[index] != Slot::kNone) {
      restore_bars(index,
                   {.out = record.ejected_ns >= 0,
                    .left = Duration::nanoseconds(std::max<std::int64_t>(record.ejected_ns, 0)),
                    .level = record.level,
                    .reason = {static_cast<EjectionCause>(record.reason), record.reason_count,
                               record.reason_of}},
                   Duration::nanoseconds(record.warm_ns), now);
    }
    update_inverse(index);
    changed(index);
  }
  // Others may be here than at the saver's: too many that are out come back now, not at a tick.
  pass_bars(now);
  return {};
}

// Only ever what this balancer itself would do: settings may differ from the saver's.
void Core::restore_bars(std::uint32_t slot, const Ejector::Saved& saved, Duration warm, Time now) {
  const bool was_in = ejector_ && !ejector_->out(slot);
  if (was_in) {
    ejector_->restore(slot, saved, now);
    set_bar(slot, kBarEjected, ejector_->out(slot));
  }
  if (!warm_up_) return;
  warm_up_->leave(slot);
  if ((barred_[slot] & kBarEjected) == 0) {
    warm_up_->enter(slot, now - std::min(warm, options_.warm_up.window));
  }
  set_warmth(slot, warm_up_->factor(slot, now));
}

}  // namespace evener::balance_internal

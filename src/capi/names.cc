#include <evener/balancer.h>
#include <evener/evener.h>

// The texts are literals, so their views are terminated.

std::uint32_t evener_abi_version() noexcept { return EVENER_ABI_VERSION; }

const char* evener_version() noexcept { return EV_VERSION; }

const char* evener_error_text(evener_error error) noexcept {
  using evener::PickError;
  switch (error) {
    case EVENER_OK:
      return "ok";
    case EVENER_ERROR_NO_ENDPOINTS:
      return to_string(PickError::kNoEndpoints).data();
    case EVENER_ERROR_NONE_ELIGIBLE:
      return to_string(PickError::kNoneEligible).data();
    case EVENER_ERROR_ALL_TRIED:
      return to_string(PickError::kAllTried).data();
    case EVENER_ERROR_ALL_BUSY:
      return to_string(PickError::kAllBusy).data();
    case EVENER_ERROR_ARGUMENT:
      return "an argument is missing or out of range";
    case EVENER_ERROR_INVALID:
      return "refused; the text says why";
    case EVENER_ERROR_TICKET:
      return "the ticket is empty, or is not";
    case EVENER_ERROR_SIZE:
      return "the buffer is too small";
    case EVENER_ERROR_NO_MEMORY:
      return "out of memory";
    case EVENER_ERROR_INTERNAL:
      return "a bug in evener";
    default:
      return "unknown error";
  }
}

const char* evener_outcome_text(evener_outcome outcome) noexcept {
  if (outcome < 0 || static_cast<std::size_t>(outcome) >= evener::kOutcomes) {
    return "unknown outcome";
  }
  return to_string(static_cast<evener::Outcome>(outcome)).data();
}

std::size_t evener_policy_count() noexcept { return evener::policy_catalog().size(); }

const char* evener_policy_name(std::size_t index) noexcept {
  const auto catalog = evener::policy_catalog();
  return index < catalog.size() ? catalog[index].name.data() : nullptr;
}

const char* evener_policy_summary(std::size_t index) noexcept {
  const auto catalog = evener::policy_catalog();
  return index < catalog.size() ? catalog[index].summary.data() : nullptr;
}

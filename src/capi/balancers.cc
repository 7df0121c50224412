#include <string>

#include "capi/handle.h"

using namespace evener;
using namespace evener::capi;

namespace {

static_assert(EVENER_CHOICES_ALL == kChoicesAll && EVENER_CHOICES_AUTO == kChoicesAuto);

void set_if(std::int64_t ns, Duration& out) {
  if (ns != 0) out = Duration::nanoseconds(ns);
}

template <typename T>
void set_if(T value, T& out) {
  if (value != T{}) out = value;
}

// False: a number that none of the enumerations has.
bool to_options(const evener_options& given, BalancerOptions& out) {
  if (given.panic > EVENER_PANIC_ALL || given.eject > 1 || given.reserved != 0) return false;
  if (given.estimator > EVENER_ESTIMATOR_PEAK || given.keyed_over > EVENER_OVER_RENDEZVOUS) {
    return false;
  }
  if (given.policy != nullptr) out.policy.name = given.policy;
  out.seed = given.seed;
  out.worker = given.worker;
  out.max_in_flight = given.max_in_flight;
  if (given.panic == EVENER_PANIC_ERROR) out.panic = Panic::kError;
  if (given.panic == EVENER_PANIC_ALL) out.panic = Panic::kAll;
  out.ejection.enabled = given.eject == 1;
  set_if(given.warm_up_ns, out.warm_up.window);
  set_if(given.choices, out.policy.choices);
  if (given.estimator == EVENER_ESTIMATOR_PEAK) out.policy.estimator = Estimator::kPeak;
  if (given.keyed_over == EVENER_OVER_RENDEZVOUS) out.policy.over = KeyedOver::kRendezvous;
  set_if(given.points, out.policy.points);
  set_if(given.table_size, out.policy.table_size);
  set_if(given.load_factor, out.policy.load_factor);
  set_if(given.tau_ns, out.policy.tau);
  set_if(given.floor_ns, out.policy.floor);
  set_if(given.prior_ns, out.policy.prior);
  set_if(given.window_ns, out.policy.window);
  set_if(given.reprobe_ns, out.policy.reprobe);
  return true;
}

}  // namespace

evener_error evener_create(const evener_options* options, evener_balancer** balancer,
                           char* error_text, std::size_t error_text_size) noexcept {
  put_text("", error_text, error_text_size);
  if (balancer == nullptr) return EVENER_ERROR_ARGUMENT;
  *balancer = nullptr;
  return guarded([&] {
    evener_options given{};
    BalancerOptions wanted;
    if (options != nullptr && (options->struct_size < sizeof options->struct_size ||
                               !take_struct(options, options->struct_size, given))) {
      put_text("options: expected struct_size to be set, and fields this version knows", error_text,
               error_text_size);
      return EVENER_ERROR_ARGUMENT;
    }
    if (!to_options(given, wanted)) {
      put_text("options: expected panic 0 to 2, eject, estimator and keyed_over 0 or 1, reserved 0",
               error_text, error_text_size);
      return EVENER_ERROR_ARGUMENT;
    }
    if (const auto ok = check_options(wanted); !ok) {
      put_text(ok.error().message, error_text, error_text_size);
      return EVENER_ERROR_INVALID;
    }
    *balancer = std::make_unique<evener_balancer>(Balancer(wanted), wanted.worker).release();
    return EVENER_OK;
  });
}

std::uint64_t evener_destroy(evener_balancer* balancer) noexcept {
  const std::unique_ptr<evener_balancer> last(balancer);
  return evener_in_flight(balancer);
}

evener_error evener_apply(evener_balancer* balancer, std::int64_t now_ns,
                          const evener_endpoint* endpoints, std::size_t count,
                          std::size_t endpoint_size, char* error_text,
                          std::size_t error_text_size) noexcept {
  put_text("", error_text, error_text_size);
  if (balancer == nullptr) return EVENER_ERROR_ARGUMENT;
  return guarded([&] {
    EndpointSetPtr set;
    const evener_error error = make_set(endpoints, count, endpoint_size, balancer->version + 1, 1,
                                        set, error_text, error_text_size);
    if (error != EVENER_OK) return error;
    ++balancer->version;
    balancer->balancer.apply(std::move(set), Time::from_ns(now_ns));
    return evener_error{EVENER_OK};
  });
}

evener_error evener_apply_set(evener_balancer* balancer, std::int64_t now_ns,
                              const evener_set* set) noexcept {
  if (balancer == nullptr || set == nullptr) return EVENER_ERROR_ARGUMENT;
  const LoadBoard* const board = set->set->board();
  if (balancer->worker >= (board != nullptr ? board->workers() : 1)) return EVENER_ERROR_ARGUMENT;
  return guarded([&] {
    balancer->balancer.apply(set->set, Time::from_ns(now_ns));
    return EVENER_OK;
  });
}

evener_error evener_tick(evener_balancer* balancer, std::int64_t now_ns) noexcept {
  if (balancer == nullptr) return EVENER_ERROR_ARGUMENT;
  return guarded([&] {
    balancer->balancer.tick(Time::from_ns(now_ns));
    return EVENER_OK;
  });
}

std::uint64_t evener_in_flight(const evener_balancer* balancer) noexcept {
  return balancer == nullptr ? 0 : balancer->balancer.in_flight();
}

std::size_t evener_eligible(const evener_balancer* balancer) noexcept {
  return balancer == nullptr ? 0 : balancer->balancer.eligible();
}

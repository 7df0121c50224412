// What the C interface's handles are, and the edge that no exception crosses.
//
// A handle is a heap object of the caller's, one thread as in evener/evener.h. A ticket lives in
// the caller's bytes: ours first, then a mark that tells a held one from cleared memory.
#pragma once

#include <evener/balancer.h>
#include <evener/evener.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <type_traits>

struct evener_set {
  evener::EndpointSetPtr set;
};

struct evener_balancer {
  evener::Balancer balancer;
  std::uint32_t worker = 0;
  std::uint64_t version = 0;  // of the sets it makes itself
};

namespace evener::capi {

// Runs `body`, which returns an evener_error; memory may be missing inside.
template <typename Body>
evener_error guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return EVENER_ERROR_NO_MEMORY;
  } catch (...) {
    return EVENER_ERROR_INTERNAL;
  }
}

// Copies a text as far as it fits, terminated.
inline void put_text(std::string_view text, char* out, std::size_t size) noexcept {
  if (out == nullptr || size == 0) return;
  const std::size_t length = std::min(text.size(), size - 1);
  std::memcpy(out, text.data(), length);
  out[length] = '\0';
}

// Copies a struct of the caller's, who may know fewer fields than we (the rest is 0) or more (which
// must be 0). False: it has a field that we do not know.
template <typename T>
bool take_struct(const void* from, std::size_t size, T& out) noexcept {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto* const bytes = static_cast<const unsigned char*>(from);
  if (size > sizeof(T) &&
      !std::all_of(bytes + sizeof(T), bytes + size, [](unsigned char byte) { return byte == 0; })) {
    return false;
  }
  out = T{};
  std::memcpy(&out, from, std::min(size, sizeof(T)));
  return true;
}

inline constexpr std::uint64_t kTicketMark = 0x4556'5449'434b'4554ULL;
inline constexpr std::size_t kTicketWords = 4;
static_assert(sizeof(Ticket) <= kTicketWords * sizeof(std::uint64_t));
static_assert(alignof(Ticket) <= alignof(evener_ticket));

inline bool held(const evener_ticket* ticket) noexcept {
  return ticket != nullptr && ticket->opaque[kTicketWords] == kTicketMark;
}
// REQUIRES: held(ticket), for both.
inline Ticket& inside(evener_ticket* ticket) noexcept {
  return *std::launder(reinterpret_cast<Ticket*>(ticket->opaque));
}
inline const Ticket& inside(const evener_ticket* ticket) noexcept {
  return *std::launder(reinterpret_cast<const Ticket*>(ticket->opaque));
}
// REQUIRES: !held(out).
inline void hand_out(Ticket ticket, evener_ticket* out) noexcept {
  std::construct_at(reinterpret_cast<Ticket*>(out->opaque), std::move(ticket));
  out->opaque[kTicketWords] = kTicketMark;
}
// Takes the ticket out of the caller's bytes and clears them. REQUIRES: held(from).
inline Ticket take_back(evener_ticket* from) noexcept {
  Ticket ticket = std::move(inside(from));
  std::destroy_at(&inside(from));
  *from = evener_ticket{};
  return ticket;
}

// The endpoints as a set; an error's text goes to the caller.
evener_error make_set(const evener_endpoint* endpoints, std::size_t count, std::size_t size,
                      std::uint64_t version, std::uint32_t workers, EndpointSetPtr& out,
                      char* error_text, std::size_t error_text_size);

}  // namespace evener::capi

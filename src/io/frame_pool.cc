#include "io/frame_pool.h"

#include <array>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EV_FRAME_POOL_OFF 1
#endif
#endif

namespace evener::io {
namespace {

constexpr std::size_t kClassBytes = 128;
constexpr std::size_t kClasses = 32;
constexpr std::size_t kCached = 512;

struct FreeFrame {
  FreeFrame* next;
};

struct Pool {
  struct Class {
    FreeFrame* head = nullptr;
    std::size_t cached = 0;
  };
  std::array<Class, kClasses> classes;
  std::size_t out = 0;

  ~Pool() {
    for (Class& c : classes) {
      while (c.head != nullptr) {
        FreeFrame* next = c.head->next;
        ::operator delete(c.head);
        c.head = next;
      }
    }
  }
};

thread_local Pool pool;

std::size_t class_of(std::size_t bytes) { return (bytes + kClassBytes - 1) / kClassBytes; }

#ifdef EV_FRAME_POOL_OFF
constexpr bool kPooled = false;
#else
constexpr bool kPooled = true;
#endif

}  // namespace

void* take_frame(std::size_t bytes) {
  ++pool.out;
  const std::size_t index = class_of(bytes);
  if (!kPooled || index >= kClasses) return ::operator new(bytes);
  Pool::Class& c = pool.classes[index];
  if (c.head == nullptr) return ::operator new(index * kClassBytes);
  FreeFrame* frame = c.head;
  c.head = frame->next;
  --c.cached;
  return frame;
}

void give_frame(void* frame, std::size_t bytes) noexcept {
  --pool.out;
  const std::size_t index = class_of(bytes);
  if (!kPooled || index >= kClasses) return ::operator delete(frame);
  Pool::Class& c = pool.classes[index];
  if (c.cached >= kCached) return ::operator delete(frame);
  auto* free_frame = ::new (frame) FreeFrame{c.head};
  c.head = free_frame;
  ++c.cached;
}

std::size_t frames_out() { return pool.out; }

}  // namespace evener::io

// HugeVector: a std::vector whose memory lies on huge pages once it is large.
//
// A pool of a million endpoints is 64 MB of slots looked at in random places; on pages of 4 KiB
// each look misses the TLB as well as the cache. From 2 MiB on the memory begins at a huge page, is
// rounded up to whole ones, and the kernel is advised to use them (Linux, `madvise` or `always` in
// /sys/kernel/mm/transparent_hugepage/enabled; elsewhere the advice does nothing). Below, a vector
// like any other. Cost: one system call per large allocation.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace evener {

template <typename T>
class HugePageAllocator {
 public:
  using value_type = T;

  HugePageAllocator() = default;
  template <typename U>
  HugePageAllocator(const HugePageAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    if (!large(count)) return std::allocator<T>().allocate(count);
    const std::size_t bytes = (count * sizeof(T) + kPage - 1) / kPage * kPage;
    void* const memory =
        ::operator new(bytes, std::align_val_t(kPage));  // tidy: allow(new) allocator
#ifdef MADV_HUGEPAGE
    static_cast<void>(::madvise(memory, bytes, MADV_HUGEPAGE));
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (!large(count)) return std::allocator<T>().deallocate(memory, count);
    ::operator delete(memory, std::align_val_t(kPage));  // tidy: allow(delete) allocator
  }

  bool operator==(const HugePageAllocator&) const = default;

 private:
  static constexpr std::size_t kPage = std::size_t{2} << 20;
  static bool large(std::size_t count) { return count >= kPage / sizeof(T); }
};

template <typename T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace evener

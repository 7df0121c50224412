// The lab's only threads: work by index on several cores.
//
// for_each_index calls work(i) once for each i below n, each call on one of `jobs` threads of its
// own, in any order; the caller waits. Whatever a call writes must belong to its index alone; then
// the result does not depend on the number of threads. When for_each_index returns, all that was
// written is visible to the caller. `progress` is called on the caller's thread after some calls
// are done and about once a second, with how many. Cost: a few microseconds per thread and call.
#pragma once

#include <cstddef>
#include <functional>

namespace evener::lab {

// Cores that this process may use, at least 1.
unsigned available_cores();

// REQUIRES: jobs >= 1.
void for_each_index(std::size_t n, unsigned jobs, const std::function<void(std::size_t)>& work,
                    const std::function<void(std::size_t done)>& progress = {});

}  // namespace evener::lab

#include "lab/parallel.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "base/check.h"

namespace evener::lab {
namespace {

// What the threads share. Calls last microseconds at least, so one lock for all of it is cheap.
class Work {
 public:
  explicit Work(std::size_t n) : n_(n) {}

  // The next index, after reporting that the last one is done; n when there is none.
  std::size_t next(bool finished_one) {
    const std::lock_guard lock(mutex_);
    if (finished_one) {
      ++done_;
      changed_.notify_one();
    }
    return next_ < n_ ? next_++ : n_;
  }

  // Waits until more than `seen` are done, or for a second.
  std::size_t wait(std::size_t seen) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(1), [&] { return done_ > seen; });
    return done_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t n_;
  std::size_t next_ = 0;
  std::size_t done_ = 0;
};

}  // namespace

unsigned available_cores() { return std::max(1U, std::thread::hardware_concurrency()); }

void for_each_index(std::size_t n, unsigned jobs, const std::function<void(std::size_t)>& work,
                    const std::function<void(std::size_t done)>& progress) {
  EV_CHECK(jobs >= 1, "there is a thread");
  Work shared(n);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < std::min<std::size_t>(jobs, n); ++i) {
    threads.emplace_back([&shared, &work, n] {
      bool finished_one = false;
      for (std::size_t index; (index = shared.next(finished_one)) < n; finished_one = true) {
        work(index);
      }
    });
  }
  for (std::size_t done = 0; done < n;) {
    done = shared.wait(done);
    if (progress) progress(done);
  }
}

}  // namespace evener::lab

// How an engine is chosen, also where the kernel or a container profile refuses io_uring.
#include "io/engine.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#include <cstdlib>

#include "io/loop.h"

namespace evener::io {
namespace {

// From here on io_uring_setup fails with EPERM in this process, as container runtimes make it.
bool refuse_io_uring() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(rules), .filter = rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// 0: as it should be; else the number of the check that failed.
int check_refused() {
  if (!refuse_io_uring()) return 1;
  auto automatic = Loop::create(EngineKind::kAuto);
  if (!automatic) return 2;
  if ((*automatic)->engine_name() != "epoll") return 3;
  if ((*automatic)->engine_note().find("Operation not permitted") == std::string::npos) return 4;
  auto forced = Loop::create(EngineKind::kUring);
  if (forced) return 5;
  if (forced.error().find("use engine auto or epoll") == std::string::npos) return 6;
  return 0;
}

TEST(Engine, refused_io_uring_falls_back_to_epoll_and_says_why) {
  // In a child: a filter can't be taken off again.
  EXPECT_EXIT(std::_Exit(check_refused()), ::testing::ExitedWithCode(0), "");
}

TEST(Engine, epoll_is_taken_when_asked_for) {
  auto loop = Loop::create(EngineKind::kEpoll);
  ASSERT_TRUE(loop.has_value());
  EXPECT_EQ((*loop)->engine_name(), "epoll");
  EXPECT_TRUE((*loop)->engine_note().empty());
}

}  // namespace
}  // namespace evener::io

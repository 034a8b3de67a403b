// SPDX-License-Identifier: Apache-2.0
// Contexts of accelerator threads on aarch64, run by an emulator: 8 on 2 cores keep what is a thread's own
// over barriers and kernels.
#include <cerrno>
#include <cstdio>

#include "taihu/threads/context_switch.h"
#include "taihu/threads/thread_array.h"

namespace {

using namespace taihu::threads;

thread_local int own = -1;
std::atomic<int> wrong{0};
std::atomic<int> calls{0};

void kernel(void*) {
  const int me = current_member()->index;
  const double mine = 1.0 / (me + 3);
  own = errno = me;
  for (int round = 0; round < 20; ++round) {
    current_member()->array->barrier().wait();
    wrong += own != me || errno != me || current_member()->index != me || mine != 1.0 / (me + 3);
  }
  ++calls;
}

}  // namespace

int main() {
  if (!can_switch_contexts()) {
    std::puts("contexts: cannot be switched here");
    return 1;
  }
  ArrayOptions options;
  options.size = 8;
  options.cores = 2;
  options.shares_cpus = true;
  ThreadArray array(options);
  for (int round = 0; round < 10; ++round) array.run(kernel, nullptr);
  array.join(array.spawn(kernel, nullptr));
  if (wrong != 0 || calls != 88) {
    std::printf("contexts: %d wrong, %d calls\n", wrong.load(), calls.load());
    return 1;
  }
  std::puts("contexts: passed");
}

// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/libc/threads.h"

#include <dlfcn.h>
#include <threads.h>

#include <array>
#include <memory>
#include <new>

#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory {
namespace {

struct Start {
  RankIdentity* rank;
  void* (*run)(void*);
  void* argument;
};

// Counts a rank's thread also when it leaves by pthread_exit or is cancelled (both unwind).
class CountedThread {
 public:
  explicit CountedThread(RankProcess* process) : process_(process) {
    if (process_) process_->begin_thread();
  }
  ~CountedThread() {
    if (!process_) return;
    process_->end_thread();
    process_->live_threads.fetch_sub(1);
    process_->live_threads.notify_all();
  }
  CountedThread(const CountedThread&) = delete;
  CountedThread& operator=(const CountedThread&) = delete;

 private:
  RankProcess* process_;
};

void* start_thread(void* place) {
  const std::unique_ptr<Start> owned(static_cast<Start*>(place));
  const Start start = *owned;
  set_current_rank(start.rank);
  RankProcess* process = start.rank ? start.rank->process : nullptr;
  const CountedThread counted(process);
  if (process && process->locale.locale) uselocale(process->locale.locale);
  return start.run(start.argument);
}

using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

// The function of libc, also when the executable exports one of the same name.
Create libc_create() {
  static const auto create = [] {
    void* libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    return reinterpret_cast<Create>(libc ? dlsym(libc, "pthread_create")
                                         : dlsym(RTLD_NEXT, "pthread_create"));
  }();
  return create;
}

}  // namespace

int create_thread(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  RankIdentity* rank = current_rank();
  if (!rank) return libc_create()(thread, attributes, run, argument);
  auto start = std::unique_ptr<Start>(new (std::nothrow) Start{rank, run, argument});
  if (!start) return EAGAIN;
  if (rank->process) rank->process->live_threads.fetch_add(1);
  const int result = libc_create()(thread, attributes, &start_thread, start.get());
  if (result == 0)
    static_cast<void>(start.release());
  else if (rank->process)
    rank->process->live_threads.fetch_sub(1);
  return result;
}

namespace libc {
namespace {

int rank_thrd_create(thrd_t* thread, thrd_start_t run, void* argument) {
  struct Call {
    thrd_start_t run;
    void* argument;
  };
  auto* call = new (std::nothrow) Call{run, argument};
  if (!call) return thrd_nomem;
  const int result = create_thread(
      thread, nullptr,
      [](void* place) -> void* {
        const Call start = *static_cast<Call*>(place);
        delete static_cast<Call*>(place);
        return reinterpret_cast<void*>(static_cast<std::intptr_t>(start.run(start.argument)));
      },
      call);
  if (result == 0) return thrd_success;
  delete call;
  return result == EAGAIN ? thrd_nomem : thrd_error;
}

}  // namespace

std::span<const Replacement> thread_calls() {
  static const std::array calls = {replace("pthread_create", &create_thread),
                                   replace("thrd_create", &rank_thrd_create)};
  return calls;
}

}  // namespace libc
}  // namespace taihu::memory

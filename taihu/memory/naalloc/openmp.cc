// SPDX-License-Identifier: Apache-2.0
// Weak references are bound when the program is loaded; a runtime that came later (dlopen) is looked up by
// name.
#include "taihu/memory/naalloc/openmp.h"

#include <dlfcn.h>

#include <atomic>

#include "taihu/memory/naalloc/loaded_objects.h"

extern "C" {
[[gnu::weak]] int omp_get_max_threads();
[[gnu::weak]] int omp_get_thread_num();
[[gnu::weak]] int omp_get_num_threads();
[[gnu::weak]] int omp_get_level();
[[gnu::weak]] void GOMP_parallel(void (*work)(void*), void* data, unsigned threads, unsigned flags);
}

namespace taihu::memory::openmp {
namespace {

struct Runtime {
  int (*max_threads)() = omp_get_max_threads;
  int (*thread_number)() = omp_get_thread_num;
  int (*team_size)() = omp_get_num_threads;
  int (*level)() = omp_get_level;
  void (*parallel)(void (*)(void*), void*, unsigned, unsigned) = GOMP_parallel;

  bool complete() const { return max_threads && thread_number && team_size && level && parallel; }
};

template <typename Function>
void look_up(Function& function, const char* name) {
  if (function == nullptr) function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

/// Null when there is none. Names are only looked up again after something was loaded.
const Runtime* find_runtime() {
  static std::atomic<const Runtime*> found{nullptr};
  static std::atomic<unsigned long long> looked_at{0};
  if (const Runtime* runtime = found.load(std::memory_order_acquire)) return runtime;
  const unsigned long long loaded = objects_loaded();
  if (looked_at.exchange(loaded) == loaded) return nullptr;
  Runtime runtime;
  look_up(runtime.max_threads, "omp_get_max_threads");
  look_up(runtime.thread_number, "omp_get_thread_num");
  look_up(runtime.team_size, "omp_get_num_threads");
  look_up(runtime.level, "omp_get_level");
  look_up(runtime.parallel, "GOMP_parallel");
  if (!runtime.complete()) return nullptr;
  // Two threads may both find it; both are right, and nobody frees it.
  const auto* kept = new Runtime(runtime);
  found.store(kept, std::memory_order_release);
  return kept;
}

struct Task {
  const Runtime& runtime;
  void (*work)(void*, int, int);
  void* context;
};

}  // namespace

bool available() noexcept {
  return find_runtime() != nullptr;
}

int max_threads() noexcept {
  const Runtime* runtime = find_runtime();
  return runtime != nullptr ? runtime->max_threads() : 1;
}

bool in_parallel() noexcept {
  const Runtime* runtime = find_runtime();
  return runtime != nullptr && runtime->level() > 0;
}

void run(void (*work)(void*, int, int), void* context) {
  Task task{*find_runtime(), work, context};
  task.runtime.parallel(
      [](void* data) {
        const auto* task = static_cast<Task*>(data);
        task->work(task->context, task->runtime.thread_number(), task->runtime.team_size());
      },
      &task, 0, 0);
}

}  // namespace taihu::memory::openmp

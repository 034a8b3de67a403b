// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/kernels.h"

#include <pthread.h>
#include <sched.h>

#include <cstdio>
#include <string>

#include "taihu/abi/parallelc.h"
#include "taihu/base/error.h"
#include "taihu/base/units.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/process.h"
#include "taihu/parallelc/services.h"
#include "taihu/threads/waiting.h"

extern "C" {
__attribute__((visibility("default"), tls_model("initial-exec"))) __thread ptrdiff_t taihu_scratchpad_delta;
}

// By this name debuggers find the contexts, also in a library without debug information.
extern "C" {
extern __attribute__((visibility("default"))) taihu::threads::Context** const taihu_contexts;
taihu::threads::Context** const taihu_contexts = &taihu::threads::all_contexts;
}

namespace taihu::parallelc {
namespace {

std::size_t bytes_of(const taihu_area& area) {
  return static_cast<std::size_t>(area.end - area.begin);
}

/// Gives the calling accelerator thread its scratchpad, filled with the initial values of the __thread_local
/// variables.
void start_member(const Process& process, threads::Member& member) {
  // From the first kernel on there may be more waiting threads than cores; then a waiter gives its core away
  // at once.
  const SharedServices& services = *process.services;
  // The management core of an autonomic process sleeps.
  if (!process.is_autonomic && services.node_ranks * member.array->threads_of_system() > services.cores) {
    threads::WaitPolicy policy = threads::wait_policy();
    policy.spins = 0;
    policy.yields = 20;
    threads::set_wait_policy(policy);
  }
  char name[16];
  std::snprintf(name, sizeof name, "rank%d.%d", process.rank, member.index);
  pthread_setname_np(pthread_self(), name);
  auto thread = std::make_unique<AcceleratorThread>();
  const taihu_area area = process.program->scratchpad;
  thread->scratchpad = std::make_unique<memory::ScratchpadArena>(
      process.program->settings[TAIHU_SCRATCHPAD_CAPACITY_BYTES], bytes_of(area), area.begin);
  thread->copies = std::make_unique<KeptCopies>(*thread->scratchpad);
  taihu_scratchpad_delta = reinterpret_cast<char*>(thread->scratchpad->static_base()) - area.begin;
  member.scratchpad = thread->scratchpad.get();
  member.runtime = thread.release();
}

void stop_member(threads::Member& member) {
  delete static_cast<AcceleratorThread*>(member.runtime);
  member.runtime = nullptr;
}

/// The others would wait for ever for a thread that is gone.
void kernel_exit(threads::Member& member) {
  std::fprintf(
      stderr,
      "parallelc: rank %d: a kernel ended accelerator thread %d (exit, pthread_exit); return from the "
      "kernel, and end the process in process code\n",
      this_process("kernel").rank, member.index);
  m_abort(1);
}

/// While a process waits for its kernels it moves messages on and does what its threads want printed.
threads::WhileWaiting help(Process& process) {
  return {[](void* waiting) {
            auto& of = *static_cast<Process*>(waiting);
            of.endpoint->progress();
            of.output.help();
          },
          &process};
}

/// The array of the caller; null after a failure was reported into *code.
threads::ThreadArray* array_of(const char* call, Process& process, const void* kernel, int* code) {
  *code = M_SUCCESS;
  const char* problem = kernel == nullptr ? "null kernel" : nullptr;
  if (threads::current_member() != nullptr)
    problem = "called in a kernel; kernels are started by process code";
  if (problem == nullptr) return process.array.get();
  *code =
      fail(kernel == nullptr ? M_ERROR_ARGUMENT : M_ERROR_CONTEXT, problem, "%s(kernel=%p)", call, kernel);
  return nullptr;
}

/// The code of it, reported.
int failed_start(const char* call, const Error& error, threads::Kernel kernel) {
  return fail(M_ERROR_MEMORY, error.what(), "%s(kernel=%p)", call, reinterpret_cast<void*>(kernel));
}

/// What watches one run of a kernel, and what the threads are to call for it.
struct WatchedRun {
  ModelledRun* modelled;             ///< null: built without --spm-model
  CallCounts::TimedKernel* counted;  ///< null: nobody wants counts
  threads::Kernel kernel;
  void* argument;
};

WatchedRun watch(Process& process, threads::Kernel kernel, void* argument) {
  WatchedRun run{process.modelled_kernels.begin(process.array->size(), kernel, argument), nullptr, kernel,
                 argument};
  if (run.modelled != nullptr) {
    run.kernel = ModelledRun::run;
    run.argument = run.modelled;
  }
  if (calls_wanted) [[unlikely]] {
    run.counted = process.counts->begin(kernel, run.kernel, run.argument);
    run.kernel = CallCounts::run;
    run.argument = run.counted;
  }
  return run;
}

void ended(Process& process, ModelledRun* modelled, CallCounts::TimedKernel* counted) {
  if (counted != nullptr) process.counts->ended(counted);
  process.modelled_kernels.end(modelled);
}

/// spawn, with the failure to start threads as a code.
threads::Spawn* spawn(const char* call, Process& process, threads::Kernel kernel, void* argument, int* code) {
  try {
    const WatchedRun run = watch(process, kernel, argument);
    threads::Spawn* spawned = process.array->spawn(run.kernel, run.argument);
    process.modelled_kernels.spawned(spawned, run.modelled);
    if (run.counted != nullptr) process.counts->started(spawned, run.counted);
    return spawned;
  } catch (const Error& error) {
    *code = failed_start(call, error, kernel);
    return nullptr;
  }
}

void join(Process& process, threads::Spawn* spawned) {
  ModelledRun* const modelled = process.modelled_kernels.take(spawned);
  CallCounts::TimedKernel* const counted = calls_wanted ? process.counts->take(spawned) : nullptr;
  const OutputRequests::Attended attended(process.output);
  process.array->join(spawned, help(process));
  ended(process, modelled, counted);
}

}  // namespace

void run_kernel(Process& process, threads::Kernel kernel, void* argument) {
  const WatchedRun run = watch(process, kernel, argument);
  const OutputRequests::Attended attended(process.output);
  process.array->run(run.kernel, run.argument, help(process));
  ended(process, run.modelled, run.counted);
}

std::unique_ptr<threads::ThreadArray> make_array(Process& process, memory::RankIdentity* rank, int size,
                                                 std::size_t stack_bytes, std::vector<int> cpus, int cores) {
  threads::ArrayOptions options;
  options.size = size;
  options.stack_bytes = stack_bytes;
  options.shares_cpus = !cpus.empty();  // a rank is bound to the cpus of its threads
  options.cpus = std::move(cpus);
  options.cores = cores;
  options.rank = rank;
  options.on_start = [&process](threads::Member& member) { start_member(process, member); };
  options.on_stop = stop_member;
  options.on_kernel_end = [&process] {
    process.output.fence();
    process.services->tasks.kernel_ended(process.rank);
  };
  options.on_return = [&process] { process.services->tasks.member_returned(process.rank); };
  options.on_kernel_exit = kernel_exit;
  options.joiner = &process.endpoint->doorbell();
  process.output.set_doorbell(options.joiner);
  process.waiting.calls = std::vector<std::atomic<std::uint64_t>>(static_cast<std::size_t>(size));
  return std::make_unique<threads::ThreadArray>(std::move(options));
}

void check_joined(const Process& process) {
  const int open = process.array->unjoined();
  if (open == 0) return;
  std::fprintf(
      stderr,
      "parallelc: rank %d: the process ended with %d kernel%s not joined; call m_join for every m_spawn\n",
      process.rank, open, open == 1 ? "" : "s");
  m_abort(1);
}

void check_scratchpad(const taihu_program& program) {
  const std::size_t used = bytes_of(program.scratchpad);
  const std::size_t capacity = program.settings[TAIHU_SCRATCHPAD_CAPACITY_BYTES];
  check_input(used <= capacity, "the __thread_local variables of the program need " + std::to_string(used) +
                                    " bytes, but the scratchpad has " +
                                    format_bytes(static_cast<long>(capacity)) +
                                    "; make them smaller or link with a larger parcc --spm=SIZE");
}

void give_way_while_waiting() {
  if (threads::give_way()) return;
  if (threads::wait_policy().spins == 0) {
    sched_yield();
  } else {
    threads::spin_pause();
  }
}

}  // namespace taihu::parallelc

using namespace taihu::parallelc;

extern "C" {

int m_run(void (*kernel)(void*), void* argument) {
  Process& process = this_process("m_run");
  int code;
  if (array_of("m_run", process, reinterpret_cast<void*>(kernel), &code) == nullptr) return code;
  const CountedCall counted(process, "m_run");
  const Waiting waiting(process, "m_run", [] { return "for its kernel"; });
  try {
    run_kernel(process, kernel, argument);
  } catch (const taihu::Error& error) {
    code = failed_start("m_run", error, kernel);
  }
  return code;
}

void taihu_yield_while_waiting(unsigned long long* turns) {
  if (waits_wanted) [[unlikely]]
    note_turn(*turns, __builtin_return_address(0));
  // The others of its ring may wait in loops as well, for one on another core, which this one's thread may
  // keep from running.
  constexpr unsigned long long patience = 1024;
  if (++*turns % patience == 0) sched_yield();
  give_way_while_waiting();
}

void taihu_yield_to_others(void) {
  taihu::threads::give_way();
}

m_spawn_t m_spawn(void (*kernel)(void*), void* argument) {
  Process& process = this_process("m_spawn");
  int code;
  taihu::threads::ThreadArray* array = array_of("m_spawn", process, reinterpret_cast<void*>(kernel), &code);
  if (array == nullptr) return nullptr;
  const CountedCall counted(process, "m_spawn");
  return reinterpret_cast<m_spawn_t>(spawn("m_spawn", process, kernel, argument, &code));
}

int m_join(m_spawn_t spawned) {
  Process& process = this_process("m_join");
  int code;
  taihu::threads::ThreadArray* array = array_of("m_join", process, spawned, &code);
  if (array == nullptr) return code;
  auto* kernel = reinterpret_cast<taihu::threads::Spawn*>(spawned);
  if (!array->is_unjoined(kernel)) {
    return fail(M_ERROR_ARGUMENT, "no kernel of this process that waits to be joined", "m_join(spawn=%p)",
                static_cast<void*>(spawned));
  }
  const CountedCall counted(process, "m_join");
  const Waiting waiting(process, "m_join", [] { return "for its kernel"; });
  join(process, kernel);
  return M_SUCCESS;
}

}  // extern "C"

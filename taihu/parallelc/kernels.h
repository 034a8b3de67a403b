// SPDX-License-Identifier: Apache-2.0
// The accelerator threads of a process: their array, and what each has of its own (scratchpad, dynamic loop).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "taihu/abi/program.h"
#include "taihu/launch/crash_report.h"
#include "taihu/memory/scratchpad.h"
#include "taihu/parallelc/kept_copies.h"
#include "taihu/parallelc/process.h"
#include "taihu/scratchpad_model/core.h"
#include "taihu/threads/current_member.h"
#include "taihu/threads/thread_array.h"

namespace taihu::parallelc {

/// One turn of a loop that waits for another thread: lets the others on this core run.
void give_way_while_waiting();

class ModelledRun;

/// What the runtime keeps for each accelerator thread; Member::runtime points to it.
struct AcceleratorThread {
  launch::AlternateStack signal_stack;  ///< so that an overflow of the thread's stack can be reported
  std::unique_ptr<memory::ScratchpadArena> scratchpad;
  std::unique_ptr<KeptCopies> copies;        ///< in the scratchpad; all blocks are asked for here
  std::optional<threads::DynamicLoop> loop;  ///< the dynamic loop that the thread is in
  unsigned long long loop_number = 0;        ///< its name, counted from 1
  threads::Chunk fixed_part{0, 0};           ///< of its dynamic loop on the modelled machine
  ModelledRun* modelled_run = nullptr;       ///< of the kernel that it runs on the modelled machine
  scratchpad_model::Core* core = nullptr;    ///< its clock there
};

/// The caller's, or null in process code.
inline AcceleratorThread* current_accelerator_thread() noexcept {
  const threads::Member* member = threads::current_member();
  return member != nullptr ? static_cast<AcceleratorThread*>(member->runtime) : nullptr;
}

/// The accelerator thread that runs a kernel and calls; null in process code, which in the autonomic model
/// runs on an accelerator thread, too.
inline const threads::Member* kernel_member(const Process& process) noexcept {
  return process.is_autonomic ? nullptr : threads::current_member();
}

/// What dma_bcast does, by all threads of the array: `memory` is read once. Null `scratchpad`: the caller
/// only takes part. False: another thread calls with other memory or bytes, and has got what it wanted.
bool broadcast_to_all(Process& process, void* scratchpad, const void* memory, std::size_t bytes,
                      const char* call);
/// The same without the meeting before it on the modelled machine: the caller was in one.
bool broadcast_after_meeting(Process& process, void* scratchpad, const void* memory, std::size_t bytes,
                             const char* call);

/// Runs `kernel(argument)` on the array of the caller's process as m_run does. Throws Error.
void run_kernel(Process& process, threads::Kernel kernel, void* argument);

/// The array of `process` with `size` members on `cpus`, with stacks of `stack_bytes` (0: the system's
/// default); its threads start with the first kernel. More than `cores` share these (threads/crew.h); 0: they
/// are the system's to schedule.
std::unique_ptr<threads::ThreadArray> make_array(Process& process, memory::RankIdentity* rank, int size,
                                                 std::size_t stack_bytes, std::vector<int> cpus, int cores);

/// Ends the job with a message when the process that has just ended left kernels that were not joined.
void check_joined(const Process& process);

/// Refuses programs whose scratchpad variables do not fit. Throws Error.
void check_scratchpad(const taihu_program& program);

}  // namespace taihu::parallelc

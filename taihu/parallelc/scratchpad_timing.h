// SPDX-License-Identifier: Apache-2.0
// Kernels of programs built with `parcc --spm-model` on the modelled machine: the clock of each accelerator
// thread, where threads meet, and the report. Of other programs nothing here does anything.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "taihu/scratchpad_model/report.h"
#include "taihu/threads/thread_array.h"

namespace taihu::parallelc {

/// One run of a kernel.
class ModelledRun {
 public:
  ModelledRun(const scratchpad_model::Machine& machine, int threads, threads::Kernel kernel, void* argument);

  /// The kernel to spawn, with this as its argument.
  static void run(void* modelled_run);

  /// On all threads of the array: takes each clock to the time at which all have come.
  void meet(const threads::Member& member);

  threads::Kernel kernel() const { return kernel_; }
  /// After it was joined.
  void add_to(scratchpad_model::KernelTotals& totals) const;
  /// SVG of its first thread's scratchpad; empty when none is wanted.
  std::string picture(const std::string& kernel) const;

 private:
  struct Thread {
    explicit Thread(const scratchpad_model::Costs& costs) : core(costs) {}
    scratchpad_model::Core core;
    unsigned meetings = 0;
  };
  void run_member(const threads::Member& member);

  const scratchpad_model::Costs costs_;
  taihu_source_line* const first_line_;
  const double clock_ghz_;
  std::size_t capacity_bytes_ = 0;  ///< set by the first thread
  const threads::Kernel kernel_;
  void* const argument_;
  std::vector<std::unique_ptr<Thread>> threads_;
  /// Of the meetings with even and with odd numbers: no thread is more than one ahead.
  std::vector<scratchpad_model::Arrival> arrivals_[2];
};

/// The kernels of one process. Used by its process code, also by several threads of it.
class ModelledKernels {
 public:
  /// A run of `kernel` to be spawned instead of it; null when the program was built without the model. Throws
  /// Error when its files were built for different machines.
  ModelledRun* begin(int threads, threads::Kernel kernel, void* argument);
  /// It was joined.
  void end(ModelledRun* run);
  /// begin has returned `run` for what was spawned as `spawn`.
  void spawned(const threads::Spawn* spawn, ModelledRun* run);
  /// The run of a spawn; null when it is not timed.
  ModelledRun* take(const threads::Spawn* spawn);

  /// Of rank 0 it also writes the pictures.
  std::string report(int rank) const;

 private:
  mutable std::mutex mutex_;
  std::map<ModelledRun*, std::unique_ptr<ModelledRun>> running_;
  std::map<const threads::Spawn*, ModelledRun*> spawned_;
  std::map<std::string, scratchpad_model::KernelTotals> totals_;
  std::map<std::string, std::string> pictures_;  ///< of the first run of each kernel
};

/// What was done in each source line by all ranks of this node process; empty without --spm-model-lines.
std::string modelled_lines();

/// The caller's clock; null where nothing is timed.
scratchpad_model::Core* current_core() noexcept;

/// A transfer by the caller begins; with a reply word it goes on meanwhile. `blocks` as in Costs::transfer.
void time_transfer(std::size_t bytes, const int* reply, std::size_t blocks = 1);
/// Memory is read once for all threads of the array, which have met.
void time_broadcast(std::size_t bytes);
void time_transfer_wait(const int* reply, int count);
/// The transfer by the caller that began last gets, or puts, `bytes` at `scratchpad`.
void note_transfer(const void* scratchpad, std::size_t bytes, bool is_get);
/// All threads of the array call: see ModelledRun::meet.
void time_meeting();

}  // namespace taihu::parallelc

// SPDX-License-Identifier: Apache-2.0
// What the runtime keeps for each process (rank) of a Parallel C job, and how a call finds it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include "taihu/abi/parallelc.h"
#include "taihu/abi/program.h"
#include "taihu/collective/group.h"
#include "taihu/collective/thread_collectives.h"
#include "taihu/launch/layout.h"
#include "taihu/memory/current_rank.h"
#include "taihu/memory/image/symmetric_map.h"
#include "taihu/memory/symmetric_heap.h"
#include "taihu/message/endpoint.h"
#include "taihu/parallelc/aggregation.h"
#include "taihu/parallelc/call_counts.h"
#include "taihu/parallelc/idle_threads.h"
#include "taihu/parallelc/output_requests.h"
#include "taihu/parallelc/scratchpad_timing.h"
#include "taihu/parallelc/waiting_calls.h"
#include "taihu/threads/thread_array.h"
#include "taihu/threads/waiting.h"

namespace taihu::parallelc {

struct SharedServices;

/// What a dma_bcast of the array transfers. Written between its two meetings by the thread that came last.
struct Broadcast {
  const void* memory = nullptr;
  const void* source = nullptr;  ///< where the others find it
  std::size_t bytes = 0;
};

/// Whether all threads of the array still have a copy of what a kernel wants for all of them.
struct CopiesForAll {
  std::atomic<int> lacking{0};  ///< threads that have not, of those that come to the meeting
  bool is_there = false;        ///< set by the last to come
};

/// One per rank, made before the rank's program starts and kept until the node process ends.
struct Process {
  int rank = -1;
  bool is_autonomic = false;  ///< its main runs on an accelerator thread (autonomic.cc)
  int local_index = -1;
  m_errors_t errors = M_ERRORS_ABORT;
  message::Endpoint* endpoint = nullptr;
  threads::Doorbell* doorbell = nullptr;  ///< of the endpoint
  const launch::Layout* layout = nullptr;
  const memory::ImageSymmetricMap* symmetric = nullptr;
  const taihu_program* program = nullptr;       ///< in the rank's image; null for a plain C program
  std::unique_ptr<threads::ThreadArray> array;  ///< its accelerator threads
  IdleThreads idle_threads{*this};              ///< which help in collectives
  Broadcast broadcast;
  CopiesForAll copies_for_all;
  std::unique_ptr<memory::SymmetricHeap> heap;  ///< of m_malloc
  OpenAggregators aggregators;
  ModelledKernels modelled_kernels;
  WaitingCalls waiting;
  OutputRequests output;
  std::unique_ptr<CallCounts> counts;                              ///< null when nobody wants them
  SharedServices* services = nullptr;                              ///< locks and tasks of the node process
  std::unique_ptr<collective::ThreadGroup> thread_group;           ///< of CCC_ARRAY
  std::array<std::unique_ptr<collective::GroupHandle>, 4> groups;  ///< by process scope
  std::array<std::atomic<bool>, 4> in_collective{};  ///< whether one of its threads is, by process scope

  int ranks() const noexcept { return layout->ranks; }
  int first_rank() const noexcept { return rank - local_index; }  ///< of this node process
  collective::GroupHandle& group(m_scope_t scope) noexcept { return *groups[scope]; }
};

/// The caller's process, or null on a thread that belongs to none.
inline Process* current_process() noexcept {
  const memory::RankIdentity* identity = memory::current_rank();
  return identity != nullptr ? static_cast<Process*>(identity->runtime) : nullptr;
}

[[noreturn]] void end_without_process(const char* call);

/// The caller's process; ends the job with a message naming `call` on a thread that belongs to none.
inline Process& this_process(const char* call) {
  Process* const process = current_process();
  if (process == nullptr) [[unlikely]]
    end_without_process(call);
  return *process;
}

inline void make_output_visible(Process& process) noexcept {
  process.output.fence();
}

}  // namespace taihu::parallelc

// SPDX-License-Identifier: Apache-2.0
// Carries out one member's steps with real messages and real memory.
#pragma once

#include <cstddef>
#include <span>

#include "taihu/collective/operations.h"
#include "taihu/collective/scratch.h"
#include "taihu/message/endpoint.h"
#include "taihu/schedule/step.h"

namespace taihu::collective {

/// The memory behind the buffers that steps name.
struct ScheduleMemory {
  const void* source = nullptr;
  void* result = nullptr;
};

/// Runs `program` on behalf of `endpoint`; member m of the schedule is rank `ranks[m]` of the job. Offsets of
/// reduce steps are multiples of `reduction.element_bytes`; the operand of a reduce_after step lies in
/// scratch and is undefined afterwards. Blocks; makes progress for others meanwhile. M_ERROR_MEMORY before
/// anything is sent; M_ERROR_TRUNCATE when a message had another length than the schedule says (the call of
/// another member differs) and M_ERROR_LINK: all steps were run all the same, so that nobody is left waiting,
/// but results are undefined.
int run_schedule(const schedule::Program& program, message::Endpoint& endpoint, message::Context context,
                 std::span<const int> ranks, ScheduleMemory memory, Scratch& scratch,
                 const Reduction& reduction = {});

}  // namespace taihu::collective

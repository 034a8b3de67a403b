// SPDX-License-Identifier: Apache-2.0
// Calls between node processes about windows: a fixed head, runs that tell the places, and data, each aligned
// to 16 bytes. The answer is AnswerHead and the data read. Same layout on all node processes of a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "taihu/mpi/work/windows/rank_lock.h"
#include "taihu/mpi/work/windows/runs.h"

namespace taihu::mpi::windows {

enum class WindowAction : std::uint8_t {
  put,
  get,
  accumulate,        ///< with `wants_result`: answers what was there before
  compare_and_swap,  ///< data: the new value, then the one to compare with
  lock,              ///< answered when granted
  unlock,
  post,
  complete,
};

struct CallHead {
  WindowAction action{};
  LockKind lock_kind{};
  bool wants_result = false;
  std::uint32_t member = 0;     ///< of the caller
  std::uint64_t exposure = 0;   ///< address, at the target's node process
  std::int64_t place = 0;       ///< from the window's base; an address in dynamic windows
  std::uint64_t bytes = 0;      ///< of the data at the target; of accumulates as a row of elements
  std::uint32_t runs = 0;       ///< 0: one block at `place`
  std::uint32_t element = 0;    ///< handle of a predefined type
  std::uint32_t operation = 0;  ///< handle
  std::uint32_t data_at = 0;    ///< where the data begin
};

struct AnswerHead {
  std::int32_t error = 0;
  std::int32_t reserved[3] = {};
};

constexpr std::size_t aligned_to_16(std::size_t bytes) noexcept {
  return (bytes + 15) & ~std::size_t{15};
}
constexpr std::size_t runs_at = aligned_to_16(sizeof(CallHead));

static_assert(std::is_trivially_copyable_v<CallHead> && std::is_trivially_copyable_v<Run>);

}  // namespace taihu::mpi::windows

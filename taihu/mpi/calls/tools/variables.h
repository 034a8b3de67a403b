// SPDX-License-Identifier: Apache-2.0
// What the tool information interface (MPI-3.1 chapter 14) shows: the sizes at which the message layer
// changes its ways, as control variables that were set before the job began, and the messages of the rank, as
// counters. Both belong to the one category "taihu".
#pragma once

#include <cstdint>
#include <span>

#include "taihu/message/tuning.h"
#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi::tools {

struct ControlVariable {
  const char* name;
  const char* description;
  std::size_t message::Tuning::* value;
};
std::span<const ControlVariable> control_variables() noexcept;

struct PerformanceVariable {
  const char* name;
  const char* description;
  bool inside;    ///< messages inside the node process, or to others
  bool in_bytes;  ///< rather than messages
};
/// None unless the job counts (marun --stats).
std::span<const PerformanceVariable> performance_variables() noexcept;

/// The value since the start of the rank.
std::uint64_t value_of(const PerformanceVariable& variable, Rank& rank) noexcept;

inline constexpr const char* category_name = "taihu";
inline constexpr const char* category_description = "How messages between the ranks of the job travel";

}  // namespace taihu::mpi::tools

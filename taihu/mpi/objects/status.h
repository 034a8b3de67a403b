// SPDX-License-Identifier: Apache-2.0
// What a completed transfer tells, and how MPI_Status holds it: besides the public fields, MPI_internal[0..1]
// is the number of bytes received (64 bits) and MPI_internal[2] tells whether the transfer was cancelled.
#pragma once

#include <cstdint>
#include <cstring>

#include "taihu/abi/mpi.h"

namespace taihu::mpi {

/// Result of a transfer in the words of its communicator. The default is what a send tells.
struct Outcome {
  int source = MPI_ANY_SOURCE;
  int tag = MPI_ANY_TAG;
  int error = MPI_SUCCESS;  ///< an error class
  bool cancelled = false;
  std::int64_t bytes = 0;
  bool sets_error = false;  ///< MPI_ERROR is part of it in calls that return one status, too
};

/// The "empty" status of the standard: of null and inactive requests (MPI-3.1 section 3.7.3).
inline constexpr Outcome empty_status{.sets_error = true};

/// The outcome of any transfer with MPI_PROC_NULL.
inline constexpr Outcome nobody{.source = MPI_PROC_NULL};

inline void set_bytes(MPI_Status& status, std::int64_t bytes) noexcept {
  std::memcpy(&status.MPI_internal[0], &bytes, sizeof bytes);
}
inline std::int64_t bytes_of(const MPI_Status& status) noexcept {
  std::int64_t bytes;
  std::memcpy(&bytes, &status.MPI_internal[0], sizeof bytes);
  return bytes;
}
inline bool is_cancelled(const MPI_Status& status) noexcept {
  return status.MPI_internal[2] != 0;
}

/// Fills a status of the program, which may be MPI_STATUS_IGNORE. The field MPI_ERROR stays as it is: only
/// calls that complete several requests set it, and the empty status has it.
inline void store(MPI_Status* status, const Outcome& outcome) noexcept {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = outcome.source;
  status->MPI_TAG = outcome.tag;
  set_bytes(*status, outcome.bytes);
  status->MPI_internal[2] = outcome.cancelled ? 1 : 0;
  if (outcome.sets_error) status->MPI_ERROR = outcome.error;
}

}  // namespace taihu::mpi

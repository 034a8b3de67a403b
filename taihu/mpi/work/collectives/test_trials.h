// SPDX-License-Identifier: Apache-2.0
// For tests: one call of each collective with random arguments, and what must come out. All members make the
// same trials in the same order from the same random numbers; a trial's own buffers belong to it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>

#include "taihu/mpi/work/collectives/test_buffers.h"

namespace taihu::mpi::collectives {

enum class CallForm { blocking, nonblocking, persistent };

struct Trial {
  std::function<void()> prepare;                    ///< fills the buffers
  std::function<int(CallForm, MPI_Request*)> call;  ///< persistent: makes the request only
  std::function<void()> verify;
  std::string name{};
};

/// What a member knows: equal on all but for `me`.
struct TrialContext {
  MPI_Comm comm;
  int me;
  int size;
  const std::vector<TestType>& types;
  std::mt19937& common;           ///< the same numbers on all members
  std::mt19937& private_numbers;  ///< different ones
  int number;                     ///< of the trial

  int pick(int below) { return static_cast<int>(common() % static_cast<unsigned>(below)); }
  const TestType& any_type() { return types[private_numbers() % types.size()]; }
  /// Mostly short rows, now and then none or long ones.
  int pick_ints() {
    const int kind = pick(12);
    return ints_of_all_types * (kind == 0 ? 0 : kind < 9 ? pick(20) : kind < 11 ? pick(400) : pick(9000));
  }
};

/// A collective of any kind.
Trial any_trial(TrialContext& context);

/// Calls one of the three forms; `...` are the arguments before the communicator.
#define TAIHU_TRIAL_CALL(Blocking, Nonblocking, ...)                             \
  [=](CallForm form, MPI_Request* request) {                                     \
    switch (form) {                                                              \
      case CallForm::blocking:                                                   \
        return MPI_##Blocking(__VA_ARGS__, comm);                                \
      case CallForm::nonblocking:                                                \
        return MPI_##Nonblocking(__VA_ARGS__, comm, request);                    \
      case CallForm::persistent:                                                 \
        return MPI_##Blocking##_init(__VA_ARGS__, comm, MPI_INFO_NULL, request); \
    }                                                                            \
    return MPI_ERR_INTERN;                                                       \
  }

/// Starts what is persistent, waits for what does not block, and frees it.
inline void complete(CallForm form, MPI_Request* request) {
  if (form == CallForm::blocking) return;
  if (form == CallForm::persistent) {
    ASSERT_EQ(MPI_Start(request), MPI_SUCCESS);
  }
  ASSERT_EQ(MPI_Wait(request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  if (form == CallForm::persistent) {
    ASSERT_EQ(MPI_Request_free(request), MPI_SUCCESS);
  }
}

/// One call in the form `form`, until it is complete.
#define TAIHU_CALL(Blocking, Nonblocking, ...)                              \
  do {                                                                      \
    MPI_Request request = MPI_REQUEST_NULL;                                 \
    const auto call = TAIHU_TRIAL_CALL(Blocking, Nonblocking, __VA_ARGS__); \
    ASSERT_EQ(call(form, &request), MPI_SUCCESS);                           \
    complete(form, &request);                                               \
  } while (false)

}  // namespace taihu::mpi::collectives

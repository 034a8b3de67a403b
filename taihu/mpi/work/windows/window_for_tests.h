// SPDX-License-Identifier: Apache-2.0
// For tests: windows of test ranks, with datatypes and groups made without their MPI calls.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "taihu/mpi/objects/errors/handle_error.h"
#include "taihu/mpi/objects/group.h"
#include "taihu/mpi/objects/request.h"
#include "taihu/mpi/test_ranks.h"
#include "taihu/mpi/types/constructors.h"
#include "taihu/mpi/types/predefined_types.h"

namespace taihu::mpi::windows {

/// A window made by MPI_Win_allocate that returns its errors; freed at the end.
template <class T>
class WindowForTests {
 public:
  explicit WindowForTests(MPI_Aint elements, T initial = T{}) : size(elements) {
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_allocate(elements * static_cast<MPI_Aint>(sizeof(T)), sizeof(T),
                                            MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window));
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    for (MPI_Aint i = 0; i < elements; ++i) base[i] = initial;
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(MPI_MODE_NOSUCCEED, window));
  }
  ~WindowForTests() {
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_free(&window));
    EXPECT_EQ(MPI_WIN_NULL, window);
  }
  WindowForTests(const WindowForTests&) = delete;
  WindowForTests& operator=(const WindowForTests&) = delete;

  T* base = nullptr;
  MPI_Aint size;
  MPI_Win window = MPI_WIN_NULL;
};

/// A committed type, released at the end.
class TypeForTests {
 public:
  explicit TypeForTests(Reference<Datatype> type) : type_(std::move(type)) { type_->committed = true; }
  operator MPI_Datatype() const { return handle_of<MPI_Datatype>(type_.get()); }  // NOLINT
  Datatype& operator*() const { return *type_; }

 private:
  Reference<Datatype> type_;
};

class GroupForTests {
 public:
  explicit GroupForTests(std::vector<int> ranks) : group_(new Group(std::move(ranks))) {}
  operator MPI_Group() const { return handle_of<MPI_Group>(group_.get()); }  // NOLINT

 private:
  Reference<Group> group_;
};

inline std::vector<int> all_ranks(Rank& rank) {
  return rank.world().group->ranks;
}

/// MPI_Wait without its call.
inline int complete_request(Rank& rank, MPI_Request handle) {
  Request* const request = rank.find<Request>(handle);
  request->wait(rank);
  int code = MPI_SUCCESS;
  try {
    request->finish(rank);
  } catch (const CallError& error) {
    code = error.code();
  }
  request->release();
  return code;
}

/// Numbers of ranks and node processes to test with.
inline std::vector<TestShape> window_shapes() {
  return {TestShape(1), TestShape(2), TestShape(5), TestShape(2, 2), TestShape(5, 2), TestShape(6, 3)};
}

}  // namespace taihu::mpi::windows

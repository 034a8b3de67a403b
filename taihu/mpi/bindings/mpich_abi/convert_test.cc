// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/bindings/mpich_abi/convert.h"

#include <gtest/gtest.h>

#include <set>

#include "taihu/mpi/bindings/mpich_abi/names.h"
#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi::mpich {
namespace {

TEST(mpich_abi, predefined_handles_go_there_and_back) {
#define TAIHU_DATATYPE(name, value)           \
  EXPECT_EQ(in_datatype(their_##name), name); \
  EXPECT_EQ(out_handle(name), their_##name);
#define TAIHU_OPERATION(name, value)           \
  EXPECT_EQ(in_operation(their_##name), name); \
  EXPECT_EQ(out_handle(name), their_##name);
#define TAIHU_COMMUNICATOR(name, value)           \
  EXPECT_EQ(in_communicator(their_##name), name); \
  EXPECT_EQ(out_handle(name), their_##name);
#define TAIHU_ERROR(name, value)           \
  EXPECT_EQ(in_error(their_##name), name); \
  EXPECT_EQ(out_error(name), their_##name);
#include "taihu/mpi/bindings/mpich_abi/constants.def"
  EXPECT_EQ(in_request(their_MPI_REQUEST_NULL), MPI_REQUEST_NULL);
  EXPECT_EQ(out_handle(MPI_REQUEST_NULL), their_MPI_REQUEST_NULL);
  EXPECT_EQ(in_session(their_MPI_SESSION_NULL), MPI_SESSION_NULL);
  EXPECT_EQ(out_handle(MPI_SESSION_NULL), their_MPI_SESSION_NULL);
  EXPECT_EQ(in_file(nullptr), MPI_FILE_NULL);
}

TEST(mpich_abi, handles_of_the_program_are_far_from_predefined_ones) {
  run_ranks(1, [](Rank&) {
    std::set<int> seen;
    for (int i = 0; i < 100; ++i) {
      MPI_Datatype made = MPI_DATATYPE_NULL;
      ASSERT_EQ(PMPI_Type_contiguous(i + 1, MPI_INT, &made), MPI_SUCCESS);
      const int handle = out_handle(made);
      EXPECT_EQ(handle & 0x7c000000, 0);
      EXPECT_TRUE(seen.insert(handle).second);
      EXPECT_EQ(in_datatype(handle), made);
      // Another kind of handle.
      int size = 0;
      PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
      EXPECT_EQ(PMPI_Comm_size(in_communicator(handle), &size), MPI_ERR_COMM);
      EXPECT_EQ(PMPI_Type_free(&made), MPI_SUCCESS);
      EXPECT_EQ(PMPI_Type_size(in_datatype(handle), &size), MPI_ERR_TYPE);
      seen.erase(handle);
    }
    int size = 0;
    for (const int wrong : {0, 1, -1, 0x4c0000ff, 0x0c000000, 0x44000002, INT_MAX, INT_MIN})
      EXPECT_EQ(PMPI_Type_size(in_datatype(wrong), &size), MPI_ERR_TYPE) << wrong;
  });
}

TEST(mpich_abi, what_means_nothing_there_does_not_become_something_here) {
  for (const int rank : {0, 7, -1, -2, -3, -5, -32766}) EXPECT_EQ(out_rank(in_rank(rank)), rank);
  EXPECT_EQ(in_rank(their_MPI_PROC_NULL), MPI_PROC_NULL);
  EXPECT_EQ(in_rank(their_MPI_ANY_SOURCE), MPI_ANY_SOURCE);
  EXPECT_EQ(in_rank(their_MPI_ROOT), MPI_ROOT);
  EXPECT_EQ(in_rank(-4), -2);
  EXPECT_EQ(in_tag(their_MPI_ANY_TAG), MPI_ANY_TAG);
  EXPECT_NE(in_tag(-2), MPI_ANY_TAG);
  EXPECT_NE(in_lock(MPI_LOCK_SHARED), MPI_LOCK_SHARED);
  EXPECT_EQ(in_lock(their_MPI_LOCK_SHARED), MPI_LOCK_SHARED);
  EXPECT_NE(in_distribution_argument(MPI_DISTRIBUTE_DFLT_DARG), MPI_DISTRIBUTE_DFLT_DARG);
  EXPECT_EQ(in_distribution_argument(20), 20);
  EXPECT_EQ(in_file_mode(their_MPI_MODE_CREATE | their_MPI_MODE_WRONLY), MPI_MODE_CREATE | MPI_MODE_WRONLY);
  EXPECT_GE(in_file_mode(their_MPI_MODE_RDWR | 512), 1 << 30);
  EXPECT_EQ(in_keyval(their_MPI_TAG_UB), MPI_TAG_UB);
  EXPECT_NE(in_keyval(MPI_TAG_UB), MPI_TAG_UB);
  EXPECT_EQ(in_keyval(1024), 1024);
}

TEST(mpich_abi, a_status_keeps_its_count_and_only_what_was_set_comes_back) {
  Status theirs{-1, -1, 7, 8, 9};
  {
    StatusResult unused(&theirs);
  }
  EXPECT_EQ(theirs.source, 7);
  EXPECT_EQ(theirs.error, 9);
  {
    StatusResult result(&theirs);
    store(result.get(),
          {.source = MPI_PROC_NULL, .tag = MPI_ANY_TAG, .cancelled = true, .bytes = 5'000'000'000});
  }
  EXPECT_EQ(theirs.source, their_MPI_PROC_NULL);
  EXPECT_EQ(theirs.tag, their_MPI_ANY_TAG);
  EXPECT_EQ(theirs.error, 9);
  EXPECT_EQ(theirs.count_low, static_cast<int>(5'000'000'000 & 0xffffffff));
  EXPECT_EQ(theirs.count_high_and_cancelled, 1 << 1 | 1);
  StatusValue value(&theirs);
  EXPECT_EQ(bytes_of(*value.get()), 5'000'000'000);
  EXPECT_TRUE(is_cancelled(*value.get()));
  EXPECT_EQ(StatusResult(ignored_status).get(), MPI_STATUS_IGNORE);
}

TEST(mpich_abi, libraries_and_names) {
  for (const char* library : {"libmpi.so.12", "libmpich.so.12", "/opt/a/libmpi.so.12", "libmpi_gnu_91.so.12"})
    EXPECT_TRUE(is_library(library)) << library;
  for (const char* library :
       {"libmpi.so.40", "libmpi.so", "libmpi_abi.so.1", "libmpichfort.so.12", "libc.so.6"})
    EXPECT_FALSE(is_library(library)) << library;
  EXPECT_EQ(symbol_of("PMPI_Send"), symbol_of("MPI_Send"));
  EXPECT_EQ(symbol_of("MPID_Send"), "");
  EXPECT_EQ(unavailable_call("MPI_No_such"), unavailable_call("MPI_No_such"));
  EXPECT_NE(unavailable_call("MPI_No_such"), unavailable_call("MPI_Nor_such"));
}

}  // namespace
}  // namespace taihu::mpi::mpich

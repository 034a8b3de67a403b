// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/bindings/open_mpi_abi/convert.h"

#include <gtest/gtest.h>

#include <cstring>

#include "taihu/mpi/bindings/open_mpi_abi/names.h"
#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi::open_mpi {
namespace {

TEST(open_mpi_abi, predefined_handles_go_there_and_back) {
  run_ranks(1, [](Rank& rank) {
    const auto check = [&](auto ours, const char* name, int index) {
      const void* const there = variable(name);
      ASSERT_NE(there, nullptr) << name;
      EXPECT_EQ(in_handle<decltype(ours)>(const_cast<void*>(there)), ours) << name;
      EXPECT_EQ(out_handle(ours), there) << name;
      EXPECT_EQ(to_fortran(rank, ours), index) << name;
      EXPECT_EQ(from_fortran<decltype(ours)>(rank, index), ours) << name;
    };
#define TAIHU_CHECK(name, place, index) check(name, #place, index);
#define TAIHU_COMMUNICATOR TAIHU_CHECK
#define TAIHU_GROUP TAIHU_CHECK
#define TAIHU_WINDOW TAIHU_CHECK
#define TAIHU_FILE TAIHU_CHECK
#define TAIHU_MESSAGE TAIHU_CHECK
#define TAIHU_INFO TAIHU_CHECK
#define TAIHU_ERROR_HANDLER TAIHU_CHECK
#define TAIHU_REQUEST TAIHU_CHECK
#define TAIHU_OPERATION TAIHU_CHECK
#define TAIHU_DATATYPE TAIHU_CHECK
#include "taihu/mpi/bindings/open_mpi_abi/handles.def"
  });
}

TEST(open_mpi_abi, a_copy_in_the_program_is_the_handle) {
  run_ranks(2, [](Rank& rank) {
    // As a program has it: longer than the record, and with what lies behind that.
    alignas(16) char copy[512];
    const void* const record = variable("ompi_mpi_comm_null");
    std::memcpy(copy, record, sizeof copy);
    PredefinedPlaces::of(rank).move(record, copy);
    EXPECT_EQ(out_handle(MPI_COMM_NULL), copy);
    EXPECT_EQ(in_communicator(copy), MPI_COMM_NULL);
    EXPECT_EQ(out_handle(MPI_COMM_WORLD), variable("ompi_mpi_comm_world"));
    PredefinedPlaces::of(rank).move(record, const_cast<void*>(record));
  });
}

TEST(open_mpi_abi, handles_of_the_program_are_known_by_kind) {
  run_ranks(1, [](Rank& rank) {
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Datatype made = MPI_DATATYPE_NULL;
    ASSERT_EQ(PMPI_Type_contiguous(3, MPI_INT, &made), MPI_SUCCESS);
    const Handle handle = out_handle(made);
    EXPECT_EQ(in_datatype(handle), made);
    int size = 0;
    EXPECT_EQ(PMPI_Comm_size(in_communicator(handle), &size), MPI_ERR_COMM);
    EXPECT_EQ(from_fortran<MPI_Datatype>(rank, to_fortran(rank, made)), made);
    EXPECT_EQ(from_fortran<MPI_Comm>(rank, to_fortran(rank, made)), invalid_handle<MPI_Comm>());
    EXPECT_EQ(PMPI_Type_free(&made), MPI_SUCCESS);
    for (const std::uintptr_t wrong : {0, 1, 2, 0xfff})
      EXPECT_EQ(PMPI_Type_size(in_datatype(reinterpret_cast<Handle>(wrong)), &size), MPI_ERR_TYPE) << wrong;
    for (const char* wrong : {"ompi_mpi_lb", "ompi_mpi_ub", "ompi_mpi_comm_world", "ompi_mpi_op_sum"})
      EXPECT_EQ(PMPI_Type_size(in_datatype(const_cast<void*>(variable(wrong))), &size), MPI_ERR_TYPE)
          << wrong;
    for (const int wrong : {-1, 73, 500, 100000, INT_MAX, INT_MIN})
      EXPECT_EQ(from_fortran<MPI_Datatype>(rank, wrong), invalid_handle<MPI_Datatype>()) << wrong;
  });
}

TEST(open_mpi_abi, what_means_nothing_there_does_not_become_something_here) {
  for (const int rank : {0, 7, -1, -2, -4, -32766}) EXPECT_EQ(out_rank(in_rank(rank)), rank);
  EXPECT_EQ(in_rank(their_MPI_PROC_NULL), MPI_PROC_NULL);
  EXPECT_EQ(in_rank(their_MPI_ANY_SOURCE), MPI_ANY_SOURCE);
  EXPECT_EQ(in_rank(their_MPI_ROOT), MPI_ROOT);
  for (const int rank : {-3, -5, -100}) {
    EXPECT_NE(in_rank(rank), MPI_PROC_NULL);
    EXPECT_NE(in_rank(rank), MPI_ANY_SOURCE);
    EXPECT_NE(in_rank(rank), MPI_ROOT);
  }
  EXPECT_EQ(in_tag(their_MPI_ANY_TAG), MPI_ANY_TAG);
  EXPECT_NE(in_tag(-2), MPI_ANY_TAG);
  EXPECT_EQ(in_split(their_MPI_COMM_TYPE_SHARED), MPI_COMM_TYPE_SHARED);
  EXPECT_EQ(in_lock(their_MPI_LOCK_SHARED), MPI_LOCK_SHARED);
  EXPECT_EQ(in_distribution_argument(20), 20);
  EXPECT_EQ(in_file_mode(their_MPI_MODE_CREATE | their_MPI_MODE_WRONLY), MPI_MODE_CREATE | MPI_MODE_WRONLY);
  EXPECT_GE(in_file_mode(their_MPI_MODE_RDWR | 512), 1 << 30);
  EXPECT_EQ(in_keyval(their_MPI_TAG_UB), MPI_TAG_UB);
  EXPECT_NE(in_keyval(MPI_TAG_UB), MPI_TAG_UB);
  EXPECT_EQ(in_weights(reinterpret_cast<int*>(2)), MPI_UNWEIGHTED);
  EXPECT_EQ(in_weights(reinterpret_cast<int*>(3)), MPI_WEIGHTS_EMPTY);
  for (int code = 1; code <= 73; ++code) EXPECT_EQ(out_error(in_error(code)), code);
}

TEST(open_mpi_abi, a_status_keeps_its_count_and_only_what_was_set_comes_back) {
  Status theirs{7, 8, 9, 1, 11};
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
  EXPECT_EQ(theirs.bytes, 5'000'000'000u);
  EXPECT_EQ(theirs.cancelled, 1);
  StatusValue value(&theirs);
  EXPECT_EQ(bytes_of(*value.get()), 5'000'000'000);
  EXPECT_TRUE(is_cancelled(*value.get()));
  EXPECT_EQ(StatusResult(ignored_status).get(), MPI_STATUS_IGNORE);
}

TEST(open_mpi_abi, libraries_and_names) {
  for (const char* library : {"libmpi.so.40", "/opt/a/libmpi.so.40", "libopen-pal.so.40"})
    EXPECT_TRUE(is_library(library)) << library;
  for (const char* library : {"libmpi.so.12", "libmpi.so", "libmpi_mpifh.so.40", "libc.so.6"})
    EXPECT_FALSE(is_library(library)) << library;
  EXPECT_TRUE(is_fortran_library("libmpi_mpifh.so.40"));
  EXPECT_EQ(symbol_of("PMPI_Send"), symbol_of("MPI_Send"));
  for (const char* name : {"mpi_wait_", "pmpi_wait_", "ompi_wait_f", "pompi_wait_f"})
    EXPECT_EQ(symbol_of(name), "taihu_open_mpi_fortran_wait") << name;
  EXPECT_EQ(symbol_of("mpi_bcast_"), "");
  EXPECT_EQ(symbol_of("printf"), "");
  EXPECT_EQ(variable("ompi_mpi_no_such"), nullptr);
}

}  // namespace
}  // namespace taihu::mpi::open_mpi

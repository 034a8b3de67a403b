// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi {
namespace {

std::vector<long>* deletions;
int note_deletion(MPI_Comm comm, int, void* value, void*) {
  int flag, size;
  EXPECT_EQ(MPI_Finalized(&flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 0);
  EXPECT_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS) << "MPI still works";
  deletions->push_back(reinterpret_cast<long>(value));
  return MPI_SUCCESS;
}

TEST(environment, from_init_to_finalize) {
  TestRanks job({3, 2});
  job.run([](Rank& rank) {
    rank.phase = Rank::Phase::before;
    int flag, provided;
    MPI_Initialized(&flag);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), MPI_SUCCESS);
    EXPECT_EQ(provided, MPI_THREAD_MULTIPLE);
    MPI_Is_thread_main(&flag);
    EXPECT_EQ(flag, 1);
    std::thread([&] {
      TestRanks::run_as(rank, [&](Rank&) {
        MPI_Is_thread_main(&flag);
        EXPECT_EQ(flag, 0);
      });
    }).join();
    MPI_Initialized(&flag);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
    MPI_Initialized(&flag);
    EXPECT_EQ(flag, 1);
    MPI_Finalized(&flag);
    EXPECT_EQ(flag, 1);
  });
}

TEST(environment, the_binary_interface_tells_about_itself) {
  run_ranks(1, [](Rank&) {
    MPI_Info info;
    char value[32];
    int flag = 0, major = -1, minor = -1, logical_true = -1, logical_false = -1;
    EXPECT_EQ(MPI_Abi_get_version(&major, &minor), MPI_SUCCESS);
    EXPECT_EQ(major, 1);
    ASSERT_EQ(MPI_Abi_get_info(&info), MPI_SUCCESS);
    MPI_Info_get(info, "mpi_count_size", 31, value, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_STREQ(value, "8");
    MPI_Info_free(&info);
    ASSERT_EQ(MPI_Abi_get_fortran_info(&info), MPI_SUCCESS);
    MPI_Info_get(info, "mpi_integer_size", 31, value, &flag);
    EXPECT_STREQ(value, "4");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Abi_set_fortran_info(info), MPI_SUCCESS) << "as it is";
    MPI_Info_set(info, "mpi_integer_size", "8");
    EXPECT_EQ(MPI_Abi_set_fortran_info(info), MPI_ERR_ABI);
    MPI_Info_free(&info);
    EXPECT_EQ(MPI_Abi_get_fortran_booleans(4, &logical_true, &logical_false, &flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(logical_true, 1);
    EXPECT_EQ(logical_false, 0);
    EXPECT_EQ(MPI_Abi_set_fortran_booleans(4, &logical_true, &logical_false), MPI_SUCCESS);
    logical_true = -1;
    EXPECT_EQ(MPI_Abi_set_fortran_booleans(4, &logical_true, &logical_false), MPI_ERR_ABI);
    EXPECT_EQ(MPI_Abi_get_fortran_booleans(3, &logical_true, &logical_false, &flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 0);
    ASSERT_EQ(MPI_Get_hw_resource_info(&info), MPI_SUCCESS);
    MPI_Info_free(&info);
    MPI_Datatype pair = MPI_INT;
    EXPECT_EQ(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair), MPI_SUCCESS);
    EXPECT_EQ(pair, MPI_DOUBLE_INT);
    EXPECT_EQ(MPI_Type_get_value_index(MPI_INT, MPI_DOUBLE, &pair), MPI_SUCCESS);
    EXPECT_EQ(pair, MPI_DATATYPE_NULL);
  });
}

TEST(environment, finalize_deletes_the_attributes_of_self_last_one_first) {
  std::vector<long> order;
  deletions = &order;
  run_ranks(1, [](Rank&) {
    for (long value : {1, 2, 3}) {
      int keyval;
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_deletion, &keyval, nullptr);
      MPI_Comm_set_attr(MPI_COMM_SELF, keyval, reinterpret_cast<void*>(value));
    }
    MPI_Finalize();
  });
  EXPECT_EQ(order, (std::vector<long>{3, 2, 1}));
}

TEST(environment, nobody_leaves_finalize_before_all_have_come) {
  std::atomic<int> arrived{0};
  run_ranks({5, 2}, [&](Rank&) {
    ++arrived;
    MPI_Finalize();
    EXPECT_EQ(arrived, 5);
  });
}

TEST(environment, tells_about_itself) {
  run_ranks(1, [](Rank&) {
    int version, subversion, length;
    MPI_Get_version(&version, &subversion);
    EXPECT_EQ(version, 5);
    EXPECT_EQ(subversion, 0);
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Get_library_version(text, &length);
    EXPECT_EQ(std::strncmp(text, "Taihu ", 6), 0);
    EXPECT_EQ(std::strlen(text), static_cast<std::size_t>(length));
    EXPECT_EQ(MPI_Get_processor_name(text, &length), MPI_SUCCESS);
    EXPECT_GT(length, 0);
    const double before = MPI_Wtime();
    while (MPI_Wtime() - before < 1e-4) {
    }
    EXPECT_GT(MPI_Wtick(), 0);
    EXPECT_EQ(MPI_Pcontrol(1, "x"), MPI_SUCCESS);
  });
}

TEST(environment, ranks_that_share_memory_have_one_processor_name) {
  run_ranks({6, 3, 2}, [](Rank& rank) {
    MPI_Comm neighbours;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &neighbours);
    int size, length;
    MPI_Comm_size(neighbours, &size);
    char name[MPI_MAX_PROCESSOR_NAME] = "", all[6][MPI_MAX_PROCESSOR_NAME];
    EXPECT_EQ(MPI_Get_processor_name(name, &length), MPI_SUCCESS);
    EXPECT_EQ(std::strlen(name), static_cast<std::size_t>(length));
    MPI_Allgather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all, MPI_MAX_PROCESSOR_NAME, MPI_CHAR,
                  MPI_COMM_WORLD);
    int equal = 0;
    for (const char* other : all) equal += std::strcmp(other, name) == 0 ? 1 : 0;
    EXPECT_EQ(equal, size) << rank.number() << " on " << name;
    MPI_Comm_free(&neighbours);
  });
}

TEST(environment, memory_is_aligned_as_asked_for) {
  run_ranks(1, [](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096");
    void* memory = nullptr;
    ASSERT_EQ(MPI_Alloc_mem(100, info, &memory), MPI_SUCCESS);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0u);
    std::memset(memory, 1, 100);
    EXPECT_EQ(MPI_Free_mem(memory), MPI_SUCCESS);
    MPI_Info_set(info, "mpi_minimum_memory_alignment", "100");
    EXPECT_EQ(MPI_Alloc_mem(100, info, &memory), MPI_ERR_INFO_VALUE);
    EXPECT_EQ(MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory), MPI_ERR_ARG);
    MPI_Info_free(&info);
  });
}

class Ends : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(Ends, abort_tells_where_and_exits_with_the_code) {
  EXPECT_EXIT(run_ranks(1, [](Rank&) { MPI_Abort(MPI_COMM_WORLD, 17); }), testing::ExitedWithCode(17),
              "taihu: rank 0: MPI_Abort on MPI_COMM_WORLD with error code 17");
}

TEST_F(Ends, calls_outside_of_init_and_finalize) {
  EXPECT_EXIT(run_ranks(1,
                        [](Rank& rank) {
                          rank.phase = Rank::Phase::before;
                          int size;
                          MPI_Comm_size(MPI_COMM_WORLD, &size);
                        }),
              testing::ExitedWithCode(1), "MPI_Comm_size was called before MPI_Init");
  EXPECT_EXIT(run_ranks(1,
                        [](Rank&) {
                          MPI_Finalize();
                          MPI_Finalize();
                        }),
              testing::ExitedWithCode(1), "MPI_Finalize was called after MPI_Finalize");
  EXPECT_EXIT(run_ranks(1, [](Rank&) { MPI_Init(nullptr, nullptr); }), testing::ExitedWithCode(MPI_ERR_OTHER),
              "MPI_Init: MPI is initialised already; call it once");
}

}  // namespace
}  // namespace taihu::mpi

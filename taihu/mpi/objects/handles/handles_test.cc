// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "taihu/mpi/objects/info/info.h"
#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi {
namespace {

TEST(handles, predefined_ones_keep_their_numbers) {
  run_ranks(2, [](Rank&) {
    EXPECT_EQ(MPI_Comm_c2f(MPI_COMM_WORLD), 0x101);
    EXPECT_EQ(MPI_Comm_c2f(MPI_COMM_NULL), 0x100);
    EXPECT_EQ(MPI_Comm_f2c(0x102), MPI_COMM_SELF);
    EXPECT_EQ(MPI_Type_toint(MPI_INT), 0x209);
    EXPECT_EQ(MPI_Request_fromint(0x180), MPI_REQUEST_NULL);
  });
}

TEST(handles, others_have_an_index_that_is_used_again) {
  run_ranks(2, [](Rank&) {
    MPI_Info first, second;
    MPI_Info_create(&first);
    MPI_Info_create(&second);
    const int index = MPI_Info_c2f(first);
    EXPECT_GE(index, 0x400);
    EXPECT_EQ(MPI_Info_toint(first), index);
    EXPECT_NE(MPI_Info_c2f(second), index);
    EXPECT_EQ(MPI_Info_f2c(index), first);
    EXPECT_EQ(MPI_Comm_f2c(index), MPI_COMM_NULL) << "another kind";
    MPI_Info_free(&first);
    EXPECT_EQ(MPI_Info_f2c(index), MPI_INFO_NULL);
    MPI_Info_create(&first);
    EXPECT_EQ(MPI_Info_c2f(first), index);
    MPI_Info_free(&first);
    MPI_Info_free(&second);
    EXPECT_EQ(MPI_Info_f2c(123456), MPI_INFO_NULL);
    EXPECT_EQ(MPI_Info_f2c(-1), MPI_INFO_NULL);
  });
}

TEST(handles, many_at_once_from_several_threads) {
  TestRanks job(1);
  job.run([](Rank& rank) {
    constexpr int each = 6000;  // more than one chunk
    std::vector<std::vector<MPI_Info>> infos(3, std::vector<MPI_Info>(each));
    std::vector<std::thread> threads;
    for (auto& mine : infos) {
      threads.emplace_back([&] {
        TestRanks::run_as(rank, [&](Rank&) {
          for (MPI_Info& info : mine) {
            MPI_Info_create(&info);
            EXPECT_EQ(MPI_Info_f2c(MPI_Info_c2f(info)), info);
          }
        });
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::set<int> indices;
    for (auto& mine : infos) {
      for (MPI_Info& info : mine) indices.insert(MPI_Info_c2f(info));
    }
    EXPECT_EQ(indices.size(), 3u * each);
    for (auto& mine : infos) {
      for (MPI_Info& info : mine) MPI_Info_free(&info);
    }
  });
}

TEST(handles, threads_give_indices_back_while_others_take_them) {
  run_ranks(1, [](Rank& rank) {
    constexpr int turns = 20000;
    MPI_Info shared = MPI_INFO_NULL;
    MPI_Info_create(&shared);
    std::atomic<int> shared_index{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        TestRanks::run_as(rank, [&](Rank&) {
          // All threads give the same object its index at once.
          const int index = MPI_Info_c2f(shared);
          int before = 0;
          if (!shared_index.compare_exchange_strong(before, index)) {
            EXPECT_EQ(before, index);
          }
          for (int turn = 0; turn < turns; ++turn) {
            MPI_Info mine[2];
            for (MPI_Info& info : mine) MPI_Info_create(&info);
            const int first = MPI_Info_c2f(mine[0]), second = MPI_Info_c2f(mine[1]);
            ASSERT_NE(first, second);
            ASSERT_EQ(MPI_Info_f2c(first), mine[0]);
            ASSERT_EQ(MPI_Info_f2c(second), mine[1]);
            for (MPI_Info& info : mine) MPI_Info_free(&info);
          }
        });
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(MPI_Info_f2c(shared_index), shared);
    // As many entries as were in use at once, not as many as objects.
    MPI_Info last = MPI_INFO_NULL;
    MPI_Info_create(&last);
    EXPECT_LT(MPI_Info_c2f(last), 0x400 + 64);
    MPI_Info_free(&last);
    MPI_Info_free(&shared);
  });
}

TEST(handles, a_status_is_the_same_numbers) {
  MPI_Status status{1, 2, 3, {4, 5, 6, 7, 8}}, back{}, back08{};
  MPI_F08_status f08{};
  MPI_Fint numbers[MPI_F_STATUS_SIZE];
  EXPECT_EQ(MPI_Status_c2f(&status, numbers), MPI_SUCCESS);
  EXPECT_EQ(numbers[MPI_F_SOURCE], 1);
  EXPECT_EQ(numbers[MPI_F_TAG], 2);
  EXPECT_EQ(numbers[MPI_F_ERROR], 3);
  EXPECT_EQ(MPI_Status_f2c(numbers, &back), MPI_SUCCESS);
  EXPECT_EQ(back.MPI_internal[4], 8);
  EXPECT_EQ(MPI_Status_c2f08(&status, &f08), MPI_SUCCESS);
  EXPECT_EQ(f08.MPI_TAG, 2);
  MPI_Fint numbers08[MPI_F_STATUS_SIZE] = {};
  EXPECT_EQ(MPI_Status_f082f(&f08, numbers08), MPI_SUCCESS);
  EXPECT_EQ(numbers08[7], 8);
  f08 = {};
  EXPECT_EQ(MPI_Status_f2f08(numbers08, &f08), MPI_SUCCESS);
  EXPECT_EQ(MPI_Status_f082c(&f08, &back08), MPI_SUCCESS);
  EXPECT_EQ(back08.MPI_internal[4], 8);
  EXPECT_EQ(MPI_Status_f082c(nullptr, &back08), MPI_ERR_ARG);
  EXPECT_EQ(MPI_Status_c2f(MPI_STATUS_IGNORE, numbers), MPI_ERR_ARG);
}

}  // namespace
}  // namespace taihu::mpi

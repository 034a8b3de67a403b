// SPDX-License-Identifier: Apache-2.0
// Shared pointers and ordered accesses, also of ranks in different node processes.
#include <algorithm>
#include <numeric>

#include "taihu/mpi/work/files/files_for_tests.h"

namespace taihu::mpi::files {
namespace {

class SharedPointers : public testing::TestWithParam<TestShape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, SharedPointers,
                         testing::Values(TestShape(1), TestShape(4), TestShape(6, 2), TestShape(5, 3)),
                         [](const auto& about) {
                           return std::to_string(about.param.ranks) + "in" +
                                  std::to_string(about.param.node_processes);
                         });

constexpr int rounds = 40;

std::vector<int> numbers_in(const TemporaryFile& file) {
  const std::vector<char> bytes = file.contents();
  std::vector<int> numbers(bytes.size() / sizeof(int));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(int));
  return numbers;
}

TEST_P(SharedPointers, EveryRecordIsWrittenOnceAndReadOnce) {
  const TemporaryFile temporary;
  const int ranks = GetParam().ranks;
  std::vector<std::vector<int>> read(static_cast<std::size_t>(ranks));
  run_ranks(GetParam(), [&](Rank& rank) {
    MPI_File file = open_for_test(temporary, MPI_MODE_CREATE | MPI_MODE_RDWR);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    for (int round = 0; round < rounds; ++round) {
      const int record = rank.number() * rounds + round;
      MPI_Request request = MPI_REQUEST_NULL;
      if (round % 2 == 0) {
        EXPECT_EQ(MPI_SUCCESS, MPI_File_write_shared(file, &record, 1, MPI_INT, MPI_STATUS_IGNORE));
      } else {
        EXPECT_EQ(MPI_SUCCESS, MPI_File_iwrite_shared(file, &record, 1, MPI_INT, &request));
        EXPECT_EQ(MPI_SUCCESS, MPI_Wait(&request, MPI_STATUS_IGNORE));
      }
    }
    barrier_inside(rank.world());
    MPI_Offset position = -1;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_position_shared(file, &position));
    EXPECT_EQ(rounds * rank.world().size(), position);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_seek_shared(file, -position, MPI_SEEK_CUR));
    for (;;) {
      int record = -1, count = 0;
      MPI_Status status;
      if (read[static_cast<std::size_t>(rank.number())].size() % 2 == 0) {
        EXPECT_EQ(MPI_SUCCESS, MPI_File_read_shared(file, &record, 1, MPI_INT, &status));
      } else {
        MPI_Request request = MPI_REQUEST_NULL;
        EXPECT_EQ(MPI_SUCCESS, MPI_File_iread_shared(file, &record, 1, MPI_INT, &request));
        EXPECT_EQ(MPI_SUCCESS, MPI_Wait(&request, &status));
      }
      MPI_Get_count(&status, MPI_INT, &count);
      if (count == 0) break;
      read[static_cast<std::size_t>(rank.number())].push_back(record);
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
  std::vector<int> expected(static_cast<std::size_t>(ranks * rounds)), together;
  std::iota(expected.begin(), expected.end(), 0);
  std::vector<int> written = numbers_in(temporary);
  std::sort(written.begin(), written.end());
  EXPECT_EQ(expected, written);
  for (const auto& of_rank : read) together.insert(together.end(), of_rank.begin(), of_rank.end());
  std::sort(together.begin(), together.end());
  EXPECT_EQ(expected, together);
}

TEST_P(SharedPointers, OrderedAccessesFollowTheRanks) {
  const TemporaryFile temporary;
  run_ranks(GetParam(), [&](Rank& rank) {
    MPI_File file = open_for_test(temporary, MPI_MODE_CREATE | MPI_MODE_RDWR);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    const int me = rank.number();
    const int count = me % 3;  // some write nothing
    for (int round = 0; round < rounds; ++round) {
      const std::vector<int> records(3, round * 100 + me);
      if (round % 2 == 0) {
        EXPECT_EQ(MPI_SUCCESS,
                  MPI_File_write_ordered(file, records.data(), count, MPI_INT, MPI_STATUS_IGNORE));
      } else {
        EXPECT_EQ(MPI_SUCCESS, MPI_File_write_ordered_begin(file, records.data(), count, MPI_INT));
        EXPECT_EQ(MPI_SUCCESS, MPI_File_write_ordered_end(file, records.data(), MPI_STATUS_IGNORE));
      }
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    for (int round = 0; round < rounds; ++round) {
      std::vector<int> records(3, -1), expected(3, -1);
      std::fill_n(expected.begin(), count, round * 100 + me);
      if (round % 2 == 1) {
        EXPECT_EQ(MPI_SUCCESS,
                  MPI_File_read_ordered(file, records.data(), count, MPI_INT, MPI_STATUS_IGNORE));
      } else {
        EXPECT_EQ(MPI_SUCCESS, MPI_File_read_ordered_begin(file, records.data(), count, MPI_INT));
        EXPECT_EQ(MPI_SUCCESS, MPI_File_read_ordered_end(file, records.data(), MPI_STATUS_IGNORE));
      }
      EXPECT_EQ(expected, records);
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
  std::vector<int> expected;
  for (int round = 0; round < rounds; ++round)
    for (int member = 0; member < GetParam().ranks; ++member)
      expected.insert(expected.end(), static_cast<std::size_t>(member % 3), round * 100 + member);
  EXPECT_EQ(expected, numbers_in(temporary));
}

TEST_P(SharedPointers, ViewsResetThem) {
  const TemporaryFile temporary;
  run_ranks(GetParam(), [&](Rank& rank) {
    MPI_File file = open_for_test(temporary, MPI_MODE_CREATE | MPI_MODE_RDWR);
    MPI_Offset position = -1;
    for (int round = 0; round < 10; ++round) {
      EXPECT_EQ(MPI_SUCCESS, MPI_File_write_shared(file, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
      EXPECT_EQ(MPI_SUCCESS, MPI_File_set_view(file, round, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL));
      EXPECT_EQ(MPI_SUCCESS, MPI_File_get_position_shared(file, &position));
      EXPECT_EQ(0, position);
      barrier_inside(rank.world());
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
}

}  // namespace
}  // namespace taihu::mpi::files

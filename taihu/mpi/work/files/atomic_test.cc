// SPDX-License-Identifier: Apache-2.0
// Atomic mode: overlapping accesses of ranks in one and in several node processes look as if one came after
// the other.
#include <set>

#include "taihu/mpi/work/files/files_for_tests.h"

namespace taihu::mpi::files {
namespace {

class AtomicMode : public testing::TestWithParam<TestShape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, AtomicMode, testing::Values(TestShape(3), TestShape(4, 2), TestShape(3, 3)),
                         [](const auto& about) {
                           return std::to_string(about.param.ranks) + "in" +
                                  std::to_string(about.param.node_processes);
                         });

TEST_P(AtomicMode, OverlappingPiecesComeFromOneWriter) {
  const TemporaryFile temporary;
  run_ranks(GetParam(), [&](Rank& rank) {
    MPI_File file = open_for_test(temporary, MPI_MODE_CREATE | MPI_MODE_RDWR);
    int flag = -1;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_atomicity(file, &flag));
    EXPECT_EQ(0, flag);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_set_atomicity(file, 1));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_atomicity(file, &flag));
    EXPECT_EQ(1, flag);
    // All ranks write the same bytes: every second group of 3.
    const Reference<Datatype> three = make_contiguous(3, *predefined_datatype(MPI_BYTE));
    const TestType filetype(make_resized(0, 6, *three));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_set_view(file, 0, MPI_BYTE, filetype, "native", MPI_INFO_NULL));
    constexpr int bytes = 900;
    const std::vector<char> mine(bytes, static_cast<char>('a' + rank.number()));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_write_at_all(file, 0, mine.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    for (int round = 0; round < 60; ++round) {
      const bool reads = (round + rank.number()) % 2 == 0;
      if (!reads) {
        EXPECT_EQ(MPI_SUCCESS, MPI_File_write_at(file, 0, mine.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
      } else {
        std::vector<char> seen(bytes);
        EXPECT_EQ(MPI_SUCCESS, MPI_File_read_at(file, 0, seen.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
        EXPECT_EQ(1U, std::set<char>(seen.begin(), seen.end()).size()) << "a mixture of writers";
      }
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_File_write_at_all(file, 0, mine.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    barrier_inside(rank.world());
    std::vector<char> last(bytes);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_read_at_all(file, 0, last.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_EQ(1U, std::set<char>(last.begin(), last.end()).size());
    if (rank.world().size() > 1) {
      EXPECT_EQ(MPI_ERR_NOT_SAME, MPI_File_set_atomicity(file, rank.number() == 0 ? 0 : 1));
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
}

}  // namespace
}  // namespace taihu::mpi::files

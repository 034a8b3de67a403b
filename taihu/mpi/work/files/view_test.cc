// SPDX-License-Identifier: Apache-2.0
// Views and pointers of one rank, external32, and representations of the program.
#include <climits>
#include <cstring>

#include "taihu/mpi/work/files/files_for_tests.h"

namespace taihu::mpi::files {
namespace {

std::vector<char> counted(int bytes) {
  std::vector<char> all;
  for (int i = 0; i < bytes; ++i) all.push_back(static_cast<char>(i));
  return all;
}

/// Two ints of four, starting with the second.
TestType middle_ints() {
  const int places[] = {1, 2};
  const Reference<Datatype> ints = make_indexed_block(1, places, *predefined_datatype(MPI_INT));
  return TestType(make_resized(0, 16, *ints));
}

TEST(FileViews, PointersCountEtypesAndPositionsAreBytes) {
  const TemporaryFile temporary;
  temporary.set_contents(counted(41));
  run_ranks(1, [&](Rank&) {
    MPI_File file = open_for_test(temporary, MPI_MODE_RDWR);
    const TestType filetype = middle_ints();
    EXPECT_EQ(MPI_SUCCESS, MPI_File_set_view(file, 3, MPI_INT, filetype, "native", MPI_INFO_NULL));
    MPI_Offset at = -1;
    for (const auto& [offset, byte] :
         {std::pair{0, 7}, {1, 11}, {2, 23}, {3, 27}, {1000, 3 + 500 * 16 + 4}}) {
      EXPECT_EQ(MPI_SUCCESS, MPI_File_get_byte_offset(file, offset, &at));
      EXPECT_EQ(byte, at);
    }
    // The file ends at 41, inside of the hole or the element that starts at 39: etypes 0 to 4 have data.
    EXPECT_EQ(MPI_ERR_ARG, MPI_File_get_byte_offset(file, -1, &at));
    EXPECT_EQ(MPI_ERR_ARG, MPI_File_get_byte_offset(file, LLONG_MAX / 8, &at));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_seek(file, 0, MPI_SEEK_END));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_position(file, &at));
    EXPECT_EQ(5, at);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_seek(file, -2, MPI_SEEK_CUR));
    unsigned char ints[12] = {};
    MPI_Status status;
    int bytes = -1;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_read(file, ints, 3, MPI_INT, &status));
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    EXPECT_EQ(6, bytes);
    MPI_Get_count(&status, MPI_INT, &bytes);
    EXPECT_EQ(MPI_UNDEFINED, bytes);
    EXPECT_EQ(27, ints[0]);
    EXPECT_EQ(40, ints[5]);
    EXPECT_EQ(0, ints[6]);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_position(file, &at));
    EXPECT_EQ(6, at);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
}

TEST(FileViews, AreToldAsTheyWereSet) {
  const TemporaryFile temporary;
  run_ranks(2, [&](Rank&) {
    MPI_File file = open_for_test(temporary, MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Offset displacement = -1;
    MPI_Datatype etype = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL;
    char representation[MPI_MAX_DATAREP_STRING];
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
    EXPECT_EQ(0, displacement);
    EXPECT_EQ(MPI_BYTE, etype);
    EXPECT_EQ(MPI_BYTE, filetype);
    EXPECT_STREQ("native", representation);
    const TestType middle = middle_ints();
    EXPECT_EQ(MPI_SUCCESS, MPI_File_set_view(file, 9, MPI_INT, middle, "external32", MPI_INFO_NULL));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
    EXPECT_EQ(9, displacement);
    EXPECT_EQ(MPI_INT, etype);
    EXPECT_EQ(middle.handle(), filetype);
    EXPECT_STREQ("external32", representation);
    middle.type().release();  // as MPI_Type_free of what get_view gave
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
}

TEST(FileViews, ImpossibleOnesAreRefused) {
  const TemporaryFile temporary;
  run_ranks(1, [&](Rank&) {
    MPI_File file = open_for_test(temporary, MPI_MODE_RDWR | MPI_MODE_CREATE);
    Datatype& whole = *predefined_datatype(MPI_INT);
    const int falling[] = {2, 0}, negative[] = {-1, 0}, twice[] = {0, 0};
    for (const int* places : {falling, negative, twice}) {
      const TestType type(make_indexed_block(1, std::span(places, 2), whole));
      EXPECT_EQ(MPI_ERR_TYPE, MPI_File_set_view(file, 0, MPI_INT, type, "native", MPI_INFO_NULL));
    }
    EXPECT_EQ(MPI_ERR_TYPE, MPI_File_set_view(file, 0, MPI_INT, MPI_CHAR, "native", MPI_INFO_NULL));
    const Reference<Datatype> uncommitted = make_contiguous(2, whole);
    EXPECT_EQ(MPI_ERR_TYPE, MPI_File_set_view(file, 0, MPI_INT, handle_of<MPI_Datatype>(uncommitted.get()),
                                              "native", MPI_INFO_NULL));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    EXPECT_EQ(MPI_ERR_TYPE, MPI_File_write(file, "abc", 3, MPI_CHAR, MPI_STATUS_IGNORE));
    // A rank may have no data at all, as long as it accesses none.
    const TestType nothing(make_contiguous(0, whole));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_set_view(file, 0, MPI_INT, nothing, "native", MPI_INFO_NULL));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_write_all(file, nullptr, 0, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_EQ(MPI_ERR_ARG, MPI_File_write_all(file, falling, 1, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
}

TEST(FileViews, TilesMayReachIntoEachOther) {
  // Column r of a matrix of 4 columns, resized to one element: columns follow one another.
  const TemporaryFile temporary;
  temporary.set_contents(counted(16));
  run_ranks(2, [&](Rank& rank) {
    MPI_File file = open_for_test(temporary, MPI_MODE_RDONLY);
    const Reference<Datatype> column = make_vector(4, 1, 4, *predefined_datatype(MPI_BYTE));
    const TestType columns(make_resized(0, 1, *column));
    EXPECT_EQ(MPI_SUCCESS,
              MPI_File_set_view(file, rank.number(), MPI_BYTE, columns, "native", MPI_INFO_NULL));
    std::vector<char> found(8), expected;
    for (int i = 0; i < 8; ++i) expected.push_back(static_cast<char>(rank.number() + i / 4 + i % 4 * 4));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_read_all(file, found.data(), 8, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_EQ(expected, found);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
}

TEST(FileRepresentations, External32IsBigEndianAndComesBack) {
  const TemporaryFile temporary;
  run_ranks({4, 2}, [&](Rank& rank) {
    MPI_File file = open_for_test(temporary, MPI_MODE_RDWR | MPI_MODE_CREATE);
    // Every fourth int is mine.
    const Reference<Datatype> one = make_contiguous(1, *predefined_datatype(MPI_INT));
    const TestType filetype(make_resized(0, 16, *one));
    EXPECT_EQ(MPI_SUCCESS,
              MPI_File_set_view(file, 4 * rank.number(), MPI_INT, filetype, "external32", MPI_INFO_NULL));
    const int mine[] = {0x01020304 + rank.number(), -2};
    EXPECT_EQ(MPI_SUCCESS, MPI_File_write_all(file, mine, 2, MPI_INT, MPI_STATUS_IGNORE));
    int found[3] = {0, 0, 99}, count = 0;
    MPI_Status status;
    barrier_inside(rank.world());
    EXPECT_EQ(MPI_SUCCESS, MPI_File_read_at_all(file, 0, found, 3, MPI_INT, &status));
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(2, count);
    EXPECT_EQ(mine[0], found[0]);
    EXPECT_EQ(mine[1], found[1]);
    EXPECT_EQ(99, found[2]);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
  const std::vector<char> contents = temporary.contents();
  ASSERT_EQ(32U, contents.size());
  EXPECT_EQ(1, contents[0]);
  EXPECT_EQ(4, contents[3]);
  EXPECT_EQ(5, contents[7]);
  EXPECT_EQ(-2, contents[31]);
}

TEST(FileRepresentations, LongsAreShorterInExternal32) {
  const TemporaryFile temporary;
  run_ranks(1, [&](Rank&) {
    MPI_File file = open_for_test(temporary, MPI_MODE_RDWR | MPI_MODE_CREATE);
    const TestType every_second(make_resized(0, 16, *predefined_datatype(MPI_LONG)));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_set_view(file, 0, MPI_LONG, every_second, "external32", MPI_INFO_NULL));
    MPI_Aint extent = 0;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_type_extent(file, every_second, &extent));
    EXPECT_EQ(8, extent);
    const long values[] = {1, -1, 3};
    MPI_Status status;
    int count = 0;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_write(file, values, 3, MPI_LONG, &status));
    MPI_Get_count(&status, MPI_LONG, &count);
    EXPECT_EQ(3, count);
    MPI_Offset at = 0, position = 0;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_byte_offset(file, 2, &at));
    EXPECT_EQ(16, at);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_position(file, &position));
    EXPECT_EQ(3, position);
    long found[4] = {};
    EXPECT_EQ(MPI_SUCCESS, MPI_File_read_at(file, 0, found, 4, MPI_LONG, &status));
    MPI_Get_count(&status, MPI_LONG, &count);
    EXPECT_EQ(3, count);
    EXPECT_EQ(0, std::memcmp(values, found, sizeof values));
    // Elements that shrink next to others that do not: no layout follows from that by scaling.
    Datatype* const types[] = {predefined_datatype(MPI_LONG), predefined_datatype(MPI_INT)};
    const int lengths[] = {1, 2};
    const MPI_Aint places[] = {0, 8};
    const TestType mixed(make_struct(lengths, places, types));
    EXPECT_EQ(MPI_ERR_UNSUPPORTED_DATAREP,
              MPI_File_set_view(file, 0, mixed, mixed, "external32", MPI_INFO_NULL));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
  EXPECT_EQ(20U, temporary.contents().size());
}

TEST(FileRepresentations, AnElementThatEndsBehindTheFileKeepsItsRest) {
  const TemporaryFile temporary;
  temporary.set_contents({0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3});
  run_ranks(1, [&](Rank&) {
    MPI_File file = open_for_test(temporary, MPI_MODE_RDONLY);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
    const TestType pair(make_contiguous(2, *predefined_datatype(MPI_INT)));
    int found[] = {-1, -1, -1, -1, -1}, elements = 0;
    MPI_Status status;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_read(file, found, 2, pair, &status));
    MPI_Get_elements(&status, pair, &elements);
    EXPECT_EQ(3, elements);
    EXPECT_EQ(3, found[2]);
    EXPECT_EQ(-1, found[3]);
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
}

int native_extent(MPI_Datatype type, MPI_Aint* extent, void*) {
  MPI_Aint lower = 0;
  return MPI_Type_get_extent(type, &lower, extent);
}
int other_extent(MPI_Datatype, MPI_Aint* extent, void* state) {
  *extent = *static_cast<MPI_Aint*>(state);
  return MPI_SUCCESS;
}
int convert(void*, MPI_Datatype, int, void*, MPI_Offset, void*) {
  return MPI_SUCCESS;
}

TEST(FileRepresentations, TheProgramsOwnMustBeLikeMemory) {
  const TemporaryFile temporary;
  run_ranks(1, [&](Rank&) {
    auto* const none = MPI_CONVERSION_FN_NULL;
    MPI_Aint three = 3;
    EXPECT_EQ(MPI_SUCCESS, MPI_Register_datarep("mine", none, none, native_extent, nullptr));
    EXPECT_EQ(MPI_ERR_DUP_DATAREP, MPI_Register_datarep("mine", none, none, native_extent, nullptr));
    EXPECT_EQ(MPI_ERR_DUP_DATAREP, MPI_Register_datarep("native", none, none, native_extent, nullptr));
    EXPECT_EQ(MPI_ERR_UNSUPPORTED_OPERATION,
              MPI_Register_datarep("swapped", convert, convert, native_extent, nullptr));
    EXPECT_EQ(MPI_SUCCESS, MPI_Register_datarep("thirds", none, none, other_extent, &three));
    MPI_File file = open_for_test(temporary, MPI_MODE_RDWR | MPI_MODE_CREATE);
    EXPECT_EQ(MPI_ERR_UNSUPPORTED_DATAREP,
              MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "thirds", MPI_INFO_NULL));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "mine", MPI_INFO_NULL));
    const int value = 5;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
  });
  EXPECT_EQ(5, temporary.contents().at(0));
}

}  // namespace
}  // namespace taihu::mpi::files

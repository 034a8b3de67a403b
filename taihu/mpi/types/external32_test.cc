// SPDX-License-Identifier: Apache-2.0
// Bytes of the portable representation, written down from the standard's table, and the way back.
#include "taihu/mpi/types/external32.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "taihu/mpi/types/constructors.h"
#include "taihu/mpi/types/predefined_types.h"
#include "taihu/mpi/types/random_types_for_tests.h"

namespace taihu::mpi::types {
namespace {

std::vector<int> packed(MPI_Datatype handle, const void* value, MPI_Count count = 1) {
  const Datatype& type = *predefined_datatype(handle);
  std::vector<std::byte> stream(external32_size(type, count));
  external32_pack(type, count, stream.data(), value);
  std::vector<int> bytes;
  for (std::byte byte : stream) bytes.push_back(std::to_integer<int>(byte));
  return bytes;
}

template <class T>
T round_trip(MPI_Datatype handle, T value) {
  const Datatype& type = *predefined_datatype(handle);
  std::vector<std::byte> stream(external32_size(type, 1));
  external32_pack(type, 1, stream.data(), &value);
  T back;
  std::memset(&back, 0x55, sizeof back);
  external32_unpack(type, 1, &back, stream.data());
  return back;
}

TEST(External32, IntegersAreBigEndian) {
  const int values[] = {0x01020304, -2};
  EXPECT_EQ(packed(MPI_INT, values, 2), (std::vector<int>{1, 2, 3, 4, 255, 255, 255, 254}));
  const std::int64_t wide = 0x0102030405060708;
  EXPECT_EQ(packed(MPI_INT64_T, &wide), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(packed(MPI_AINT, &wide).size(), 8u);
  const char letter = 'x';
  EXPECT_EQ(packed(MPI_CHAR, &letter), (std::vector<int>{'x'}));
}

TEST(External32, LongsHaveFourBytes) {
  const long value = -3;
  EXPECT_EQ(packed(MPI_LONG, &value), (std::vector<int>{255, 255, 255, 253}));
  EXPECT_EQ(round_trip<long>(MPI_LONG, -3), -3);
  EXPECT_EQ(round_trip<long>(MPI_LONG, 0x7fffffff), 0x7fffffff);
  EXPECT_EQ(round_trip<unsigned long>(MPI_UNSIGNED_LONG, 0xfffffffful), 0xfffffffful);
  EXPECT_EQ(round_trip<long long>(MPI_LONG_LONG, -5000000000), -5000000000);
}

TEST(External32, WideCharactersHaveTwoBytes) {
  const wchar_t letter = 0x20ac;
  EXPECT_EQ(packed(MPI_WCHAR, &letter), (std::vector<int>{0x20, 0xac}));
  EXPECT_EQ(round_trip(MPI_WCHAR, letter), letter);
}

TEST(External32, FloatingPointNumbers) {
  const double value = 1.5;
  EXPECT_EQ(packed(MPI_DOUBLE, &value), (std::vector<int>{0x3f, 0xf8, 0, 0, 0, 0, 0, 0}));
  const float pair[2] = {1.0f, -2.0f};
  EXPECT_EQ(packed(MPI_C_COMPLEX, pair), (std::vector<int>{0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0}));
}

TEST(External32, LongDoublesAreQuadruple) {
  const long double value = 1.5L;
  std::vector<int> wanted(16);
  wanted[0] = 0x3f;
  wanted[1] = 0xff;
  wanted[2] = 0x80;
  EXPECT_EQ(packed(MPI_LONG_DOUBLE, &value), wanted);
  const long double precise = 3.14159265358979323846264338327950288L;
  EXPECT_EQ(round_trip(MPI_LONG_DOUBLE, precise), precise);
  EXPECT_EQ(external32_size(*predefined_datatype(MPI_C_LONG_DOUBLE_COMPLEX), 3), 96u);
}

TEST(External32, PairsHaveNoHoles) {
  struct {
    short value;
    int place;
  } pair{0x0102, 7};
  EXPECT_EQ(packed(MPI_SHORT_INT, &pair), (std::vector<int>{1, 2, 0, 0, 0, 7}));
  EXPECT_EQ(external32_size(*predefined_datatype(MPI_LONG_INT), 10), 80u);
  EXPECT_EQ(external32_size(*predefined_datatype(MPI_DOUBLE_INT), 10), 120u);
}

TEST(External32, HugeCountsAreSizedWithoutWork) {
  const auto rows =
      make_hvector(1000000, 1, 16000000, *make_vector(1000000, 1, 2, *predefined_datatype(MPI_LONG)));
  EXPECT_EQ(external32_size(*rows, 1000), 4000000000000000u);
}

TEST(External32, RandomTypesComeBack) {
  for (unsigned trial = 0; trial < 500; ++trial) {
    SCOPED_TRACE(trial);
    types_for_tests::RandomTypes random(trial + 5000000);
    const types_for_tests::Twin twin = random.make(static_cast<int>(trial % 4));
    const auto map = twin.naive.byte_map(2);
    if (types_for_tests::overlaps_itself(map)) continue;
    types_for_tests::Arena source(map, 1), target(map, 2);
    // Bytes at random are not always a number of this type.
    const auto for_each_long_double = [&](auto&& visit) {
      for (int i = 0; i < 2; ++i)
        for (const auto& entry : twin.naive.entries)
          if (entry.basic == predefined_datatype(MPI_LONG_DOUBLE))
            visit(i * twin.naive.extent() + entry.offset);
    };
    const long double number = 1.25L + trial;
    for_each_long_double([&](MPI_Count offset) { std::memcpy(&source.at(offset), &number, sizeof number); });
    std::vector<std::byte> stream(external32_size(*twin.type, 2));
    external32_pack(*twin.type, 2, stream.data(), source.base());
    external32_unpack(*twin.type, 2, target.base(), stream.data());
    // Its last six bytes are padding.
    for_each_long_double(
        [&](MPI_Count offset) { std::memcpy(&target.at(offset + 10), &source.at(offset + 10), 6); });
    for (MPI_Count offset : map) ASSERT_EQ(source.at(offset), target.at(offset)) << offset;
  }
}

}  // namespace
}  // namespace taihu::mpi::types

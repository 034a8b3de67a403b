// SPDX-License-Identifier: Apache-2.0
// Random types against the plain reference: bounds, packing, unpacking, copying, segments, runs, counts.
#include <gtest/gtest.h>

#include <algorithm>

#include "taihu/base/sanitized_for_tests.h"
#include "taihu/mpi/types/elements.h"
#include "taihu/mpi/types/random_types_for_tests.h"
#include "taihu/mpi/types/segments.h"
#include "taihu/mpi/types/typed_layout.h"

namespace taihu::mpi::types_for_tests {
namespace {

constexpr unsigned trials = plain_or_sanitized(3000, 500);

std::vector<std::byte> packed(Arena& memory, const std::vector<MPI_Count>& map) {
  std::vector<std::byte> stream;
  stream.reserve(map.size());
  for (MPI_Count offset : map) stream.push_back(memory.at(offset));
  return stream;
}

void expect_bounds(const Twin& twin) {
  EXPECT_EQ(twin.type->size_bytes, twin.naive.size());
  EXPECT_EQ(twin.type->lower_bound, twin.naive.lower_bound());
  EXPECT_EQ(twin.type->extent, twin.naive.extent());
  EXPECT_EQ(twin.type->true_lower_bound, twin.naive.true_lower_bound());
  EXPECT_EQ(twin.type->true_extent, twin.naive.true_upper_bound() - twin.naive.true_lower_bound());
  EXPECT_EQ(twin.type->form.elements, static_cast<MPI_Count>(twin.naive.entries.size()));
}

void expect_packing(const Twin& twin, MPI_Count count, RandomTypes& random) {
  const auto map = twin.naive.byte_map(count);
  Arena memory(map, 7);
  const auto wanted = packed(memory, map);
  const TypedLayout layout(*twin.type, count);
  std::vector<std::byte> stream(map.size());
  layout.pack(stream.data(), memory.base(), 0, stream.size());
  ASSERT_EQ(stream, wanted);
  const int total = static_cast<int>(map.size());
  for (int i = 0; i < 8 && total > 0; ++i) {
    const int first = random.between(0, total - 1), bytes = random.between(0, total - first);
    std::vector<std::byte> piece(static_cast<std::size_t>(bytes));
    layout.pack(piece.data(), memory.base(), static_cast<std::size_t>(first), piece.size());
    ASSERT_TRUE(std::equal(piece.begin(), piece.end(), wanted.begin() + first)) << first << " " << bytes;
  }
}

void expect_unpacking(const Twin& twin, MPI_Count count, RandomTypes& random) {
  const auto map = twin.naive.byte_map(count);
  Arena source(map, 3);
  const auto stream = packed(source, map);
  const TypedLayout layout(*twin.type, count);
  const auto total = static_cast<int>(map.size());
  for (int i = 0; i < 4; ++i) {
    const int first = i == 0 || total == 0 ? 0 : random.between(0, total - 1);
    const int bytes = i == 0 ? total : random.between(0, total - first);
    Arena target(map, 99), wanted(map, 99);
    for (int b = first; b < first + bytes; ++b)
      wanted.at(map[static_cast<std::size_t>(b)]) = stream[static_cast<std::size_t>(b)];
    layout.unpack(target.base(), stream.data() + first, static_cast<std::size_t>(first),
                  static_cast<std::size_t>(bytes));
    ASSERT_EQ(target.bytes(), wanted.bytes()) << first << " " << bytes;
  }
}

void expect_segments(const Twin& twin, MPI_Count count, RandomTypes& random) {
  const auto map = twin.naive.byte_map(count);
  const int total = static_cast<int>(map.size());
  const int first = total == 0 ? 0 : random.between(0, total - 1), bytes = random.between(0, total - first);
  std::vector<MPI_Count> visited;
  MPI_Count end_of_last = 0;
  for_each_segment(*twin.type, count, static_cast<std::size_t>(first), static_cast<std::size_t>(bytes),
                   [&](MPI_Aint offset, std::size_t length) {
                     EXPECT_GT(length, 0u);
                     EXPECT_TRUE(visited.empty() || offset != end_of_last) << "neighbours were not merged";
                     for (std::size_t i = 0; i < length; ++i)
                       visited.push_back(offset + static_cast<MPI_Aint>(i));
                     end_of_last = offset + static_cast<MPI_Aint>(length);
                   });
  ASSERT_TRUE(std::equal(visited.begin(), visited.end(), map.begin() + first, map.begin() + first + bytes));
}

void expect_runs(const Twin& twin, MPI_Count count) {
  std::vector<NaiveType::Entry> visited;
  for_each_run(
      *twin.type, count, 0, twin.type->total_bytes(count),
      [&](MPI_Aint offset, const Datatype& basic, std::size_t elements) {
        const NaiveType one = NaiveType::basic(basic);
        for (std::size_t i = 0; i < elements; ++i)
          for (const auto& entry : one.entries)
            visited.push_back({offset + static_cast<MPI_Aint>(i) * basic.extent + entry.offset, entry.basic});
      });
  std::size_t next = 0;
  for (MPI_Count i = 0; i < count; ++i) {
    for (const auto& entry : twin.naive.entries) {
      ASSERT_LT(next, visited.size());
      ASSERT_EQ(visited[next].offset, entry.offset + i * twin.naive.extent());
      ASSERT_EQ(visited[next].basic, entry.basic);
      ++next;
    }
  }
  EXPECT_EQ(next, visited.size());
}

void expect_elements(const Twin& twin, MPI_Count count) {
  MPI_Count bytes = 0, elements = 0;
  for (MPI_Count i = 0; i < count; ++i) {
    for (const auto& entry : twin.naive.entries) {
      EXPECT_EQ(elements_from_bytes(*twin.type, bytes), elements);
      EXPECT_EQ(bytes_from_elements(*twin.type, elements), bytes);
      const MPI_Count inside = elements_from_bytes(*twin.type, bytes + 1);
      EXPECT_EQ(inside, entry.basic->size_bytes > 1 ? MPI_UNDEFINED : elements + 1);
      bytes += entry.basic->size_bytes;
      ++elements;
    }
    EXPECT_EQ(count_from_bytes(*twin.type, bytes), twin.type->size_bytes == 0 ? 0 : i + 1);
  }
}

TEST(RandomTypes, BoundsAndPackingAreThoseOfTheDefinition) {
  for (unsigned trial = 0; trial < trials; ++trial) {
    SCOPED_TRACE(trial);
    RandomTypes random(trial);
    const Twin twin = random.make(static_cast<int>(trial % 5));
    const int count = random.between(0, twin.naive.entries.size() < 40 ? 40 : 3);
    expect_bounds(twin);
    expect_packing(twin, count, random);
    if (!overlaps_itself(twin.naive.byte_map(count))) expect_unpacking(twin, count, random);
    if (HasFailure()) return;
  }
}

TEST(RandomTypes, SegmentsRunsAndCountsAreThoseOfTheDefinition) {
  for (unsigned trial = 0; trial < trials; ++trial) {
    SCOPED_TRACE(trial);
    RandomTypes random(trial + 1000000);
    const Twin twin = random.make(static_cast<int>(trial % 5));
    const int count = random.between(0, 4);
    expect_segments(twin, count, random);
    expect_runs(twin, count);
    expect_elements(twin, std::min(count, 2));
    if (HasFailure()) return;
  }
}

/// Any bytes may be copied from any type to any other.
void expect_copy(const Twin& from, MPI_Count from_count, const Twin& to, MPI_Count to_count,
                 RandomTypes& random) {
  const auto from_map = from.naive.byte_map(from_count), to_map = to.naive.byte_map(to_count);
  int bytes = static_cast<int>(std::min(from_map.size(), to_map.size()));
  if (random.between(0, 1) == 0) bytes = random.between(0, bytes);
  if (overlaps_itself(to_map)) return;
  Arena source(from_map, 5), target(to_map, 77), wanted(to_map, 77);
  for (int b = 0; b < bytes; ++b) {
    const auto i = static_cast<std::size_t>(b);
    wanted.at(to_map[i]) = source.at(from_map[i]);
  }
  const TypedLayout source_layout(*from.type, from_count), target_layout(*to.type, to_count);
  target_layout.copy(target.base(), source_layout, source.base(), static_cast<std::size_t>(bytes));
  ASSERT_EQ(target.bytes(), wanted.bytes());
}

TEST(RandomTypes, CopyFromTypeToType) {
  for (unsigned trial = 0; trial < trials; ++trial) {
    SCOPED_TRACE(trial);
    RandomTypes random(trial + 2000000);
    const Twin from = random.make(static_cast<int>(trial % 5));
    const Twin to = trial % 3 == 0 ? from : random.make(static_cast<int>(trial / 5 % 5));
    const int from_count = random.between(0, 9);
    MPI_Count to_count = random.between(0, 9);
    if (to.type->size_bytes > 0 && random.between(0, 3) > 0)
      to_count = from.type->size_bytes * from_count / to.type->size_bytes + 1;
    if (trial % 6 == 0) to_count = from_count;
    if (to_count * static_cast<MPI_Count>(to.naive.entries.size()) > 20000) continue;
    expect_copy(from, from_count, to, to_count, random);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace taihu::mpi::types_for_tests

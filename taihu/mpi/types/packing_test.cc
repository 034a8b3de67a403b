// SPDX-License-Identifier: Apache-2.0
// The copying of blocks of every size, and types that random ones seldom are: long lists, deep trees,
// absolute addresses, layouts that are not ours.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "taihu/message/data/strided_copy.h"
#include "taihu/mpi/types/constructors.h"
#include "taihu/mpi/types/naive_types_for_tests.h"
#include "taihu/mpi/types/node.h"
#include "taihu/mpi/types/typed_layout.h"

namespace taihu::mpi::types_for_tests {

using message::copy_strided;

namespace {

Datatype& type_of(MPI_Datatype handle) {
  return *predefined_datatype(handle);
}

std::vector<std::byte> pattern(std::size_t bytes) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = static_cast<std::byte>(i * 7 + i / 251);
  return made;
}

TEST(StridedCopy, EverySizeTouchesItsBlocksOnly) {
  for (std::size_t bytes = 1; bytes <= 300; ++bytes) {
    for (const std::size_t count : {0, 1, 2, 3, 4, 5, 9}) {
      const std::size_t stride = bytes + 5;
      const auto source = pattern(stride * 10);
      for (const bool spread_target : {false, true}) {
        std::vector<std::byte> target(stride * 10 + 1), wanted(target);
        const std::size_t to = spread_target ? stride : bytes, from = spread_target ? bytes : stride;
        for (std::size_t i = 0; i < count; ++i) std::memcpy(&wanted[1 + i * to], &source[i * from], bytes);
        copy_strided(&target[1], static_cast<std::ptrdiff_t>(to), source.data(),
                     static_cast<std::ptrdiff_t>(from), bytes, count);
        ASSERT_EQ(target, wanted) << bytes << " bytes, " << count << " blocks";
      }
    }
  }
}

TEST(StridedCopy, BothSidesSpreadAndBackwards) {
  for (const std::size_t bytes : {1, 2, 3, 4, 8, 12, 16, 24, 32, 40, 100}) {
    const auto source = pattern(2000);
    std::vector<std::byte> target(2000), wanted(2000);
    for (std::size_t i = 0; i < 11; ++i) std::memcpy(&wanted[1700 - i * 150], &source[i * 160], bytes);
    copy_strided(&target[1700], -150, source.data(), 160, bytes, 11);
    ASSERT_EQ(target, wanted) << bytes;
  }
}

/// Packs, unpacks and copies a type that lists `lengths` doubles at ascending places with gaps.
void expect_list_works(const std::vector<int>& lengths, Datatype& old) {
  std::vector<int> displacements;
  NaiveType naive;
  int next = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    next += 1 + static_cast<int>(i % 3);
    displacements.push_back(next);
    naive.append_row(NaiveType::basic(old), next * old.extent, lengths[i]);
    next += lengths[i];
  }
  const auto type = make_indexed(lengths, displacements, old);
  for (const MPI_Count count : {1, 3}) {
    const auto map = naive.byte_map(count);
    Arena memory(map, 1), copy(map, 2);
    const TypedLayout layout(*type, count);
    std::vector<std::byte> stream(map.size());
    layout.pack(stream.data(), memory.base(), 0, stream.size());
    for (std::size_t i = 0; i < map.size(); ++i) ASSERT_EQ(stream[i], memory.at(map[i]));
    layout.unpack(copy.base(), stream.data(), 0, stream.size());
    for (std::size_t i = 0; i < map.size(); ++i) ASSERT_EQ(stream[i], copy.at(map[i]));
    for (std::size_t first = 0; first < map.size(); first += 1 + map.size() / 23) {
      std::vector<std::byte> piece(std::min<std::size_t>(map.size() - first, 101));
      layout.pack(piece.data(), memory.base(), first, piece.size());
      ASSERT_TRUE(std::equal(piece.begin(), piece.end(), stream.begin() + static_cast<MPI_Aint>(first)));
    }
  }
}

TEST(Packing, LongListsOfBlocks) {
  std::vector<int> lengths;
  for (int i = 0; i < 500; ++i) lengths.push_back(1 + i * i % 4);
  expect_list_works(lengths, type_of(MPI_DOUBLE));  // split into doubles
  expect_list_works(lengths, type_of(MPI_SHORT));
  expect_list_works(lengths, type_of(MPI_C_DOUBLE_COMPLEX));
  expect_list_works(lengths, type_of(MPI_DOUBLE_INT));
  for (int& length : lengths) length = 1 + length * 40;
  expect_list_works(lengths, type_of(MPI_DOUBLE));  // blocks stay
  expect_list_works(std::vector<int>(300, 1), type_of(MPI_INT));
  expect_list_works(std::vector<int>(300, 3), type_of(MPI_DOUBLE));
  expect_list_works(std::vector<int>(300, 7), type_of(MPI_CHAR));
}

TEST(Packing, ShortMixedListsAreSplitOnlyWhereItPays) {
  std::vector<int> lengths, displacements;
  for (int i = 0; i < 100; ++i) {
    lengths.push_back(1 + i % 2);
    displacements.push_back(5 * i + i % 3);
  }
  const auto split = make_indexed(lengths, displacements, type_of(MPI_DOUBLE));
  EXPECT_EQ(split->form.program.node->shape, Node::Shape::list);
  EXPECT_EQ(split->form.program.node->count, 150);
  const auto kept = make_indexed(lengths, displacements, type_of(MPI_CHAR));
  EXPECT_EQ(kept->form.program.node->shape, Node::Shape::blocks);
}

/// Every level is a loop of two that cannot be joined with the next.
Reference<Datatype> deep_type(int levels) {
  Reference<Datatype> type = Reference<Datatype>::to(&type_of(MPI_CHAR));
  for (int i = 0; i < levels; ++i) type = make_hvector(2, 1, (MPI_Aint{4} << i) - 1, *type);
  return type;
}

TEST(Packing, TreesDeeperThanUsual) {
  const auto type = deep_type(18);
  ASSERT_EQ(type->form.program.node->depth, 19);
  const auto bytes = static_cast<std::size_t>(type->size_bytes);
  const auto memory = pattern(static_cast<std::size_t>(type->true_extent));
  std::vector<std::byte> stream(bytes), spread(memory.size() + 7), again(bytes);
  const TypedLayout layout(*type, 1);
  layout.pack(stream.data(), memory.data(), 0, bytes);
  EXPECT_EQ(stream[1], memory[3]);
  EXPECT_EQ(stream[bytes - 1], memory[memory.size() - 1]);
  // Pairs three apart on one side, single bytes on the other: two cursors.
  const auto pairs = make_vector(static_cast<int>(bytes / 2), 2, 3, type_of(MPI_CHAR));
  const TypedLayout pair_layout(*pairs, 1);
  std::vector<std::byte> target(static_cast<std::size_t>(pairs->true_extent));
  pair_layout.copy(target.data(), layout, memory.data(), bytes);
  pair_layout.pack(again.data(), target.data(), 0, bytes);
  EXPECT_EQ(again, stream);
}

TEST(Packing, AbsoluteAddresses) {
  int first = 5;
  double second = 2.5;
  const auto address = [](const void* of) { return reinterpret_cast<MPI_Aint>(of); };
  const std::vector<MPI_Aint> places{address(&first), address(&second)};
  const std::vector<Datatype*> types{&type_of(MPI_INT), &type_of(MPI_DOUBLE)};
  const auto type = make_struct(std::vector<int>{1, 1}, places, types);
  std::byte stream[12];
  pack(*type, 1, stream, MPI_BOTTOM);
  first = 0;
  second = 0;
  unpack(*type, 1, MPI_BOTTOM, stream);
  EXPECT_EQ(first, 5);
  EXPECT_EQ(second, 2.5);
}

TEST(Packing, NothingToDo) {
  const auto empty = make_contiguous(0, type_of(MPI_INT));
  const TypedLayout none(type_of(MPI_INT), 0), many_empty(*empty, 1000);
  int source = 1;
  std::byte target[16]{};
  for (const TypedLayout* layout : {&none, &many_empty}) {
    // A wrong access by way of the null pointers would be a segmentation fault.
    layout->pack(nullptr, nullptr, 0, 0);
    layout->unpack(nullptr, nullptr, 0, 0);
    layout->copy(nullptr, *layout, nullptr, 0);
    layout->pack(target, &source, 0, 0);
    layout->unpack(target, reinterpret_cast<const std::byte*>(&source), 0, 0);
    layout->copy(target, *layout, &source, 0);
    EXPECT_TRUE(
        std::all_of(std::begin(target), std::end(target), [](std::byte b) { return b == std::byte{}; }));
  }
}

/// A layout that is not a datatype: every byte twice as far.
class Doubled final : public message::Layout {
 public:
  void pack(std::byte* target, const void* base, std::size_t first, std::size_t bytes) const override {
    for (std::size_t i = 0; i < bytes; ++i) target[i] = static_cast<const std::byte*>(base)[2 * (first + i)];
  }
  void unpack(void*, const std::byte*, std::size_t, std::size_t) const override {}
  void copy(void*, const message::Layout&, const void*, std::size_t) const override {}
};

TEST(Packing, CopyFromALayoutThatIsNoDatatype) {
  constexpr std::size_t bytes = 9999;
  const auto source = pattern(2 * bytes);
  const auto type = make_vector(9999, 1, 2, type_of(MPI_CHAR));
  std::vector<std::byte> target(2 * bytes);
  TypedLayout(*type, 1).copy(target.data(), Doubled(), source.data(), bytes);
  for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(target[2 * i], source[2 * i]);
}

}  // namespace
}  // namespace taihu::mpi::types_for_tests

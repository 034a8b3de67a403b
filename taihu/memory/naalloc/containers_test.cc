// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory_resource>
#include <numeric>
#include <string>

#include "taihu/base/random.h"
#include "taihu/memory/aligned_allocator.h"
#include "taihu/memory/naalloc/partitioned_vector.h"
#include "taihu/memory/naalloc/resources.h"

namespace taihu::memory {
namespace {

TEST(PartitionedVector, PartsCoverAllElements) {
  partitioned_vector<double> vector(std::vector<std::size_t>{0, 1000, 1000, 5001});
  ASSERT_EQ(vector.size(), 5001u);
  EXPECT_EQ(vector.parts(), 4);
  EXPECT_TRUE(vector.part(0).empty());
  EXPECT_EQ(vector.part(3).size(), 4001u);
  EXPECT_EQ(vector.part(3).data(), &vector[1000]);
  for (double value : vector) ASSERT_EQ(value, 0.0);
  std::iota(vector.begin(), vector.end(), 1.0);
  EXPECT_EQ(std::accumulate(vector.begin(), vector.end(), 0.0), 5001.0 * 5002 / 2);
}

TEST(PartitionedVector, ZeroAlsoInMemoryThatWasUsed) {
  for (int round = 0; round < 3; ++round) {
    partitioned_vector<std::uint64_t> vector(100000);
    for (std::uint64_t value : vector) ASSERT_EQ(value, 0u);
    std::fill(vector.begin(), vector.end(), ~0ull);
  }
}

struct Counted {
  static inline int alive = 0;
  int value = 7;
  Counted() { ++alive; }
  Counted(const Counted& other) : value(other.value) { ++alive; }
  Counted& operator=(const Counted&) = default;
  ~Counted() { --alive; }
};

TEST(PartitionedVector, ElementsWithConstructorsLiveAndDie) {
  {
    partitioned_vector<Counted> vector(50);
    EXPECT_EQ(Counted::alive, 50);
    vector[49].value = 8;
    partitioned_vector<Counted> copy = vector.clone();
    EXPECT_EQ(Counted::alive, 100);
    EXPECT_EQ(copy[49].value, 8);
    partitioned_vector<Counted> moved = std::move(vector);
    EXPECT_EQ(vector.size(), 0u);
    EXPECT_EQ(moved[0].value, 7);
    moved = std::move(copy);
    EXPECT_EQ(Counted::alive, 50);
  }
  EXPECT_EQ(Counted::alive, 0);
}

TEST(PartitionedVector, EmptyAndWrong) {
  EXPECT_TRUE(partitioned_vector<int>().empty());
  EXPECT_TRUE(partitioned_vector<int>(std::size_t{0}).empty());
  EXPECT_THROW(partitioned_vector<int>(std::vector<std::size_t>{5, 3}), std::invalid_argument);
  EXPECT_THROW(partitioned_vector<int>(std::vector<std::size_t>{SIZE_MAX / 8}), std::bad_alloc);
}

TEST(EvenParts, DifferByOneAtMost) {
  EXPECT_EQ(even_parts(10, 4), (std::vector<std::size_t>{3, 6, 8, 10}));
  EXPECT_EQ(even_parts(2, 4), (std::vector<std::size_t>{1, 2, 2, 2}));
}

TEST(NumaResource, ServesStandardContainers) {
  numa_resource shared(placement{placement::kind::interleaved});
  std::pmr::vector<std::pmr::string> words(&shared);
  for (int i = 0; i < 1000; ++i)
    words.emplace_back("a word that is longer than a short string " + std::to_string(i));
  EXPECT_EQ(words[999].substr(words[999].size() - 3), "999");
  numa_resource parts;
  EXPECT_TRUE(parts.is_equal(shared));
  EXPECT_FALSE(parts.is_equal(*std::pmr::new_delete_resource()));
  EXPECT_THROW(static_cast<void>(parts.allocate(100, 4096)), std::bad_alloc)
      << "small blocks are aligned to 64 bytes only";
  numa_resource nowhere(placement{placement::kind::node, 999});
  EXPECT_THROW(static_cast<void>(nowhere.allocate(100)), std::bad_alloc);
}

TEST(NumaAllocator, ServesVectorsAndMaps) {
  std::vector<double, numa_allocator<double>> vector(100000, 2.5, placement{placement::kind::node, 0});
  EXPECT_EQ(std::accumulate(vector.begin(), vector.end(), 0.0), 250000.0);
  std::map<int, int, std::less<>, numa_allocator<std::pair<const int, int>>> map;
  for (int i = 0; i < 1000; ++i) map[i * 7 % 1000] = i;
  EXPECT_EQ(map.size(), 1000u);
  EXPECT_THROW(vector.reserve(SIZE_MAX / 16), std::exception);
}

TEST(AlignedAllocator, DataBeginAtCacheLines) {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    aligned_vector<char> bytes(1 + random.below(5000));
    aligned_vector<double, 4096> pages(1 + random.below(100));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 64, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(pages.data()) % 4096, 0u);
  }
  aligned_allocator<double> doubles;
  EXPECT_THROW(static_cast<void>(doubles.allocate(SIZE_MAX / 4)), std::bad_alloc);
  std::map<int, int, std::less<>, aligned_allocator<std::pair<const int, int>>> map;
  map[1] = 2;
  EXPECT_EQ(map.at(1), 2);
}

}  // namespace
}  // namespace taihu::memory

// SPDX-License-Identifier: Apache-2.0
// gatherv, scatterv, allgatherv, alltoallv with blocks of any length, gaps, any order, and in place, against
// plain definitions; lengths are zero, short, and too long to travel inline, in one call.
#include <algorithm>

#include "taihu/collective/collectives_fixture.h"
#include "taihu/collective/test_data.h"

namespace taihu::collective {
namespace {

constexpr std::byte untouched{0xaa};

// Lengths and places of n blocks in a buffer, the last block first, with gaps.
struct Places {
  template <class Length>
  Places(int n, Length&& length) : bytes(static_cast<std::size_t>(n)), offsets(static_cast<std::size_t>(n)) {
    std::size_t next = 5;
    for (int k = n - 1; k >= 0; --k) {
      const auto index = static_cast<std::size_t>(k);
      bytes[index] = length(k);
      offsets[index] = static_cast<std::ptrdiff_t>(next);
      next += bytes[index] + 3;
    }
    end = next;
  }
  std::byte* block(Elements& buffer, int k) const {
    return buffer.data() + offsets[static_cast<std::size_t>(k)];
  }
  void put(Elements& buffer, int k, const Elements& data) const {
    std::copy(data.begin(), data.end(), block(buffer, k));
  }
  Elements empty() const { return Elements(end, untouched); }

  std::vector<std::size_t> bytes;
  std::vector<std::ptrdiff_t> offsets;
  std::size_t end = 0;
};

// Of several kinds: all short, all long, mixed with nothing, just as long as what goes inline.
constexpr int kinds = 4;
std::size_t length_of(int kind, int from, int to) {
  const auto step = static_cast<std::size_t>((from * 5 + to * 3) % 7);
  if (kind == 0) return step * 3;
  if (kind == 1) return 5000 + step * 1000;
  if (kind == 3) return 1024;
  return step % 3 == 0 ? step * 2000 : step % 3 == 1 ? 0 : 17 * step;
}

// What member `from` has for member `to`.
Elements data_of(int kind, int from, int to) {
  return make_source(from * 100 + to, length_of(kind, from, to), {M_CHAR, M_SUM}, 21);
}

using UnequalBlocks = Collectives;

TEST_P(UnequalBlocks, GathervPutsBlocksWhereTheRootWantsThem) {
  run([&](GroupHandle& handle) {
    const int me = handle.rank();
    for (int kind = 0; kind < kinds; ++kind) {
      for (const int root : roots()) {
        const Places places(n, [&](int k) { return length_of(kind, k, 0); });
        Elements source = data_of(kind, me, 0);
        Elements result = me == root ? places.empty() : Elements();
        const bool in_place = me == root && kind % 2 == root % 2;
        if (in_place) places.put(result, me, source);
        Elements expected = result;
        for (int k = 0; me == root && k < n; ++k) places.put(expected, k, data_of(kind, k, 0));
        const std::size_t bytes = source.size();
        const int code = gatherv(handle, in_place ? places.block(result, me) : source.data(), bytes,
                                 result.data(), me == root ? places.bytes.data() : nullptr,
                                 me == root ? places.offsets.data() : nullptr, root);
        ASSERT_EQ(code, M_SUCCESS) << handle.problem();
        std::fill(source.begin(), source.end(), std::byte{0xee});  // mine again
        ASSERT_EQ(result, expected) << "kind " << kind << " root " << root;
      }
    }
  });
}

TEST_P(UnequalBlocks, ScattervTakesBlocksFromWhereTheRootHasThem) {
  run([&](GroupHandle& handle) {
    const int me = handle.rank();
    for (int kind = 0; kind < kinds; ++kind) {
      for (const int root : roots()) {
        const Places places(n, [&](int k) { return length_of(kind, 0, k); });
        Elements source = me == root ? places.empty() : Elements();
        for (int k = 0; me == root && k < n; ++k) places.put(source, k, data_of(kind, 0, k));
        const Elements expected = data_of(kind, 0, me);
        Elements result(expected.size());
        const bool in_place = me == root && kind % 2 == root % 2;
        if (in_place) result = expected;
        const int code = scatterv(handle, source.data(), me == root ? places.bytes.data() : nullptr,
                                  me == root ? places.offsets.data() : nullptr,
                                  in_place ? places.block(source, me) : result.data(), result.size(), root);
        ASSERT_EQ(code, M_SUCCESS) << handle.problem();
        std::fill(source.begin(), source.end(), std::byte{0xee});
        ASSERT_EQ(result, expected) << "kind " << kind << " root " << root;
      }
    }
  });
}

TEST_P(UnequalBlocks, AllgathervGivesAllBlocksToAll) {
  run([&](GroupHandle& handle) {
    const int me = handle.rank();
    for (int kind = 0; kind < kinds; ++kind) {
      const Places places(n, [&](int k) { return length_of(kind, k, 0); });
      Elements source = data_of(kind, me, 0);
      Elements result = places.empty();
      Elements in_place = places.empty();
      places.put(in_place, me, source);
      Elements expected = places.empty();
      for (int k = 0; k < n; ++k) places.put(expected, k, data_of(kind, k, 0));
      ASSERT_EQ(allgatherv(handle, source.data(), source.size(), result.data(), places.bytes.data(),
                           places.offsets.data()),
                M_SUCCESS)
          << handle.problem();
      std::fill(source.begin(), source.end(), std::byte{0xee});
      ASSERT_EQ(result, expected) << "kind " << kind;
      ASSERT_EQ(allgatherv(handle, places.block(in_place, me), source.size(), in_place.data(),
                           places.bytes.data(), places.offsets.data()),
                M_SUCCESS);
      ASSERT_EQ(in_place, expected) << "in place, kind " << kind;
    }
  });
}

TEST_P(UnequalBlocks, AlltoallvMovesBlocksByBytes) {
  run([&](GroupHandle& handle) {
    const int me = handle.rank();
    for (int kind = 0; kind < kinds; ++kind) {
      const Places out(n, [&](int k) { return length_of(kind, me, k); });
      const Places in(n, [&](int k) { return length_of(kind, k, me); });
      Elements source = out.empty();
      Elements result = in.empty();
      Elements expected = in.empty();
      for (int k = 0; k < n; ++k) {
        out.put(source, k, data_of(kind, me, k));
        in.put(expected, k, data_of(kind, k, me));
      }
      ASSERT_EQ(alltoallv(handle, source.data(), out.bytes.data(), out.offsets.data(), result.data(),
                          in.bytes.data(), in.offsets.data()),
                M_SUCCESS)
          << handle.problem();
      std::fill(source.begin(), source.end(), std::byte{0xee});
      ASSERT_EQ(result, expected) << "kind " << kind;
    }
  });
}

TEST_P(UnequalBlocks, AlltoallAndAlltoallvExchangeInPlace) {
  run([&](GroupHandle& handle) {
    const int me = handle.rank();
    for (int kind = 0; kind < kinds; ++kind) {  // in place lengths are the same both ways
      const auto data = [&](int from, int to) {
        const std::size_t bytes = length_of(kind, std::min(from, to), std::max(from, to));
        return make_source(from * 100 + to, bytes, {M_CHAR, M_SUM}, 22);
      };
      const Places places(n, [&](int k) { return data(me, k).size(); });
      Elements buffer = places.empty();
      Elements expected = places.empty();
      for (int k = 0; k < n; ++k) {
        places.put(buffer, k, data(me, k));
        places.put(expected, k, data(k, me));
      }
      ASSERT_EQ(alltoallv(handle, buffer.data(), places.bytes.data(), places.offsets.data(), buffer.data(),
                          places.bytes.data(), places.offsets.data()),
                M_SUCCESS);
      ASSERT_EQ(buffer, expected) << "kind " << kind;
    }
    for (const std::size_t bytes : {1u, 8u, 700u, 9000u}) {
      Elements buffer;
      Elements expected;
      for (int k = 0; k < n; ++k) {
        const Elements out = make_source(me * 100 + k, bytes, {M_CHAR, M_SUM}, 23);
        const Elements in = make_source(k * 100 + me, bytes, {M_CHAR, M_SUM}, 23);
        buffer.insert(buffer.end(), out.begin(), out.end());
        expected.insert(expected.end(), in.begin(), in.end());
      }
      ASSERT_EQ(alltoall(handle, buffer.data(), buffer.data(), bytes), M_SUCCESS);
      ASSERT_EQ(buffer, expected) << "bytes " << bytes;
    }
  });
}

TEST_P(UnequalBlocks, ScatterWorksInPlaceAtTheRoot) {
  run([&](GroupHandle& handle) {
    const int me = handle.rank();
    for (const std::size_t bytes : {8u, 3000u}) {
      Elements whole;
      for (int k = 0; k < n; ++k) {
        const Elements block = make_source(k, bytes, {M_CHAR, M_SUM}, 24);
        whole.insert(whole.end(), block.begin(), block.end());
      }
      const Elements before = whole;
      const int root = n / 2;
      Elements result(bytes);
      std::byte* own = whole.data() + static_cast<std::size_t>(me) * bytes;
      ASSERT_EQ(scatter(handle, whole.data(), me == root ? own : result.data(), bytes, root), M_SUCCESS);
      ASSERT_EQ(whole, before);
      if (me != root) {
        ASSERT_EQ(result, make_source(me, bytes, {M_CHAR, M_SUM}, 24));
      }
    }
  });
}

TEST_P(UnequalBlocks, EmptyBlocksNeedNoMemory) {
  run([&](GroupHandle& handle) {
    const std::vector<std::size_t> none(static_cast<std::size_t>(n), 0);
    const std::vector<std::ptrdiff_t> nowhere(static_cast<std::size_t>(n), -7);
    EXPECT_EQ(alltoallv(handle, nullptr, none.data(), nowhere.data(), nullptr, none.data(), nowhere.data()),
              M_SUCCESS);
    EXPECT_EQ(allgatherv(handle, nullptr, 0, nullptr, none.data(), nowhere.data()), M_SUCCESS);
    EXPECT_EQ(gatherv(handle, nullptr, 0, nullptr, none.data(), nowhere.data(), 0), M_SUCCESS);
    EXPECT_EQ(scatterv(handle, nullptr, none.data(), nowhere.data(), nullptr, 0, 0), M_SUCCESS);
    int value = 1;
    EXPECT_EQ(gatherv(handle, &value, 4, nullptr, nullptr, nullptr, n), M_ERROR_ARGUMENT);
    EXPECT_EQ(allgatherv(handle, &value, 4, &value, nullptr, nowhere.data()), M_ERROR_ARGUMENT);
    EXPECT_EQ(barrier(handle), M_SUCCESS);
  });
}

INSTANTIATE_TEST_SUITE_P(All, UnequalBlocks, testing::ValuesIn(small_settings()), name_of);
#if !TAIHU_THREAD_SANITIZER
// The tables of their blocks are in memory of their own.
INSTANTIATE_TEST_SUITE_P(Many, UnequalBlocks, testing::Values(Setting{40, 1, 1}), name_of);
#endif

}  // namespace
}  // namespace taihu::collective

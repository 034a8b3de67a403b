// SPDX-License-Identifier: Apache-2.0
// Random views, memory layouts and ways of access against a plain array of bytes.
#include <mutex>
#include <random>

#include "taihu/mpi/work/files/files_for_tests.h"

namespace taihu::mpi::files {
namespace {

constexpr int element_bytes = 4;  // the etype is MPI_INT

/// Which elements of a tile belong to a rank. Tiles are repeated without end behind the displacement.
struct TestView {
  int displacement = 0;
  int tile_elements = 1;
  std::vector<int> mine;

  std::size_t byte(long element, int within) const {
    const auto count = static_cast<long>(mine.size());
    const long in_file = element / count * tile_elements + mine[static_cast<std::size_t>(element % count)];
    return static_cast<std::size_t>(displacement + in_file * element_bytes + within);
  }
  TestType filetype() const {
    Datatype& whole = *predefined_datatype(MPI_INT);
    const Reference<Datatype> places = make_indexed_block(1, mine, whole);
    return TestType(make_resized(0, tile_elements * element_bytes, *places));
  }
};

/// Deals the elements of a tile to the ranks, some to nobody; everybody gets one at least.
std::vector<TestView> deal(std::mt19937& random, int ranks) {
  const int tile = ranks + static_cast<int>(random() % 40);
  const int displacement = static_cast<int>(random() % 3) * 7;
  std::vector<TestView> views(static_cast<std::size_t>(ranks), TestView{displacement, tile, {}});
  const unsigned owners = static_cast<unsigned>(ranks) + (random() % 2);
  const unsigned run = 1 + random() % 4;  // neighbours in a row go to the same owner
  for (int element = 0; element < tile; ++element) {
    const unsigned owner = element < ranks ? static_cast<unsigned>(element)
                                           : (static_cast<unsigned>(element) / run * 7919U) % owners;
    if (owner < static_cast<unsigned>(ranks)) views[owner].mine.push_back(element);
  }
  return views;
}

/// Where the elements of an access lie in memory: blocks of ints with gaps, or all in a row.
struct TestMemory {
  int block = 1, stride = 1;
  std::vector<int> words;

  TestMemory(std::mt19937& random, int elements) {
    if (random() % 2 == 0 && elements > 0) {
      block = 1 + static_cast<int>(random() % 3);
      stride = block + static_cast<int>(random() % 3);
    }
    words.assign(static_cast<std::size_t>((elements / block + 1) * stride + 1), -1);
  }
  std::size_t word(int element) const {
    return static_cast<std::size_t>(element / block * stride + element % block);
  }
  /// Holds `block` elements each.
  TestType type() const {
    const Reference<Datatype> blocks = make_contiguous(block, *predefined_datatype(MPI_INT));
    return TestType(make_resized(0, stride * element_bytes, *blocks));
  }
};

enum class Way { at, individual, split_at, split_individual };

/// What all ranks do together in one step.
struct Step {
  bool write;
  Way way;
  bool collective, non_blocking;
};

Step random_step(std::mt19937& random, bool write) {
  return {write, static_cast<Way>(random() % 4), random() % 3 != 0, random() % 4 == 0};
}

class Player {
 public:
  Player(Rank& rank, MPI_File file, const TestView& view, std::vector<char>& expected, std::mutex& lock)
      : rank_(rank), file_(file), view_(view), expected_(expected), lock_(lock) {}

  /// `elements` etypes at `offset` of the view, which is a multiple of nothing in particular.
  void play(const Step& step, int offset, int elements, std::mt19937& random, int stamp) {
    TestMemory memory(random, elements);
    elements = elements / memory.block * memory.block;
    const TestType type = memory.type();
    if (step.write) {
      for (int i = 0; i < elements; ++i) memory.words[memory.word(i)] = stamp * 1000 + i;
    }
    const std::vector<int> before = memory.words;
    MPI_Status status{};
    call(step, offset, memory.words.data(), elements / memory.block, type, &status);
    int count = -1;
    EXPECT_EQ(MPI_SUCCESS, MPI_Get_count(&status, MPI_INT, &count));
    if (step.write) {
      EXPECT_EQ(elements, count);
      EXPECT_EQ(before, memory.words);
      const std::lock_guard hold(lock_);
      for (int i = 0; i < elements; ++i) write_expected(offset + i, memory.words[memory.word(i)]);
    } else {
      check_read(offset, elements, count, memory, before);
    }
  }

 private:
  void call(const Step& step, int offset, int* buffer, int count, MPI_Datatype type, MPI_Status* status) {
    MPI_Request request = MPI_REQUEST_NULL;
    switch (step.way) {
      case Way::at:
        if (step.non_blocking) {
          auto* const begin = step.write ? (step.collective ? iwrite_at_all : iwrite_at)
                                         : (step.collective ? MPI_File_iread_at_all : MPI_File_iread_at);
          EXPECT_EQ(MPI_SUCCESS, begin(file_, offset, buffer, count, type, &request));
          EXPECT_EQ(MPI_SUCCESS, MPI_Wait(&request, status));
          return;
        }
        if (step.write)
          EXPECT_EQ(MPI_SUCCESS, (step.collective ? MPI_File_write_at_all : MPI_File_write_at)(
                                     file_, offset, buffer, count, type, status));
        else
          EXPECT_EQ(MPI_SUCCESS, (step.collective ? MPI_File_read_at_all : MPI_File_read_at)(
                                     file_, offset, buffer, count, type, status));
        return;
      case Way::individual:
        EXPECT_EQ(MPI_SUCCESS, MPI_File_seek(file_, offset, MPI_SEEK_SET));
        if (step.non_blocking) {
          auto* const begin = step.write ? (step.collective ? iwrite_all : iwrite)
                                         : (step.collective ? MPI_File_iread_all : MPI_File_iread);
          EXPECT_EQ(MPI_SUCCESS, begin(file_, buffer, count, type, &request));
          EXPECT_EQ(MPI_SUCCESS, MPI_Wait(&request, status));
        } else if (step.write) {
          EXPECT_EQ(MPI_SUCCESS, (step.collective ? MPI_File_write_all : MPI_File_write)(file_, buffer, count,
                                                                                         type, status));
        } else {
          EXPECT_EQ(MPI_SUCCESS, (step.collective ? MPI_File_read_all : MPI_File_read)(file_, buffer, count,
                                                                                       type, status));
        }
        check_position(offset, count, type);
        return;
      case Way::split_at:
        if (step.write) {
          EXPECT_EQ(MPI_SUCCESS, MPI_File_write_at_all_begin(file_, offset, buffer, count, type));
          EXPECT_EQ(MPI_SUCCESS, MPI_File_write_at_all_end(file_, buffer, status));
        } else {
          EXPECT_EQ(MPI_SUCCESS, MPI_File_read_at_all_begin(file_, offset, buffer, count, type));
          EXPECT_EQ(MPI_SUCCESS, MPI_File_read_at_all_end(file_, buffer, status));
        }
        return;
      case Way::split_individual:
        EXPECT_EQ(MPI_SUCCESS, MPI_File_seek(file_, offset, MPI_SEEK_SET));
        if (step.write) {
          EXPECT_EQ(MPI_SUCCESS, MPI_File_write_all_begin(file_, buffer, count, type));
          EXPECT_EQ(MPI_SUCCESS, MPI_File_write_all_end(file_, buffer, status));
        } else {
          EXPECT_EQ(MPI_SUCCESS, MPI_File_read_all_begin(file_, buffer, count, type));
          EXPECT_EQ(MPI_SUCCESS, MPI_File_read_all_end(file_, buffer, status));
        }
        check_position(offset, count, type);
        return;
    }
  }

  // The same signature as the calls for reading.
  static int iwrite(MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Request* request) {
    return MPI_File_iwrite(file, buffer, count, type, request);
  }
  static int iwrite_all(MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Request* request) {
    return MPI_File_iwrite_all(file, buffer, count, type, request);
  }
  static int iwrite_at(MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
                       MPI_Request* request) {
    return MPI_File_iwrite_at(file, offset, buffer, count, type, request);
  }
  static int iwrite_at_all(MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
                           MPI_Request* request) {
    return MPI_File_iwrite_at_all(file, offset, buffer, count, type, request);
  }

  void check_position(int offset, int count, MPI_Datatype type) {
    MPI_Offset position = -1;
    EXPECT_EQ(MPI_SUCCESS, MPI_File_get_position(file_, &position));
    const auto bytes = rank_.find<Datatype>(type)->size_bytes * count;
    EXPECT_EQ(offset + bytes / element_bytes, position);
  }

  void write_expected(int element, int value) {
    for (int k = 0; k < element_bytes; ++k) {
      const std::size_t place = view_.byte(element, k);
      if (expected_.size() <= place) expected_.resize(place + 1);
      expected_[place] = reinterpret_cast<const char*>(&value)[k];
    }
  }

  void check_read(int offset, int elements, int count, const TestMemory& memory,
                  const std::vector<int>& before) {
    int present = 0;
    std::vector<int> wanted = before;
    for (; present < elements; ++present) {
      if (view_.byte(offset + present, element_bytes - 1) >= expected_.size()) break;
      int value = 0;
      for (int k = 0; k < element_bytes; ++k)
        reinterpret_cast<char*>(&value)[k] = expected_[view_.byte(offset + present, k)];
      wanted[memory.word(present)] = value;
    }
    EXPECT_EQ(present, count);
    EXPECT_EQ(wanted, memory.words);
  }

  Rank& rank_;
  MPI_File file_;
  const TestView& view_;
  std::vector<char>& expected_;
  std::mutex& lock_;
};

struct Case {
  int ranks, processes;
  const char* buffering;    ///< hint collective_buffering; null: none
  const char* buffer_size;  ///< hint cb_buffer_size
};

class RandomAccess : public testing::TestWithParam<Case> {};

void play_game(const Case& shape, unsigned seed) {
  const TemporaryFile temporary;
  std::mutex lock;
  std::vector<char> expected;
  std::mt19937 common(seed);
  const std::vector<TestView> views = deal(common, shape.ranks);
  std::vector<Step> steps;
  for (int i = 0; i < 6; ++i) steps.push_back(random_step(common, i == 0 || common() % 2 == 0));
  run_ranks({shape.ranks, shape.processes}, [&](Rank& rank) {
    const Reference<Info> info(new Info);
    if (shape.buffering != nullptr) info->set("collective_buffering", shape.buffering);
    info->set("cb_buffer_size", shape.buffer_size);
    MPI_File file = open_for_test(temporary, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_COMM_WORLD,
                                  handle_of<MPI_Info>(info.get()));
    const TestView& view = views[static_cast<std::size_t>(rank.number())];
    const TestType filetype = view.filetype();
    EXPECT_EQ(MPI_SUCCESS,
              MPI_File_set_view(file, view.displacement, MPI_INT, filetype, "native", MPI_INFO_NULL));
    Player player(rank, file, view, expected, lock);
    std::mt19937 own(seed * 100 + static_cast<unsigned>(rank.number()));
    int stamp = rank.number() * 100;
    for (const Step& step : steps) {
      const int offset = static_cast<int>(own() % 30);
      const int elements = own() % 5 == 0 ? 0 : static_cast<int>(own() % 200);
      player.play(step, offset, elements, own, ++stamp);
      barrier_inside(rank.world());
      if (rank.number() == 0) {
        EXPECT_EQ(expected, temporary.contents()) << "seed " << seed;
      }
      barrier_inside(rank.world());
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_File_close(&file));
    EXPECT_EQ(MPI_FILE_NULL, file);
  });
}

TEST_P(RandomAccess, EqualsThePlainArray) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    play_game(GetParam(), seed);
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, RandomAccess,
                         testing::Values(Case{1, 1, nullptr, "1000"}, Case{2, 1, nullptr, "1000"},
                                         Case{5, 1, nullptr, "1000000"}, Case{6, 1, "true", "64"},
                                         Case{3, 1, "false", "100"}, Case{4, 2, nullptr, "333"},
                                         Case{6, 2, "true", "128"}, Case{6, 3, nullptr, "4096"},
                                         Case{3, 3, "true", "50"}));

}  // namespace
}  // namespace taihu::mpi::files

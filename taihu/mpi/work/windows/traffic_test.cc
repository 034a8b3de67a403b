// SPDX-License-Identifier: Apache-2.0
// Random puts, gets and accumulates with random datatypes on both sides, under each kind of synchronisation,
// compared with plain arrays. Every rank owns a slice of every window and uses each block of it once in an
// epoch, so that results are defined.
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>

#include "taihu/base/random.h"
#include "taihu/mpi/work/windows/window_for_tests.h"

namespace taihu::mpi::windows {
namespace {

constexpr int block_ints = 30;

enum class Mode { fence, post_start, lock, lock_all, requests };

/// A datatype and the places (in ints) that it is made of.
struct Pattern {
  std::vector<int> places;
  std::unique_ptr<TypeForTests> type;
  int count = 1;
};

/// `number` ints somewhere in a block.
Pattern make_pattern(Random& random, int number) {
  Datatype& integer = *predefined_datatype(MPI_INT);
  Pattern pattern;
  const auto kind = number == 0 ? 0 : random.below(4);
  if (kind == 0) {  // in a row
    const int first = static_cast<int>(random.below(static_cast<std::uint64_t>(block_ints - number) + 1));
    std::vector<MPI_Aint> displacement{first * 4};
    const std::vector<int> one{1};
    pattern.type = std::make_unique<TypeForTests>(make_hindexed(one, displacement, integer));
    pattern.type = std::make_unique<TypeForTests>(make_resized(0, 4, **pattern.type));
    pattern.count = number;
    for (int i = 0; i < number; ++i) pattern.places.push_back(first + i);
  } else if (kind == 1) {  // every second one, backwards
    pattern.type = std::make_unique<TypeForTests>(make_vector(number, 1, -2, integer));
    const std::vector<MPI_Aint> displacement{2 * (number - 1) * 4};
    const std::vector<int> one{1};
    pattern.type = std::make_unique<TypeForTests>(make_hindexed(one, displacement, **pattern.type));
    for (int i = 0; i < number; ++i) pattern.places.push_back(2 * (number - 1 - i));
  } else if (kind == 2) {  // any places in any order
    std::vector<int> all(block_ints);
    std::iota(all.begin(), all.end(), 0);
    for (std::size_t i = all.size() - 1; i > 0; --i) std::swap(all[i], all[random.below(i + 1)]);
    all.resize(static_cast<std::size_t>(number));
    pattern.places = all;
    pattern.type = std::make_unique<TypeForTests>(make_indexed_block(1, all, integer));
  } else {  // two elements of a type with a gap, when the number is even
    const int half = number / 2;
    pattern.count = number % 2 == 0 ? 2 : 1;
    const int length = number % 2 == 0 ? half : number;
    pattern.type = std::make_unique<TypeForTests>(make_contiguous(length, integer));
    pattern.type = std::make_unique<TypeForTests>(make_resized(0, 4 * (length + 1), **pattern.type));
    for (int i = 0; i < pattern.count * length; ++i)
      pattern.places.push_back(i / length * (length + 1) + i % length);
  }
  return pattern;
}

class Traffic {
 public:
  static constexpr int blocks = 5;

  Traffic(Rank& rank, Mode mode, std::vector<std::vector<int>>& expected, std::uint64_t seed)
      : rank_(rank),
        mode_(mode),
        expected_(expected),
        members_(rank.world().size()),
        random_(seed * 100 + static_cast<unsigned>(rank.number())),
        window_(members_ * blocks * block_ints) {}

  void run_epochs(int epochs) {
    for (int i = 0; i < epochs; ++i) {
      run_epoch();
      check_gets();
    }
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, window_.window));
    const std::vector<int> mine(window_.base, window_.base + window_.size);
    EXPECT_EQ(mine, expected_[static_cast<unsigned>(rank_.number())]);
    EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(MPI_MODE_NOSUCCEED, window_.window));
  }

 private:
  struct Get {
    std::vector<int> buffer, wanted;
  };

  void run_epoch() {
    const MPI_Win window = window_.window;
    const GroupForTests everybody(all_ranks(rank_));
    if (mode_ == Mode::fence) {
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, window));
    }
    if (mode_ == Mode::post_start) {
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_post(everybody, 0, window));
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_start(everybody, 0, window));
    }
    if (mode_ == Mode::lock_all || mode_ == Mode::requests) {
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock_all(random_.below(2) == 0 ? 0 : MPI_MODE_NOCHECK, window));
    }
    for (int target = 0; target < members_; ++target) {
      const int kind = random_.below(3) == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
      if (mode_ == Mode::lock) {
        EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock(kind, target, 0, window));
      }
      for (int block = 0; block < blocks; ++block) access(target, block);
      if (mode_ == Mode::lock_all && random_.below(2) == 0) {
        EXPECT_EQ(MPI_SUCCESS, MPI_Win_flush(target, window));
      }
      if (mode_ == Mode::lock) {
        EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock(target, window));
      }
    }
    for (const MPI_Request request : requests_) EXPECT_EQ(MPI_SUCCESS, complete_request(rank_, request));
    requests_.clear();
    kept_.clear();
    end_epoch();
  }

  void end_epoch() {
    const MPI_Win window = window_.window;
    if (mode_ == Mode::fence) {
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, window));
    }
    if (mode_ == Mode::post_start) {
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_complete(window));
      int done = 0;
      if (random_.below(2) == 0) {
        while (done == 0) EXPECT_EQ(MPI_SUCCESS, MPI_Win_test(window, &done));
      } else {
        EXPECT_EQ(MPI_SUCCESS, MPI_Win_wait(window));
      }
    }
    if (mode_ == Mode::lock_all) {
      if (random_.below(2) == 0) {
        EXPECT_EQ(MPI_SUCCESS, MPI_Win_flush_local_all(window));
        check_gets();
      }
      if (random_.below(2) == 0) {
        EXPECT_EQ(MPI_SUCCESS, MPI_Win_flush_all(window));
      }
    }
    if (mode_ == Mode::lock_all || mode_ == Mode::requests) {
      EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock_all(window));
    }
  }

  void access(int target, int block) {
    const int number = static_cast<int>(random_.below(block_ints / 2 + 1));
    const Pattern here = make_pattern(random_, number), there = make_pattern(random_, number);
    const MPI_Aint first = (rank_.number() * blocks + block) * block_ints;
    int* const model = expected_[static_cast<unsigned>(target)].data() + first;
    std::vector<int> data(block_ints);
    for (int& value : data) value = static_cast<int>(random_.next());
    switch (random_.below(3)) {
      case 0:
        put(target, first, here, there, data);
        for (std::size_t i = 0; i < here.places.size(); ++i) at(model, there, i) = at(data.data(), here, i);
        break;
      case 1: {
        auto get = std::make_unique<Get>();
        get->buffer = data;
        get->wanted = data;
        for (std::size_t i = 0; i < here.places.size(); ++i)
          at(get->wanted.data(), here, i) = at(model, there, i);
        this->get(target, first, here, there, get->buffer);
        gets_.push_back(std::move(get));
        break;
      }
      default:
        accumulate(target, first, here, there, data);
        for (std::size_t i = 0; i < here.places.size(); ++i) {
          int& value = at(model, there, i);
          value = static_cast<int>(static_cast<unsigned>(value) +
                                   static_cast<unsigned>(at(data.data(), here, i)));
        }
    }
    if (mode_ == Mode::requests) {
      kept_.push_back(std::move(data));
    }
  }

  static int& at(int* base, const Pattern& pattern, std::size_t i) { return base[pattern.places[i]]; }

  void put(int target, MPI_Aint first, const Pattern& here, const Pattern& there, std::vector<int>& data) {
    MPI_Request request;
    if (mode_ == Mode::requests) {
      EXPECT_EQ(MPI_SUCCESS, MPI_Rput(data.data(), here.count, *here.type, target, first, there.count,
                                      *there.type, window_.window, &request));
      requests_.push_back(request);
    } else {
      EXPECT_EQ(MPI_SUCCESS, MPI_Put(data.data(), here.count, *here.type, target, first, there.count,
                                     *there.type, window_.window));
    }
  }
  void get(int target, MPI_Aint first, const Pattern& here, const Pattern& there, std::vector<int>& data) {
    MPI_Request request;
    if (mode_ == Mode::requests) {
      EXPECT_EQ(MPI_SUCCESS, MPI_Rget(data.data(), here.count, *here.type, target, first, there.count,
                                      *there.type, window_.window, &request));
      requests_.push_back(request);
    } else {
      EXPECT_EQ(MPI_SUCCESS, MPI_Get(data.data(), here.count, *here.type, target, first, there.count,
                                     *there.type, window_.window));
    }
  }
  void accumulate(int target, MPI_Aint first, const Pattern& here, const Pattern& there,
                  std::vector<int>& data) {
    MPI_Request request;
    if (mode_ == Mode::requests) {
      EXPECT_EQ(MPI_SUCCESS, MPI_Raccumulate(data.data(), here.count, *here.type, target, first, there.count,
                                             *there.type, MPI_SUM, window_.window, &request));
      requests_.push_back(request);
    } else {
      EXPECT_EQ(MPI_SUCCESS, MPI_Accumulate(data.data(), here.count, *here.type, target, first, there.count,
                                            *there.type, MPI_SUM, window_.window));
    }
  }

  void check_gets() {
    for (const auto& get : gets_) EXPECT_EQ(get->buffer, get->wanted);
    gets_.clear();
  }

  Rank& rank_;
  const Mode mode_;
  std::vector<std::vector<int>>& expected_;
  const int members_;
  Random random_;
  WindowForTests<int> window_;
  std::vector<std::unique_ptr<Get>> gets_;
  std::vector<MPI_Request> requests_;
  std::vector<std::vector<int>> kept_;  ///< data of requests under way
};

class WindowTraffic : public testing::TestWithParam<Mode> {};

TEST_P(WindowTraffic, LeavesWhatPlainCopiesWouldLeave) {
  std::uint64_t seed = 1;
  for (const TestShape& shape : window_shapes()) {
    const auto ints = static_cast<std::size_t>(shape.ranks * Traffic::blocks * block_ints);
    std::vector<std::vector<int>> expected(static_cast<std::size_t>(shape.ranks), std::vector<int>(ints));
    run_ranks(shape, [&](Rank& rank) { Traffic(rank, GetParam(), expected, seed).run_epochs(6); });
    ++seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, WindowTraffic,
                         testing::Values(Mode::fence, Mode::post_start, Mode::lock, Mode::lock_all,
                                         Mode::requests));

/// Longer than the pieces in which transfers travel, contiguous and with gaps on either side.
TEST(WindowTransfer, LongOnesArriveWhole) {
  for (const TestShape& shape : {TestShape(2), TestShape(2, 2)}) {
    run_ranks(shape, [](Rank& rank) {
      constexpr int number = 300001;
      WindowForTests<int> window(2 * number);
      const TypeForTests spread(make_vector(number, 1, 2, *predefined_datatype(MPI_INT)));
      const int peer = 1 - rank.number();
      for (const bool gaps_here : {false, true}) {
        for (const bool gaps_there : {false, true}) {
          std::vector<int> data(2 * number), back(2 * number, -1), sum(2 * number, -1);
          for (int i = 0; i < 2 * number; ++i) data[static_cast<unsigned>(i)] = i * 3 + rank.number();
          const int here_count = gaps_here ? 1 : number, there_count = gaps_there ? 1 : number;
          const MPI_Datatype here = gaps_here ? spread : MPI_INT, there = gaps_there ? spread : MPI_INT;
          EXPECT_EQ(MPI_SUCCESS, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, peer, 0, window.window));
          EXPECT_EQ(MPI_SUCCESS,
                    MPI_Put(data.data(), here_count, here, peer, 0, there_count, there, window.window));
          EXPECT_EQ(MPI_SUCCESS, MPI_Win_flush(peer, window.window));
          EXPECT_EQ(MPI_SUCCESS,
                    MPI_Get(back.data(), here_count, here, peer, 0, there_count, there, window.window));
          EXPECT_EQ(MPI_SUCCESS, MPI_Win_flush(peer, window.window));
          EXPECT_EQ(MPI_SUCCESS,
                    MPI_Get_accumulate(data.data(), here_count, here, sum.data(), here_count, here, peer, 0,
                                       there_count, there, MPI_SUM, window.window));
          EXPECT_EQ(MPI_SUCCESS, MPI_Win_unlock(peer, window.window));
          // Not one assertion for each number: without optimisation they would take most of the time.
          const int step = gaps_here ? 2 : 1, step_there = gaps_there ? 2 : 1;
          const int *got = back.data(), *added = sum.data(), *own = data.data();
          int wrong = 0;
          for (int i = 0; i < number * step; i += step) wrong += got[i] != own[i] || added[i] != own[i];
          EXPECT_EQ(wrong, 0);
          EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(0, window.window));
          // The peer has written what I would have written, with its number.
          const int* written = window.base;
          for (int i = 0; i < number; ++i) wrong += written[i * step_there] != 2 * (i * step * 3 + peer);
          ASSERT_EQ(wrong, 0);
          EXPECT_EQ(MPI_SUCCESS, MPI_Win_fence(MPI_MODE_NOSUCCEED, window.window));
        }
      }
    });
  }
}

}  // namespace
}  // namespace taihu::mpi::windows

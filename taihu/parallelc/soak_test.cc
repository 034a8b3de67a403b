// SPDX-License-Identifier: Apache-2.0
// Messages, transfers of all kinds, collectives, locks, tasks and kernels in random order, checked; for the
// thread sanitizer, too. Each run takes other random numbers:
// `taihu_parallelc_test --gtest_filter=*Soak* --gtest_repeat=1000` for long.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <vector>

#include "taihu/abi/parallelc.h"
#include "taihu/base/random.h"
#include "taihu/parallelc/processes_for_tests.h"

namespace taihu::parallelc {
namespace {

struct Shape {
  int processes;
  int ranks;
  int threads;
  bool maps = false;  ///< node processes have mapped half of each other's memory
};

constexpr int steps = 30;
/// Of the symmetric memory of a rank: of the second half node processes may have mapped each other's.
constexpr std::size_t half_bytes = 1 << 20;
constexpr int most_tasks = 200;

long value_of(int rank, int step, long place) {
  return rank * 1'000'000'007L + step * 10'007L + place;
}

/// What all ranks of a run use together.
struct Shared {
  Shared(ProcessesForTests& all, Shape form, std::uint64_t first_seed)
      : job(all), shape(form), seed(first_seed) {}

  ProcessesForTests& job;
  const Shape shape;
  const std::uint64_t seed;
  std::array<long, 3> under_lock{};  ///< changed only by who holds the lock of the job
  std::array<std::atomic<int>, most_tasks> taken{};
};

/// What a rank does. All ranks draw the same numbers.
class Soak {
 public:
  Soak(Shared& shared, int rank) : shared_(shared), rank_(rank), random_(shared.seed) {}

  void run() {
    for (step_ = 0; step_ < steps && !testing::Test::HasFailure(); ++step_) {
      constexpr void (Soak::* kinds[])() = {&Soak::ring,  &Soak::sums,    &Soak::exchange,
                                            &Soak::locks, &Soak::tasks,   &Soak::kernels,
                                            &Soak::puts,  &Soak::tickets, &Soak::transfers};
      (this->*kinds[random_.below(std::size(kinds))])();
    }
  }

 private:
  int ranks() const { return shared_.shape.ranks; }
  std::byte* mine() const { return shared_.job.segment(rank_); }

  void ring() {
    const auto count =
        static_cast<std::size_t>(random_.below(2) != 0 ? random_.below(50) : random_.below(20'000));
    const int distance = static_cast<int>(random_.below(static_cast<std::uint64_t>(ranks())));
    const int to = (rank_ + distance) % ranks();
    const int from = (rank_ + ranks() - distance) % ranks();
    std::vector<long> out(count);
    std::vector<long> in(count);
    for (std::size_t k = 0; k < count; ++k) out[k] = value_of(rank_, step_, static_cast<long>(k));
    const auto bytes = static_cast<long>(count * sizeof(long));
    handle_t send = m_isend(to, out.data(), bytes, step_);
    EXPECT_EQ(m_recv(step_ % 2 == 0 ? from : M_ANY_RANK, in.data(), bytes, step_, nullptr), M_SUCCESS);
    EXPECT_EQ(m_wait(&send, nullptr), M_SUCCESS);
    for (std::size_t k = 0; k < count; ++k) ASSERT_EQ(in[k], value_of(from, step_, static_cast<long>(k)));
  }

  void sums() {
    const auto count = static_cast<long>(random_.below(3000));
    std::vector<long> own(static_cast<std::size_t>(count));
    std::vector<long> all(own.size());
    for (long k = 0; k < count; ++k) own[static_cast<std::size_t>(k)] = rank_ + k;
    EXPECT_EQ(m_allreduce(CCC_ALL, own.data(), all.data(), count, M_LONG, M_SUM), M_SUCCESS);
    for (long k = 0; k < count; ++k)
      ASSERT_EQ(all[static_cast<std::size_t>(k)], ranks() * (ranks() - 1) / 2 + ranks() * k);
  }

  void exchange() {
    const auto count = static_cast<long>(random_.below(2) != 0 ? random_.below(10) : random_.below(20'000));
    std::vector<long> out(static_cast<std::size_t>(count * ranks()));
    std::vector<long> in(out.size());
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = value_of(rank_, step_, static_cast<long>(k));
    EXPECT_EQ(m_alltoall(CCC_ALL, out.data(), in.data(), count, M_LONG), M_SUCCESS);
    for (long k = 0; k < count * ranks(); ++k)
      ASSERT_EQ(in[static_cast<std::size_t>(k)],
                value_of(static_cast<int>(k / count), step_, rank_ * count + k % count));
  }

  void locks() {
    const auto id = random_.below(shared_.under_lock.size());
    const long before = locked(id, 0);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
    for (int k = 0; k < 5; ++k) locked(id, rank_ + 1);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
    EXPECT_EQ(locked(id, 0), before + 5 * ranks() * (ranks() + 1) / 2);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
  }

  long locked(std::uint64_t id, long more) {
    EXPECT_EQ(m_lock(CCC_ALL, static_cast<int>(id)), M_SUCCESS);
    const long now = shared_.under_lock[id] += more;
    EXPECT_EQ(m_unlock(CCC_ALL, static_cast<int>(id)), M_SUCCESS);
    return now;
  }

  void tasks() {
    const auto total = static_cast<long>(random_.below(most_tasks));
    take_tasks(shared_, total);
    check_tasks(total);
  }

  static void take_tasks(Shared& shared, long total) {
    for (long id = 0; (id = get_task_id(total, nullptr, CCC_ALL)) >= 0;)
      shared.taken[static_cast<std::size_t>(id)].fetch_add(1, std::memory_order_relaxed);
  }

  void check_tasks(long total) {
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
    for (long id = 0; id < most_tasks; ++id)
      ASSERT_EQ(shared_.taken[static_cast<std::size_t>(id)], id < total);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
    if (rank_ == 0)
      for (std::atomic<int>& times : shared_.taken) times = 0;
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
  }

  struct InKernel {
    Shared* shared;
    long tasks;
    long under_lock = 0;
  };

  void kernels() {
    InKernel work{&shared_, static_cast<long>(random_.below(most_tasks))};
    const m_spawn_t kernel = m_spawn(
        [](void* argument) {
          auto& own = *static_cast<InKernel*>(argument);
          const int me = m_rank(CCC_ARRAY);
          const int all = m_size(CCC_ARRAY);
          for (int k = 0; k < 3; ++k) {
            EXPECT_EQ(m_lock(CCC_ARRAY, 1), M_SUCCESS);
            own.under_lock += me + 1;
            EXPECT_EQ(m_unlock(CCC_ARRAY, 1), M_SUCCESS);
            EXPECT_EQ(m_barrier(CCC_ARRAY), M_SUCCESS);
            EXPECT_EQ(own.under_lock, (k + 1) * all * (all + 1) / 2);
            long sum = 0;
            const long mine = me;
            EXPECT_EQ(m_allreduce(CCC_ARRAY, &mine, &sum, 1, M_LONG, M_SUM), M_SUCCESS);
            EXPECT_EQ(sum, all * (all - 1) / 2);
          }
          take_tasks(*own.shared, own.tasks);
        },
        &work);
    ring();  // while the kernel runs
    EXPECT_EQ(m_join(kernel), M_SUCCESS);
    check_tasks(work.tasks);
  }

  // The first page of the segment has the reply word, that of each half has counters; behind it each rank has
  // its part.
  int* reply() const { return reinterpret_cast<int*>(mine()); }
  long* counters(std::size_t half) const { return reinterpret_cast<long*>(mine() + half * half_bytes + 64); }
  std::byte* part_of(int rank, std::size_t half) const {
    constexpr std::size_t page = 4096;
    const std::size_t each = (half_bytes - page) / static_cast<std::size_t>(ranks()) / 64 * 64;
    return mine() + half * half_bytes + page + each * static_cast<std::size_t>(rank);
  }

  void puts() {
    const auto count =
        1 + static_cast<long>(random_.below(2) != 0 ? random_.below(20) : random_.below(20'000));
    const std::size_t half = random_.below(2);
    const auto part = [&](int rank) { return reinterpret_cast<long*>(part_of(rank, half)); };
    std::vector<long> out(static_cast<std::size_t>(count));
    std::vector<handle_t> open;
    for (long k = 0; k < count; ++k) out[static_cast<std::size_t>(k)] = value_of(rank_, step_, k);
    for (int to = 0; to < ranks(); ++to)
      open.push_back(
          m_msg_put(to, out.data(), part(rank_), count * static_cast<long>(sizeof(long)), reply()));
    m_wait_reply(reply(), replies_ += ranks());
    for (int from = 0; from < ranks(); ++from)
      for (long k = 0; k < count; ++k) ASSERT_EQ(part(from)[k], value_of(from, step_, k));
    for (const handle_t handle : open) EXPECT_EQ(m_wait_msg(handle), M_SUCCESS);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
    long last = 0;
    EXPECT_EQ(m_msg_get_wait((rank_ + 1) % ranks(), part(rank_) + count - 1, &last, sizeof last), M_SUCCESS);
    EXPECT_EQ(last, value_of(rank_, step_, count - 1));
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
  }

  // Each number is fetched once, whether it is in memory that others have mapped or not.
  void tickets() {
    const m_aggregator_t aggregator = m_aggregator_open(256);
    const auto many = static_cast<long>(random_.below(100));
    const std::array<long*, 2> numbers{counters(0), counters(1)};
    std::vector<long> fetched(static_cast<std::size_t>(many) * numbers.size());
    for (std::size_t k = 0; k < fetched.size(); ++k) {
      long* const number = numbers[k % numbers.size()];
      EXPECT_EQ(m_aggregator_fetch_add(aggregator, step_ % ranks(), number, 1, &fetched[k]), M_SUCCESS);
      for (int to = 0; to < ranks(); ++to)
        EXPECT_EQ(m_aggregator_add(aggregator, to, number + 1, rank_ + 1), M_SUCCESS);
    }
    EXPECT_EQ(m_aggregator_close(aggregator), M_SUCCESS);
    long sum = 0, of_all = 0;
    for (const long ticket : fetched) sum += ticket;
    EXPECT_EQ(m_allreduce(CCC_ALL, &sum, &of_all, 1, M_LONG, M_SUM), M_SUCCESS);
    const long taken = many * ranks();
    long& before = tickets_[static_cast<std::size_t>(step_ % ranks())];
    EXPECT_EQ(of_all, 2 * (taken * before + taken * (taken - 1) / 2));
    before += taken;
    added_ += many * ranks() * (ranks() + 1) / 2;
    for (long* const number : numbers) EXPECT_EQ(std::atomic_ref(number[1]).load(), added_);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
  }

  /// What a rank has written to its parts at another one, each `window` bytes in either half.
  struct Model {
    static constexpr long window = 100'000;
    std::array<std::vector<std::byte>, 2> halves{std::vector<std::byte>(window),
                                                 std::vector<std::byte>(window)};
    std::array<long, 2> used{};
    int told = 0;
  };

  /// Data of `size` bytes in blocks, or one behind the other when the block is the whole.
  struct Piece {
    long size, block, here, there;  ///< strides
    long extent(long stride) const { return size == 0 ? 0 : (size - 1) / block * stride + block; }
    template <class Each>
    void for_each(const Each& each) const {
      for (long i = 0; i < size; ++i)
        each(static_cast<std::size_t>(i / block * here + i % block),
             static_cast<std::size_t>(i / block * there + i % block));
    }
  };
  static Piece draw_piece(Random& random, bool has_blocks) {
    const std::array<std::uint64_t, 4> most{2, 70, 5000, 30'000};
    Piece piece{static_cast<long>(random.below(most[random.below(most.size())])), 1, 1, 1};
    if (!has_blocks) {
      piece.block = piece.here = piece.there = std::max(piece.size, 1L);
      return piece;
    }
    piece.block = 1 + static_cast<long>(random.below(static_cast<std::uint64_t>(piece.size / 3 + 9)));
    piece.here = piece.block + static_cast<long>(random.below(9));
    piece.there = piece.block + static_cast<long>(random.below(2) * random.below(9));
    return piece;
  }

  // A stream of puts of all kinds, some with reply words, to parts of its own at random targets, in both
  // halves; then gets of all kinds from there. Each rank draws what it likes.
  void transfers() {
    Random own(shared_.seed * 1000 + static_cast<std::uint64_t>(step_ * ranks() + rank_));
    std::vector<Model> models(static_cast<std::size_t>(ranks()));
    for (int writer = 0; writer < ranks(); ++writer)
      for (const std::size_t half : {0UL, 1UL}) std::memset(part_of(writer, half), 0, Model::window);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
    const m_aggregator_t aggregator = m_aggregator_open(static_cast<long>(own.below(2)) * 512);
    write(own, aggregator, models);
    EXPECT_EQ(m_aggregator_flush(aggregator), M_SUCCESS);
    std::vector<int> told;
    for (const Model& model : models) told.push_back(model.told);
    std::vector<int> all_told(told.size());
    EXPECT_EQ(m_allreduce(CCC_ALL, told.data(), all_told.data(), ranks(), M_INT, M_SUM), M_SUCCESS);
    replies_ += all_told[static_cast<std::size_t>(rank_)];
    EXPECT_EQ(m_wait_reply(reply(), replies_), M_SUCCESS);
    EXPECT_EQ(std::atomic_ref(*reply()).load(), replies_);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
    read(own, aggregator, models);
    EXPECT_EQ(m_aggregator_close(aggregator), M_SUCCESS);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
  }

  void write(Random& own, m_aggregator_t aggregator, std::vector<Model>& models) {
    std::deque<std::vector<std::byte>> sources;
    std::vector<handle_t> open;
    for (int k = 0; k < 40; ++k) {
      const auto to = static_cast<int>(own.below(models.size()));
      Model& model = models[static_cast<std::size_t>(to)];
      const std::size_t half = own.below(2);
      const std::uint64_t kind = own.below(5);
      const Piece piece = draw_piece(own, kind >= 3);
      long& used = model.used[half];
      if (piece.extent(piece.there) > Model::window - used) continue;
      std::vector<std::byte>& source =
          sources.emplace_back(static_cast<std::size_t>(piece.extent(piece.here)) + 1);
      for (std::byte& byte : source) byte = static_cast<std::byte>(own.next());
      piece.for_each([&](std::size_t here, std::size_t there) {
        model.halves[half][static_cast<std::size_t>(used) + there] = source[here];
      });
      int* const word = kind != 0 && own.below(2) != 0 ? reply() : nullptr;
      model.told += word != nullptr;
      std::byte* const target = part_of(rank_, half) + used;
      used += piece.extent(piece.there);
      put(kind, aggregator, to, source.data(), target, piece, word, open);
    }
    for (const handle_t handle : open) EXPECT_EQ(m_wait_msg(handle), M_SUCCESS);
  }

  static void put(std::uint64_t kind, m_aggregator_t aggregator, int to, std::byte* source, std::byte* target,
                  const Piece& piece, int* word, std::vector<handle_t>& open) {
    const auto [size, block, here, there] = piece;
    if (kind == 0) {
      EXPECT_EQ(m_aggregator_put(aggregator, to, source, target, size), M_SUCCESS);
    } else if (kind == 1) {
      EXPECT_EQ(m_msg_put_wait(to, source, target, size, word), M_SUCCESS);
    } else if (kind == 2) {
      open.push_back(m_msg_put(to, source, target, size, word));
    } else if (kind == 3) {
      open.push_back(m_msg_put_stride(to, source, target, size, block, here, there, word));
    } else {
      EXPECT_EQ(m_msg_put_stride_wait(to, source, target, size, block, here, there, word), M_SUCCESS);
    }
  }

  void read(Random& own, m_aggregator_t aggregator, const std::vector<Model>& models) {
    std::deque<std::vector<std::byte>> got, expected;
    std::vector<handle_t> open;
    for (int k = 0; k < 20; ++k) {
      const auto from = static_cast<int>(own.below(models.size()));
      const std::size_t half = own.below(2);
      const std::uint64_t kind = own.below(5);
      const Piece piece = draw_piece(own, kind >= 3);
      if (piece.extent(piece.there) > Model::window) continue;
      const auto place = own.below(static_cast<std::uint64_t>(Model::window - piece.extent(piece.there) + 1));
      got.emplace_back(static_cast<std::size_t>(piece.extent(piece.here)) + 1);
      expected.emplace_back(got.back().size());
      const std::vector<std::byte>& model = models[static_cast<std::size_t>(from)].halves[half];
      piece.for_each(
          [&](std::size_t here, std::size_t there) { expected.back()[here] = model[place + there]; });
      get(kind, aggregator, from, part_of(rank_, half) + place, got.back().data(), piece, open);
    }
    for (const handle_t handle : open) EXPECT_EQ(m_wait_msg(handle), M_SUCCESS);
    EXPECT_EQ(m_aggregator_flush(aggregator), M_SUCCESS);
    EXPECT_TRUE(got == expected);
  }

  static void get(std::uint64_t kind, m_aggregator_t aggregator, int from, std::byte* source,
                  std::byte* target, const Piece& piece, std::vector<handle_t>& open) {
    const auto [size, block, here, there] = piece;
    if (kind == 0) {
      EXPECT_EQ(m_aggregator_get(aggregator, from, source, target, size), M_SUCCESS);
    } else if (kind == 1) {
      EXPECT_EQ(m_msg_get_wait(from, source, target, size), M_SUCCESS);
    } else if (kind == 2) {
      open.push_back(m_msg_get(from, source, target, size));
    } else if (kind == 3) {
      open.push_back(m_msg_get_stride(from, source, target, size, block, there, here));
    } else {
      EXPECT_EQ(m_msg_get_stride_wait(from, source, target, size, block, there, here), M_SUCCESS);
    }
  }

  Shared& shared_;
  const int rank_;
  Random random_;
  int step_ = 0;
  int replies_ = 0;
  std::vector<long> tickets_ = std::vector<long>(static_cast<std::size_t>(ranks()));  ///< taken, by rank
  long added_ = 0;
};

class SoakTest : public testing::TestWithParam<Shape> {};

TEST_P(SoakTest, MixedOperations) {
  static std::uint64_t seed = 0;
  ++seed;
  SCOPED_TRACE("random numbers " + std::to_string(seed));
  const Shape shape = GetParam();
  ProcessesForTests job(shape.processes, shape.ranks, shape.threads, 2 * half_bytes,
                        shape.maps ? half_bytes : 0);
  Shared shared(job, shape, seed);
  job.run([&](int rank) { Soak(shared, rank).run(); });
}

INSTANTIATE_TEST_SUITE_P(Jobs, SoakTest,
                         testing::Values(Shape{1, 1, 2}, Shape{1, 3, 2}, Shape{2, 4, 2}, Shape{3, 5, 1},
                                         Shape{2, 4, 2, true}, Shape{3, 5, 1, true}));

}  // namespace
}  // namespace taihu::parallelc

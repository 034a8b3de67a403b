// SPDX-License-Identifier: Apache-2.0
// Messages, collectives, locks, tasks and kernels in random order, checked; for the thread sanitizer, too.
// Each run takes other random numbers: `taihu_parallelc_test --gtest_filter=Soak* --gtest_repeat=1000` for
// long.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
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
};

constexpr int steps = 30;
constexpr std::size_t soak_segment_bytes = 1 << 20;
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
      constexpr void (Soak::* kinds[])() = {&Soak::ring,  &Soak::sums,    &Soak::exchange, &Soak::locks,
                                            &Soak::tasks, &Soak::kernels, &Soak::puts,     &Soak::additions};
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

  // The first page of a segment has reply word and counter, then each rank has its part.
  int* reply() const { return reinterpret_cast<int*>(mine()); }
  long* counter() const { return reinterpret_cast<long*>(mine() + 64); }
  long* part_of(int rank) const {
    constexpr std::size_t page = 4096;
    const std::size_t each = (soak_segment_bytes - page) / static_cast<std::size_t>(ranks()) / 64 * 64;
    return reinterpret_cast<long*>(mine() + page + each * static_cast<std::size_t>(rank));
  }

  void puts() {
    const auto count =
        1 + static_cast<long>(random_.below(2) != 0 ? random_.below(20) : random_.below(20'000));
    std::vector<long> out(static_cast<std::size_t>(count));
    std::vector<handle_t> open;
    for (long k = 0; k < count; ++k) out[static_cast<std::size_t>(k)] = value_of(rank_, step_, k);
    for (int to = 0; to < ranks(); ++to)
      open.push_back(
          m_msg_put(to, out.data(), part_of(rank_), count * static_cast<long>(sizeof(long)), reply()));
    m_wait_reply(reply(), replies_ += ranks());
    for (int from = 0; from < ranks(); ++from)
      for (long k = 0; k < count; ++k) ASSERT_EQ(part_of(from)[k], value_of(from, step_, k));
    for (const handle_t handle : open) EXPECT_EQ(m_wait_msg(handle), M_SUCCESS);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
    long last = 0;
    EXPECT_EQ(m_msg_get_wait((rank_ + 1) % ranks(), part_of(rank_) + count - 1, &last, sizeof last),
              M_SUCCESS);
    EXPECT_EQ(last, value_of(rank_, step_, count - 1));
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
  }

  void additions() {
    const m_aggregator_t aggregator = m_aggregator_open(256);
    const auto many = static_cast<int>(random_.below(100));
    for (int k = 0; k < many; ++k)
      for (int to = 0; to < ranks(); ++to)
        EXPECT_EQ(m_aggregator_add(aggregator, to, counter(), rank_ + 1), M_SUCCESS);
    EXPECT_EQ(m_aggregator_close(aggregator), M_SUCCESS);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
    added_ += static_cast<long>(many) * ranks() * (ranks() + 1) / 2;
    EXPECT_EQ(std::atomic_ref(*counter()).load(), added_);
    EXPECT_EQ(m_barrier(CCC_ALL), M_SUCCESS);
  }

  Shared& shared_;
  const int rank_;
  Random random_;
  int step_ = 0;
  int replies_ = 0;
  long added_ = 0;
};

class SoakTest : public testing::TestWithParam<Shape> {};

TEST_P(SoakTest, MixedOperations) {
  static std::uint64_t seed = 0;
  ++seed;
  SCOPED_TRACE("random numbers " + std::to_string(seed));
  const Shape shape = GetParam();
  ProcessesForTests job(shape.processes, shape.ranks, shape.threads, soak_segment_bytes);
  Shared shared(job, shape, seed);
  job.run([&](int rank) { Soak(shared, rank).run(); });
}

INSTANTIATE_TEST_SUITE_P(Jobs, SoakTest,
                         testing::Values(Shape{1, 1, 2}, Shape{1, 3, 2}, Shape{2, 4, 2}, Shape{3, 5, 1}));

}  // namespace
}  // namespace taihu::parallelc

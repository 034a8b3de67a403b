// SPDX-License-Identifier: Apache-2.0
// Collectives between two groups, in all forms.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <vector>

#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/operations/operation.h"
#include "taihu/mpi/test_ranks.h"
#include "taihu/mpi/work/collectives/test_trials.h"

namespace taihu::mpi::collectives {
namespace {

/// One side of an intercommunicator: the first ranks of the job are the left side.
struct TestSide {
  TestSide(Rank& rank, int left_size) : is_left(rank.number() < left_size) {
    std::vector<int> left(static_cast<std::size_t>(left_size)),
        right(static_cast<std::size_t>(rank.world().size() - left_size));
    std::iota(left.begin(), left.end(), 0);
    std::iota(right.begin(), right.end(), left_size);
    const auto group = [](const std::vector<int>& ranks) { return Reference<Group>(new Group(ranks)); };
    communicator = Reference<Communicator>(new Communicator(
        rank, message::Context{1} << 60, group(is_left ? left : right), group(is_left ? right : left)));
    communicator->errors = rank.world().errors;
    me = communicator->rank;
    mine = communicator->size();
    others = communicator->remote_group->size();
  }
  MPI_Comm comm() const { return handle_of<MPI_Comm>(communicator.get()); }
  /// What to pass when member `root` of the left side is the root.
  int root_argument(int root) const { return !is_left ? root : me == root ? MPI_ROOT : MPI_PROC_NULL; }

  bool is_left;
  Reference<Communicator> communicator;
  int me, mine, others;
};

/// Runs `body(side, call)` on 1+2, 2+1 and 3+4 ranks in one and two node processes, in each form.
void on_both_sides(const std::function<void(TestSide&, CallForm)>& body) {
  struct Shape {
    int left, right, processes;
  };
  for (const Shape& shape : {Shape{1, 2, 1}, Shape{2, 1, 2}, Shape{3, 4, 1}, Shape{4, 3, 2}}) {
    run_ranks({shape.left + shape.right, shape.processes}, [&](Rank& rank) {
      TestSide side(rank, shape.left);
      for (const CallForm form : {CallForm::blocking, CallForm::nonblocking, CallForm::persistent})
        body(side, form);
    });
  }
}

int id(const TestSide& side, bool of_other, int member) {
  return (side.is_left != of_other ? 1000 : 2000) + member;
}

TEST(Intercommunicators, BcastGatherScatter) {
  on_both_sides([](TestSide& side, CallForm form) {
    const MPI_Comm comm = side.comm();
    const int left = side.is_left ? side.mine : side.others, right = side.is_left ? side.others : side.mine;
    for (int root = 0; root < left; ++root) {
      const int argument = side.root_argument(root);
      int value[2] = {side.is_left ? 7 + root : -1, 5};
      int* const buffer = value;
      TAIHU_CALL(Bcast, Ibcast, buffer, 1, MPI_INT, argument);
      EXPECT_EQ(value[0], 7 + root);
      EXPECT_EQ(value[1], 5);

      const int sent = id(side, false, side.me);
      const int* const source = &sent;
      std::vector<int> all(static_cast<std::size_t>(right), -1);
      int* const result = all.data();
      TAIHU_CALL(Gather, Igather, source, 1, MPI_INT, result, 1, MPI_INT, argument);
      if (argument == MPI_ROOT) {
        for (int k = 0; k < right; ++k) EXPECT_EQ(all[static_cast<std::size_t>(k)], id(side, true, k));
      }

      std::vector<int> parts;
      for (int k = 0; k < right; ++k) parts.push_back(100 * root + k);
      const int* const part = parts.data();
      int got = -1;
      int* const target = &got;
      TAIHU_CALL(Scatter, Iscatter, part, 1, MPI_INT, target, 1, MPI_INT, argument);
      EXPECT_EQ(got, side.is_left ? -1 : 100 * root + side.me);
    }
  });
}

TEST(Intercommunicators, AllgatherAlltoall) {
  on_both_sides([](TestSide& side, CallForm form) {
    const MPI_Comm comm = side.comm();
    const auto others = static_cast<std::size_t>(side.others);
    const int sent = id(side, false, side.me);
    const int* const source = &sent;
    std::vector<int> all(others, -1);
    int* const result = all.data();
    TAIHU_CALL(Allgather, Iallgather, source, 1, MPI_INT, result, 1, MPI_INT);
    for (int k = 0; k < side.others; ++k) EXPECT_EQ(all[static_cast<std::size_t>(k)], id(side, true, k));

    // Member k of the left side contributes k ints, of the right side two.
    const auto length = [&](bool left, int member) { return left ? member : 2; };
    const std::vector<int> row(static_cast<std::size_t>(length(side.is_left, side.me)) + 1, sent);
    std::vector<int> counts, displacements;
    int total = 0;
    for (int k = 0; k < side.others; ++k) {
      counts.push_back(length(!side.is_left, k));
      displacements.push_back(total);
      total += counts.back() + 1;
    }
    std::vector<int> rows(static_cast<std::size_t>(total) + 1, -1);
    const int* const my_row = row.data();
    const int my_length = length(side.is_left, side.me);
    int* const all_rows = rows.data();
    const int *const count = counts.data(), *const displacement = displacements.data();
    TAIHU_CALL(Allgatherv, Iallgatherv, my_row, my_length, MPI_INT, all_rows, count, displacement, MPI_INT);
    for (int k = 0; k < side.others; ++k) {
      const auto first = static_cast<std::size_t>(displacements[static_cast<std::size_t>(k)]);
      const auto ints = static_cast<std::size_t>(counts[static_cast<std::size_t>(k)]);
      for (std::size_t i = 0; i < ints; ++i) EXPECT_EQ(rows[first + i], id(side, true, k));
      EXPECT_EQ(rows[first + ints], -1);
    }

    std::vector<int> to, from(others, -1);
    for (int k = 0; k < side.others; ++k) to.push_back(side.me * 100 + k);
    const int* const sent_blocks = to.data();
    int* const received = from.data();
    TAIHU_CALL(Alltoall, Ialltoall, sent_blocks, 1, MPI_INT, received, 1, MPI_INT);
    for (int k = 0; k < side.others; ++k) EXPECT_EQ(from[static_cast<std::size_t>(k)], k * 100 + side.me);
  });
}

/// Of two ints a, b: (a, b) after (c, d) is (a * c, a * d + b); modulo 2^32 and in order.
void compose(void* in, void* inout, int* length, MPI_Datatype*) {
  const auto* left = static_cast<const unsigned*>(in);
  auto* right = static_cast<unsigned*>(inout);
  for (int k = 0; k < *length; ++k, left += 2, right += 2) {
    right[1] = left[0] * right[1] + left[1];
    right[0] = left[0] * right[0];
  }
}

TEST(Intercommunicators, ReductionsCombineTheOtherSide) {
  on_both_sides([](TestSide& side, CallForm form) {
    const MPI_Comm comm = side.comm();
    Operation operation(compose, false);
    const MPI_Op op = handle_of<MPI_Op>(&operation);
    const auto types = test_types();
    const MPI_Datatype pair = types[1].handle();
    const auto operand = [](bool left, int member) {
      return std::array<unsigned, 2>{3u + static_cast<unsigned>(member) * 2u, left ? 5u : 9u};
    };
    const auto combined = [&](bool left, int members) {
      auto result = operand(left, members - 1);
      for (int k = members - 1; k-- > 0;) {
        const auto left_operand = operand(left, k);
        result = {left_operand[0] * result[0], left_operand[0] * result[1] + left_operand[1]};
      }
      return result;
    };
    const auto mine = operand(side.is_left, side.me);
    const unsigned* const source = mine.data();
    std::array<unsigned, 2> sum{};
    unsigned* const result = sum.data();
    TAIHU_CALL(Allreduce, Iallreduce, source, result, 1, pair, op);
    EXPECT_EQ(sum, combined(!side.is_left, side.others));

    const int left = side.is_left ? side.mine : side.others;
    for (int root = 0; root < left; ++root) {
      sum = {};
      const int argument = side.root_argument(root);
      TAIHU_CALL(Reduce, Ireduce, source, result, 1, pair, op, argument);
      if (argument == MPI_ROOT) {
        EXPECT_EQ(sum, combined(false, side.others));
      }
    }

    // Of mine * others ints everybody gets as many as fit its side.
    const int ints = side.mine * side.others;
    std::vector<int> row(static_cast<std::size_t>(ints)), got(static_cast<std::size_t>(side.others), -1);
    for (int k = 0; k < ints; ++k) row[static_cast<std::size_t>(k)] = side.me * 1000 + k;
    const int* const my_row = row.data();
    int* const target = got.data();
    const int block = side.others;
    TAIHU_CALL(Reduce_scatter_block, Ireduce_scatter_block, my_row, target, block, MPI_INT, MPI_SUM);
    for (int k = 0; k < block; ++k) {
      const int place = side.me * block + k;
      EXPECT_EQ(got[static_cast<std::size_t>(k)],
                side.others * (side.others - 1) / 2 * 1000 + side.others * place);
    }
  });
}

TEST(Intercommunicators, BarrierWaitsForTheOtherSide) {
  run_ranks({5, 2}, [](Rank& rank) {
    static std::atomic<int> arrived;
    if (rank.number() == 0) arrived = 0;
    ASSERT_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    TestSide side(rank, 2);
    ++arrived;
    ASSERT_EQ(MPI_Barrier(side.comm()), MPI_SUCCESS);
    EXPECT_GE(arrived.load(), side.others + 1);
  });
}

TEST(Intercommunicators, RefusesScansAndInPlace) {
  run_ranks(2, [](Rank& rank) {
    TestSide side(rank, 1);
    side.communicator->errors = Reference<ErrorHandler>::to(rank.find<ErrorHandler>(MPI_ERRORS_RETURN));
    int a = 1, b = 2;
    EXPECT_EQ(MPI_Scan(&a, &b, 1, MPI_INT, MPI_SUM, side.comm()), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Exscan(&a, &b, 1, MPI_INT, MPI_SUM, side.comm()), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Allreduce(MPI_IN_PLACE, &b, 1, MPI_INT, MPI_SUM, side.comm()), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Bcast(&a, 1, MPI_INT, 1, side.comm()), MPI_ERR_ROOT);
  });
}

}  // namespace
}  // namespace taihu::mpi::collectives

// SPDX-License-Identifier: Apache-2.0
// The equations of matrices and hierarchies hold on any number of ranks, and a broken one is noticed.
#include <gtest/gtest.h>

#include "taihu/amg/matrix/assemble.h"
#include "taihu/amg/matrix/generate.h"
#include "taihu/amg/matrix/matrices_for_tests.h"
#include "taihu/amg/parallel/context_for_tests.h"
#include "taihu/amg/solve/hierarchy.h"
#include "taihu/base/contract_for_tests.h"

namespace taihu::amg {
namespace {

class AmgInvariants : public testing::Test {
 protected:
  void SetUp() override {
    if constexpr (!contracts_checked) GTEST_SKIP() << "this build checks no contracts";
  }
};

std::string broken(const DistributedMatrix& matrix, int rank) {
  return broken_by([&] { matrix.check_invariants(rank); });
}

TEST_F(AmgInvariants, OfDistributedMatrix) {
  const PlainMatrix plain_matrix = random_matrix(40, 40, 4, 3);
  on_ranks(3, 1, [&](const Context& context) {
    const int rank = context.communicator.rank();
    const Distribution rows = spread(40, 3);
    DistributedMatrix matrix = distributed(context, plain_matrix, rows, rows);
    EXPECT_EQ(broken(matrix, rank), "");
    ASSERT_GE(matrix.ghosts.size(), 2U);

    std::swap(matrix.ghosts[0], matrix.ghosts[1]);
    EXPECT_EQ(broken(matrix, rank), "ghosts grow");
    std::swap(matrix.ghosts[0], matrix.ghosts[1]);
    const GlobalIndex first = std::exchange(matrix.ghosts[0], rows.begin(rank));
    EXPECT_NE(broken(matrix, rank), "");
    matrix.ghosts[0] = first;
    ++matrix.first_row;
    EXPECT_EQ(broken(matrix, rank), "own rows == those of the distribution");
    --matrix.first_row;
    Offset& start = matrix.local.starts[1];
    const Offset before = std::exchange(start, matrix.local.starts[2] + 1);
    EXPECT_NE(broken(matrix, rank), "");
    start = before;
    const LocalIndex column = std::exchange(matrix.local.column[0], matrix.local.columns);
    EXPECT_EQ(broken(matrix, rank), "0 <= local column < columns");
    matrix.local.column[0] = column;
    DistributedMatrix other;
    std::swap(other.halo, matrix.halo);
    EXPECT_EQ(broken(matrix, rank), "ghosts of the plan == ghosts");
    std::swap(other.halo, matrix.halo);
    EXPECT_EQ(broken(matrix, rank), "");
  });
}

TEST_F(AmgInvariants, OfColumnsThatAreNeitherOwnNorGhosts) {
  on_ranks(1, 1, [&](const Context& context) {
    const Distribution rows = spread(4, 1);
    const DistributedMatrix matrix = distributed(context, random_matrix(4, 4, 2, 1), rows, rows);
    EXPECT_EQ(broken_by([&] { (void)local_column(matrix, matrix.owned_columns(), 4); }),
              "a column of a row is own or a ghost");
  });
}

TEST_F(AmgInvariants, OfHierarchy) {
  for (const int ranks : {1, 2, 3})
    on_ranks(ranks, 2, [&](const Context& context) {
      HierarchyOptions options;
      options.replicated_rows = 500;
      DistributedMatrix matrix = generate(context, Problem::laplace3d, 20, Distribution::even(8000, ranks));
      const Hierarchy<float> hierarchy(context, matrix, options, nullptr);
      EXPECT_EQ(hierarchy.outcome(), SetUpOutcome::done);
      EXPECT_EQ(broken_in(hierarchy), "");
      EXPECT_GE(hierarchy.report().size(), 2U);
    });
}

// The caller's own form of the matrix is of another one.
TEST_F(AmgInvariants, OfAHierarchyWithTheFormOfAnotherMatrix) {
  on_ranks(1, 1, [&](const Context& context) {
    DistributedMatrix matrix = generate(context, Problem::laplace3d, 10, spread(1000, 1));
    const DistributedMatrix other = generate(context, Problem::laplace3d, 9, spread(729, 1));
    Operator<double> wrong{make_sliced<double>(context, other), other.halo};
    EXPECT_EQ(
        broken_by([&] { const Hierarchy<double> hierarchy(context, matrix, {}, [&] { return &wrong; }); }),
        "rows of an operator == rows of the level that it writes");
  });
}

}  // namespace
}  // namespace taihu::amg

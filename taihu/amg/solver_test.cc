// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "taihu/amg/matrix/generate.h"
#include "taihu/amg/matrix/matrices_for_tests.h"
#include "taihu/amg/parallel/context_for_tests.h"
#include "taihu/base/error.h"
#include "taihu/base/sanitized_for_tests.h"

namespace taihu::amg {
namespace {

struct Answer {
  SolveResult result;
  std::vector<double> x;  // of all ranks
};

using MakeMatrix = std::function<DistributedMatrix(const Context&)>;

// Solves on ranks x threads for the right-hand side b(global row).
Answer solve(
    const MakeMatrix& make, int ranks, int threads, const SolveOptions& options = {},
    const HierarchyOptions& hierarchy = {},
    const std::function<double(GlobalIndex)>& b = [](GlobalIndex) { return 1.0; }) {
  Answer answer;
  on_ranks(ranks, threads, [&](const Context& context) {
    DistributedMatrix matrix = make(context);
    const GlobalIndex first = matrix.first_row;
    if (context.communicator.rank() == 0) answer.x.resize(matrix.rows());
    Solver solver(context, std::move(matrix), hierarchy);
    std::vector<double> right(solver.rows()), x(solver.rows());
    for (LocalIndex i = 0; i < solver.rows(); ++i) right[i] = b(first + i);
    const SolveResult result = solver.solve(right, x, options);
    parallel::Bytes mine(x.size() * sizeof(double));
    if (!mine.empty()) std::memcpy(mine.data(), x.data(), mine.size());
    const auto all = context.communicator.all_gather(mine);
    if (context.communicator.rank() != 0) return;
    answer.result = result;
    auto* to = reinterpret_cast<std::byte*>(answer.x.data());
    for (const auto& bytes : all) to = std::copy(bytes.begin(), bytes.end(), to);
  });
  return answer;
}

MakeMatrix problem(Problem problem, GlobalIndex n) {
  return [=](const Context& context) {
    return generate(context, problem, n,
                    Distribution::even(problem_rows(problem, n), context.communicator.size()));
  };
}

MakeMatrix plain_problem(const PlainMatrix& matrix) {
  return [&](const Context& context) {
    const Distribution rows = spread(matrix.rows, context.communicator.size());
    return distributed(context, matrix, rows, rows);
  };
}

// Upwind convection and diffusion on a square: not symmetric.
PlainMatrix convection(GlobalIndex n, double speed) {
  PlainMatrix matrix{n * n, n * n, {}};
  for (GlobalIndex y = 0; y < n; ++y)
    for (GlobalIndex x = 0; x < n; ++x) {
      const GlobalIndex row = x + n * y;
      matrix.entries[{row, row}] = 4 + speed;
      if (x > 0) matrix.entries[{row, row - 1}] = -1 - speed;
      if (x + 1 < n) matrix.entries[{row, row + 1}] = -1;
      if (y > 0) matrix.entries[{row, row - n}] = -1;
      if (y + 1 < n) matrix.entries[{row, row + n}] = -1;
    }
  return matrix;
}

// -u'' - u'' = f with u = sin(pi x) sin(pi y): the error of the 5-point stencil falls with h^2.
double manufactured_error(GlobalIndex n) {
  const double h = 1.0 / static_cast<double>(n + 1), pi = std::numbers::pi;
  const auto exact = [=](GlobalIndex row) {
    return std::sin(pi * h * static_cast<double>(row % n + 1)) *
           std::sin(pi * h * static_cast<double>(row / n + 1));
  };
  const Answer answer = solve(problem(Problem::laplace2d, n), 1, 2, {}, {},
                              [&](GlobalIndex row) { return h * h * 2 * pi * pi * exact(row); });
  EXPECT_TRUE(answer.result.converged);
  double error = 0;
  for (GlobalIndex row = 0; row < n * n; ++row) error = std::max(error, std::abs(answer.x[row] - exact(row)));
  return error;
}

TEST(Solver, ManufacturedSolutionConvergesWithTheSecondOrder) {
  const double coarse = manufactured_error(31), fine = manufactured_error(63);
  EXPECT_NEAR(coarse / fine, 4, 0.1);
}

TEST(Solver, IterationsHardlyGrowWithTheSize) {
  HierarchyOptions aggregation;
  aggregation.family = Family::aggregation;
  for (const Problem kind :
       {Problem::laplace2d, Problem::laplace2d9, Problem::laplace3d, Problem::laplace27}) {
    const bool flat = kind == Problem::laplace2d || kind == Problem::laplace2d9;
    const int small = solve(problem(kind, flat ? 64 : 16), 1, 2, {}, aggregation).result.iterations;
    const int large = solve(problem(kind, flat ? plain_or_sanitized(256, 128) : plain_or_sanitized(40, 24)),
                            1, 2, {}, aggregation)
                          .result.iterations;
    EXPECT_LE(large, small + 6) << static_cast<int>(kind);
    EXPECT_LE(large, 22) << static_cast<int>(kind);
  }
}

TEST(Solver, AnisotropicAndJumpingCoefficientsConverge) {
  EXPECT_LE(solve(problem(Problem::anisotropic, 32), 1, 2).result.iterations, 20);
  EXPECT_LE(solve(problem(Problem::jump, 32), 1, 2).result.iterations, 25);
}

HierarchyOptions classical(Coarsening coarsening = Coarsening::hmis, int aggressive_levels = 0) {
  HierarchyOptions options;
  options.family = Family::classical;
  options.coarsening = coarsening;
  options.aggressive_levels = aggressive_levels;
  return options;
}

TEST(Solver, IterationsOfTheClassicalFamilyHardlyGrowWithTheSize) {
  for (const Problem kind : {Problem::laplace2d, Problem::laplace3d, Problem::laplace27})
    for (const HierarchyOptions& options :
         {classical(Coarsening::pmis), classical(), classical(Coarsening::hmis, 1)}) {
      const bool flat = kind == Problem::laplace2d;
      const int small = solve(problem(kind, flat ? 48 : 14), 1, 2, {}, options).result.iterations;
      const int large = solve(problem(kind, flat ? plain_or_sanitized(192, 96) : plain_or_sanitized(32, 20)),
                              1, 2, {}, options)
                            .result.iterations;
      EXPECT_LE(large, small + 8) << static_cast<int>(kind) << " " << options.aggressive_levels;
      EXPECT_LE(large, options.aggressive_levels > 0 ? 30 : 20) << static_cast<int>(kind);
    }
}

TEST(Solver, AnisotropicAndJumpingCoefficientsConvergeInTheClassicalFamily) {
  EXPECT_LE(solve(problem(Problem::anisotropic, 24), 1, 2, {}, classical()).result.iterations, 20);
  EXPECT_LE(solve(problem(Problem::jump, 24), 1, 2, {}, classical()).result.iterations, 25);
}

TEST(Solver, WithoutAChoiceTheFamilyIsAggregation) {
  HierarchyOptions aggregation;
  aggregation.family = Family::aggregation;
  const auto history = [](const HierarchyOptions& options) {
    return solve(problem(Problem::laplace3d, 20), 1, 1, {}, options).result.history;
  };
  EXPECT_EQ(history({}), history(aggregation));
  EXPECT_NE(history({}), history(classical(Coarsening::hmis, 1)));
}

class Combinations : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(Combinations, GiveTheSameBitsAsOneThread) {
  const auto [ranks, threads] = GetParam();
  HierarchyOptions small;
  small.family = Family::aggregation;
  small.replicated_rows = 500;  // two levels are distributed
  for (const Problem kind : {Problem::laplace3d, Problem::jump}) {
    const Answer one = solve(problem(kind, 24), 1, 1, {}, small),
                 many = solve(problem(kind, 24), ranks, threads, {}, small);
    EXPECT_TRUE(many.result.converged);
    EXPECT_EQ(one.result.history, many.result.history);
    EXPECT_EQ(one.x, many.x);
  }
}

TEST_P(Combinations, GiveTheSameBitsInTheClassicalFamily) {
  const auto [ranks, threads] = GetParam();
  for (HierarchyOptions options : {classical(Coarsening::pmis), classical(Coarsening::hmis, 1)}) {
    options.replicated_rows = 500;
    options.smoother = Smoother::gauss_seidel;
    const Answer one = solve(problem(Problem::laplace3d, 20), 1, 1, {}, options),
                 many = solve(problem(Problem::laplace3d, 20), ranks, threads, {}, options);
    EXPECT_TRUE(many.result.converged);
    EXPECT_EQ(one.result.history, many.result.history);
    EXPECT_EQ(one.x, many.x);
  }
}

std::vector<std::pair<int, int>> combinations() {
  if (plain_or_sanitized(false, true)) return {{1, 2}, {2, 1}, {3, 2}};
  return {{1, 2}, {1, 8}, {2, 1}, {3, 2}, {8, 1}};
}

INSTANTIATE_TEST_SUITE_P(RanksAndThreads, Combinations, testing::ValuesIn(combinations()));

TEST(Solver, AllMethodsAndSmoothersSolve) {
  for (const Method method : {Method::cg, Method::gmres, Method::bicgstab, Method::cycles})
    for (const Smoother smoother : {Smoother::spai0, Smoother::jacobi, Smoother::l1_jacobi,
                                    Smoother::chebyshev, Smoother::gauss_seidel})
      for (const Cycle cycle : {Cycle::v, Cycle::w, Cycle::f}) {
        SolveOptions options;
        options.method = method;
        HierarchyOptions hierarchy;
        hierarchy.smoother = smoother;
        hierarchy.cycle = cycle;
        const Answer answer = solve(problem(Problem::laplace2d, 40), 1, 2, options, hierarchy);
        EXPECT_TRUE(answer.result.converged) << static_cast<int>(method) << " " << static_cast<int>(smoother);
        EXPECT_LE(answer.result.residual, 1e-8);
        EXPECT_LE(answer.result.iterations, 200);
      }
}

TEST(Solver, UnsymmetricMatricesConvergeWithGmresAndBicgstab) {
  const PlainMatrix matrix = convection(40, 3);
  for (const Method method : {Method::gmres, Method::bicgstab})
    for (const int ranks : {1, 3}) {
      SolveOptions options;
      options.method = method;
      const Answer answer = solve(plain_problem(matrix), ranks, 1, options);
      ASSERT_TRUE(answer.result.converged);
      const std::vector<double> product = matrix.times(answer.x);
      for (const double value : product) ASSERT_NEAR(value, 1, 1e-5);
      EXPECT_LE(answer.result.iterations, 40);
    }
}

TEST(Solver, AutomaticIsClassicalWhereAggregationFindsNothingToAggregate) {
  SolveOptions options;
  options.method = Method::gmres;
  const auto iterations = [&](const HierarchyOptions& hierarchy) {
    return solve(plain_problem(convection(80, 3)), 2, 1, options, hierarchy).result.iterations;
  };
  EXPECT_EQ(iterations(HierarchyOptions()), iterations(classical()));
}

TEST(Solver, PatternsThatAreNotSymmetricConvergeInTheClassicalFamily) {
  PlainMatrix matrix = convection(30, 3);
  std::erase_if(matrix.entries,
                [](const auto& entry) { return entry.first.second == entry.first.first + 1; });
  for (const int ranks : {1, 3}) {
    SolveOptions options;
    options.method = Method::gmres;
    const Answer answer = solve(plain_problem(matrix), ranks, 2, options, classical());
    ASSERT_TRUE(answer.result.converged);
    for (const double value : matrix.times(answer.x)) ASSERT_NEAR(value, 1, 1e-5);
  }
}

TEST(Solver, RandomPositiveDefiniteMatrices) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    PlainMatrix matrix = random_matrix(300, 300, 4, seed), symmetric{300, 300, {}};
    for (const auto& [place, value] : matrix.entries) {
      symmetric.entries[place] += value;
      symmetric.entries[{place.second, place.first}] += value;
      symmetric.entries[{place.first, place.first}] += 2 * std::abs(value);
      symmetric.entries[{place.second, place.second}] += 2 * std::abs(value);
    }
    for (GlobalIndex i = 0; i < 300; ++i) symmetric.entries[{i, i}] += 0.01;
    HierarchyOptions hierarchy = seed % 2 == 0 ? HierarchyOptions() : classical();
    hierarchy.coarse_rows = 20;
    const Answer answer = solve(plain_problem(symmetric), 2, 2, {}, hierarchy);
    ASSERT_TRUE(answer.result.converged);
    for (const double value : symmetric.times(answer.x)) ASSERT_NEAR(value, 1, 1e-5);
  }
}

TEST(Solver, SmallestSystemsAlsoOnMoreRanksThanRows) {
  for (const GlobalIndex rows : {1, 2, 3, 9})
    for (const int ranks : {1, 2, 5}) {
      PlainMatrix matrix{rows, rows, {}};
      for (GlobalIndex i = 0; i < rows; ++i) {
        matrix.entries[{i, i}] = 4;
        if (i > 0) matrix.entries[{i, i - 1}] = matrix.entries[{i - 1, i}] = -1;
      }
      const Answer answer = solve(plain_problem(matrix), ranks, 2);
      ASSERT_TRUE(answer.result.converged);
      for (const double value : matrix.times(answer.x)) ASSERT_NEAR(value, 1, 1e-7);
    }
}

TEST(Solver, DiagonalMatrixNeedsNoLevels) {
  PlainMatrix matrix{5000, 5000, {}};
  for (GlobalIndex i = 0; i < 5000; ++i) matrix.entries[{i, i}] = static_cast<double>(i + 1);
  const Answer answer = solve(plain_problem(matrix), 1, 2);
  ASSERT_TRUE(answer.result.converged);
  EXPECT_NEAR(answer.x[4], 0.2, 1e-8);
}

TEST(Solver, ZeroRightHandSideGivesZero) {
  const Answer answer = solve(problem(Problem::laplace2d, 20), 1, 1, {}, {}, [](GlobalIndex) { return 0.0; });
  EXPECT_TRUE(answer.result.converged);
  EXPECT_EQ(answer.result.iterations, 0);
  for (const double value : answer.x) EXPECT_EQ(value, 0);
}

// The path with `rows` points; constants times `scale` on every second one are what it takes to zero.
PlainMatrix free_chain(GlobalIndex rows, double scale) {
  PlainMatrix chain{rows, rows, {}};
  const auto size = [&](GlobalIndex i) { return i % 2 == 0 ? 1 : scale; };
  for (GlobalIndex i = 0; i + 1 < rows; ++i) {
    chain.entries[{i, i}] += size(i) * size(i);
    chain.entries[{i + 1, i + 1}] += size(i + 1) * size(i + 1);
    chain.entries[{i, i + 1}] = chain.entries[{i + 1, i}] = -size(i) * size(i + 1);
  }
  return chain;
}

TEST(Solver, SingularMatricesAreNamed) {
  for (const auto& [ranks, options] :
       {std::pair{1, HierarchyOptions()}, {2, HierarchyOptions()}, {2, classical()}}) {
    const Answer answer = solve(plain_problem(free_chain(400, 1)), ranks, 1, {}, options);
    EXPECT_FALSE(answer.result.converged);
    EXPECT_EQ(answer.result.breakdown.rfind("the matrix is singular (its rows add up to zero", 0), 0u);
    try {
      solve(plain_problem(free_chain(200, 2)), ranks, 1, {}, options);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "the matrix is singular to working precision (found at the coarsest level)");
    }
  }
}

TEST(Solver, IndefiniteMatricesStopConjugateGradients) {
  PlainMatrix matrix = convection(40, 0);
  for (GlobalIndex i = 0; i < 1600; ++i) matrix.entries[{i, i}] = i % 2 == 0 ? 4 : -4;
  SolveOptions options;
  options.method = Method::cg;
  const Answer answer = solve(plain_problem(matrix), 1, 1, options);
  EXPECT_FALSE(answer.result.converged);
  EXPECT_NE(answer.result.breakdown.find("not positive definite"), std::string::npos)
      << answer.result.breakdown;
}

TEST(Solver, StopsAtTheGivenNumberOfIterations) {
  SolveOptions options;
  options.iterations = 3;
  const Answer answer = solve(problem(Problem::laplace2d, 60), 1, 1, options);
  EXPECT_FALSE(answer.result.converged);
  EXPECT_EQ(answer.result.history.size(), 4u);
  EXPECT_GT(answer.result.residual, 1e-8);
}

TEST(Solver, ValuesBeyondSinglePrecisionUseADoubleHierarchy) {
  PlainMatrix matrix = convection(30, 0);
  for (auto& [place, value] : matrix.entries) value *= 1e200;
  const Answer answer = solve(plain_problem(matrix), 1, 1, {}, {}, [](GlobalIndex) { return 1e200; });
  EXPECT_TRUE(answer.result.converged);
  EXPECT_LE(answer.result.iterations, 20);
}

TEST(Solver, RightHandSidesOfAnySizeAndTwice) {
  for (const double size : {1e-250, 1.0, 1e250}) {
    const Answer answer = solve(problem(Problem::laplace2d, 30), 1, 1, {}, {},
                                [=](GlobalIndex i) { return i % 2 == 0 ? size : 0; });
    EXPECT_TRUE(answer.result.converged) << size;
  }
}

// The entries of the matrix (12 bytes each) go when the solver has its own form of them, and set-up never
// holds the product of matrix and prolongation.
TEST(Solver, HoldsTheMatrixOnce) {
  on_ranks(1, 2, [](const Context& context) {
    DistributedMatrix matrix = problem(Problem::laplace27, 48)(context);
    const auto entries = static_cast<std::size_t>(matrix.local.entries());
    Solver solver(context, std::move(matrix), {});
    EXPECT_LT(context.storage.used_bytes(), 10 * entries) << context.storage.used_bytes() / double(entries);
    EXPECT_LT(context.storage.peak_bytes(), 28 * entries) << context.storage.peak_bytes() / double(entries);
  });
}

TEST(Solver, RefusesRightHandSidesThatAreNotFinite) {
  EXPECT_THROW(solve(problem(Problem::laplace2d, 5), 1, 1, {}, {}, [](GlobalIndex) { return NAN; }), Error);
}

}  // namespace
}  // namespace taihu::amg

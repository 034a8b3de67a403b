// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>

#include "taihu/amg/matrix/generate.h"
#include "taihu/amg/matrix/matrices_for_tests.h"
#include "taihu/amg/parallel/context_for_tests.h"
#include "taihu/amg/setup/classical_prolongation.h"

namespace taihu::amg {
namespace {

PlainMatrix chain(GlobalIndex rows) {
  PlainMatrix matrix{rows, rows, {}};
  for (GlobalIndex i = 0; i < rows; ++i) {
    matrix.entries[{i, i}] = 2;
    if (i > 0) matrix.entries[{i, i - 1}] = matrix.entries[{i - 1, i}] = -1;
  }
  return matrix;
}

PlainMatrix of_problem(Problem problem, GlobalIndex n) {
  PlainMatrix result;
  on_ranks(1, 1, [&](const Context& context) {
    result = plain(generate(context, problem, n, Distribution::even(problem_rows(problem, n), 1)));
  });
  return result;
}

struct Coarse {
  std::vector<bool> point;
  PlainMatrix prolongation;
};

enum class Kind { pmis, hmis, aggressive };

// Coarse points and prolongation of the matrix on ranks x threads, put together.
Coarse coarsen(const PlainMatrix& matrix, Kind kind, int ranks, int threads,
               const HierarchyOptions& options = {}) {
  Coarse result;
  std::mutex mutex;
  result.point.resize(matrix.rows);
  on_ranks(ranks, threads, [&](const Context& context) {
    const Distribution distribution = spread(matrix.rows, ranks);
    DistributedMatrix own = distributed(context, matrix, distribution, distribution);
    CompleteRows rows(context, own, 0.25);
    const Array<PointState> state =
        kind == Kind::aggressive ? aggressive_coarse_points(context, own, rows)
                                 : coarse_points(context, rows, distribution,
                                                 kind == Kind::pmis ? Coarsening::pmis : Coarsening::hmis);
    const PlainMatrix part =
        plain(kind == Kind::aggressive ? multipass_prolongation(context, own, rows, state, options)
                                       : extended_prolongation(context, own, rows, state, options));
    const std::lock_guard lock(mutex);
    result.prolongation.rows = part.rows;
    result.prolongation.columns = part.columns;
    result.prolongation.entries.insert(part.entries.begin(), part.entries.end());
    for (LocalIndex i = 0; i < own.local.rows; ++i)
      result.point[own.first_row + i] = state[i] == coarse_point;
  });
  return result;
}

TEST(FirstPass, ChainsGetEveryOtherPoint) {
  std::vector<LocalIndex> length, edge;
  constexpr LocalIndex rows = 101;
  for (LocalIndex i = 0; i < rows; ++i) {
    length.push_back((i > 0) + (i + 1 < rows));
    if (i > 0) edge.push_back(4 * (i - 1) + 3);
    if (i + 1 < rows) edge.push_back(4 * (i + 1) + 3);
  }
  const auto coarse = first_pass(length, edge);
  for (LocalIndex i = 0; i + 1 < rows; ++i) EXPECT_NE(coarse[i], coarse[i + 1]) << i;
}

TEST(FirstPass, IsolatedRowsAndNoRows) {
  EXPECT_TRUE(first_pass({}, {}).empty());
  EXPECT_EQ(first_pass({0, 0}, {}), (std::vector<unsigned char>{0, 0}));
}

TEST(CoarsePoints, AreIndependentAndNextToEveryFinePoint) {
  for (const Problem problem : {Problem::laplace2d, Problem::laplace3d})
    for (const Kind kind : {Kind::pmis, Kind::hmis}) {
      const PlainMatrix matrix = of_problem(problem, 12);
      const std::vector<bool> point = coarsen(matrix, kind, 2, 2).point;
      std::vector<bool> served = point;
      for (const auto& [place, value] : matrix.entries) {
        if (place.first == place.second || !point[place.second]) continue;
        EXPECT_FALSE(point[place.first]) << place.first << " " << place.second;
        served[place.first] = true;
      }
      for (std::size_t i = 0; i < served.size(); ++i) EXPECT_TRUE(served[i]) << i;
    }
}

TEST(CoarsePoints, AggressiveOnesAreTwoStepsApartAndFewer) {
  const PlainMatrix matrix = of_problem(Problem::laplace2d, 20);
  const std::vector<bool> point = coarsen(matrix, Kind::aggressive, 3, 1).point;
  std::vector<int> seen(matrix.rows);
  for (const auto& [place, value] : matrix.entries) seen[place.first] += point[place.second];
  for (const int count : seen) EXPECT_LE(count, 1);
  const auto few = std::count(point.begin(), point.end(), true);
  const std::vector<bool> usual = coarsen(matrix, Kind::pmis, 3, 1).point;
  EXPECT_LT(few, 0.6 * static_cast<double>(std::count(usual.begin(), usual.end(), true)));
}

TEST(CoarsePoints, HmisAndPmisDiffer) {
  const PlainMatrix matrix = of_problem(Problem::laplace2d9, 40);
  const auto count = [&](Kind kind) {
    const auto point = coarsen(matrix, kind, 1, 1).point;
    return std::count(point.begin(), point.end(), true);
  };
  EXPECT_NE(count(Kind::hmis), count(Kind::pmis));
}

TEST(Classical, TheSameOnAnyNumberOfRanksAndThreads) {
  const PlainMatrix matrix = of_problem(Problem::laplace3d, 14);
  for (const Kind kind : {Kind::pmis, Kind::hmis, Kind::aggressive}) {
    const Coarse one = coarsen(matrix, kind, 1, 1);
    for (const auto& [ranks, threads] : {std::pair{1, 3}, {2, 1}, {5, 2}}) {
      const Coarse many = coarsen(matrix, kind, ranks, threads);
      EXPECT_EQ(one.point, many.point);
      EXPECT_EQ(one.prolongation.entries, many.prolongation.entries);
    }
  }
}

TEST(Classical, BlocksOfTheFirstPassMayCrossRanks) {
  std::vector<PointState> states[2];
  for (const int ranks : {1, 3})
    on_ranks(ranks, 2, [&](const Context& context) {
      const Distribution distribution = spread(400 * 400, ranks);
      const DistributedMatrix matrix = generate(context, Problem::laplace2d, 400, distribution);
      CompleteRows rows(context, matrix, 0.25);
      const auto state = coarse_points(context, rows, distribution, Coarsening::hmis);
      parallel::Bytes mine(rows.own() * sizeof(PointState));
      std::memcpy(mine.data(), state.data(), mine.size());
      const auto all = context.communicator.all_gather(mine);
      if (context.communicator.rank() != 0) return;
      for (const auto& bytes : all)
        for (std::size_t i = 0; i < bytes.size(); i += sizeof(PointState)) {
          PointState value;
          std::memcpy(&value, bytes.data() + i, sizeof value);
          states[ranks > 1].push_back(value);
        }
    });
  EXPECT_EQ(states[0].size(), 160'000u);
  EXPECT_EQ(states[0], states[1]);
}

// Rows whose entries sum to zero must interpolate constants exactly.
void expect_constants(const PlainMatrix& matrix, const Coarse& coarse) {
  std::vector<double> sum(matrix.rows), weights(matrix.rows);
  for (const auto& [place, value] : matrix.entries) sum[place.first] += value;
  for (const auto& [place, value] : coarse.prolongation.entries) weights[place.first] += value;
  int checked = 0;
  for (GlobalIndex i = 0; i < matrix.rows; ++i) {
    if (std::abs(sum[i]) > 1e-12) continue;
    // Neighbours at the rim pass their own sums on.
    bool inner = true;
    for (auto at = matrix.entries.lower_bound({i, 0}); at != matrix.entries.end() && at->first.first == i;
         ++at)
      inner &= std::abs(sum[at->first.second]) < 1e-12;
    if (!inner) continue;
    EXPECT_NEAR(weights[i], 1, 1e-12) << i;
    ++checked;
  }
  EXPECT_GT(checked, matrix.rows / 4);
}

TEST(Classical, InterpolatesConstantsAndKeepsFewWeights) {
  for (const Problem problem : {Problem::laplace2d9, Problem::laplace3d}) {
    const PlainMatrix matrix = of_problem(problem, 14);
    for (const Kind kind : {Kind::pmis, Kind::hmis, Kind::aggressive}) {
      const Coarse coarse = coarsen(matrix, kind, 2, 1);
      std::vector<int> length(matrix.rows);
      for (const auto& [place, value] : coarse.prolongation.entries) ++length[place.first];
      for (const int n : length) EXPECT_LE(n, 4);
      if (kind != Kind::aggressive) expect_constants(matrix, coarse);
    }
  }
}

TEST(Classical, ExtendedInterpolationOfAChainIsLinear) {
  const PlainMatrix matrix = chain(400);
  for (const Kind kind : {Kind::pmis, Kind::hmis}) {
    const Coarse coarse = coarsen(matrix, kind, 2, 2);
    std::vector<double> places, value(matrix.rows);
    for (GlobalIndex i = 0; i < matrix.rows; ++i)
      if (coarse.point[i]) places.push_back(static_cast<double>(i));
    ASSERT_GE(places.size(), 100u);
    for (const auto& [place, weight] : coarse.prolongation.entries)
      value[place.first] += weight * places[place.second];
    for (auto i = static_cast<GlobalIndex>(places.front()); i <= static_cast<GlobalIndex>(places.back()); ++i)
      EXPECT_NEAR(value[i], static_cast<double>(i), 1e-10);
  }
}

TEST(Classical, PatternsThatAreNotSymmetricGetZeros) {
  const PlainMatrix matrix{3, 3, {{{0, 0}, 1}, {{1, 1}, 1}, {{2, 2}, 1}, {{0, 2}, -1}, {{1, 0}, -0.5}}};
  for (const int ranks : {1, 2})
    on_ranks(ranks, 1, [&](const Context& context) {
      const DistributedMatrix own = distributed(context, matrix, spread(3, ranks), spread(3, ranks));
      EXPECT_FALSE(CompleteRows(context, own, 0.25).symmetric_pattern());
      const DistributedMatrix padded_matrix = with_symmetric_pattern(context, own);
      EXPECT_TRUE(CompleteRows(context, padded_matrix, 0.25).symmetric_pattern());
      EXPECT_EQ(global_entries(context.communicator, padded_matrix), 7);
    });
}

}  // namespace
}  // namespace taihu::amg

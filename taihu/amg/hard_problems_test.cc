// SPDX-License-Identifier: Apache-2.0
// Problems that the first choice of the solver does not solve: what it goes over to, and what it says where
// there is no solution. Residuals are computed again by plain code.
#include <gtest/gtest.h>

#include "taihu/amg/hard_problems_for_tests.h"
#include "taihu/amg/options/option_names.h"
#include "taihu/amg/parallel/context_for_tests.h"
#include "taihu/amg/solver.h"
#include "taihu/base/sanitized_for_tests.h"

namespace taihu::amg {
namespace {

struct HardAnswer {
  SolveResult result;
  std::vector<double> x;  // of all ranks
  double complexity = 0;  // entries of all levels over those of the finest
};

using RightHandSide = double (*)(GlobalIndex row, GlobalIndex rows);
double ones(GlobalIndex, GlobalIndex) {
  return 1;
}
double ends(GlobalIndex row, GlobalIndex rows) {
  return row == 0 ? 1 : row + 1 == rows ? -1 : 0;
}

HardAnswer solve(const PlainMatrix& matrix, const SolverOptions& options, RightHandSide b, int ranks,
                 int threads) {
  HardAnswer answer;
  on_ranks(ranks, threads, [&](const Context& context) {
    const Distribution rows = Distribution::even(matrix.rows, ranks);
    const GlobalIndex first = rows.begin(context.communicator.rank());
    Solver solver(context, distributed(context, matrix, rows, rows), options.hierarchy);
    std::vector<double> right(solver.rows()), x(solver.rows());
    for (LocalIndex i = 0; i < solver.rows(); ++i) right[i] = b(first + i, matrix.rows);
    const SolveResult result = solver.solve(right, x, options.solve);
    parallel::Bytes mine(x.size() * sizeof(double));
    if (!mine.empty()) std::memcpy(mine.data(), x.data(), mine.size());
    const auto all = context.communicator.all_gather(mine);
    if (context.communicator.rank() != 0) return;
    answer.result = result;
    answer.x.resize(matrix.rows);
    auto* to = reinterpret_cast<std::byte*>(answer.x.data());
    for (const auto& bytes : all) to = std::copy(bytes.begin(), bytes.end(), to);
    for (const LevelReport& level : solver.preconditioner().report())
      answer.complexity += static_cast<double>(level.entries);
    answer.complexity /= static_cast<double>(matrix.entries.size());
  });
  return answer;
}

double residual(const PlainMatrix& matrix, const std::vector<double>& x, RightHandSide b) {
  const std::vector<double> product = matrix.times(x);
  double square = 0, size = 0;
  for (GlobalIndex i = 0; i < matrix.rows; ++i) {
    const double right = b(i, matrix.rows);
    square += (right - product[i]) * (right - product[i]);
    size += right * right;
  }
  return std::sqrt(square / size);
}

struct HardProblem {
  const char* name;
  PlainMatrix (*make)();
  const char* note;  // of what it goes over to at last, the beginning
  int iterations;    // at most
  RightHandSide b = ones;
  std::vector<std::pair<const char*, const char*>> options = {};
  const char* breakdown = nullptr;  // a part; null: it converges
  double residual = 1.1e-8;
};

PlainMatrix negative(PlainMatrix matrix) {
  for (auto& [place, value] : matrix.entries) value = -value;
  return matrix;
}

// Rows on the left side are taken out of the system, not their columns: what finite elements often do.
PlainMatrix one_sided_boundary() {
  PlainMatrix matrix = diffusion(40, 0, true, one);
  for (auto& [place, value] : matrix.entries)
    if (place.first % 40 == 0) value = place.first == place.second ? 1 : 0;
  return matrix;
}

PlainMatrix two_parts_without_boundary() {
  const PlainMatrix part = diffusion(30, 0, false, one);
  PlainMatrix matrix{2 * part.rows, 2 * part.rows, part.entries};
  for (const auto& [place, value] : part.entries)
    matrix.entries[{place.first + part.rows, place.second + part.rows}] = value;
  return matrix;
}
double ends_of_parts(GlobalIndex row, GlobalIndex rows) {
  return ends(row % (rows / 2), rows / 2);
}

PlainMatrix plate() {
  const PlainMatrix laplacian = diffusion(40, 0, true, one);
  return product(laplacian, laplacian);
}

double blocks_of_sizes(GlobalIndex x, GlobalIndex y) {
  return std::pow(10.0, static_cast<int>((x / 16 * 7919 + y / 16 * 104729) % 13) - 6);
}

const HardProblem problems[] = {
    {"Elasticity", [] { return elasticity({8, 8, 8}, 0.3); }, "smoother chebyshev: the multigrid cycle", 80},
    {"ElasticityNearlyIncompressible", [] { return elasticity({6, 6, 6}, 0.49); }, "", 300},
    {"ElasticPlate", [] { return elasticity({16, 16, 1}, 0.3); }, "", 200},
    {"SlenderBeam", [] { return elasticity({60, 2, 2}, 0.3); }, "family direct: convergence was slow", 200},
    // The deflection is 10^10 times the load, and with it the rounding of A x.
    {"SlenderBeamOfLongBricks",
     [] { return elasticity({60, 2, 2}, 0.3, {10, 1, 1}); },
     "residual",
     260,
     ones,
     {},
     nullptr,
     1e-5},
    {"Recirculation", [] { return convection_diffusion(64, 1e-5, recirculating); }, "solver gmres", 80},
    {"StrongRecirculation", [] { return convection_diffusion(128, 1e-6, recirculating); },
     "family classical: convergence was slow", 90},
    {"StraightConvection",
     [] { return convection_diffusion(60, 1e-4, [](double, double) { return std::pair{1.0, 0.5}; }); },
     "solver gmres: the matrix is not symmetric", 30},
    {"ConvectionWithConjugateGradients",
     [] { return convection_diffusion(40, 1e-4, recirculating); },
     "",
     500,
     ones,
     {{"solver", "pcg"}},
     "the matrix is not symmetric, which conjugate gradients need; use gmres or bicgstab"},
    {"OneSidedBoundary", one_sided_boundary, "solver gmres: the matrix is not symmetric", 30},
    {"Neumann", [] { return diffusion(50, 0, false, one); }, "", 30, ends},
    {"NeumannClassical",
     [] { return diffusion(50, 0, false, one); },
     "",
     30,
     ends,
     {{"family", "classical"}}},
    {"NeumannOfTwoParts", two_parts_without_boundary, "", 30, ends_of_parts},
    {"InconsistentNeumann", [] { return diffusion(50, 0, false, one); }, "", 0, ones, {}, "has no solution"},
    {"GraphWithHubs", [] { return power_law_graph(20000, 4, 1e-3, 1); },
     "family classical, aggressive: rows with very many", 20},
    {"GraphWithHubsWithoutGround", [] { return power_law_graph(5000, 4, 0, 2); }, "", 30, ends},
    {"Plate", plate, "", 200},
    {"Wave", [] { return diffusion(50, -0.05, true, one); }, "solver gmres: the matrix is not positive", 60},
    {"ShortWave", [] { return diffusion(50, -0.5, true, one); }, "family direct: convergence was slow", 150},
    {"NegativeDefinite", [] { return negative(diffusion(40, 0, true, one)); },
     "solver gmres: the matrix is not positive", 20},
    {"NegativeDefiniteWithConjugateGradients",
     [] { return negative(diffusion(40, 0, true, one)); },
     "",
     1,
     ones,
     {{"solver", "pcg"}},
     "the matrix is not positive definite, which conjugate gradients need; use gmres"},
    {"ElasticityWithAWeakSmoother",
     [] { return elasticity({8, 8, 8}, 0.3); },
     "",
     20,
     ones,
     {{"smoother", "spai0"}, {"family", "aggregation"}, {"solver", "pcg"}, {"precision", "double"}},
     "cycle with this smoother is not positive definite, which conjugate gradients need; use the smoother "
     "chebyshev"},
    {"JumpsOfManySizes", [] { return diffusion(80, 0, true, blocks_of_sizes); }, "", 40},
    {"BadlyScaled",
     [] { return badly_scaled(diffusion(40, 0, true, one), 3, 1); },
     "",
     300,
     ones,
     {},
     nullptr,
     1e-6},
    {"ScaledBeyondRounding",
     [] { return badly_scaled(diffusion(40, 0, true, one), 8, 1); },
     "",
     60,
     ones,
     {{"family", "direct"}},
     "the rounding of the solution to double precision leaves no smaller residual"},
};

class HardProblems : public testing::TestWithParam<HardProblem> {};

SolverOptions options_of(const HardProblem& problem) {
  SolverOptions options;
  for (const auto& [name, value] : problem.options) set_option(options, name, value);
  return options;
}

TEST_P(HardProblems, ConvergeOrSayWhy) {
  const HardProblem& problem = GetParam();
  const PlainMatrix matrix = problem.make();
  const HardAnswer answer = solve(matrix, options_of(problem), problem.b, 1, 2);
  const SolveResult& result = answer.result;
  std::string notes;
  for (const std::string& note : result.notes) notes += note + "\n";
  EXPECT_LE(result.iterations, problem.iterations) << notes;
  if (problem.breakdown != nullptr) {
    EXPECT_FALSE(result.converged);
    EXPECT_NE(result.breakdown.find(problem.breakdown), std::string::npos) << result.breakdown;
    return;
  }
  EXPECT_TRUE(result.converged) << result.breakdown << result.residual << notes;
  EXPECT_EQ(result.breakdown, "");
  EXPECT_LE(residual(matrix, answer.x, problem.b), problem.residual) << notes;
  ASSERT_TRUE(*problem.note == 0 || !result.notes.empty());
  if (*problem.note != 0) EXPECT_EQ(result.notes.back().rfind(problem.note, 0), 0u) << notes;
  EXPECT_LE(answer.complexity, 6);
}

INSTANTIATE_TEST_SUITE_P(All, HardProblems, testing::ValuesIn(problems),
                         [](const auto& problem) { return std::string(problem.param.name); });

TEST(HardProblemsOnRanks, WhatTheSolverGoesOverToGivesTheSameBits) {
  for (const char* name :
       {"Elasticity", "StrongRecirculation", "SlenderBeam", "Neumann", "GraphWithHubs", "Wave"})
    for (const HardProblem& problem : problems) {
      if (std::string(name) != problem.name) continue;
      // The longest; HardProblems has them on one rank.
      const bool is_long = std::string(name) == "StrongRecirculation" || std::string(name) == "SlenderBeam" ||
                           std::string(name) == "GraphWithHubs";
      if (plain_or_sanitized(false, is_long)) continue;
      const PlainMatrix matrix = problem.make();
      const HardAnswer one = solve(matrix, options_of(problem), problem.b, 1, 1),
                       many = solve(matrix, options_of(problem), problem.b, 3, 2);
      EXPECT_EQ(one.result.notes, many.result.notes) << name;
      EXPECT_EQ(one.result.history, many.result.history) << name;
      EXPECT_EQ(one.x, many.x) << name;
    }
}

TEST(HardProblemsTwice, TheSecondRightHandSideBeginsWithWhatWasFound) {
  on_ranks(1, 1, [](const Context& context) {
    const PlainMatrix matrix = elasticity({8, 8, 8}, 0.3);
    const Distribution rows = spread(matrix.rows, 1);
    Solver solver(context, distributed(context, matrix, rows, rows), {});
    const std::vector<double> b(matrix.rows, 1.0);
    std::vector<double> x(b.size()), again(b.size());
    const SolveResult first = solver.solve(b, x, {}), second = solver.solve(b, again, {});
    EXPECT_TRUE(second.converged);
    EXPECT_EQ(first.notes, second.notes);
    EXPECT_LT(second.iterations, first.iterations);
  });
}

}  // namespace
}  // namespace taihu::amg

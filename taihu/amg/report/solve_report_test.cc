// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/report/solve_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "taihu/amg/matrix/generate.h"
#include "taihu/amg/parallel/context_for_tests.h"

namespace taihu::amg {
namespace {

/// Calls look(context, solver, result) on rank 0 after the solution of a 5-point problem of n x n points.
template <class Look>
void after_solving(int ranks, int threads, GlobalIndex n, const SolveOptions& options, const Look& look) {
  on_ranks(ranks, threads, [&](const Context& plain) {
    Profile profile;
    const Context context{plain.team, plain.storage, plain.communicator, &profile};
    const auto rows = Distribution::even(problem_rows(Problem::laplace2d, n), ranks);
    Solver solver(context, generate(context, Problem::laplace2d, n, rows), HierarchyOptions());
    const std::vector<double> b(solver.rows(), 1.0);
    std::vector<double> x(solver.rows());
    const SolveResult result = solver.solve(b, x, options);
    if (context.communicator.rank() == 0) look(context, solver, result);
  });
}

TEST(SolveReport, TextNamesSizeRanksAndEnd) {
  after_solving(2, 1, 40, {}, [](const Context& context, const Solver& solver, const SolveResult& result) {
    const std::string text = result_text(context, solver, result, {0.5, 1.25, 2});
    EXPECT_EQ(text.find("1600 rows, 7840 entries, 2 ranks with 1 thread\n"), 0u) << text;
    EXPECT_NE(text.find("\nconverged after " + std::to_string(result.iterations) + " iterations"),
              std::string::npos)
        << text;
    EXPECT_TRUE(text.ends_with("input 0.500 s, setup 1.250 s, solve 2.000 s\n")) << text;
  });
}

TEST(SolveReport, TextSaysWhenItDidNotConverge) {
  SolveOptions options;
  options.iterations = 1;
  after_solving(1, 2, 40, options,
                [](const Context& context, const Solver& solver, const SolveResult& result) {
                  ASSERT_FALSE(result.converged);
                  const std::string text = result_text(context, solver, result, {});
                  EXPECT_NE(text.find("1 rank with 2 threads"), std::string::npos) << text;
                  EXPECT_NE(text.find("\nnot converged after 1 iterations"), std::string::npos) << text;
                });
}

TEST(SolveReport, JsonAgreesWithTheSolver) {
  after_solving(1, 2, 40, {}, [](const Context& context, const Solver& solver, SolveResult result) {
    result.notes = {"a \"note\""};
    const auto json = nlohmann::json::parse(json_of(context, solver, result, {0.5, 1.25, 2}));
    EXPECT_EQ(json["rows"], 1600);
    EXPECT_EQ(json["entries"], 7840);
    EXPECT_EQ(json["threads"], 2);
    EXPECT_EQ(json["setup"], 1.25);
    EXPECT_EQ(json["iterations"], result.iterations);
    EXPECT_EQ(json["converged"], true);
    EXPECT_EQ(json["chosen"][0], "a \"note\"");
    EXPECT_GE(json["operator_complexity"], 1.0);
    // Of an iteration all bytes are on some level.
    std::size_t bytes = 0;
    for (const auto& level : json["traffic"])
      for (const char* part : {"matrix", "prolongation", "restriction", "vectors"})
        bytes += level[part].template get<std::size_t>();
    EXPECT_EQ(bytes, solver.iteration_bytes());
    EXPECT_EQ(json["traffic"].size(), json["levels"]);
  });
}

TEST(SolveReport, PerformanceNamesPrecisionAndBandwidth) {
  after_solving(1, 1, 20, {}, [](const Context& context, const Solver& solver, const SolveResult& result) {
    const std::string text = performance_text(context, solver, result, {0, 0.1, 0.1});
    for (const char* part : {"hierarchy in ", "iteration of pcg", "GB/s measured on large arrays"})
      EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  });
}

}  // namespace
}  // namespace taihu::amg

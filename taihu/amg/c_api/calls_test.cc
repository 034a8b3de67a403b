// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "taihu/abi/amgsolve.h"

namespace {

// The 5-point Laplacian on n x n points, with `extra` more on the diagonal.
template <class Index>
struct Matrix {
  std::int64_t rows = 0;
  std::vector<Index> starts{0}, columns;
  std::vector<double> values;

  explicit Matrix(Index n, double extra = 0) : rows(std::int64_t{n} * n) {
    for (Index row = 0; row < n * n; ++row) {
      const auto add = [&](Index column, double value) {
        columns.push_back(column);
        values.push_back(value);
      };
      if (row >= n) add(row - n, -1);
      if (row % n > 0) add(row - 1, -1);
      add(row, 4 + extra);
      if (row % n + 1 < n) add(row + 1, -1);
      if (row + n < n * n) add(row + n, -1);
      starts.push_back(static_cast<Index>(columns.size()));
    }
  }

  // Largest element of b - A x for b of ones.
  double residual(const std::vector<double>& x) const {
    double largest = 0;
    for (std::int64_t i = 0; i < rows; ++i) {
      double rest = 1;
      for (Index k = starts[i]; k < starts[i + 1]; ++k) rest -= values[k] * x[columns[k]];
      largest = std::max(largest, std::abs(rest));
    }
    return largest;
  }
};

using Handle = std::unique_ptr<amgsolve, decltype(&amgsolve_destroy)>;

Handle make(int threads = 2) {
  return {amgsolve_create(threads), amgsolve_destroy};
}

int set_up(amgsolve* solver, const Matrix<std::int32_t>& a) {
  return amgsolve_setup32(solver, a.rows, a.starts.data(), a.columns.data(), a.values.data());
}
int set_up(amgsolve* solver, const Matrix<std::int64_t>& a) {
  return amgsolve_setup64(solver, a.rows, a.starts.data(), a.columns.data(), a.values.data());
}

template <class Index>
std::vector<double> solved(amgsolve* solver, const Matrix<Index>& a) {
  std::vector<double> b(a.rows, 1.0), x(a.rows, 0.0);
  EXPECT_EQ(amgsolve_solve(solver, b.data(), x.data()), AMGSOLVE_DONE) << amgsolve_error(solver);
  return x;
}

TEST(CInterface, SolvesWithIndicesOf32And64BitsAlike) {
  const Matrix<std::int32_t> narrow(60);
  const Matrix<std::int64_t> wide(60);
  const Handle one = make(), other = make(1);
  ASSERT_EQ(set_up(one.get(), narrow), AMGSOLVE_DONE) << amgsolve_error(one.get());
  ASSERT_EQ(set_up(other.get(), wide), AMGSOLVE_DONE) << amgsolve_error(other.get());
  const auto x = solved(one.get(), narrow);
  EXPECT_EQ(x, solved(other.get(), wide));
  EXPECT_LT(narrow.residual(x), 1e-6);
  const amgsolve_result last = amgsolve_last(one.get());
  EXPECT_EQ(last.converged, 1);
  EXPECT_LE(last.residual, 1e-8);
  EXPECT_GT(last.setup_seconds, 0);
  int count = 0;
  const double* history = amgsolve_history(one.get(), &count);
  ASSERT_EQ(count, last.iterations + 1);
  EXPECT_EQ(history[0], 1.0);
  EXPECT_NE(std::string(amgsolve_report(one.get())).find("operator complexity"), std::string::npos);
}

TEST(CInterface, ColumnsInAnyOrderAndRepeatedOnesGiveTheSame) {
  const Matrix<std::int32_t> ordered(40);
  Matrix<std::int32_t> mixed = ordered;
  for (std::int64_t i = 0; i < mixed.rows; ++i)
    for (std::int32_t k = mixed.starts[i], last = mixed.starts[i + 1] - 1; k < last; ++k, --last) {
      std::swap(mixed.columns[k], mixed.columns[last]);
      std::swap(mixed.values[k], mixed.values[last]);
    }
  const Handle one = make(), other = make();
  ASSERT_EQ(set_up(one.get(), ordered), AMGSOLVE_DONE);
  ASSERT_EQ(set_up(other.get(), mixed), AMGSOLVE_DONE);
  EXPECT_EQ(solved(one.get(), ordered), solved(other.get(), mixed));
}

TEST(CInterface, UpdateTakesNewValuesWithAndWithoutNewLevels) {
  for (const char* reuse : {"nothing", "interpolation"})
    for (const char* family : {"aggregation", "classical"}) {
      const Handle solver = make();
      amgsolve_set(solver.get(), "reuse", reuse);
      amgsolve_set(solver.get(), "family", family);
      Matrix<std::int32_t> a(70);
      ASSERT_EQ(set_up(solver.get(), a), AMGSOLVE_DONE);
      const int before = (solved(solver.get(), a), amgsolve_last(solver.get()).iterations);
      a.values = Matrix<std::int32_t>(70, 0.003).values;
      ASSERT_EQ(amgsolve_update(solver.get(), a.values.data()), AMGSOLVE_DONE)
          << amgsolve_error(solver.get());
      EXPECT_LT(a.residual(solved(solver.get(), a)), 1e-6) << reuse << family;
      EXPECT_LE(amgsolve_last(solver.get()).iterations, before + 2) << reuse << family;
      a.values[0] = std::numeric_limits<double>::quiet_NaN();
      EXPECT_EQ(amgsolve_update(solver.get(), a.values.data()), AMGSOLVE_FAILED);
      EXPECT_STREQ(amgsolve_error(solver.get()),
                   "row 1 of the matrix has a value that is not a finite number");
      std::vector<double> x(a.rows);
      EXPECT_EQ(amgsolve_solve(solver.get(), x.data(), x.data()), AMGSOLVE_FAILED);
    }
}

TEST(CInterface, ReusedInterpolationOfTheSameValuesGivesTheSameBits) {
  const Matrix<std::int32_t> a(70);
  const Handle fresh = make(), reused = make();
  amgsolve_set(reused.get(), "reuse", "interpolation");
  ASSERT_EQ(set_up(fresh.get(), a), AMGSOLVE_DONE);
  ASSERT_EQ(set_up(reused.get(), Matrix<std::int32_t>(70, 0)), AMGSOLVE_DONE);
  ASSERT_EQ(set_up(reused.get(), a), AMGSOLVE_DONE);
  ASSERT_EQ(amgsolve_update(reused.get(), a.values.data()), AMGSOLVE_DONE);
  EXPECT_EQ(solved(fresh.get(), a), solved(reused.get(), a));
}

TEST(CInterface, TheCycleIsAPreconditioner) {
  const Matrix<std::int32_t> a(50);
  const Handle solver = make();
  ASSERT_EQ(set_up(solver.get(), a), AMGSOLVE_DONE);
  std::vector<double> r(a.rows, 1.0), x(a.rows, 0.0), z(a.rows);
  for (int step = 0; step < 40; ++step) {
    ASSERT_EQ(amgsolve_precondition(solver.get(), r.data(), z.data()), AMGSOLVE_DONE);
    for (std::int64_t i = 0; i < a.rows; ++i) x[i] += z[i];
    for (std::int64_t i = 0; i < a.rows; ++i) {
      r[i] = 1;
      for (std::int32_t k = a.starts[i]; k < a.starts[i + 1]; ++k) r[i] -= a.values[k] * x[a.columns[k]];
    }
  }
  EXPECT_LT(a.residual(x), 1e-3);
}

TEST(CInterface, NoConvergenceIsSaidAndLeavesTheBestX) {
  const Matrix<std::int32_t> a(50);
  const Handle solver = make();
  amgsolve_set(solver.get(), "max-iterations", "2");
  ASSERT_EQ(set_up(solver.get(), a), AMGSOLVE_DONE);
  std::vector<double> b(a.rows, 1.0), x(a.rows, 0.0);
  EXPECT_EQ(amgsolve_solve(solver.get(), b.data(), x.data()), AMGSOLVE_NOT_CONVERGED);
  EXPECT_EQ(std::string(amgsolve_error(solver.get())).substr(0, 41),
            "no convergence to 1e-08 in 2 iterations; ");
  EXPECT_NE(x[0], 0);
}

std::string complaint(std::int64_t rows, std::vector<std::int32_t> starts, std::vector<std::int32_t> columns,
                      std::vector<double> values) {
  const Handle solver = make();
  EXPECT_EQ(amgsolve_setup32(solver.get(), rows, starts.data(), columns.data(), values.data()),
            AMGSOLVE_FAILED);
  std::vector<double> x(8);
  EXPECT_EQ(amgsolve_solve(solver.get(), x.data(), x.data()), AMGSOLVE_FAILED);
  return amgsolve_setup32(solver.get(), rows, starts.data(), columns.data(), values.data()) == 0
             ? "none"
             : amgsolve_error(solver.get());
}

TEST(CInterface, BadInputIsRefusedByName) {
  EXPECT_EQ(complaint(0, {0}, {}, {}), "the matrix has no rows");
  EXPECT_EQ(complaint(-1, {0}, {}, {}), "the number of rows is negative (-1)");
  EXPECT_EQ(complaint(1, {1, 2}, {1}, {1}),
            "the row starts begin with 1, not with 0; rows and columns count from 0");
  EXPECT_EQ(complaint(2, {0, 2, 1}, {0, 1}, {1, 1}), "row 1 (from 0) starts at 2 and ends before, at 1");
  EXPECT_EQ(complaint(2, {0, 1, 2}, {0, 2}, {1, 1}),
            "row 1 (from 0) has an entry in column 2, outside of the matrix of 2 columns");
  EXPECT_EQ(complaint(2, {0, 1, 2}, {0, -1}, {1, 1}),
            "row 1 (from 0) has an entry in column -1, outside of the matrix of 2 columns");
  EXPECT_EQ(complaint(2, {0, 1, 1}, {0}, {1}),
            "row 2 of the matrix has a zero on the diagonal; multigrid smoothers divide by it");
  EXPECT_EQ(complaint(std::int64_t{1} << 40, {0}, {}, {}),
            "one process takes fewer than 2^31 rows; distribute 1099511627776 rows over the ranks of MPI");
}

TEST(CInterface, MissingPointersAreRefused) {
  const Handle solver = make();
  EXPECT_EQ(amgsolve_setup32(solver.get(), 1, nullptr, nullptr, nullptr), AMGSOLVE_FAILED);
  EXPECT_STREQ(amgsolve_error(solver.get()), "the row starts are missing");
  EXPECT_EQ(amgsolve_update(solver.get(), nullptr), AMGSOLVE_FAILED);
  EXPECT_EQ(amgsolve_solve(solver.get(), nullptr, nullptr), AMGSOLVE_FAILED);
  EXPECT_EQ(amgsolve_set(solver.get(), "tol", nullptr), AMGSOLVE_FAILED);
  EXPECT_EQ(amgsolve_set(solver.get(), "tol", "2"), AMGSOLVE_FAILED);
  EXPECT_STREQ(amgsolve_error(solver.get()), "option tol: '2' is not a number from 0 to 1");
  EXPECT_EQ(amgsolve_report(solver.get()), nullptr);
  EXPECT_EQ(amgsolve_create(-1), nullptr);
  EXPECT_EQ(amgsolve_solve(nullptr, nullptr, nullptr), AMGSOLVE_FAILED);
  EXPECT_STREQ(amgsolve_error(nullptr), "there is no solver");
  amgsolve_destroy(nullptr);
}

TEST(CInterface, SolversInSeveralThreadsDoNotDisturbEachOther) {
  const Matrix<std::int32_t> a(40);
  const Handle alone = make(1);
  ASSERT_EQ(set_up(alone.get(), a), AMGSOLVE_DONE);
  const auto expected = solved(alone.get(), a);
  std::vector<std::thread> threads;
  std::vector<std::vector<double>> found(3);
  for (auto& x : found)
    threads.emplace_back([&] {
      const Handle mine = make(2);
      ASSERT_EQ(set_up(mine.get(), a), AMGSOLVE_DONE);
      x = solved(mine.get(), a);
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& x : found) EXPECT_EQ(x, expected);
}

TEST(CInterface, OptionsAreListed) {
  const std::string text = amgsolve_options();
  EXPECT_NE(text.find("smoother\tauto|spai0|"), std::string::npos);
  EXPECT_NE(text.find("(default 1e-08)"), std::string::npos);
}

}  // namespace

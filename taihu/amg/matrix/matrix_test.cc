// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "taihu/amg/matrix/diagonal.h"
#include "taihu/amg/matrix/generate.h"
#include "taihu/amg/matrix/matrices_for_tests.h"
#include "taihu/amg/matrix/multiply.h"
#include "taihu/amg/matrix/sliced_kernels.h"
#include "taihu/amg/matrix/transpose.h"
#include "taihu/amg/parallel/context_for_tests.h"
#include "taihu/base/error.h"

namespace taihu::amg {
namespace {

// The entries of `expected` that are in the rows of this rank.
void expect_own_rows(const DistributedMatrix& matrix, const PlainMatrix& expected, double tolerance = 0) {
  const PlainMatrix found = plain(matrix);
  const GlobalIndex first = matrix.first_row, last = first + matrix.local.rows;
  for (const auto& [place, value] : expected.entries) {
    if (place.first < first || place.first >= last) continue;
    const auto at = found.entries.find(place);
    ASSERT_TRUE(at != found.entries.end()) << place.first << "," << place.second;
    ASSERT_NEAR(at->second, value, tolerance);
  }
  for (const auto& [place, value] : found.entries)
    ASSERT_TRUE(value == 0 || expected.entries.contains(place)) << place.first << "," << place.second;
}

void expect_rows_in_order(const DistributedMatrix& matrix) {
  for (LocalIndex i = 0; i < matrix.local.rows; ++i)
    for (Offset k = matrix.local.starts[i] + 1; k < matrix.local.starts[i + 1]; ++k)
      ASSERT_LT(matrix.global_column(matrix.local.column[k - 1]),
                matrix.global_column(matrix.local.column[k]));
}

class OnRanks : public testing::TestWithParam<int> {};

TEST_P(OnRanks, DistributedRowsAreTheSameMatrix) {
  for (const GlobalIndex rows : {0, 1, 2, 5, 40}) {
    const PlainMatrix matrix = random_matrix(rows, rows, 3, 7);
    on_ranks(GetParam(), 2, [&](const Context& context) {
      const Distribution spread_rows = spread(rows, context.communicator.size());
      const DistributedMatrix result = distributed(context, matrix, spread_rows, spread_rows);
      expect_own_rows(result, matrix);
      expect_rows_in_order(result);
    });
  }
}

TEST_P(OnRanks, ProductsAreThoseOfPlainMatrices) {
  const PlainMatrix a = random_matrix(30, 50, 4, 1), b = random_matrix(50, 20, 3, 2);
  PlainMatrix product{30, 20, {}};
  for (const auto& [ij, x] : a.entries)
    for (const auto& [jk, y] : b.entries)
      if (ij.second == jk.first) product.entries[{ij.first, jk.second}] += x * y;
  on_ranks(GetParam(), 2, [&](const Context& context) {
    const int ranks = context.communicator.size();
    const auto rows = spread(30, ranks), middle = spread(50, ranks), columns = spread(20, ranks);
    const DistributedMatrix result =
        multiply(context, distributed(context, a, rows, middle), distributed(context, b, middle, columns));
    expect_own_rows(result, product, 1e-12);
    expect_rows_in_order(result);
  });
}

TEST_P(OnRanks, TripleProductIsTwoProducts) {
  const PlainMatrix r = random_matrix(12, 40, 5, 1), a = random_matrix(40, 40, 4, 2),
                    p = random_matrix(40, 12, 2, 3);
  on_ranks(GetParam(), 1, [&](const Context& context) {
    const auto fine = spread(40, context.communicator.size()),
               coarse = spread(12, context.communicator.size());
    const auto left = distributed(context, r, coarse, fine), middle = distributed(context, a, fine, fine),
               right = distributed(context, p, fine, coarse);
    expect_own_rows(triple_product(context, left, middle, right),
                    plain(multiply(context, left, multiply(context, middle, right))), 1e-12);
  });
}

// Large enough that inner rows are dropped and their memory used again.
TEST_P(OnRanks, TripleProductOfALargeMatrixIsTheSameBitsOnOneRank) {
  constexpr GlobalIndex n = 24, half = n / 2;
  PlainMatrix right{n * n * n, half * half * half, {}};
  for (GlobalIndex i = 0; i < right.rows; ++i) {
    const GlobalIndex x = i % n / 2, y = i / n % n / 2, z = i / n / n / 2;
    for (const GlobalIndex shift : {GlobalIndex{0}, i % 3, half * (i % 2)}) {
      const GlobalIndex column = std::min(x + half * (y + half * z) + shift, right.columns - 1);
      right.entries[{i, column}] = 1 / static_cast<double>(1 + i % 7 + shift);
    }
  }
  const auto product = [&](const Context& context) {
    const int ranks = context.communicator.size();
    const Distribution fine = spread(right.rows, ranks), coarse = spread(right.columns, ranks);
    const DistributedMatrix prolongation = distributed(context, right, fine, coarse);
    return triple_product(context, transpose(context, prolongation),
                          generate(context, Problem::jump, n, fine), prolongation);
  };
  PlainMatrix expected;
  on_ranks(1, 1, [&](const Context& context) { expected = plain(product(context)); });
  on_ranks(GetParam(), 2, [&](const Context& context) {
    const PlainMatrix own = plain(product(context));
    for (const auto& [place, value] : own.entries) ASSERT_EQ(value, expected.entries.at(place));
    std::int64_t entries = static_cast<std::int64_t>(own.entries.size());
    context.communicator.sum({&entries, 1});
    EXPECT_EQ(entries, static_cast<std::int64_t>(expected.entries.size()));
  });
}

TEST_P(OnRanks, TransposeSwapsRowsAndColumns) {
  const PlainMatrix a = random_matrix(37, 23, 4, 9);
  PlainMatrix swapped{23, 37, {}};
  for (const auto& [place, value] : a.entries) swapped.entries[{place.second, place.first}] = value;
  on_ranks(GetParam(), 3, [&](const Context& context) {
    const int ranks = context.communicator.size();
    const DistributedMatrix result =
        transpose(context, distributed(context, a, spread(37, ranks), spread(23, ranks)));
    expect_own_rows(result, swapped);
    expect_rows_in_order(result);
  });
}

// A sweep row by row from x, with the right-hand side of check_kernels.
template <class Number>
std::vector<double> gauss_seidel(const DistributedMatrix& matrix, const Array<Number>& x, double scale,
                                 LocalIndex block, bool backward) {
  const Csr<double>& local = matrix.local;
  std::vector<double> y(x.begin(), x.begin() + local.rows);
  for (LocalIndex first = 0; first < local.rows; first += block) {
    const LocalIndex last = std::min(first + block, local.rows);
    for (LocalIndex step = 0; step < last - first; ++step) {
      const LocalIndex i = backward ? last - 1 - step : first + step;
      double residual = i % 3;
      for (Offset k = local.starts[i]; k < local.starts[i + 1]; ++k) {
        const LocalIndex j = local.column[k];
        const bool ghost = j >= local.rows;
        const double value = ghost ? static_cast<double>(x[padded(local.rows) + j - local.rows])
                             : j >= first && j < last ? y[j]
                                                      : static_cast<double>(x[j]);
        residual -= local.value[k] * value;
      }
      y[i] += scale * residual;
    }
  }
  return y;
}

// All kernels of a set against the sums row by row.
template <class Stored, class Number>
void check_kernels(const Context& context, DistributedMatrix& matrix, const PlainMatrix& expected,
                   const SlicedKernels<Stored, Number>& kernels) {
  const Sliced<Stored> sliced = make_sliced<Stored>(context, matrix);
  const LocalIndex rows = matrix.local.rows, slices = padded(rows) / slice_rows;
  std::vector<double> whole(expected.columns);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<double>(i % 17) / 8 - 1;
  const std::vector<double> product = expected.times(whole);
  Array<Number> x(context.storage, sliced.columns), y(context.storage, padded(rows)),
      b(context.storage, padded(rows)), scale(context.storage, padded(rows));
  std::fill(x.begin(), x.end(), Number{0});
  for (LocalIndex j = 0; j < matrix.owned_columns(); ++j)
    x[j] = static_cast<Number>(whole[matrix.first_column + j]);
  matrix.halo.exchange(context.communicator, x.data(), sliced.ghost_begin);
  for (LocalIndex i = 0; i < padded(rows); ++i) {
    b[i] = static_cast<Number>(i % 3);
    scale[i] = static_cast<Number>(0.5);
    y[i] = static_cast<Number>(i);
  }
  const auto expect = [&](const auto& of_row) {
    for (LocalIndex i = 0; i < rows; ++i)
      ASSERT_NEAR(y[i], of_row(i, product[matrix.first_row + i]), 1e-4) << "row " << i;
  };
  kernels.add_product(sliced.view(), 0, slices, x.data(), y.data());
  expect([](LocalIndex i, double ax) { return i + ax; });
  kernels.product(sliced.view(), 0, slices, x.data(), y.data());
  expect([](LocalIndex, double ax) { return ax; });
  kernels.residual(sliced.view(), 0, slices, x.data(), b.data(), y.data());
  expect([](LocalIndex i, double ax) { return i % 3 - ax; });
  if (rows == matrix.owned_columns()) {
    kernels.smooth(sliced.view(), 0, slices, x.data(), b.data(), scale.data(), y.data());
    expect([&](LocalIndex i, double ax) { return x[i] + 0.5 * (i % 3 - ax); });
    for (const bool backward : {false, true}) {
      std::fill(scale.begin(), scale.end(), static_cast<Number>(0.1));
      kernels.gauss_seidel(sliced.view(), 0, slices, 2, x.data(), b.data(), scale.data(), y.data(), backward);
      const std::vector<double> swept = gauss_seidel(matrix, x, 0.1, 2 * slice_rows, backward);
      expect([&](LocalIndex i, double) { return swept[i]; });
    }
  }
}

TEST_P(OnRanks, KernelsOfAllInstructionSetsMultiply) {
  for (const auto& [rows, columns, per_row] :
       {std::tuple{1, 1, 1.0}, {7, 7, 2.0}, {8, 8, 0.0}, {64, 64, 5.0}, {100, 33, 3.0}}) {
    const PlainMatrix matrix = random_matrix(rows, columns, per_row, 11);
    on_ranks(GetParam(), 1, [&, rows = rows, columns = columns](const Context& context) {
      const int ranks = context.communicator.size();
      DistributedMatrix own = distributed(context, matrix, spread(rows, ranks), spread(columns, ranks));
      for (const KernelSet* set : usable_kernel_sets()) {
        SCOPED_TRACE(set->name);
        check_kernels(context, own, matrix, set->single_precision);
        check_kernels(context, own, matrix, set->double_precision);
        check_kernels(context, own, matrix, set->mixed_precision);
      }
    });
  }
}

TEST_P(OnRanks, RowsComeBackFromSlicesWithoutZeros) {
  PlainMatrix matrix = random_matrix(77, 77, 5, 12), expected = matrix;
  matrix.entries[{3, 70}] = matrix.entries[{76, 0}] = 0;
  std::erase_if(expected.entries, [&](const auto& entry) { return matrix.entries.at(entry.first) == 0; });
  on_ranks(GetParam(), 2, [&](const Context& context) {
    const Distribution rows = spread(77, context.communicator.size());
    DistributedMatrix own = distributed(context, matrix, rows, rows);
    const Sliced<double> sliced = make_sliced<double>(context, own);
    own.local.drop_entries();
    EXPECT_FALSE(own.local.has_entries());
    restore_rows(context, sliced, own);
    expect_own_rows(own, expected);
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, OnRanks, testing::Values(1, 2, 3, 8));

TEST(Sliced, StencilsNeedNoGathersExceptAtTheRim) {
  on_ranks(1, 1, [](const Context& context) {
    const auto rows = Distribution::even(problem_rows(Problem::laplace3d, 16), 1);
    const auto sliced = make_sliced<float>(context, generate(context, Problem::laplace3d, 16, rows));
    EXPECT_LT(static_cast<double>(sliced.gather.size()), 0.02 * static_cast<double>(sliced.value.size()));
    EXPECT_LT(static_cast<double>(sliced.value.size()), 1.1 * static_cast<double>(sliced.entries));
  });
}

TEST(Sliced, RefusesValuesThatDoNotFit) {
  on_ranks(1, 1, [](const Context& context) {
    const PlainMatrix matrix{1, 1, {{{0, 0}, 1e100}}};
    const DistributedMatrix own = distributed(context, matrix, spread(1, 1), spread(1, 1));
    EXPECT_THROW(make_sliced<float>(context, own), Error);
    EXPECT_EQ(make_sliced<double>(context, own).value[0], 1e100);
  });
}

TEST(Generate, RowsSumToZeroExceptAtTheBoundaryAndAreSymmetric) {
  for (const Problem problem : {Problem::laplace2d, Problem::laplace2d9, Problem::laplace3d,
                                Problem::laplace27, Problem::anisotropic, Problem::jump})
    on_ranks(1, 1, [&](const Context& context) {
      const GlobalIndex n = 18, rows = problem_rows(problem, n);
      const PlainMatrix matrix = plain(generate(context, problem, n, Distribution::even(rows, 1)));
      std::vector<double> sum(rows), size(rows);
      for (const auto& [place, value] : matrix.entries) {
        sum[place.first] += value;
        size[place.first] += std::abs(value);
        ASSERT_EQ(matrix.entries.at({place.second, place.first}), value);
      }
      GlobalIndex inner = 0;
      for (GlobalIndex i = 0; i < rows; ++i) {
        inner += std::abs(sum[i]) < 1e-12 * size[i];
        ASSERT_GT(sum[i], -1e-12 * size[i]);
      }
      const GlobalIndex expected = rows == n * n ? (n - 2) * (n - 2) : (n - 2) * (n - 2) * (n - 2);
      EXPECT_EQ(inner, expected);
    });
}

TEST(Generate, IsTheSameMatrixOnAnyNumberOfRanks) {
  PlainMatrix whole;
  on_ranks(1, 1, [&](const Context& context) {
    whole = plain(generate(context, Problem::jump, 10, Distribution::even(1000, 1)));
  });
  on_ranks(3, 2, [&](const Context& context) {
    expect_own_rows(generate(context, Problem::jump, 10, Distribution::even(1000, 3)), whole);
  });
}

TEST(Generate, UnknownNamesAndSizesAreRefused) {
  EXPECT_THROW(problem_of_name("laplace4d"), UsageError);
  EXPECT_THROW(problem_rows(Problem::laplace3d, 0), UsageError);
  EXPECT_THROW(problem_rows(Problem::laplace3d, 1'000'000), UsageError);
}

std::string complaint(const PlainMatrix& matrix) {
  std::string text;
  on_ranks(2, 1, [&](const Context& context) {
    try {
      DistributedMatrix own = distributed(context, matrix, spread(matrix.rows, 2), spread(matrix.columns, 2));
      check_matrix(context, own);
    } catch (const Error& error) {
      if (context.communicator.rank() == 0) text = error.what();
    }
  });
  return text;
}

TEST(CheckMatrix, NamesTheFault) {
  EXPECT_EQ(complaint({2, 2, {{{0, 0}, 1}, {{1, 1}, 1}}}), "");
  EXPECT_EQ(complaint({2, 3, {{{0, 0}, 1}, {{1, 1}, 1}}}),
            "the matrix is not square (2 rows, 3 columns); a linear system needs a square matrix");
  EXPECT_EQ(complaint({0, 0, {}}), "the matrix has no rows");
  EXPECT_EQ(complaint({3, 3, {{{0, 0}, 1}, {{1, 0}, 1}, {{2, 2}, 1}}}),
            "row 2 of the matrix has a zero on the diagonal; multigrid smoothers divide by it");
  EXPECT_EQ(complaint({2, 2, {{{0, 0}, 1}, {{1, 1}, NAN}}}),
            "row 2 of the matrix has a value that is not a finite number");
}

TEST(Distribute, AddsRepeatedEntriesAndRefusesColumnsOutside) {
  on_ranks(1, 1, [](const Context& context) {
    const auto make = [&](GlobalIndex last_column) {
      GlobalRows rows;
      rows.starts = Array<Offset>(context.storage, 2);
      rows.column = Array<GlobalIndex>(context.storage, 3);
      rows.value = Array<double>(context.storage, 3);
      rows.starts[0] = 0;
      rows.starts[1] = 3;
      for (int k = 0; k < 3; ++k) rows.value[k] = k + 1;
      rows.column[0] = 1;
      rows.column[1] = 0;
      rows.column[2] = last_column;
      return distribute(context, Distribution({1}), Distribution({2}), std::move(rows));
    };
    const PlainMatrix expected{1, 2, {{{0, 0}, 2}, {{0, 1}, 4}}};
    EXPECT_EQ(plain(make(1)).entries, expected.entries);
    EXPECT_THROW(make(2), Error);
    EXPECT_THROW(make(-1), Error);
  });
}

TEST(Distribute, RowsBehindRepeatedEntriesMoveUp) {
  on_ranks(1, 1, [](const Context& context) {
    GlobalRows rows;
    rows.starts = Array<Offset>(context.storage, 4);
    rows.column = Array<GlobalIndex>(context.storage, 5);
    rows.value = Array<double>(context.storage, 5);
    const std::array starts{0, 2, 2, 5};
    const std::array columns{1, 1, 2, 0, 2};
    std::copy(starts.begin(), starts.end(), rows.starts.begin());
    for (int k = 0; k < 5; ++k) {
      rows.column[k] = columns[k];
      rows.value[k] = k + 1;
    }
    const DistributedMatrix made = distribute(context, Distribution({3}), Distribution({3}), std::move(rows));
    EXPECT_EQ(made.local.entries(), 3);
    const PlainMatrix expected{3, 3, {{{0, 1}, 3}, {{2, 0}, 4}, {{2, 2}, 8}}};
    EXPECT_EQ(plain(made).entries, expected.entries);
  });
}

}  // namespace
}  // namespace taihu::amg

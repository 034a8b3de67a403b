// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/solver.h"

#include <array>
#include <cmath>
#include <limits>

#include "taihu/amg/matrix/diagonal.h"
#include "taihu/amg/solve/steps.h"
#include "taihu/base/error.h"

namespace taihu::amg {
namespace {

// Matrices beyond these sizes, and products of a few of their values, do not fit into single precision.
constexpr double largest_single = 1e30, smallest_single = 1e-30;

struct Values {
  double largest;        // absolute value
  bool constant_kernel;  // all rows add up to zero
};

Values look_at_values(const Context& context, const Csr<double>& matrix) {
  constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
  std::vector<std::array<double, 2>> of_thread(context.team.size());
  context.team.run(matrix.partition, [&](LocalIndex begin, LocalIndex end, int thread) {
    double largest = 0, adds_up = 0;
    for (LocalIndex i = begin; i < end; ++i) {
      double sum = 0, absolute = 0;
      for (Offset k = matrix.starts[i]; k < matrix.starts[i + 1]; ++k) {
        sum += matrix.value[k];
        absolute += std::abs(matrix.value[k]);
        largest = std::max(largest, std::abs(matrix.value[k]));
      }
      adds_up = std::abs(sum) > rounding * absolute ? 1 : adds_up;
    }
    of_thread[thread] = {largest, adds_up};
  });
  double all[2] = {0, 0};
  for (const auto& values : of_thread)
    for (int n = 0; n < 2; ++n) all[n] = std::max(all[n], values[n]);
  context.communicator.maximum(all);
  return {all[0], all[1] == 0};
}

}  // namespace

Solver::Solver(const Context& context, DistributedMatrix matrix, const HierarchyOptions& options)
    : context_(context), options_(options), matrix_(std::move(matrix)) {
  const Timed timed(context_.profile, "set-up: checks");
  const Precision precision = check();
  entries_ = matrix_.local.entries();
  system_ = std::make_unique<SystemMatrix>();
  set_up(precision);
}

// Checks the matrix; returns the precision for its hierarchy.
Precision Solver::check() {
  check_matrix(context_, matrix_);
  const auto [largest, constant_kernel] = look_at_values(context_, matrix_.local);
  constant_kernel_ = constant_kernel;
  symmetric_.reset();
  const bool fits = largest < largest_single && largest > smallest_single;
  const bool use_double =
      options_.precision == Precision::double_ || (options_.precision == Precision::automatic && !fits);
  check_input(use_double || fits,
              "the values of the matrix do not fit into single precision; use double or automatic");
  return use_double ? Precision::double_ : Precision::single_;
}

void Solver::set_up(Precision precision) {
  resolved_ = options_;
  resolved_.constant_kernel = constant_kernel_;
  if (options_.smoother == Smoother::automatic) resolved_.smoother = Smoother::spai0;
  indefinite_ = false;
  notes_.clear();
  make_preconditioner(precision);
  SetUpOutcome outcome = preconditioner_->outcome();
  if (outcome != SetUpOutcome::done && options_.family == Family::automatic) {
    notes_.push_back(
        outcome == SetUpOutcome::few_aggregates
            ? "family classical: aggregation hardly reduces the number of unknowns"
        : outcome == SetUpOutcome::dense_coarse_matrix
            ? "family classical, aggressive: rows with very many neighbours would fill the coarse "
              "matrices of aggregation"
            : "family classical: the coarsest matrix of aggregation is singular");
    resolved_.family = Family::classical;
    if (outcome == SetUpOutcome::dense_coarse_matrix)
      resolved_.aggressive_levels = std::max(1, options_.aggressive_levels);
    make_preconditioner(precision);
    outcome = preconditioner_->outcome();
  }
  if (outcome == SetUpOutcome::done) return;
  preconditioner_.reset();
  throw Error(outcome == SetUpOutcome::too_large
                  ? "the matrix is too large or too wide for a direct solution, or singular; choose another "
                    "family"
                  : "the matrix is singular to working precision (found at the coarsest level)");
}

// An earlier set-up that failed may have moved the entries of the matrix away.
void Solver::make_preconditioner(Precision precision) {
  preconditioner_.reset();
  system_->restore(context_, matrix_);
  preconditioner_ = amg::make_preconditioner(context_, matrix_, *system_, resolved_, precision);
}

void Solver::update(DistributedMatrix matrix) {
  double differs = matrix.local.rows != matrix_.local.rows || matrix.local.entries() != entries_ ? 1 : 0;
  context_.communicator.maximum({&differs, 1});
  check_input(differs == 0, "the matrix has another pattern than the one that was set up for");
  matrix_ = std::move(matrix);
  const Timed timed(context_.profile, "set-up: checks");
  Precision precision = Precision::double_;
  try {
    precision = check();
  } catch (...) {
    preconditioner_.reset();
    throw;
  }
  // The hierarchy may still point into the old one.
  auto system = std::make_unique<SystemMatrix>();
  const bool keep = preconditioner_ != nullptr && options_.reuse == Reuse::interpolation &&
                    preconditioner_->single() == (precision == Precision::single_);
  if (keep) {
    preconditioner_->update(matrix_, *system);
    system_ = std::move(system);
    if (preconditioner_->outcome() != SetUpOutcome::done) set_up(precision);
  } else {
    preconditioner_.reset();
    system_ = std::move(system);
    set_up(precision);
  }
}

void Solver::check_ready() const {
  check_input(preconditioner_ != nullptr,
              "the last update of the matrix failed; there is nothing to solve with");
}

void Solver::precondition(std::span<const double> r, std::span<double> z) {
  check_ready();
  double wrong = r.size() != std::size_t(rows()) || z.size() != r.size() ? 1 : 0;
  double size = 0;
  for (const double value : r) size = std::max(size, std::abs(value));
  double seen[2] = {wrong, size};
  context_.communicator.maximum(seen);
  check_input(seen[0] == 0, "the length of a vector differs from the number of rows of the matrix");
  const double factor = unit_factor(seen[1]);
  for_blocks(context_, matrix_.local.partition,
             [&](LocalIndex begin, LocalIndex end) { preconditioner_->load(begin, end, r.data(), factor); });
  preconditioner_->cycle();
  for_blocks(context_, matrix_.local.partition, [&](LocalIndex begin, LocalIndex end) {
    preconditioner_->unload(begin, end, z.data() + begin, 1 / factor);
  });
}

System Solver::system(bool ends_when_slow) const {
  return {context_, matrix_.local.partition, *system_, *preconditioner_, ends_when_slow};
}

SolveResult Solver::solve(std::span<const double> b, std::span<double> x, const SolveOptions& options,
                          const Progress& progress) {
  check_ready();
  double size[3] = {b.size() != std::size_t(rows()) || x.size() != b.size() ? 1.0 : 0.0, 0.0, 0.0};
  for (const double value : b) {
    size[1] = std::isfinite(value) ? size[1] : 1;
    size[2] = std::max(size[2], std::abs(value));
  }
  context_.communicator.maximum(size);
  check_input(
      size[0] == 0,
      "the length of the right-hand side or the solution differs from the number of rows of the matrix");
  check_input(size[1] == 0, "the right-hand side has a value that is not a finite number");
  // A power of two brings the right-hand side to about one: its norm must not overflow.
  const double factor = unit_factor(size[2]);
  const Timed timed(context_.profile, "solve: vectors");
  Array<double> right_side = make_vector(system()), solution = make_vector(system());
  const auto copy = [&](const double* from, double* to, double times) {
    for_blocks(context_, matrix_.local.partition, [&](LocalIndex begin, LocalIndex end) {
      for (LocalIndex i = begin; i < end; ++i) to[i] = times * from[i];
    });
  };
  copy(b.data(), right_side.data(), factor);
  copy(x.data(), solution.data(), factor);
  SolveResult result = run_choices(right_side, solution, options, progress);
  copy(solution.data(), x.data(), 1 / factor);
  return result;
}

std::size_t Solver::iteration_bytes() const {
  // Beside the cycle: the matrix, 15 reads or writes of double vectors, 3 of vectors of the hierarchy.
  const std::size_t rows = matrix_.local.rows;
  return preconditioner_->cycle_bytes() + system_->bytes() + rows * (15 * sizeof(double) + 3 * sizeof(float));
}

}  // namespace taihu::amg

// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/solver.h"

#include <cmath>

#include "taihu/amg/matrix/diagonal.h"
#include "taihu/amg/setup/family.h"
#include "taihu/base/error.h"

namespace taihu::amg {
namespace {

// Matrices beyond these sizes, and products of a few of their values, do not fit into single precision.
constexpr double largest_single = 1e30, smallest_single = 1e-30;

double largest_value(const Context& context, const Csr<double>& matrix) {
  std::vector<double> of_thread(context.team.size());
  context.team.run(matrix.partition, [&](LocalIndex begin, LocalIndex end, int thread) {
    double largest = 0;
    for (Offset k = matrix.starts[begin]; k < matrix.starts[end]; ++k)
      largest = std::max(largest, std::abs(matrix.value[k]));
    of_thread[thread] = largest;
  });
  double largest = 0;
  for (const double value : of_thread) largest = std::max(largest, value);
  context.communicator.maximum({&largest, 1});
  return largest;
}

}  // namespace

Solver::Solver(const Context& context, DistributedMatrix matrix, const HierarchyOptions& options)
    : context_(context), options_(options), matrix_(std::move(matrix)) {
  const Timed timed(context_.profile, "set-up: checks");
  check_matrix(context_, matrix_);
  system_ = std::make_unique<SystemMatrix>(context_, matrix_);
  const double largest = largest_value(context_, matrix_.local);
  const bool fits = largest < largest_single && largest > smallest_single;
  const bool use_double =
      options.precision == Precision::double_ || (options.precision == Precision::automatic && !fits);
  check_input(use_double || fits,
              "the values of the matrix do not fit into single precision; use double or automatic");
  options_ = with_family(context_, matrix_, options);
  const Precision first = use_double ? Precision::double_ : Precision::single_;
  try {
    preconditioner_ = make_preconditioner(context_, matrix_, *system_, options_, first);
  } catch (const Error&) {
    // The coarsest matrix of an indefinite matrix may be singular in one family and not in the other.
    if (options.family != Family::automatic || options_.family == Family::aggregation) throw;
    options_.family = Family::aggregation;
    preconditioner_ = make_preconditioner(context_, matrix_, *system_, options_, first);
  }
}

SolveResult Solver::run(const Array<double>& b, Array<double>& x, const SolveOptions& options,
                        const Progress& progress) {
  const System system{context_, matrix_.local.partition, *system_, *preconditioner_};
  switch (options.method) {
    case Method::gmres:
      return flexible_gmres(system, b, x, options, progress);
    case Method::bicgstab:
      return bicgstab(system, b, x, options, progress);
    case Method::cycles:
      return multigrid_cycles(system, b, x, options, progress);
    case Method::cg:
      break;
  }
  return conjugate_gradients(system, b, x, options, progress);
}

SolveResult Solver::solve(std::span<const double> b, std::span<double> x, const SolveOptions& options,
                          const Progress& progress) {
  double size[3] = {b.size() != std::size_t(rows()) || x.size() != b.size() ? 1.0 : 0.0, 0.0, 0.0};
  for (const double value : b) {
    size[1] = std::isfinite(value) ? size[1] : 1;
    size[2] = std::max(size[2], std::abs(value));
  }
  context_.communicator.maximum(size);
  check_input(size[0] == 0,
              "the right-hand side or the solution has not as many elements as the matrix has rows");
  check_input(size[1] == 0, "the right-hand side has a value that is not a finite number");
  // A power of two brings the right-hand side to about one: its norm must not overflow.
  const double factor = size[2] > 0 ? std::ldexp(1.0, std::clamp(-std::ilogb(size[2]), -1000, 1000)) : 1;
  const Timed timed(context_.profile, "solve: vectors");
  const System system{context_, matrix_.local.partition, *system_, *preconditioner_};
  Array<double> right_side = make_vector(system), solution = make_vector(system);
  const auto copy = [&](const double* from, double* to, double times) {
    for_blocks(context_, matrix_.local.partition, [&](LocalIndex begin, LocalIndex end) {
      for (LocalIndex i = begin; i < end; ++i) to[i] = times * from[i];
    });
  };
  copy(b.data(), right_side.data(), factor);
  copy(x.data(), solution.data(), factor);
  SolveResult result = run(right_side, solution, options, progress);
  if (!result.breakdown.empty() && preconditioner_->single() && options_.precision == Precision::automatic) {
    preconditioner_.reset();
    preconditioner_ = make_preconditioner(context_, matrix_, *system_, options_, Precision::double_);
    copy(x.data(), solution.data(), factor);
    result = run(right_side, solution, options, progress);
  }
  copy(solution.data(), x.data(), 1 / factor);
  return result;
}

std::size_t Solver::iteration_bytes() const {
  // Beside the cycle: the matrix, 15 reads or writes of double vectors, 3 of vectors of the hierarchy.
  const std::size_t rows = matrix_.local.rows;
  return preconditioner_->cycle_bytes() + system_->bytes() + rows * (15 * sizeof(double) + 3 * sizeof(float));
}

}  // namespace taihu::amg

// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/solver.h"

#include <cmath>

#include "taihu/amg/matrix/diagonal.h"
#include "taihu/base/error.h"

namespace taihu::amg {

Solver::Solver(const Context& context, DistributedMatrix matrix, const HierarchyOptions& options)
    : context_(context), options_(options), matrix_(std::move(matrix)) {
  const Timed timed(context_.profile, "set-up: checks");
  check_matrix(context_, matrix_);
  system_ = std::make_unique<SystemMatrix>(context_, matrix_);
  const Precision first = options.precision == Precision::double_ ? Precision::double_ : Precision::single_;
  preconditioner_ = make_preconditioner(context_, matrix_, *system_, options_, first);
}

SolveResult Solver::run(const Array<double>& b, Array<double>& x, const SolveOptions& options, const Progress& progress) {
  const System system{context_, matrix_.local.partition, *system_, *preconditioner_};
  switch (options.method) {
    case Method::gmres: return flexible_gmres(system, b, x, options, progress);
    case Method::bicgstab: return bicgstab(system, b, x, options, progress);
    case Method::cycles: return multigrid_cycles(system, b, x, options, progress);
    case Method::cg: break;
  }
  return conjugate_gradients(system, b, x, options, progress);
}

SolveResult Solver::solve(std::span<const double> b, std::span<double> x, const SolveOptions& options,
                          const Progress& progress) {
  double wrong[2] = {b.size() != std::size_t(rows()) || x.size() != b.size() ? 1.0 : 0.0, 0.0};
  for (const double value : b) wrong[1] = std::isfinite(value) ? wrong[1] : 1;
  context_.communicator.maximum(wrong);
  check_input(wrong[0] == 0, "the right-hand side or the solution has not as many elements as the matrix has rows");
  check_input(wrong[1] == 0, "the right-hand side has a value that is not a finite number");
  const Timed timed(context_.profile, "solve: vectors");
  const System system{context_, matrix_.local.partition, *system_, *preconditioner_};
  Array<double> right_side = make_vector(system), solution = make_vector(system);
  const auto copy = [&](const double* from, double* to) {
    context_.team.run(matrix_.local.partition,
                      [&](LocalIndex begin, LocalIndex end, int) { std::copy(from + begin, from + end, to + begin); });
  };
  copy(b.data(), right_side.data());
  copy(x.data(), solution.data());
  SolveResult result = run(right_side, solution, options, progress);
  if (!result.breakdown.empty() && preconditioner_->single() && options_.precision == Precision::automatic) {
    preconditioner_.reset();
    preconditioner_ = make_preconditioner(context_, matrix_, *system_, options_, Precision::double_);
    copy(x.data(), solution.data());
    result = run(right_side, solution, options, progress);
  }
  copy(solution.data(), x.data());
  return result;
}

std::size_t Solver::iteration_bytes() const {
  // Beside the cycle: the matrix, 15 reads or writes of double vectors, 3 of vectors of the hierarchy.
  const std::size_t rows = matrix_.local.rows;
  return preconditioner_->cycle_bytes() + system_->bytes() + rows * (15 * sizeof(double) + 3 * sizeof(float));
}

}  // namespace taihu::amg

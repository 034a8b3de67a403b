// SPDX-License-Identifier: Apache-2.0
// The solver: set up once for a matrix, solve for any number of right-hand sides.
//
//     parallel::SoloCommunicator alone;
//     parallel::Team team;
//     Storage storage;
//     const Context context{team, storage, alone};
//     const auto rows = Distribution::even(problem_rows(Problem::laplace3d, 100), 1);
//     Solver solver(context, generate(context, Problem::laplace3d, 100, rows), HierarchyOptions());
//     std::vector<double> b(1'000'000, 1.0), x(b.size());
//     SolveResult result = solver.solve(b, x, SolveOptions());
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "taihu/amg/matrix/distributed_matrix.h"
#include "taihu/amg/solve/krylov.h"

namespace taihu::amg {

class Solver {
 public:
  /// Sets up for the matrix. Collective over the ranks of the context, which outlives the solver. Throws
  /// Error, on every rank, for a matrix that is not square, has values that are not finite or zeros on the
  /// diagonal, or is singular; a pure Neumann problem (rows that add up to zero) may be.
  Solver(const Context& context, DistributedMatrix matrix, const HierarchyOptions& options);

  /// Solves A x = b from the x given, both with the rows of this rank. Collective. Where what was chosen
  /// automatically (method, smoother, family, precision) fails, sets up again with something else, goes
  /// on, and says so in the notes of the result; later calls begin with that. Of the solutions of a pure
  /// Neumann problem gives that with mean zero. Throws Error for a right-hand side of wrong length or with
  /// values that are not finite. Not converging is not an error: see the result.
  SolveResult solve(std::span<const double> b, std::span<double> x, const SolveOptions& options,
                    const Progress& progress = nullptr);

  /// Goes over to a matrix of the same pattern with the options of the constructor; with Reuse::interpolation
  /// levels and transfers stay, else all is set up anew in the memory at hand. Collective. Throws Error as
  /// the constructor, and when the pattern has another number of rows or entries; the solver can then only be
  /// updated again.
  void update(DistributedMatrix matrix);

  /// z = one multigrid cycle for the right-hand side r. Collective. Throws Error for vectors of wrong length.
  void precondition(std::span<const double> r, std::span<double> z);

  LocalIndex rows() const { return matrix_.local.rows; }
  const Preconditioner& preconditioner() const { return *preconditioner_; }
  /// Bytes of matrices and vectors that one iteration of conjugate gradients moves on this rank.
  std::size_t iteration_bytes() const;
  /// Of these, bytes of the matrix that the method multiplies with.
  std::size_t system_bytes() const { return system_->bytes(); }

 private:
  /// What to try when the present choice fails.
  struct Choice {
    Method method;
    HierarchyOptions hierarchy;
    Precision precision;
    std::string note;
  };

  Precision check();
  void check_ready() const;
  void set_up(Precision precision);
  void make_preconditioner(Precision precision);
  System system(bool ends_when_slow = false) const;
  bool symmetric();
  Method first_method(const SolveOptions& options);
  std::vector<Choice> other_choices(Trouble trouble, Method method, const SolveOptions& options);
  bool choose_other(Trouble trouble, Method& method, const SolveOptions& options);
  std::string explanation(const SolveResult& result, Method method);
  bool all_that_rounding_allows(const Array<double>& b, const Array<double>& x, double residual);
  std::string missing_solution(const Array<double>& b, double tolerance);
  SolveResult run(Method method, const Array<double>& b, Array<double>& x, const SolveOptions& options,
                  const Progress& progress);
  SolveResult run_choices(const Array<double>& b, Array<double>& x, const SolveOptions& options,
                          const Progress& progress);

  Context context_;
  HierarchyOptions options_;   // as given
  HierarchyOptions resolved_;  // as chosen
  std::optional<bool> symmetric_;
  bool constant_kernel_ = false;    // the rows add up to zero
  bool indefinite_ = false;         // conjugate gradients saw that
  std::vector<std::string> notes_;  // of what was chosen
  DistributedMatrix matrix_;        // without entries when set up
  Offset entries_ = 0;              // of this rank
  std::unique_ptr<SystemMatrix> system_;
  std::unique_ptr<Preconditioner> preconditioner_;
};

}  // namespace taihu::amg

// SPDX-License-Identifier: Apache-2.0
// What Solver chooses where the user left it open and the first choice fails: other smoothers,
// families, precisions and methods, in this order, and what it says when all fail.
#include <algorithm>
#include <cmath>

#include "taihu/amg/solve/random_number.h"
#include "taihu/amg/solve/steps.h"
#include "taihu/amg/solve/symmetry.h"
#include "taihu/amg/solver.h"
#include "taihu/base/formatted.h"

namespace taihu::amg {
namespace {

const char* reason(Trouble trouble) {
  switch (trouble) {
    case Trouble::slow:
      return "convergence was slow";
    case Trouble::not_finite:
      return "a number of the iteration was not finite";
    case Trouble::indefinite_matrix:
      return "the matrix is not positive definite";
    case Trouble::indefinite_cycle:
      return "the multigrid cycle was not positive definite";
    case Trouble::vanished:
      return "a product of the vectors of BiCGSTAB vanished";
    case Trouble::none:
      break;
  }
  return "";
}

// With a larger one, relative to the right-hand side, x is no solution, whatever rounding allows.
constexpr double most_useful_residual = 1e-2;

// Whether the smoother converges for every symmetric positive definite matrix.
bool always_converges(Smoother smoother) {
  return smoother == Smoother::chebyshev || smoother == Smoother::l1_jacobi ||
         smoother == Smoother::gauss_seidel;
}

}  // namespace

bool Solver::symmetric() {
  if (!symmetric_) symmetric_ = is_symmetric(system(), matrix_.first_row);
  return *symmetric_;
}

Method Solver::first_method(const SolveOptions& options) {
  if (options.method != Method::automatic) return options.method;
  return symmetric() && !indefinite_ ? Method::cg : Method::gmres;
}

// The best first.
std::vector<Solver::Choice> Solver::other_choices(Trouble trouble, Method method,
                                                  const SolveOptions& options) {
  std::vector<Choice> choices;
  const bool aggregation = resolved_.family == Family::automatic;
  const bool may_change_precision = preconditioner_->single() && options_.precision == Precision::automatic;
  const Precision precision = preconditioner_->single() ? Precision::single_ : Precision::double_;
  const auto offer = [&](const char* note, const auto& change) {
    Choice choice{method, resolved_, precision, std::string(note) + ": " + reason(trouble)};
    change(choice);
    choices.push_back(choice);
  };
  const auto in_double = [](Choice& choice) { choice.precision = Precision::double_; };
  const auto with_gmres = [](Choice& choice) { choice.method = Method::gmres; };
  const bool open_method = options.method == Method::automatic && method == Method::cg;
  if (trouble == Trouble::none || (method == Method::cg && !symmetric())) return {};
  if (trouble == Trouble::indefinite_matrix) {
    if (open_method) offer("solver gmres", with_gmres);
    return choices;
  }
  if (trouble == Trouble::vanished) return {};
  if (trouble == Trouble::not_finite && may_change_precision) offer("precision double", in_double);
  // For matrices that are not symmetric the interval of Chebyshev's polynomials says nothing.
  if (options_.smoother == Smoother::automatic && resolved_.smoother == Smoother::spai0 &&
      resolved_.family != Family::direct && !indefinite_ && symmetric())
    offer("smoother chebyshev", [](Choice& choice) { choice.hierarchy.smoother = Smoother::chebyshev; });
  if (aggregation && trouble == Trouble::slow)
    offer("family classical", [](Choice& choice) { choice.hierarchy.family = Family::classical; });
  if (options_.family == Family::automatic && resolved_.family != Family::direct && !constant_kernel_)
    offer("family direct", [&](Choice& choice) { choice.hierarchy.family = Family::direct; });
  if (trouble != Trouble::not_finite && may_change_precision) offer("precision double", in_double);
  if (trouble == Trouble::indefinite_cycle && open_method) offer("solver gmres", with_gmres);
  return choices;
}

// Goes over to the best choice that can be set up; false: there is none, and all is as it was.
bool Solver::choose_other(Trouble trouble, Method& method, const SolveOptions& options) {
  if (trouble == Trouble::indefinite_matrix) indefinite_ = true;
  const HierarchyOptions before = resolved_;
  const Precision precision = preconditioner_->single() ? Precision::single_ : Precision::double_;
  bool replaced = false;
  for (const Choice& choice : other_choices(trouble, method, options)) {
    const bool same_levels = choice.method != method;
    resolved_ = choice.hierarchy;
    if (!same_levels || replaced) make_preconditioner(choice.precision);
    replaced |= !same_levels;
    if (preconditioner_->outcome() != SetUpOutcome::done) continue;
    method = choice.method;
    notes_.push_back(choice.note);
    return true;
  }
  resolved_ = before;
  if (replaced) make_preconditioner(precision);
  return false;
}

SolveResult Solver::run(Method method, const Array<double>& b, Array<double>& x, const SolveOptions& options,
                        const Progress& progress) {
  const bool other = !other_choices(Trouble::slow, method, options).empty();
  // Nor does it help to go on with a direct solution, or with a matrix that is not for the method.
  const bool hopeless = resolved_.family == Family::direct || (method == Method::cg && !symmetric());
  const System system = this->system(other || hopeless);
  switch (method) {
    case Method::gmres:
      return flexible_gmres(system, b, x, options, progress);
    case Method::bicgstab:
      return bicgstab(system, b, x, options, progress);
    case Method::cycles:
      return multigrid_cycles(system, b, x, options, progress);
    case Method::automatic:
    case Method::cg:
      break;
  }
  return conjugate_gradients(system, b, x, options, progress);
}

SolveResult Solver::run_choices(const Array<double>& b, Array<double>& x, const SolveOptions& options,
                                const Progress& progress) {
  SolveResult all;
  if (std::string why = missing_solution(b, options.tolerance); !why.empty()) {
    all.residual = 1;
    all.breakdown = std::move(why);
    return all;
  }
  Method method = first_method(options);
  const std::string not_symmetric = "solver gmres: the matrix is not symmetric";
  if (options.method == Method::automatic && !symmetric() &&
      std::find(notes_.begin(), notes_.end(), not_symmetric) == notes_.end())
    notes_.push_back(not_symmetric);
  Array<double> best = make_vector(system());
  const auto copy = [&](const Array<double>& from, Array<double>& to) {
    for_rows(system(), [&](LocalIndex i) { to[i] = from[i]; });
  };
  copy(x, best);
  double smallest = 0;
  bool first = true, useless = false;
  for (;;) {
    SolveResult result = run(method, b, x, options, progress);
    if (first) smallest = result.history.front();
    all.history.insert(all.history.end(), result.history.begin() + (first ? 0 : 1), result.history.end());
    all.residual = result.residual;
    all.converged = result.converged;
    all.trouble = result.trouble;
    first = false;
    const bool is_least = !result.converged && all_that_rounding_allows(b, x, result.residual);
    useless = is_least && result.residual > most_useful_residual;
    if (is_least && !useless) {
      all.converged = true;
      all.notes.push_back(formatted("residual %.1e: double precision allows no smaller one for this matrix",
                                    result.residual));
    }
    if (all.converged) break;
    // Where a method went on to its last iteration its x is the best: the error falls while residuals rise.
    if (result.residual < smallest || result.trouble == Trouble::none) {
      smallest = result.residual;
      copy(x, best);
    } else {
      copy(best, x);
      all.residual = smallest;
    }
    if (useless || !choose_other(result.trouble, method, options)) break;
  }
  all.iterations = static_cast<int>(all.history.size()) - 1;
  all.notes.insert(all.notes.begin(), notes_.begin(), notes_.end());
  if (!all.converged)
    all.breakdown =
        useless
            ? "the rounding of the solution to double precision leaves no smaller residual: the matrix is "
              "nearly singular, or its rows and columns are of very many sizes; scale them"
            : explanation(all, method);
  if (constant_kernel_) {
    const auto sums = sum_blocks<1>(context_, matrix_.local.partition, [&](LocalIndex begin, LocalIndex end) {
      double sum = 0;
      for (LocalIndex i = begin; i < end; ++i) sum += x[i];
      return std::array{sum};
    });
    const double mean = sums[0] / static_cast<double>(matrix_.rows());
    for_rows(system(), [&](LocalIndex i) { x[i] -= mean; });
  }
  return all;
}

// Whether the rounding of the elements of x to double precision changes the residual as much as it is: A
// times x with random signs tells.
bool Solver::all_that_rounding_allows(const Array<double>& b, const Array<double>& x, double residual) {
  constexpr double rounding = 4 * 0x1p-53;
  Array<double> signed_x = make_vector(system()), product = make_vector(system());
  for_rows(system(),
           [&](LocalIndex i) { signed_x[i] = std::copysign(x[i], random_number(matrix_.first_row + i, 0)); });
  system_->fill_ghosts(context_, signed_x.data());
  for_blocks(context_, matrix_.local.partition, [&](LocalIndex begin, LocalIndex end) {
    system_->product(begin, end, signed_x.data(), product.data());
  });
  return residual * norm(system(), b) <= rounding * norm(system(), product);
}

// Why a right-hand side has no solution; empty: it may have one.
std::string Solver::missing_solution(const Array<double>& b, double tolerance) {
  if (!constant_kernel_ || !symmetric()) return {};
  const auto sums = sum_blocks<2>(context_, matrix_.local.partition, [&](LocalIndex begin, LocalIndex end) {
    double sum = 0;
    for (LocalIndex i = begin; i < end; ++i) sum += b[i];
    return std::array{sum, dot(b.data() + begin, b.data() + begin, end - begin)};
  });
  const double least = std::abs(sums[0]) / std::sqrt(sums[1] * static_cast<double>(matrix_.rows()));
  if (!(least > tolerance)) return {};
  return formatted(
      "the matrix is singular (its rows add up to zero, as those of a pure Neumann problem), and the "
      "right-hand "
      "side, which must add up to zero too, has no solution: no residual is below %.3e; subtract its mean, "
      "or "
      "fix one unknown",
      least);
}

// When all choices failed: what is known about the reason.
std::string Solver::explanation(const SolveResult& result, Method method) {
  if (method == Method::cg && !symmetric())
    return "the matrix is not symmetric, which conjugate gradients need; use gmres or bicgstab";
  switch (result.trouble) {
    case Trouble::indefinite_matrix:
      return "the matrix is not positive definite, which conjugate gradients need; use gmres";
    case Trouble::indefinite_cycle:
      return always_converges(resolved_.smoother) ? "the multigrid cycle is not positive definite, so the "
                                                    "matrix is not either, or only just; use "
                                                    "gmres or double precision"
                                                  : "the multigrid cycle with this smoother is not positive "
                                                    "definite, which conjugate gradients "
                                                    "need; use the smoother chebyshev, or gmres";
    case Trouble::not_finite:
      return "a number of the iteration is not finite: the cycle diverges; try the smoother chebyshev or "
             "another family";
    case Trouble::vanished:
      return "BiCGSTAB broke down (a product of its vectors vanished); gmres does not";
    case Trouble::slow:
    case Trouble::none:
      break;
  }
  return {};
}

}  // namespace taihu::amg

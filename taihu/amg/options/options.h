// SPDX-License-Identifier: Apache-2.0
// What a user can choose about the solver, with the defaults.
#pragma once

#include "taihu/amg/parallel/partition.h"

namespace taihu::amg {

/// Diagonal smoothers x += scale (b - A x), polynomials of them, Gauss-Seidel in blocks: none depends on the
/// number of threads or ranks.
enum class Smoother {
  automatic,  ///< spai0; chebyshev where that is too weak or indefinite for a symmetric matrix
  spai0,   ///< scale_i = a_ii / sum_j a_ij^2, the sparse approximate inverse with the pattern of the diagonal
  jacobi,  ///< scale_i = 2/3 / a_ii
  l1_jacobi,  ///< scale_i = 1 / sum_j |a_ij|: converges for every symmetric positive definite matrix
  chebyshev,  ///< polynomial of degree 2 of D^-1 A for the upper three quarters of its spectrum
  /// Gauss-Seidel within blocks of row_block rows, Jacobi between them, damped as in Baker, Falgout, Kolev,
  /// Yang 2011 (SIAM J. Sci. Comput. 33, 2864) so that it converges for every symmetric positive definite
  /// matrix; forward before the coarse correction and backward after it
  gauss_seidel
};

/// How the next level is made of a level.
enum class Family {
  /// aggregation; classical where aggregation hardly coarsens, makes dense or singular
  /// coarse matrices or converges slowly; direct where neither converges
  automatic,
  aggregation,  ///< smoothed aggregation
  classical,    ///< coarse points with extended+i or multipass interpolation
  direct        ///< no levels: factors of the whole matrix, which must be small or slender (BandSolver)
};

/// Choice of the coarse points of the classical family.
enum class Coarsening {
  pmis,  ///< parallel maximal independent set
  hmis   ///< first pass of Ruge and Stueben within blocks of rows, then PMIS
};

enum class Cycle {
  v,
  w,  ///< visits each level twice from the one above
  f   ///< on each level an F cycle of the next one, then a V cycle of it
};

enum class Precision {
  automatic,  ///< a hierarchy in single precision; in double where single is not precise enough
  single_,
  double_
};

/// What stays when the values of a matrix change and its pattern does not (Solver::update).
enum class Reuse {
  nothing,
  interpolation  ///< levels and transfers between them: these then take memory in double precision too
};

enum class Method {
  automatic,  ///< cg; gmres where the matrix turns out not to be symmetric or not to be positive definite
  cg,         ///< conjugate gradients: symmetric positive definite matrices
  gmres,      ///< flexible, restarted
  bicgstab,
  cycles  ///< multigrid cycles alone
};

struct HierarchyOptions {
  Family family = Family::automatic;
  Coarsening coarsening = Coarsening::hmis;  ///< classical family
  int aggressive_levels = 0;      ///< classical family: from the finest one, coarse points by distance two
  int interpolation_entries = 4;  ///< classical family: at most so many per row of a prolongation, 0: any
  double truncation = 0;          ///< classical family: drops smaller shares of the largest weight of a row
  double strength =
      0.25;  ///< share of the largest couplings from which on one is strong, on the finest level
  double strength_decay = 0.7;  ///< factor of it from level to level
  double omega = 0.85;          ///< damping of the prolongation smoother
  double free_share =
      0.75;  ///< of its neighbours that a second root needs free on the finest level; see aggregate()
  double coarse_free_share = 0.3;  ///< the same on the others, where smaller aggregates cost little
  LocalIndex coarse_rows = 256;    ///< levels of at most so many rows are solved directly
  int levels = 20;                 ///< at most so many
  Smoother smoother = Smoother::automatic;
  int sweeps_before = 1;
  int sweeps_after = 1;
  Cycle cycle = Cycle::v;
  Precision precision = Precision::automatic;
  Reuse reuse = Reuse::nothing;
  /// The matrix times ones is zero (pure Neumann problem): the coarsest level is solved up to a constant.
  /// Found by Solver.
  bool constant_kernel = false;
  GlobalIndex replicated_rows = 8192;  ///< from here on down each rank has all rows of a level
};

struct SolveOptions {
  Method method = Method::automatic;
  double tolerance = 1e-8;  ///< of the 2-norm of the residual over that of the right-hand side
  int iterations = 500;     ///< at most so many with each choice
  int restart = 30;         ///< vectors of GMRES
};

}  // namespace taihu::amg

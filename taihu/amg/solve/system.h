// SPDX-License-Identifier: Apache-2.0
// What a Krylov method works with: the product with the matrix in double precision, and a preconditioner.
// Both act on blocks of rows, so that what follows a product runs on the block while it is in the cache.
#pragma once

#include <functional>
#include <memory>

#include "taihu/amg/solve/hierarchy.h"
#include "taihu/amg/solve/reduction.h"

namespace taihu::amg {

/// The matrix. Values that are the same in single precision are stored so: half the bytes, the same results.
class SystemMatrix {
 public:
  /// Stores the matrix; nothing to do when that was done before.
  void make(const Context& context, const DistributedMatrix& matrix);
  /// Gives the matrix the entries back that it dropped since, without those that are zero.
  void restore(const Context& context, DistributedMatrix& matrix) const;

  /// Fills the ghosts of x; before products with it.
  void fill_ghosts(const Context& context, double* x);
  /// y = A x for the rows begin .. end, begin a multiple of eight; y has room for whole slices.
  void product(LocalIndex begin, LocalIndex end, const double* x, double* y) const;

  /// Length of vectors that the matrix is multiplied with.
  LocalIndex columns() const { return single_ ? single_->matrix.columns : double_->matrix.columns; }
  std::size_t bytes() const { return single_ ? single_->matrix.bytes() : double_->matrix.bytes(); }
  bool stored_single() const { return single_ != nullptr; }
  Operator<float>* single_operator() { return single_.get(); }
  Operator<double>* double_operator() { return double_.get(); }

 private:
  std::unique_ptr<Operator<float>> single_;
  std::unique_ptr<Operator<double>> double_;
};

/// Approximately solves A z = r. load() for all rows, cycle(), then unload() what is wanted.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  /// Takes factor * r as right-hand side of the rows begin .. end. Any thread.
  virtual void load(LocalIndex begin, LocalIndex end, const double* r, double factor) = 0;
  virtual void cycle() = 0;
  /// z = factor * result, z[0] being row begin. Any thread.
  virtual void unload(LocalIndex begin, LocalIndex end, double* z, double factor) const = 0;
  /// Takes other values in the same pattern, with the transfers that it has (Reuse::interpolation).
  /// Collective.
  virtual void update(DistributedMatrix& matrix, SystemMatrix& system) = 0;
  virtual std::vector<LevelReport> report() const = 0;
  virtual std::size_t cycle_bytes() const = 0;
  virtual bool single() const = 0;
  /// Of the last set-up or update; only with `done` there is a cycle.
  virtual SetUpOutcome outcome() const = 0;
};

/// A multigrid cycle in the given precision, or a direct solution (Family::direct); makes `system` and drops
/// the entries of the matrix when it has its own form of them. Collective.
std::unique_ptr<Preconditioner> make_preconditioner(const Context& context, DistributedMatrix& matrix,
                                                    SystemMatrix& system, const HierarchyOptions& options,
                                                    Precision precision);

/// Everything a method needs about one system.
struct System {
  const Context& context;
  const Partition& partition;
  SystemMatrix& matrix;
  Preconditioner& preconditioner;
  bool ends_when_slow = false;  ///< something else can be tried where this converges slowly
};

/// A vector for the system: own elements, filled up to whole slices, then ghosts; all zero.
Array<double> make_vector(const System& system);

}  // namespace taihu::amg

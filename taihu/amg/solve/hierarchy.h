// SPDX-License-Identifier: Apache-2.0
// A multigrid hierarchy and its cycle. Levels are distributed over the ranks down to a size from which on
// every rank has all of the matrix; the levels below are a hierarchy of one rank each, and its coarsest level
// is solved directly.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "taihu/amg/options/options.h"
#include "taihu/amg/setup/build.h"
#include "taihu/amg/smoother/sweep.h"
#include "taihu/amg/solve/dense_solver.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::amg {

/// What one cycle moves of the arrays of a level on this rank, in bytes, and in how many runs of the team.
struct CycleTraffic {
  std::size_t matrix = 0, prolongation = 0, restriction = 0, vectors = 0;
  int runs = 0;

  std::size_t bytes() const { return matrix + prolongation + restriction + vectors; }
};

/// One line of the table of levels.
struct LevelReport {
  GlobalIndex rows;
  GlobalIndex entries;
  bool replicated;
  CycleTraffic cycle;
};

/// How set-up ended; all but the first leave nothing to solve with.
enum class SetUpOutcome {
  done,
  few_aggregates,       ///< Family::automatic only: aggregation hardly coarsens
  dense_coarse_matrix,  ///< Family::automatic only: rows with very many neighbours would fill the next matrix
  singular_coarse_matrix,
  too_large  ///< for a direct solution
};

template <class Value>
class Hierarchy {
 public:
  /// Makes the slices of the matrix for a caller that needs them too; null: the caller has none of this
  /// precision.
  using Finest = std::function<Operator<Value>*()>;

  /// Sets up for `matrix`, whose entries it gives back when it has its own form of them: only the number of
  /// rows, the partition and the plan remain. `finest`: called when that form is due, may be empty; what it
  /// returns and the context outlive the hierarchy. `depth`: levels above. Collective.
  Hierarchy(const Context& context, DistributedMatrix& matrix, const HierarchyOptions& options,
            const Finest& finest, int depth = 0);

  /// Takes other values in the pattern of the matrix that it was set up for, and gives their memory back;
  /// transfers stay as they are. Needs Reuse::interpolation. Collective.
  void update(DistributedMatrix& matrix, const Finest& finest);

  /// Of the last set_up or update; the same on all ranks.
  SetUpOutcome outcome() const { return outcome_; }

  /// Right-hand side of the cycle; the caller writes its own rows.
  Value* right_hand_side() { return levels_.front().b.data(); }

  /// One cycle from a zero guess. Collective. Does not allocate on one rank.
  void cycle() { cycle(0, options_.cycle); }

  /// The result of the cycle: an approximate solution.
  const Value* solution() const { return levels_.front().x.data(); }

  const Partition& partition() const { return levels_.front().partition; }
  std::vector<LevelReport> report() const;
  /// The equations between the levels (hierarchy_check.cc). Contract builds check them after each set-up.
  void check_invariants() const;
  /// Bytes of matrices and vectors that a cycle moves on this rank.
  std::size_t cycle_bytes() const;

 private:
  CycleTraffic traffic(std::size_t level) const;
  void set_up(DistributedMatrix& matrix, const Finest& finest, int depth);
  void add_level(DistributedMatrix& matrix);
  void set_transfer(Level<Value>& level, Transfer transfer);
  void set_matrix(Level<Value>& level, DistributedMatrix& matrix, const Finest& finest);
  void set_smoother(Level<Value>& level, const DistributedMatrix& matrix);
  void finish_levels();
  void end_with(DistributedMatrix& matrix, int depth);

  const char* step_name(const Level<Value>& level, const char* finest, const char* other) const;
  void cycle(std::size_t level, Cycle kind);
  void solve_coarsest(Level<Value>& level, Cycle kind);
  void smooth_zero_guess(Level<Value>& level);
  void smooth(Level<Value>& level, SweepOrder order);
  void restrict_residual(Level<Value>& level, Level<Value>& next);
  void add_correction(Level<Value>& level, Level<Value>& next);

  Context context_;
  HierarchyOptions options_;
  int depth_;
  SetUpOutcome outcome_ = SetUpOutcome::done;
  std::vector<Level<Value>> levels_;
  std::vector<Transfer> transfers_;  // below each level but the last; empty where nothing is reused
  // Below the coarsest level: all of it on this rank, or directly solved, or neither (smoothing only).
  parallel::SoloCommunicator solo_;
  std::unique_ptr<Hierarchy> replicated_;
  Distribution coarsest_distribution_;
  std::optional<DenseSolver> dense_;
};

}  // namespace taihu::amg

// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/solve/hierarchy.h"

#include <algorithm>

#include "taihu/amg/smoother/scale.h"
#include "taihu/amg/smoother/sweep.h"
#include "taihu/base/contract.h"

namespace taihu::amg {
namespace {

// Coarsening that leaves more than this share of the rows is not worth a level.
constexpr double least_reduction = 0.8;
// Up to this size a direct solution costs little, and it does not matter that coarsening has ended.
constexpr GlobalIndex most_inverted_cheaply = 500;
// Coarsest levels that could not be made smaller are solved directly up to this size, smoothed beyond.
constexpr GlobalIndex most_dense_rows = 2000;

// Whether the next matrix has far more entries than this one. Row i of the prolongation joins all pairs of
// the coarse rows that it has: on grids the pairs are up to twice as many as the entries of the matrix, with
// a few rows of very many neighbours (graphs with hubs) more than eight times.
bool fills_coarse_matrix(const Context& context, const DistributedMatrix& matrix, const Transfer& transfer) {
  constexpr std::int64_t most_pairs_per_entry = 4;
  const Csr<double>& prolongation = transfer.prolongation.local;
  std::int64_t counts[2] = {0, matrix.local.entries()};
  for (LocalIndex i = 0; i < prolongation.rows; ++i) {
    const Offset length = prolongation.starts[i + 1] - prolongation.starts[i];
    counts[0] += length * length;
  }
  context.communicator.sum(counts);
  return counts[0] > most_pairs_per_entry * counts[1];
}

template <class Value>
Operator<Value> make_operator(const Context& context, DistributedMatrix& matrix) {
  const Timed timed(context.profile, "set-up: slices");
  return {make_sliced<Value>(context, matrix), matrix.halo};
}

// The slices of a matrix that nobody needs otherwise.
template <class Value>
Operator<Value> turned_into_operator(const Context& context, DistributedMatrix& matrix) {
  Operator<Value> result = make_operator<Value>(context, matrix);
  matrix = {};
  return result;
}

}  // namespace

template <class Value>
const char* Hierarchy<Value>::step_name(const Level<Value>& level, const char* finest,
                                        const char* other) const {
  return &level == levels_.data() && depth_ == 0 ? finest : other;
}

template <class Value>
Hierarchy<Value>::Hierarchy(const Context& context, DistributedMatrix& matrix,
                            const HierarchyOptions& options, const Finest& finest, int depth)
    : context_(context), options_(options), depth_(depth) {
  levels_.reserve(options.levels);
  set_up(matrix, finest, depth);
}

// Level by level: find the transfer operators, form the next matrix, store the level for the solve phase.
// Temporaries are freed at once and returned to the system: the finest level sets the peak of memory.
template <class Value>
void Hierarchy<Value>::set_up(DistributedMatrix& finest_matrix, const Finest& finest, int depth) {
  DistributedMatrix coarser;
  DistributedMatrix* matrix = &finest_matrix;
  const bool alone = context_.communicator.size() == 1;
  for (;;) {
    add_level(*matrix);
    const GlobalIndex rows = matrix->rows();
    if (rows <= options_.coarse_rows || (!alone && rows <= options_.replicated_rows)) break;
    if (depth + static_cast<int>(levels_.size()) >= options_.levels) break;
    Transfer transfer =
        make_transfer(context_, *matrix, options_, depth + static_cast<int>(levels_.size()) - 1);
    const GlobalIndex coarse_rows = transfer.restriction.rows();
    if (coarse_rows == 0 || static_cast<double>(coarse_rows) > least_reduction * static_cast<double>(rows)) {
      // Convection leaves aggregation few strong connections in both directions.
      if (options_.family == Family::automatic && rows > most_inverted_cheaply)
        return void(outcome_ = SetUpOutcome::few_aggregates);
      break;
    }
    if (options_.family == Family::automatic && fills_coarse_matrix(context_, *matrix, transfer))
      return void(outcome_ = SetUpOutcome::dense_coarse_matrix);
    DistributedMatrix next = coarse_matrix(context_, *matrix, transfer);
    const Offset transfer_entries = transfer.prolongation.local.entries();
    set_transfer(levels_.back(), std::move(transfer));
    // Freed transfers leave fragmented space. Slices that would not fit there must not come on top of it.
    constexpr auto value_bytes = static_cast<Offset>(sizeof(Value)),
                   pieces_bytes = Offset{2 * sizeof(double)};
    if (matrix == &finest_matrix && matrix->local.entries() * value_bytes > transfer_entries * pieces_bytes)
      context_.storage.trim();
    set_matrix(levels_.back(), *matrix, matrix == &finest_matrix ? finest : nullptr);
    coarser = std::move(next);
    matrix = &coarser;
  }
  end_with(*matrix, depth + static_cast<int>(levels_.size()) - 1);
  if (outcome_ != SetUpOutcome::done) return;
  set_matrix(levels_.back(), *matrix, matrix == &finest_matrix ? finest : nullptr);
  finish_levels();
  if constexpr (contracts_checked) check_invariants();
}

template <class Value>
void Hierarchy<Value>::add_level(DistributedMatrix& matrix) {
  Level<Value>& level = levels_.emplace_back();
  level.rows = matrix.local.rows;
  level.global_rows = matrix.rows();
  level.global_entries = global_entries(context_.communicator, matrix);
  level.partition = matrix.local.partition;
}

template <class Value>
void Hierarchy<Value>::set_transfer(Level<Value>& level, Transfer transfer) {
  if (options_.reuse == Reuse::interpolation) {
    level.prolongation = make_operator<Value>(context_, transfer.prolongation);
    level.restriction = make_operator<Value>(context_, transfer.restriction);
    transfers_.push_back(std::move(transfer));
    return;
  }
  level.prolongation = turned_into_operator<Value>(context_, transfer.prolongation);
  level.restriction = turned_into_operator<Value>(context_, transfer.restriction);
}

// The matrix and its smoother; gives back the entries of the matrix.
template <class Value>
void Hierarchy<Value>::set_matrix(Level<Value>& level, DistributedMatrix& matrix, const Finest& finest) {
  set_smoother(level, matrix);
  level.operator_a = finest ? finest() : nullptr;
  level.a = {};
  if (level.operator_a == nullptr) {
    level.a = make_operator<Value>(context_, matrix);
    level.operator_a = &level.a;
  }
  matrix.local.drop_entries();
}

template <class Value>
void Hierarchy<Value>::set_smoother(Level<Value>& level, const DistributedMatrix& matrix) {
  const Timed timed(context_.profile, "set-up: smoother");
  SmootherScale smoother = smoother_scale(context_, matrix, options_.smoother);
  level.spectrum = smoother.largest;
  level.scale = Array<Value>(context_.storage, part_ends(level.partition, 1, padded(level.rows) - level.rows),
                             Use::cycles);
  context_.team.run(level.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) level.scale[i] = static_cast<Value>(smoother.scale[i]);
  });
  std::fill(level.scale.data() + level.rows, level.scale.end(), Value{0});
}

template <class Value>
void Hierarchy<Value>::update(DistributedMatrix& finest_matrix, const Finest& finest) {
  DistributedMatrix coarser;
  DistributedMatrix* matrix = &finest_matrix;
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    DistributedMatrix next = coarse_matrix(context_, *matrix, transfers_[l]);
    set_matrix(levels_[l], *matrix, l == 0 ? finest : nullptr);
    coarser = std::move(next);
    matrix = &coarser;
  }
  end_with(*matrix, depth_ + static_cast<int>(levels_.size()) - 1);
  set_matrix(levels_.back(), *matrix, levels_.size() == 1 ? finest : nullptr);
  if constexpr (contracts_checked)
    if (outcome_ == SetUpOutcome::done) check_invariants();
}

// What is below the last level: the same matrix on each rank alone, or its inverse.
template <class Value>
void Hierarchy<Value>::end_with(DistributedMatrix& matrix, int depth) {
  coarsest_distribution_ = matrix.row_distribution;
  if (context_.communicator.size() > 1 && matrix.rows() <= options_.replicated_rows) {
    const Context solo{context_.team, context_.storage, solo_};
    DistributedMatrix all = replicate(context_, solo, matrix);
    replicated_ = std::make_unique<Hierarchy>(solo, all, options_, nullptr, depth);
    outcome_ = replicated_->outcome();
  } else if (context_.communicator.size() == 1 &&
             matrix.rows() <= std::max<GlobalIndex>(options_.coarse_rows, most_dense_rows)) {
    dense_.emplace(matrix.local, options_.constant_kernel);
    outcome_ = dense_->singular() ? SetUpOutcome::singular_coarse_matrix : SetUpOutcome::done;
  }
}

template <class Value>
void Hierarchy<Value>::finish_levels() {
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    Level<Value>& level = levels_[l];
    LocalIndex length = std::max(padded(level.rows), level.operator_a->matrix.columns);
    length = std::max(length, level.restriction.matrix.columns);
    if (l > 0) length = std::max(length, levels_[l - 1].prolongation.matrix.columns);
    level.make_vectors(context_, length, options_.smoother == Smoother::chebyshev);
  }
}

template <class Value>
void Hierarchy<Value>::cycle(std::size_t index, Cycle kind) {
  Level<Value>& level = levels_[index];
  if (index + 1 == levels_.size()) {
    const Timed timed(context_.profile, "solve: coarsest level");
    return solve_coarsest(level, kind);
  }
  Level<Value>& next = levels_[index + 1];
  smooth_zero_guess(level);
  for (int visit = 0; visit < (kind == Cycle::v ? 1 : 2); ++visit) {
    restrict_residual(level, next);
    cycle(index + 1, kind == Cycle::f && visit > 0 ? Cycle::v : kind);
    add_correction(level, next);
    for (int sweep = 0; sweep < options_.sweeps_after; ++sweep) smooth(level, SweepOrder::backward);
  }
}

template <class Value>
void Hierarchy<Value>::solve_coarsest(Level<Value>& level, Cycle kind) {
  if (dense_) return dense_->solve(level.b.data(), level.x.data());
  if (replicated_) {
    parallel::Bytes mine(level.rows * sizeof(Value));
    if (!mine.empty()) std::memcpy(mine.data(), level.b.data(), mine.size());
    Value* all = replicated_->right_hand_side();
    for (const auto& bytes : context_.communicator.all_gather(mine)) {
      if (!bytes.empty()) std::memcpy(static_cast<void*>(all), bytes.data(), bytes.size());
      all += bytes.size() / sizeof(Value);
    }
    replicated_->cycle(0, kind);
    const Value* from = replicated_->solution() + coarsest_distribution_.begin(context_.communicator.rank());
    std::copy(from, from + level.rows, level.x.data());
    return;
  }
  smooth_zero_guess(level);
  // The first sweep goes forward, the last one backward, so the cycle stays symmetric.
  constexpr int sweeps_instead_of_solving = 9;
  for (int sweep = 0; sweep < sweeps_instead_of_solving; ++sweep)
    smooth(level, sweep % 2 == 0 ? SweepOrder::backward : SweepOrder::forward);
}

template <class Value>
void Hierarchy<Value>::smooth_zero_guess(Level<Value>& level) {
  const Timed timed(context_.profile,
                    step_name(level, "solve: smooth, finest level", "solve: smooth, other levels"));
  amg::smooth_zero_guess(context_, level, options_.smoother, options_.sweeps_before);
}

template <class Value>
void Hierarchy<Value>::smooth(Level<Value>& level, SweepOrder order) {
  const Timed timed(context_.profile,
                    step_name(level, "solve: smooth, finest level", "solve: smooth, other levels"));
  amg::smooth(context_, level, options_.smoother, order);
}

// Residual, its restriction as the right-hand side of the next level.
template <class Value>
void Hierarchy<Value>::restrict_residual(Level<Value>& level, Level<Value>& next) {
  const Timed timed(context_.profile, step_name(level, "solve: residual and restriction, finest level",
                                                "solve: residual and restriction, other levels"));
  const auto& kernels = sliced_kernels<Value, Value>();
  fill_ghosts(context_, *level.operator_a, level.x);
  const auto a = level.operator_a->matrix.view();
  context_.team.run(level.partition, [&](LocalIndex begin, LocalIndex end, int) {
    kernels.residual(a, first_slice(begin), last_slice(end), level.x.data(), level.b.data(),
                     level.work.data());
  });
  fill_ghosts(context_, level.restriction, level.work);
  const auto r = level.restriction.matrix.view();
  context_.team.run(level.restriction.matrix.partition, [&](LocalIndex begin, LocalIndex end, int) {
    kernels.product(r, first_slice(begin), last_slice(end), level.work.data(), next.b.data());
  });
}

template <class Value>
void Hierarchy<Value>::add_correction(Level<Value>& level, Level<Value>& next) {
  const Timed timed(context_.profile, step_name(level, "solve: prolongation, finest level",
                                                "solve: prolongation, other levels"));
  const auto& kernels = sliced_kernels<Value, Value>();
  fill_ghosts(context_, level.prolongation, next.x);
  const auto p = level.prolongation.matrix.view();
  context_.team.run(level.prolongation.matrix.partition, [&](LocalIndex begin, LocalIndex end, int) {
    kernels.add_product(p, first_slice(begin), last_slice(end), next.x.data(), level.x.data());
  });
}

/// Nothing on the coarsest level, which is solved directly.
template <class Value>
CycleTraffic Hierarchy<Value>::traffic(std::size_t number) const {
  if (number + 1 == levels_.size()) return {};
  const Level<Value>& level = levels_[number];
  // The first sweep is free, a residual is not.
  const int passes = options_.sweeps_before + options_.sweeps_after;
  const std::size_t vector = std::size_t(level.rows) * sizeof(Value);
  return {passes * level.operator_a->matrix.bytes(), level.prolongation.matrix.bytes(),
          level.restriction.matrix.bytes(), (4 * std::size_t(passes) + 5) * vector, passes + 2};
}

template <class Value>
std::vector<LevelReport> Hierarchy<Value>::report() const {
  std::vector<LevelReport> lines;
  for (std::size_t l = 0; l < levels_.size(); ++l)
    lines.push_back({levels_[l].global_rows, levels_[l].global_entries, false, traffic(l)});
  if (!replicated_) return lines;
  lines.pop_back();  // the replicated hierarchy begins with the same matrix
  for (LevelReport line : replicated_->report()) {
    line.replicated = true;
    lines.push_back(line);
  }
  return lines;
}

template <class Value>
std::size_t Hierarchy<Value>::cycle_bytes() const {
  std::size_t bytes = 0;
  for (const LevelReport& level : report()) bytes += level.cycle.bytes();
  return bytes;
}

template class Hierarchy<float>;
template class Hierarchy<double>;

}  // namespace taihu::amg

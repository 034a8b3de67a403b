// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/solve/system.h"

#include "taihu/amg/solve/direct_solution.h"

namespace taihu::amg {

void SystemMatrix::make(const Context& context, const DistributedMatrix& matrix) {
  if (single_ || double_) return;
  const Timed timed(context.profile, "set-up: slices");
  double inexact = exact_in_float(context.team, matrix.local) ? 0 : 1;
  context.communicator.maximum({&inexact, 1});
  if (inexact == 0)
    single_ =
        std::make_unique<Operator<float>>(Operator<float>{make_sliced<float>(context, matrix), matrix.halo});
  else
    double_ = std::make_unique<Operator<double>>(
        Operator<double>{make_sliced<double>(context, matrix), matrix.halo});
}

void SystemMatrix::restore(const Context& context, DistributedMatrix& matrix) const {
  if (matrix.local.has_entries()) return;
  if (single_)
    restore_rows(context, single_->matrix, matrix);
  else
    restore_rows(context, double_->matrix, matrix);
}

void SystemMatrix::fill_ghosts(const Context& context, double* x) {
  Halo& halo = single_ ? single_->halo : double_->halo;
  halo.exchange(context.communicator, x, single_ ? single_->matrix.ghost_begin : double_->matrix.ghost_begin);
}

void SystemMatrix::product(LocalIndex begin, LocalIndex end, const double* x, double* y) const {
  if (single_)
    sliced_kernels<float, double>().product(single_->matrix.view(), first_slice(begin), last_slice(end), x,
                                            y);
  else
    sliced_kernels<double, double>().product(double_->matrix.view(), first_slice(begin), last_slice(end), x,
                                             y);
}

namespace {

template <class Value>
class Multigrid final : public Preconditioner {
 public:
  Multigrid(const Context& context, DistributedMatrix& matrix, const HierarchyOptions& options,
            SystemMatrix& system)
      : context_(context), hierarchy_(context, matrix, options, finest(matrix, system)) {}

  void load(LocalIndex begin, LocalIndex end, const double* r, double factor) override {
    Value* b = hierarchy_.right_hand_side();
    for (LocalIndex i = begin; i < end; ++i) b[i] = static_cast<Value>(factor * r[i]);
  }
  void cycle() override { hierarchy_.cycle(); }
  void update(DistributedMatrix& matrix, SystemMatrix& system) override {
    hierarchy_.update(matrix, finest(matrix, system));
  }
  void unload(LocalIndex begin, LocalIndex end, double* z, double factor) const override {
    const Value* x = hierarchy_.solution();
    for (LocalIndex i = begin; i < end; ++i) z[i - begin] = factor * static_cast<double>(x[i]);
  }
  std::vector<LevelReport> report() const override { return hierarchy_.report(); }
  std::size_t cycle_bytes() const override { return hierarchy_.cycle_bytes(); }
  bool single() const override { return sizeof(Value) == sizeof(float); }
  SetUpOutcome outcome() const override { return hierarchy_.outcome(); }

 private:
  std::function<Operator<Value>*()> finest(const DistributedMatrix& matrix, SystemMatrix& system) const {
    return [this, &matrix, &system] {
      system.make(context_, matrix);
      if constexpr (sizeof(Value) == sizeof(float))
        return system.single_operator();
      else
        return system.double_operator();
    };
  }

  const Context& context_;
  Hierarchy<Value> hierarchy_;
};

}  // namespace

std::unique_ptr<Preconditioner> make_preconditioner(const Context& context, DistributedMatrix& matrix,
                                                    SystemMatrix& system, const HierarchyOptions& options,
                                                    Precision precision) {
  if (options.family == Family::direct) return make_direct_solution(context, matrix, system);
  if (precision == Precision::double_)
    return std::make_unique<Multigrid<double>>(context, matrix, options, system);
  return std::make_unique<Multigrid<float>>(context, matrix, options, system);
}

Array<double> make_vector(const System& system) {
  const Partition& partition = system.partition;
  Array<double> vector(system.context.storage,
                       part_ends(partition, 1, system.matrix.columns() - partition.rows()), Use::cycles);
  system.context.team.run(partition, [&](LocalIndex begin, LocalIndex end, int) {
    std::fill(vector.data() + begin, vector.data() + end, 0.0);
  });
  std::fill(vector.data() + partition.rows(), vector.end(), 0.0);
  return vector;
}

}  // namespace taihu::amg

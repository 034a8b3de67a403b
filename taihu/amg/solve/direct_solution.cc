// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/solve/direct_solution.h"

#include "taihu/amg/solve/band_solver.h"
#include "taihu/parallel/bytes.h"
#include "taihu/parallel/solo_communicator.h"

namespace taihu::amg {
namespace {

class DirectSolution final : public Preconditioner {
 public:
  DirectSolution(const Context& context, DistributedMatrix& matrix, SystemMatrix& system)
      : context_(context) {
    update(matrix, system);
  }

  void load(LocalIndex begin, LocalIndex end, const double* r, double factor) override {
    for (LocalIndex i = begin; i < end; ++i) own_[i] = factor * r[i];
  }
  void cycle() override {
    const Timed timed(context_.profile, "solve: factors");
    std::vector<double> all;
    for (const auto& bytes : context_.communicator.all_gather(parallel::to_bytes(own_)))
      for (const double value : parallel::from_bytes<double>(bytes)) all.push_back(value);
    if (factors_)
      factors_->solve(all);
    else
      all.clear();
    const auto solution =
        parallel::from_bytes<double>(context_.communicator.all_gather(parallel::to_bytes(all)).front());
    std::copy_n(solution.begin() + first_row_, own_.size(), own_.begin());
  }
  void unload(LocalIndex begin, LocalIndex end, double* z, double factor) const override {
    for (LocalIndex i = begin; i < end; ++i) z[i - begin] = factor * own_[i];
  }

  void update(DistributedMatrix& matrix, SystemMatrix& system) override {
    const Timed timed(context_.profile, "set-up: factors");
    level_ = {matrix.rows(), global_entries(context_.communicator, matrix), false, {}};
    first_row_ = matrix.first_row;
    own_.resize(matrix.local.rows);
    factors_.reset();
    double made = 0;
    if (level_.entries <= BandSolver::most_entries) {
      const Context solo{context_.team, context_.storage, solo_};
      const DistributedMatrix all = replicate(context_, solo, matrix);
      if (context_.communicator.rank() == 0) factors_ = BandSolver::make(all.local);
      made = factors_ ? 1 : 0;
    }
    context_.communicator.maximum({&made, 1});
    outcome_ = made > 0 ? SetUpOutcome::done : SetUpOutcome::too_large;
    system.make(context_, matrix);
    matrix.local.drop_entries();
  }

  std::vector<LevelReport> report() const override { return {level_}; }
  std::size_t cycle_bytes() const override { return factors_ ? factors_->bytes() : 0; }
  bool single() const override { return false; }
  SetUpOutcome outcome() const override { return outcome_; }

 private:
  Context context_;
  parallel::SoloCommunicator solo_;
  std::optional<BandSolver> factors_;  // rank 0
  std::vector<double> own_;            // right-hand side, then solution
  GlobalIndex first_row_ = 0;
  LevelReport level_{};
  SetUpOutcome outcome_ = SetUpOutcome::too_large;
};

}  // namespace

std::unique_ptr<Preconditioner> make_direct_solution(const Context& context, DistributedMatrix& matrix,
                                                     SystemMatrix& system) {
  return std::make_unique<DirectSolution>(context, matrix, system);
}

}  // namespace taihu::amg

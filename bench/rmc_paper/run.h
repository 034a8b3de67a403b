// SPDX-License-Identifier: Apache-2.0
// Generations of histories on lists, over ranks and the threads of OpenMP, whose schedule is the one that
// omp_set_schedule() was told. Each thread makes a dense vector for each tally and generation.
#pragma once

#include <memory>

#include "bench/rmc_paper/history.h"
#include "taihu/neutron/tally/exact_sum.h"
#include "taihu/parallel/communicator.h"

namespace taihu::listed {

struct RunOptions {
  int threads = 1, batches = 10, inactive = 3;
  std::int64_t particles = 1000;  ///< per generation, of all ranks
  std::uint64_t seed = 1;
};

/// Sums and sums of squares over the active generations of the bins that a rank owns, by tally.
struct OwnedTally {
  std::int64_t first = 0, bins = 0;  ///< owned: from `first` on; bins of all ranks
  List<double> sum, sum_sq;
};

/// k by the collision estimator over the active generations.
struct Result {
  double k = 0, deviation = 0, seconds = 0;  ///< of the active generations, on the slowest rank
  std::int64_t histories = 0, flights = 0, lost = 0;
  AllocationCount allocations;  ///< of all threads of this rank while histories ran
};

class Run {
 public:
  /// All must outlive the run. Throws Error.
  Run(const Model& model, const neutron::Model& source, parallel::Communicator& ranks,
      const RunOptions& options);

  /// Collective. Throws SharedError.
  Result run();

  const std::vector<OwnedTally>& tallies() const noexcept { return tallies_; }
  const List<Site>& source() const noexcept { return source_; }  ///< this rank's, of the next generation
  parallel::Communicator& ranks() const noexcept { return ranks_; }
  std::int64_t particles() const noexcept { return options_.particles; }

 private:
  using DenseTallies = List<List<double>>;  ///< by tally and bin

  void sample_first_source(const neutron::Model& model);
  double run_generation(int generation, bool active, Result& result);
  void run_histories(int generation, bool active, List<List<Site>>& made, Result& result);
  void add_tallies(const DenseTallies& sums);
  void choose_source(int generation, const List<List<Site>>& made);

  const Model& model_;
  parallel::Communicator& ranks_;
  RunOptions options_;
  List<Site> source_;
  std::int64_t first_history_ = 0;
  double k_ = 1;
  neutron::ExactSum k_sum_;  ///< of this generation
  List<DenseTallies> thread_tallies_;
  std::vector<OwnedTally> tallies_;
};

}  // namespace taihu::listed

// SPDX-License-Identifier: Apache-2.0
// What MPI adds to the steps of a node process (node/language.h): the state of each rank, and the rule that a
// rank which has called MPI_Init must call MPI_Finalize before it ends.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "taihu/mpi/objects/diagnostics/deadlock_watch.h"
#include "taihu/mpi/objects/dynamic/job_service.h"
#include "taihu/mpi/objects/rank.h"
#include "taihu/node/language.h"

namespace taihu::mpi {

class Mpi final : public node::Language, public RanksOfProcess {
 public:
  const char* launcher() const noexcept override { return "marun"; }
  /// Refuses programs that need another MPI library.
  void check(const memory::ImageTemplate& program) override;
  void prepare(const node::Preparation& preparation, std::span<memory::RankIdentity> ranks) override;
  void all_loaded(message::Node& node) override;
  int ended(memory::RankIdentity& rank, int status) override;
  void finish() override { watch_.reset(); }
  /// A place that nobody uses costs some 100 bytes.
  int spare_ranks() const noexcept override { return 1024; }

 private:
  Rank& make(int local_index, const WorldOfRank& world) override;
  bool forget(int local_index) override;
  std::set<int> named() override;
  Rank& add(int local_index, std::unique_ptr<Rank> rank);
  template <class Use>
  auto with_running(Use&& use);

  std::unique_ptr<NodeServices> services_;
  message::Node* node_ = nullptr;
  std::span<memory::RankIdentity> identities_;
  std::mutex lock_;                           // of ranks_ and histories_
  std::vector<std::shared_ptr<Rank>> ranks_;  ///< by local index; null: no rank is there
  std::map<int, RankHistory> histories_;      ///< of numbers whose ranks are gone, by local index
  std::unique_ptr<JobService> job_service_;   ///< in the last node process
  std::atomic<int> first_ranks_running_{0};
  bool has_spares_ = false;
  std::unique_ptr<node::DeadlockWatch> watch_;
};

}  // namespace taihu::mpi

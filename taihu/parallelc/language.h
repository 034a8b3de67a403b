// SPDX-License-Identifier: Apache-2.0
// What Parallel C adds to the steps of a node process: the place of each rank in the runtime, its symmetric
// heap, shared variables, the check for kernels that were not joined.
#pragma once

#include <memory>
#include <vector>

#include "taihu/abi/program.h"
#include "taihu/node/deadlock_watch.h"
#include "taihu/node/language.h"
#include "taihu/parallelc/busy_threads.h"
#include "taihu/parallelc/call_report.h"
#include "taihu/parallelc/process.h"
#include "taihu/parallelc/services.h"
#include "taihu/parallelc/shared_variables.h"

namespace taihu::parallelc {

class ParallelC final : public node::Language {
 public:
  const char* launcher() const noexcept override { return "parcrun"; }
  void check(const memory::ImageTemplate& program) override;
  void prepare(const node::Preparation& preparation, std::span<memory::RankIdentity> ranks) override;
  Segments loaded(memory::RankIdentity& rank, const memory::RankImage& image) override;
  bool wants_fixed_places(const memory::ImageTemplate& program) override;
  void before_main(memory::RankIdentity& rank) override;
  void all_loaded(message::Node& node) override;
  int ended(memory::RankIdentity& rank, int status) override;
  void ending() override;
  void finish() override {
    watch_.reset();
    services_->tasks.finish();
    if (report_ != nullptr) report_->finish(processes_);
    print_kernel_times();
  }

 private:
  bool saves_ = false;         ///< the program calls m_checkpoint
  bool is_autonomic_ = false;  ///< the program runs on accelerator threads
  const memory::ElfObject* program_ = nullptr;
  node::DeadlockWatch::Progress look();
  std::string waiting_ranks();
  void name_busy_threads();
  void print_kernel_times();

  std::unique_ptr<SharedServices> services_;
  std::vector<Process> processes_;
  std::vector<const taihu_program*> programs_;  ///< null for a plain C program
  std::unique_ptr<SharedVariables> shared_variables_;
  double deadlock_timeout_seconds_ = 0;        ///< 0: never
  std::unique_ptr<BusyThreads> busy_threads_;  ///< null: nobody wants to know
  std::unique_ptr<node::DeadlockWatch> watch_;
  std::unique_ptr<CallReport> report_;  ///< null: nobody wants to know
};

}  // namespace taihu::parallelc

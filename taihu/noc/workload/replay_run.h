// SPDX-License-Identifier: Apache-2.0
// A traced program's calls on the simulated chip, once.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "taihu/noc/collectives/machine.h"
#include "taihu/noc/workload/replay_plan.h"
#include "taihu/noc/workload/trace.h"

namespace taihu::noc {

/// The program once on the chip. `calls` and `plan` outlive it.
class ReplayRun {
 public:
  ReplayRun(const std::vector<TracedCall>& calls, const ReplayPlan& plan, const MachineConfig& machine,
            const std::vector<int>& places, double cycles_per_us, Means means);
  /// `call_ended` is told of each call, on the calling thread. Throws Error when the order of the calls is a
  /// deadlock, or when a result is wrong. Once.
  void run(const std::function<void()>& call_ended);

  Cycle duration = 0;          ///< from the first call to the last end
  std::size_t in_routers = 0;  ///< communicators that the routers know
  /// Of each call: cycles from the last member's call to the last end, and whether the routers did it.
  Cycle cycles_of(std::size_t call) const { return state_[call].cycles; }
  bool by_routers(std::size_t call) const { return state_[call].by_routers; }

 private:
  struct CallState {
    int operation = -1;
    int arrived = 0, left = 0;
    Cycle last = 0, cycles = 0;
    bool by_routers = false;
    std::vector<int> waiting;  ///< members of a call that is not simulated
  };

  Cycle cycles(double microseconds) const;
  std::string waits_in(int rank);
  const CallOfRank& present(int rank) { return plan_.ranks.at(rank)[next_[rank]]; }

  /// A rank makes its next call.
  void comes(int rank);
  void start(std::size_t at);
  void member_ended(int operation, int place);

  /// The operation has ended: checks its results and gives its memory back.
  void check(std::size_t at);

  /// A member of a call that is not simulated leaves after the same time as in the trace, counted from the
  /// arrival of the last member, or from its own arrival if it did not wait for others.
  void as_traced(std::size_t at, std::size_t member);

  /// The rank computes until its next call.
  void leaves(int rank, Cycle when);
  void call_ended();

  const std::vector<TracedCall>& calls_;
  const ReplayPlan& plan_;
  double cycles_per_us_;
  Means means_;
  Machine machine_;
  std::map<int, std::size_t> next_;  ///< per rank, of its calls
  std::size_t ranks_left_ = plan_.ranks.size(), ended_ = 0;
  std::vector<CallState> state_;
  std::vector<int> communicators_;    ///< their numbers in the machine
  std::vector<std::size_t> call_of_;  ///< per operation
  std::function<void()> call_ended_;
  Cycle end_ = 0;
};

}  // namespace taihu::noc

// SPDX-License-Identifier: Apache-2.0
// Collectives by software: the cores of the machine run the steps of taihu/schedule, and transfers are
// packets of the same network. Rooted operations: binomial trees. Allreduce: recursive doubling; with the
// parameter set paper2017 reduce and broadcast, as its authors did. Long data: rings and scatter-allgather.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "taihu/noc/collectives/cores.h"
#include "taihu/schedule/step.h"

namespace taihu::noc {

class SoftwareCollectives {
 public:
  explicit SoftwareCollectives(Cores& cores) : cores_(cores) {}
  void start(int operation);
  void call(int operation, int member);

 private:
  struct Member {
    schedule::Program program;
    std::size_t step = 0;
    Bytes source, result, scratch;
    std::map<int, std::deque<Bytes>> inbox;  ///< by sender
    bool called = false;
    bool waiting = false;  ///< transfers of the present round have been posted
    bool working = false;
  };
  struct Run {
    std::vector<int> order;       ///< member at each position of the schedule
    std::vector<Member> members;  ///< by position
    int phases_left = 1;          ///< allreduce as reduce and broadcast: 2
    int left = 0;
  };

  void make_programs(int number, Run& run);
  void go_on(int number, int position);
  void post(int number, int position);
  bool receive(Run& run, int position);
  bool local_step(int number, int position);
  void end_member(int number, int position);
  void end_run(int number);

  Cores& cores_;
  std::map<int, Run> runs_;
};

/// An order of the members for binomial trees and recursive doubling in which partners are near: halves of
/// the node set along its longer side, the root first. A permutation of 0 .. members - 1.
std::vector<int> near_order(const Mesh& mesh, const std::vector<int>& members, int root);

}  // namespace taihu::noc

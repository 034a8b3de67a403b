// SPDX-License-Identifier: Apache-2.0
// For tests: ranks that are threads of the test program, in one or several node processes joined by a
// loopback link, between MPI_Init and MPI_Finalize, so that a test can make MPI calls.
//
//   run_ranks(4, [](Rank& rank) {
//     int number;
//     EXPECT_EQ(MPI_SUCCESS, MPI_Comm_rank(MPI_COMM_WORLD, &number));
//     EXPECT_EQ(rank.number(), number);
//   });
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "taihu/base/end_on_failure_for_tests.h"
#include "taihu/memory/current_rank.h"
#include "taihu/message/job_for_tests.h"
#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi {

/// How many ranks, and where.
struct TestShape {
  int ranks = 1;
  int node_processes = 1;
  int nodes = 1;   ///< operating-system nodes that the node processes are dealt to, in blocks
  int spares = 0;  ///< ranks that may start later

  TestShape(int number) : ranks(number) {}  // NOLINT: a number of ranks is a shape
  TestShape(int number, int processes, int operating_system_nodes = 1)
      : ranks(number), node_processes(processes), nodes(operating_system_nodes) {}
};

/// The ranks of a job with everything that MPI keeps for them.
class TestRanks {
 public:
  explicit TestRanks(TestShape shape)
      : layout_(layout_of(shape)),
        hub_(shape.node_processes),
        identities_(static_cast<std::size_t>(shape.ranks)) {
    for (int process = 0; process < shape.node_processes; ++process) {
      auto link =
          shape.node_processes == 1 ? nullptr : std::make_unique<message::LoopbackLink>(hub_, process);
      nodes_.push_back(message::Node::create(layout_, std::move(link), nullptr));
      services_.push_back(std::make_unique<NodeServices>(*nodes_.back()));
    }
    for (int number = 0; number < shape.ranks; ++number) {
      const auto process = static_cast<std::size_t>(layout_.process_of(number));
      const int local_index = number - layout_.first_rank[process];
      memory::RankIdentity& identity = identities_[static_cast<std::size_t>(number)];
      identity = {number, local_index, nullptr, nullptr};
      ranks_.push_back(
          std::make_unique<Rank>(identity, nodes_[process]->endpoint(local_index), *services_[process]));
      identity.runtime = ranks_.back().get();
      ranks_.back()->phase = Rank::Phase::running;
    }
  }
  ~TestRanks() {
    std::vector<std::thread> processes;
    for (auto& node : nodes_) processes.emplace_back([&node] { node->finish(); });
    for (std::thread& process : processes) process.join();
  }
  TestRanks(const TestRanks&) = delete;
  TestRanks& operator=(const TestRanks&) = delete;

  Rank& rank(int number) { return *ranks_[static_cast<std::size_t>(number)]; }
  message::Node& node(int process) { return *nodes_[static_cast<std::size_t>(process)]; }

  /// Runs `program` as every rank, each on a thread of its own; may be called again.
  void run(const std::function<void(Rank&)>& program) {
    std::vector<std::thread> threads;
    for (auto& rank : ranks_)
      threads.emplace_back([&rank, &program] {
        run_as(*rank, program);
        end_program_on_failure();
      });
    for (std::thread& thread : threads) thread.join();
  }
  /// Runs `program` on the calling thread as a thread of `rank`: for further threads of a rank.
  static void run_as(Rank& rank, const std::function<void(Rank&)>& program) {
    memory::RankIdentity* const outer = memory::current_rank();
    memory::set_current_rank(&rank.identity());
    if (rank.main_thread == pthread_t{}) rank.main_thread = pthread_self();
    program(rank);
    memory::set_current_rank(outer);
  }

 private:
  static launch::Layout layout_of(const TestShape& shape) {
    launch::Layout layout = message::layout_for_tests(shape.ranks, shape.node_processes);
    for (int process = 0; process < shape.node_processes; ++process)
      layout.node_of_process[static_cast<std::size_t>(process)] =
          process * shape.nodes / shape.node_processes;
    launch::add_spare_ranks(layout, shape.spares);
    for (int node = 1; node < shape.nodes; ++node) layout.node_names.push_back("node" + std::to_string(node));
    return layout;
  }

  const launch::Layout layout_;
  message::LoopbackHub hub_;
  std::vector<memory::RankIdentity> identities_;
  std::vector<std::unique_ptr<message::Node>> nodes_;
  std::vector<std::unique_ptr<NodeServices>> services_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

/// Runs `program` as all ranks of a new job.
inline void run_ranks(TestShape shape, const std::function<void(Rank&)>& program) {
  TestRanks(shape).run(program);
}

}  // namespace taihu::mpi

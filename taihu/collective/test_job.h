// SPDX-License-Identifier: Apache-2.0
// For tests: a job of several node processes inside the test program, on the slow twin of message/ or on
// message/ itself (joined by its loopback link), each with its Groups.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "taihu/collective/fake_cluster.h"
#include "taihu/collective/group.h"
#include "taihu/message/job_for_tests.h"

namespace taihu::collective {

enum class Transport { twin, messages };

class TestJob {
 public:
  TestJob(Transport transport, int ranks, int processes, int cores,
          const std::shared_ptr<JobNetwork>& network = nullptr) {
    if (transport == Transport::messages) {
      real_ = std::make_unique<message::JobForTests>(processes, ranks);
    } else {
      twin_ = std::make_unique<FakeCluster>(ranks, processes);
    }
    for (int process = 0; process < processes; ++process) {
      groups_.push_back(std::make_unique<Groups>(node(process), cores, network));
    }
  }
  ~TestJob() {
    if (real_) real_->finish();
  }
  TestJob(const TestJob&) = delete;
  TestJob& operator=(const TestJob&) = delete;

  const launch::Layout& layout() { return node(0).layout(); }
  message::Node& node(int process) {
    if (real_) return real_->node(process);
    return twin_->nodes[static_cast<std::size_t>(process)];
  }
  message::Endpoint& endpoint(int rank) {
    if (real_) return real_->endpoint(rank);
    return twin_->endpoint(rank);
  }
  Groups& groups_of(int rank) { return *groups_[static_cast<std::size_t>(layout().process_of(rank))]; }

  /// Runs `body(rank)` for every rank on a thread of its own.
  template <class Body>
  void run(Body&& body) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < layout().ranks; ++rank) {
      threads.emplace_back([this, &body, rank] {
        const int first = layout().first_rank[static_cast<std::size_t>(layout().process_of(rank))];
        memory::RankIdentity identity{rank, rank - first, nullptr};
        memory::set_current_rank(&identity);
        body(rank);
        memory::set_current_rank(nullptr);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  std::unique_ptr<message::JobForTests> real_;
  std::unique_ptr<FakeCluster> twin_;
  std::vector<std::unique_ptr<Groups>> groups_;
};

}  // namespace taihu::collective

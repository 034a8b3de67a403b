// SPDX-License-Identifier: Apache-2.0
// For tests of the calls of the language: a job of several node processes inside the test program, each
// process with accelerator threads, locks and collectives as ParallelC::prepare makes them.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "taihu/memory/current_rank.h"
#include "taihu/memory/image/symmetric_map.h"
#include "taihu/message/aggregation/aggregator.h"
#include "taihu/message/job_for_tests.h"
#include "taihu/parallelc/kernels.h"
#include "taihu/parallelc/process.h"
#include "taihu/parallelc/services.h"

namespace taihu::parallelc {

class ProcessesForTests {
 public:
  /// `ranks` in `processes` node processes, `threads` accelerator threads and `segment_bytes` of symmetric
  /// memory for each rank, the last `mapped_bytes` of which other node processes have mapped, as the heaps of
  /// m_malloc.
  ProcessesForTests(int processes, int ranks, int threads, std::size_t segment_bytes = 0,
                    std::size_t mapped_bytes = 0)
      : job_(processes, ranks, segment_bytes, 32767, mapped_bytes != 0) {
    program_.version = TAIHU_PROGRAM_VERSION;
    program_.settings = settings_.data();
    identities_.resize(static_cast<std::size_t>(ranks));
    processes_ = std::vector<Process>(static_cast<std::size_t>(ranks));
    for (int here = 0; here < processes; ++here) {
      services_.push_back(std::make_unique<SharedServices>(job_.node(here), threads, tasks::no_deadline));
      services_.back()->cores = ranks * (threads + 1);
      message::serve_aggregators(job_.node(here), job_.symmetric(here));
      const auto first = static_cast<std::size_t>(job_.layout().first_rank[static_cast<std::size_t>(here)]);
      const auto local = static_cast<std::size_t>(job_.node(here).local_ranks());
      services_.back()->processes = std::span(processes_).subspan(first, local);
      maps_.push_back(std::make_unique<memory::ImageSymmetricMap>(static_cast<int>(local)));
      for (std::size_t index = 0; index < local; ++index) {
        const std::byte* const base = job_.segment(static_cast<int>(first + index));
        maps_.back()->set_rank(static_cast<int>(index),
                               {{reinterpret_cast<std::uintptr_t>(base), segment_bytes}});
      }
      if (mapped_bytes != 0) map_neighbours(here, segment_bytes - mapped_bytes, mapped_bytes);
      collective::Groups groups(job_.node(here));
      for (int rank = 0; rank < ranks; ++rank)
        if (job_.layout().process_of(rank) == here) prepare(rank, threads, groups);
    }
  }
  ~ProcessesForTests() {
    for (Process& process : processes_) process.array.reset();
    job_.finish();
  }
  ProcessesForTests(const ProcessesForTests&) = delete;
  ProcessesForTests& operator=(const ProcessesForTests&) = delete;

  Process& process(int rank) { return processes_[static_cast<std::size_t>(rank)]; }
  std::byte* segment(int rank) { return job_.segment(rank); }
  message::Node& node(int process) { return job_.node(process); }
  message::LoopbackHub& hub() { return job_.hub(); }
  /// The ranks of a node process.
  std::span<Process> processes_of(int process) {
    return services_[static_cast<std::size_t>(process)]->processes;
  }

  /// Runs body(rank) as the code of every process.
  template <class Body>
  void run(const Body& body) {
    job_.run_ranks([&](message::Endpoint& endpoint) {
      memory::set_current_rank(&identities_[static_cast<std::size_t>(endpoint.rank())]);
      body(endpoint.rank());
    });
  }

 private:
  void map_neighbours(int process, std::size_t offset, std::size_t bytes) {
    std::vector<std::byte*> own, others;
    for (int rank = 0; rank < job_.layout().ranks; ++rank) {
      const bool is_own = job_.layout().process_of(rank) == process;
      if (is_own) own.push_back(segment(rank) + offset);
      others.push_back(is_own ? nullptr : segment(rank) + offset);
    }
    services_.back()->neighbour_heaps = std::make_unique<NeighbourHeaps>(own, others, bytes);
  }

  void prepare(int rank, int threads, collective::Groups& groups) {
    memory::RankIdentity& identity = identities_[static_cast<std::size_t>(rank)];
    Process& own = process(rank);
    identity = {rank, job_.local_index(rank), nullptr, &own};
    own.rank = rank;
    own.local_index = identity.local_index;
    own.errors = M_ERRORS_RETURN;
    own.endpoint = &job_.endpoint(rank);
    own.doorbell = &own.endpoint->doorbell();
    own.layout = &job_.layout();
    own.program = &program_;
    own.symmetric = maps_.back().get();
    own.services = services_.back().get();
    own.array = make_array(own, &identity, threads, 0, {}, 0);
    own.thread_group = std::make_unique<collective::ThreadGroup>(threads);
    for (const m_scope_t scope : {CCC_ALL, CCC_SNODE, CCC_BNODE, CCC_NODE}) {
      own.groups[scope] = std::make_unique<collective::GroupHandle>(
          groups.join(*own.endpoint, static_cast<launch::Scope>(scope)));
      own.groups[scope]->set_helpers(own.idle_threads);
    }
  }

  message::JobForTests job_;
  std::array<unsigned long long, 2> settings_{1 << 16, 0};
  taihu_program program_{};
  std::vector<memory::RankIdentity> identities_;
  std::vector<std::unique_ptr<memory::ImageSymmetricMap>> maps_;  ///< by node process
  std::vector<std::unique_ptr<SharedServices>> services_;
  std::vector<Process> processes_;
};

}  // namespace taihu::parallelc

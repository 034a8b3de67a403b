// SPDX-License-Identifier: Apache-2.0
// A whole job in a test program: ranks are threads, in one or several node processes joined by a loopback
// link, each rank with a piece of symmetric memory.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "taihu/base/end_on_failure_for_tests.h"
#include "taihu/memory/current_rank.h"
#include "taihu/message/endpoint.h"
#include "taihu/message/links/loopback_for_tests.h"

namespace taihu::message {

/// Deals ranks as launch/ does.
inline launch::Layout layout_for_tests(int ranks, int processes) {
  launch::Layout layout;
  layout.ranks = ranks;
  layout.processes = processes;
  for (int process = 0; process <= processes; ++process) {
    layout.first_rank.push_back(process * (ranks / processes) + std::min(process, ranks % processes));
  }
  layout.node_of_process.assign(static_cast<std::size_t>(processes), 0);
  layout.node_names.assign(1, "node0");
  layout.sizes = {ranks, ranks, 1};
  return layout;
}

/// Segment 0 of each rank is a buffer.
class BuffersAsSegments final : public memory::SymmetricMap {
 public:
  BuffersAsSegments(int local_ranks, std::size_t bytes) : buffers_(static_cast<std::size_t>(local_ranks)) {
    for (auto& buffer : buffers_) buffer.resize(bytes);
  }

  std::byte* buffer(int local_index) { return buffers_[static_cast<std::size_t>(local_index)].data(); }

  std::optional<memory::SymmetricAddress> find(int local_index, const void* address,
                                               std::size_t bytes) const noexcept override {
    const auto& buffer = buffers_[static_cast<std::size_t>(local_index)];
    const auto* first = static_cast<const std::byte*>(address);
    if (first < buffer.data() || first + bytes > buffer.data() + buffer.size()) return std::nullopt;
    return memory::SymmetricAddress{0, static_cast<std::uint64_t>(first - buffer.data())};
  }

  void* resolve(int local_index, memory::SymmetricAddress address,
                std::size_t bytes) const noexcept override {
    const auto& buffer = buffers_[static_cast<std::size_t>(local_index)];
    if (address.segment != 0 || address.offset + bytes > buffer.size()) return nullptr;
    return const_cast<std::byte*>(buffer.data()) + address.offset;
  }

 private:
  std::vector<std::vector<std::byte>> buffers_;
};

class JobForTests {
 public:
  /// `shares_memory`: node processes count puts for each other (Link::tally).
  JobForTests(int processes, int ranks, std::size_t segment_bytes = 0, int tag_limit = 32767,
              bool shares_memory = false)
      : layout_(layout_for_tests(ranks, processes)), hub_(processes, tag_limit, shares_memory) {
    for (int process = 0; process < processes; ++process) {
      const int first = layout_.first_rank[static_cast<std::size_t>(process)];
      const int local = layout_.first_rank[static_cast<std::size_t>(process) + 1] - first;
      maps_.push_back(std::make_unique<BuffersAsSegments>(local, segment_bytes));
      auto link = processes == 1 ? nullptr : std::make_unique<LoopbackLink>(hub_, process);
      nodes_.push_back(Node::create(layout_, std::move(link), maps_.back().get()));
    }
  }

  Node& node(int process) { return *nodes_[static_cast<std::size_t>(process)]; }
  const launch::Layout& layout() const { return layout_; }
  int local_index(int rank) const {
    return rank - layout_.first_rank[static_cast<std::size_t>(layout_.process_of(rank))];
  }
  LoopbackHub& hub() { return hub_; }
  Endpoint& endpoint(int rank) { return node(layout_.process_of(rank)).endpoint(local_index(rank)); }
  std::byte* segment(int rank) {
    return maps_[static_cast<std::size_t>(layout_.process_of(rank))]->buffer(local_index(rank));
  }

  const memory::SymmetricMap& symmetric(int process) { return *maps_[static_cast<std::size_t>(process)]; }

  /// Runs `program` as every rank and ends the job.
  void run(const std::function<void(Endpoint& endpoint)>& program) {
    run_ranks(program);
    finish();
  }

  /// Runs `program` as every rank; others may follow.
  void run_ranks(const std::function<void(Endpoint& endpoint)>& program) {
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < layout_.ranks; ++rank) {
      ranks.emplace_back([this, rank, &program] {
        memory::RankIdentity identity{rank, local_index(rank), nullptr};
        memory::set_current_rank(&identity);
        program(endpoint(rank));
        memory::set_current_rank(nullptr);
        end_program_on_failure();
      });
    }
    for (auto& rank : ranks) rank.join();
  }

  void finish() {
    std::vector<std::thread> processes;
    for (auto& node : nodes_) processes.emplace_back([&node] { node->finish(); });
    for (auto& process : processes) process.join();
  }

 private:
  const launch::Layout layout_;
  LoopbackHub hub_;
  std::vector<std::unique_ptr<BuffersAsSegments>> maps_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

/// An empty message to the other of two ranks, which waits for it.
inline void signal(Endpoint& me, int tag = 99) {
  me.send(1 - me.rank(), user_context, tag, nullptr, 0);
}
inline void await_signal(Endpoint& me, int tag = 99) {
  me.receive(1 - me.rank(), user_context, tag, nullptr, 0);
}

}  // namespace taihu::message

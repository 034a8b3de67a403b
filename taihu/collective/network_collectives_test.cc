// SPDX-License-Identifier: Apache-2.0
// bcast, allgather, allreduce and reduce_scatter in each form that a network's description can choose.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "taihu/base/end_on_failure_for_tests.h"
#include "taihu/collective/collectives.h"
#include "taihu/collective/network_choice.h"
#include "taihu/collective/test_job.h"

namespace taihu::collective {
namespace {

using schedule::Collective;

constexpr std::size_t elements = 211;
constexpr const char* four_nodes =
    R"({"kind": "fat-tree", "supernodes": 2, "nodes_per_supernode": 8, "uplinks": 1})";

std::int64_t content(int rank, std::size_t at) {
  return rank * 1009 + static_cast<std::int64_t>(at) * 13;
}

std::int64_t sum(int ranks, std::size_t at) {
  std::int64_t all = 0;
  for (int rank = 0; rank < ranks; ++rank) all += content(rank, at);
  return all;
}

/// Each node process on a node of its own, in turns over the two supernodes.
std::shared_ptr<JobNetwork> network_for(int ranks, int processes) {
  launch::Layout layout = message::layout_for_tests(ranks, processes);
  layout.node_names.clear();
  for (int process = 0; process < processes; ++process) {
    layout.node_of_process[static_cast<std::size_t>(process)] = process;
    layout.node_names.push_back("n" + std::to_string(process % 2 * 8 + process / 2));
  }
  topology::NamedInterconnect description = topology::parse_interconnect(four_nodes, "test.json");
  for (int node = 0; node < 16; ++node) description.hosts.push_back("n" + std::to_string(node));
  return std::make_shared<JobNetwork>(std::move(description), layout);
}

void check_bcast(GroupHandle& handle) {
  for (int root = 0; root < handle.size(); root += 3) {
    std::vector<std::int64_t> data(elements);
    if (handle.rank() == root)
      for (std::size_t at = 0; at < elements; ++at) data[at] = content(root, at);
    ASSERT_EQ(bcast(handle, data.data(), sizeof(data[0]) * elements, root), M_SUCCESS);
    for (std::size_t at = 0; at < elements; ++at) ASSERT_EQ(data[at], content(root, at)) << "root " << root;
  }
}

void check_allgather(GroupHandle& handle) {
  const auto n = static_cast<std::size_t>(handle.size());
  std::vector<std::int64_t> mine(elements), all(n * elements);
  for (std::size_t at = 0; at < elements; ++at) mine[at] = content(handle.rank(), at);
  ASSERT_EQ(allgather(handle, mine.data(), all.data(), sizeof(mine[0]) * elements), M_SUCCESS);
  for (std::size_t at = 0; at < all.size(); ++at)
    ASSERT_EQ(all[at], content(static_cast<int>(at / elements), at % elements));
}

void check_reductions(GroupHandle& handle) {
  const auto n = static_cast<std::size_t>(handle.size());
  std::vector<std::size_t> counts;
  for (std::size_t k = 0; k < n; ++k) counts.push_back(k % 3 * 7);
  const std::size_t all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  std::vector<std::int64_t> source(std::max(all, elements)), result(std::max(all, elements));
  for (std::size_t at = 0; at < source.size(); ++at) source[at] = content(handle.rank(), at);
  ASSERT_EQ(allreduce(handle, source.data(), result.data(), static_cast<long>(elements), M_LONG, M_SUM),
            M_SUCCESS);
  for (std::size_t at = 0; at < elements; ++at) ASSERT_EQ(result[at], sum(handle.size(), at));
  const Reduction plus = *find_reduction(M_LONG, M_SUM);
  ASSERT_EQ(reduce_scatter(handle, source.data(), result.data(), counts.data(), plus), M_SUCCESS);
  const auto me = static_cast<std::size_t>(handle.rank());
  const std::size_t first = std::accumulate(counts.begin(), counts.begin() + handle.rank(), std::size_t{0});
  for (std::size_t at = 0; at < counts[me]; ++at) ASSERT_EQ(result[at], sum(handle.size(), first + at));
}

/// All lengths of the checks are below this; each power of two gets the form.
void prescribe(LeaderForms& forms, Collective collective, const schedule::CollectiveForm& form) {
  for (std::size_t bytes = 1; bytes <= 64 << 10; bytes *= 2) forms.prescribe(collective, bytes, form);
}

void check_forms(Transport transport, int ranks, int processes) {
  const auto network = network_for(ranks, processes);
  std::vector<int> members;
  for (int rank = 0; rank < ranks; ++rank) members.push_back((rank * 5 + 2) % ranks);
  // Five is prime to these numbers of ranks: members of node processes alternate.
  schedule::Placed placed{network->network(), {}};
  for (int process = 0; process < processes; ++process) placed.nodes.push_back(process % 2 * 8 + process / 2);
  for (const Collective collective :
       {Collective::bcast, Collective::allgather, Collective::allreduce, Collective::reduce_scatter}) {
    for (const auto& form : schedule::collective_forms(collective, placed, 1 << 20)) {
      SCOPED_TRACE(std::string(schedule::name_of(collective)) + ": " + form.name);
      TestJob job(transport, ranks, processes, 1, network);
      job.run([&](int rank) {
        GroupHandle handle = job.groups_of(rank).join(job.endpoint(rank), first_free_context, members);
        prescribe(*handle.state().leader_forms(), collective, form);
        if (collective == Collective::bcast) check_bcast(handle);
        if (collective == Collective::allgather) check_allgather(handle);
        if (collective == Collective::allreduce || collective == Collective::reduce_scatter)
          check_reductions(handle);
        end_program_on_failure();
      });
    }
  }
}

TEST(NetworkCollectives, EveryFormIsRight) {
  check_forms(Transport::twin, 7, 3);
  check_forms(Transport::twin, 9, 4);
  check_forms(Transport::twin, 8, 8);
  check_forms(Transport::messages, 7, 4);
}

TEST(NetworkCollectives, TheChosenFormsAreTold) {
  const auto network = network_for(8, 4);
  TestJob job(Transport::messages, 8, 4, 1, network);
  const std::vector<int> members{0, 1, 2, 3, 4, 5, 6, 7};
  job.run([&](int rank) {
    GroupHandle handle = job.groups_of(rank).join(job.endpoint(rank), first_free_context, members);
    check_bcast(handle);
    check_allgather(handle);
    check_reductions(handle);
    end_program_on_failure();
  });
  const std::string told = network->choices().text();
  for (const char* line : {"bcast of 8 members in 4 node processes, 1025 to 2048 bytes: ",
                           "allgather of 8 members in 4 node processes, 2049 to 4096 bytes: ",
                           "allreduce of 8 members in 4 node processes, 1025 to 2048 bytes: ",
                           "reduce_scatter of 8 members in 4 node processes, 65 to 128 bytes: "})
    EXPECT_NE(told.find(line), std::string::npos) << line << " is not in:\n" << told;
  EXPECT_EQ(std::ranges::count(told, '\n'), 4) << told;
}

TEST(NetworkCollectives, NothingIsChosenOnOneNode) {
  const auto network = network_for(4, 2);
  EXPECT_EQ(LeaderForms(network, {3, 3}, 4).form(Collective::bcast, 100), nullptr);
  EXPECT_EQ(LeaderForms(network, {3, 4}, 4).form(Collective::bcast, 0), nullptr);
}

}  // namespace
}  // namespace taihu::collective

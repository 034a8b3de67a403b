// SPDX-License-Identifier: Apache-2.0
// Alltoall in each form that a network's description can choose, against its definition.
#include "taihu/collective/network_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "taihu/base/end_on_failure_for_tests.h"
#include "taihu/base/error.h"
#include "taihu/base/formatted.h"
#include "taihu/collective/collectives.h"
#include "taihu/collective/test_job.h"
#include "taihu/message/job_for_tests.h"

namespace taihu::collective {
namespace {

/// As message::layout_for_tests, each node process on a host of its own: host0, host1, ...
launch::Layout hosts_apart(int ranks, int processes) {
  launch::Layout layout = message::layout_for_tests(ranks, processes);
  layout.node_names.clear();
  for (int process = 0; process < processes; ++process) {
    layout.node_of_process[static_cast<std::size_t>(process)] = process;
    layout.node_names.push_back("host" + std::to_string(process));
  }
  return layout;
}

std::shared_ptr<JobNetwork> described(const std::string& text, const launch::Layout& layout) {
  return std::make_shared<JobNetwork>(topology::parse_interconnect(text, "test.json"), layout);
}

std::byte content(int from, int to, std::size_t at) {
  return static_cast<std::byte>(static_cast<std::size_t>(from) * 31 + static_cast<std::size_t>(to) * 7 + at);
}

/// Moves blocks of `bytes` among all ranks, to another buffer and in place. `form`: prescribed, unless null.
void check_alltoall(TestJob& job, std::size_t bytes, const schedule::Schedule* form) {
  const int n = job.layout().ranks;
  std::vector<int> ranks;
  for (int rank = 0; rank < n; ++rank) ranks.push_back(rank);
  job.run([&](int rank) {
    GroupHandle handle = job.groups_of(rank).join(job.endpoint(rank), first_free_context, ranks);
    if (form != nullptr) handle.state().alltoall_forms()->prescribe(bytes, *form);
    const auto size = static_cast<std::size_t>(n) * bytes;
    std::vector<std::byte> source(size), result(size), expected(size);
    for (std::size_t at = 0; at < size; ++at) {
      const int other = static_cast<int>(at / bytes);
      source[at] = content(rank, other, at % bytes);
      expected[at] = content(other, rank, at % bytes);
    }
    ASSERT_EQ(alltoall(handle, source.data(), result.data(), bytes), M_SUCCESS);
    ASSERT_TRUE(result == expected) << "rank " << rank << ", blocks of " << bytes;
    ASSERT_EQ(alltoall(handle, source.data(), source.data(), bytes), M_SUCCESS);
    ASSERT_TRUE(source == expected) << "rank " << rank << ", in place, blocks of " << bytes;
    end_program_on_failure();
  });
}

/// Of each four members in a row, which are a group, the first passes blocks on for the others.
schedule::Relays relays_by_four(int members) {
  schedule::Relays relays;
  for (int member = 0; member < members; ++member) {
    relays.group.push_back(member / 4);
    if (member % 4 == 0) relays.members_of.emplace_back();
    relays.members_of.back().push_back(member);
    relays.shares.emplace_back();
    if (member % 4 != 0) relays.shares.back().push_back({member - member % 4, 0.5});
  }
  return relays;
}

constexpr const char* flat =
    R"({"kind": "fat-tree", "supernodes": 4, "nodes_per_supernode": 4, "uplinks": 2})";

TEST(NetworkChoice, EveryFormMovesTheBlocks) {
  const auto check_all = [](Transport transport, int n, int processes, std::size_t bytes) {
    const auto network = described(flat, hosts_apart(n, processes));
    const schedule::Placed placed{network->network(), std::vector<int>(static_cast<std::size_t>(n))};
    std::vector<int> order;
    for (int member = 0; member < n; ++member) order.push_back((member * 5 + 3) % n);
    const auto ring = schedule::ExchangeOrder::ring(order);
    const auto two_level = schedule::ExchangeOrder::two_level_ring(order, {0, 1, n / 2, n});
    for (const schedule::Schedule& form :
         {schedule::ring_schedule(n, bytes), schedule::pairwise_schedule(n, bytes),
          schedule::exchange_schedule("two levels", two_level, bytes, 3),
          schedule::exchange_schedule("all at once", ring, bytes, n), schedule::bruck_schedule(n, bytes),
          schedule::rows_schedule(order, 3, bytes, 2),
          schedule::relayed_schedule(ring, relays_by_four(n), bytes, 2)}) {
      SCOPED_TRACE(form.name);
      TestJob job(transport, n, processes, 1, network);
      check_alltoall(job, bytes, &form);
    }
    EXPECT_EQ(network->choices().text(), "");
  };
  check_all(Transport::twin, 7, 3, 40);
  check_all(Transport::twin, 9, 2, 5000);
  check_all(Transport::twin, 12, 12, 1);
  check_all(Transport::messages, 7, 3, 3000);
}

TEST(NetworkChoice, TheChosenFormIsTold) {
  struct Case {
    int ranks;
    int processes;
    std::size_t bytes;
    const char* form;
  };
  for (const Case& one : {Case{7, 3, 300 << 10, "all at once"}, {24, 3, 3, "rows"}}) {
    const auto network = described(flat, hosts_apart(one.ranks, one.processes));
    TestJob job(Transport::messages, one.ranks, one.processes, 1, network);
    check_alltoall(job, one.bytes, nullptr);
    EXPECT_NE(network->choices().text().find(std::string(" bytes: ") + one.form), std::string::npos)
        << one.form << " is not in: " << network->choices().text();
    // Each node process chose the same; all of them share the network here.
    EXPECT_EQ(std::ranges::count(network->choices().text(), '\n'), 1);
  }
}

TEST(NetworkChoice, IsMadeOnceForAPowerOfTwo) {
  const auto network = described(R"({"kind": "torus", "sizes": [4]})", hosts_apart(4, 2));
  AlltoallForms forms(network, {0, 0, 1, 1});
  EXPECT_EQ(forms.form(0), nullptr);
  EXPECT_EQ(forms.form(513), forms.form(1024));
  EXPECT_NE(forms.form(512), forms.form(1024));
  const std::string text = network->choices().text();
  EXPECT_TRUE(text.starts_with("alltoall of 4 members, blocks of 513 to 1024 bytes: ")) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
  // Nothing to choose on one node.
  EXPECT_EQ(AlltoallForms(network, {1, 1}).form(512), nullptr);
}

std::string problem_of(const std::string& text) {
  try {
    described(text, hosts_apart(4, 2));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(NetworkChoice, AJobThatTheNetworkDoesNotHoldIsRefused) {
  EXPECT_EQ(problem_of(R"({"kind": "torus", "sizes": [2]})"), "");
  EXPECT_EQ(problem_of(R"({"kind": "torus", "sizes": [1]})"),
            "the network of TAIHU_NETWORK has 1 nodes, the job 2");
  EXPECT_EQ(problem_of(R"({"kind": "torus", "sizes": [4], "hosts": "host0,other"})"),
            "the network of TAIHU_NETWORK has no host host1; add it to 'hosts' of the file");
}

TEST(NetworkChoice, TheFileIsNamedByTheEnvironment) {
  const launch::Layout layout = hosts_apart(4, 2);
  ::unsetenv("TAIHU_NETWORK");
  EXPECT_EQ(network_of_job(layout), nullptr);
  ::setenv("TAIHU_NETWORK", "/no/such/file", 1);
  EXPECT_THROW(network_of_job(layout), Error);
  const std::string file = testing::TempDir() + "/network_choice_test.json";
  std::ofstream(file) << R"({"kind": "torus", "sizes": [4]})";
  ::setenv("TAIHU_NETWORK", file.c_str(), 1);
  EXPECT_NE(network_of_job(layout), nullptr);
  ::unsetenv("TAIHU_NETWORK");
}

}  // namespace
}  // namespace taihu::collective

// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/numa_measurement.h"

#include <gtest/gtest.h>

#include "taihu/base/error.h"
#include "taihu/memory/placement/machine_for_tests.h"
#include "taihu/topology/cpu_set.h"

namespace taihu::model {
namespace {

NumaMeasurement small() {
  NumaMeasurement measurement;
  measurement.bytes_per_thread = std::size_t{1} << 20;
  measurement.runs = 3;
  return measurement;
}

/// A machine of the first `nodes` cpus that this process may use, each a core of its own node.
topology::Machine machine_of(int nodes) {
  topology::Machine machine;
  machine.packages.push_back({0, "a processor", {}});
  const std::vector<int> cpus = topology::allowed_cpus().cpus();
  for (int node = 0; node < nodes; ++node) {
    const topology::CpuSet cpu({cpus[static_cast<std::size_t>(node) % cpus.size()]});
    machine.numa_nodes.push_back({10 + node, 1 << 30, cpu});
    machine.cores.push_back({0, node, 0, cpu});
  }
  return machine;
}

TEST(NumaMeasurement, GivesWhatAMachineFileHas) {
  memory::PagesForTests pages;
  std::vector<std::string> steps;
  NumaMeasurement measurement = small();
  measurement.progress = [&](const std::string& step) { steps.push_back(step); };
  const NumaMachine machine = measure_numa_machine(machine_of(2), measurement, pages);
  EXPECT_EQ(machine.nodes(), 2);
  EXPECT_EQ(machine.cores_per_node, 1);
  EXPECT_EQ(steps.size(), 4u);
  EXPECT_EQ(steps[1], "cores of node 10 read memory of node 11");
  for (const double rate : {machine.memory[0], machine.memory[1], machine.link[0][1], machine.link[1][0],
                            machine.core_local, machine.core_remote}) {
    EXPECT_GT(rate, 1e7);
    EXPECT_LT(rate, 1e13);
  }
  EXPECT_GT(machine.barrier_seconds, 0);

  const NumaMachine read = parse_numa_machine(json_of(machine, "measured"), "machine.json");
  EXPECT_EQ(read.name, machine.name);
  EXPECT_EQ(read.nodes(), 2);
  EXPECT_NEAR(read.link[1][0] / machine.link[1][0], 1, 0.006);
  EXPECT_NEAR(read.barrier_seconds / machine.barrier_seconds, 1, 0.006);
}

TEST(NumaMeasurement, OneNodeStandsForItsOwnRemoteMemory) {
  memory::PagesForTests pages;
  const NumaMachine machine = measure_numa_machine(machine_of(1), small(), pages);
  EXPECT_EQ(machine.core_remote, machine.core_local);
  EXPECT_EQ(machine.barrier_seconds, 0) << "one core has nobody to wait for";
  EXPECT_EQ(parse_numa_machine(json_of(machine, "measured"), "machine.json").nodes(), 1);
}

TEST(NumaMeasurement, NodesWithoutCoresOrMemoryAreLeftOut) {
  memory::PagesForTests pages;
  topology::Machine machine = machine_of(2);
  machine.numa_nodes.push_back({12, 1 << 30, {}});
  machine.numa_nodes[0].memory_bytes = 0;
  EXPECT_EQ(measure_numa_machine(machine, small(), pages).nodes(), 1);
  machine.numa_nodes[1].memory_bytes = 0;
  EXPECT_THROW(measure_numa_machine(machine, small(), pages), Error);
}

/// Refuses to place memory, or gives its last page from another node.
class FullNode final : public memory::PageSystem {
 public:
  int prefer(void*, std::size_t, int) noexcept override { return refusal; }
  int interleave(void*, std::size_t, std::span<const int>) noexcept override { return 0; }
  int locate(std::span<void* const> pages, int* status) noexcept override {
    for (std::size_t i = 0; i < pages.size(); ++i) status[i] = i + 1 < pages.size() ? 10 : 0;
    return 0;
  }
  int move(std::span<void* const>, std::span<const int>, int*) noexcept override { return EINVAL; }
  int present(const void*, std::size_t, bool*) noexcept override { return 0; }
  int node_here() noexcept override { return 0; }

  int refusal = 0;
};

std::string refusal_of(memory::PageSystem& pages) {
  try {
    measure_numa_machine(machine_of(1), small(), pages);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(NumaMeasurement, MemoryElsewhereIsRefused) {
  FullNode pages;
  EXPECT_EQ(refusal_of(pages), "node 10 has not enough free memory; give a smaller --bytes");
  pages.refusal = EPERM;
  EXPECT_EQ(refusal_of(pages), "cannot place memory on node 10 (Operation not permitted)");
}

}  // namespace
}  // namespace taihu::model

// SPDX-License-Identifier: Apache-2.0
#include "taihu/topology/machine.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "taihu/base/error.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/base/sanitizers.h"

#if TAIHU_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

namespace taihu::topology {
namespace {

Machine recorded(const std::string& name) {
  return machine_from_xml(std::string(TAIHU_RECORDED_MACHINES) + "/" + name);
}

/// Checks the invariants of machine.h.
void expect_invariants(const Machine& machine) {
  CpuSet seen;
  ASSERT_FALSE(machine.cores.empty());
  for (const Core& core : machine.cores) {
    EXPECT_FALSE(core.cpus.empty());
    EXPECT_TRUE(intersection(seen, core.cpus).empty());
    seen.insert(core.cpus);
    ASSERT_LT(core.package, static_cast<int>(machine.packages.size()));
    EXPECT_TRUE(machine.packages[core.package].cpus.includes(core.cpus));
    ASSERT_LT(core.numa_node, static_cast<int>(machine.numa_nodes.size()));
  }
  EXPECT_EQ(seen, machine.cpus);
  for (const Cache& cache : machine.caches) EXPECT_TRUE(machine.cpus.includes(cache.cpus));
  for (const Package& package : machine.packages) EXPECT_FALSE(package.cpus.empty());
  for (const NumaNode& node : machine.numa_nodes) EXPECT_TRUE(machine.cpus.includes(node.cpus));
  const std::size_t nodes = machine.numa_nodes.size();
  EXPECT_TRUE(machine.distances.empty() || machine.distances.size() == nodes * nodes);
  EXPECT_GE(machine.numa_nodes_with_cpus(), 1);
  EXPECT_TRUE(nlohmann::json::accept(to_json(machine)));
}

TEST(Machine, from_text) {
  const Machine machine = machine_from_text("package:2 numanode:2 core:4 pu:2");
  expect_invariants(machine);
  EXPECT_EQ(machine.packages.size(), 2u);
  EXPECT_EQ(machine.numa_nodes.size(), 4u);
  EXPECT_EQ(machine.cores.size(), 16u);
  EXPECT_EQ(machine.cpus.to_text(), "0-31");
  EXPECT_EQ(machine.cores[5].cpus.to_text(), "10-11");
  EXPECT_EQ(machine.cores[5].numa_node, 1);
  EXPECT_EQ(machine.cores[8].package, 1);
  EXPECT_EQ(machine.numa_nodes_with_cpus(), 4);
  EXPECT_FALSE(machine.hybrid());
}

TEST(Machine, short_forms_and_missing_units) {
  EXPECT_EQ(machine_from_text("node:2 core:4").cores.size(), 8u);
  EXPECT_EQ(machine_from_text("node:2 core:4").numa_nodes.size(), 2u);
  EXPECT_EQ(machine_from_text("pack:2 numa:2 core:3 PU:1").numa_nodes.size(), 4u);
  EXPECT_EQ(machine_from_text("socket:2 core:3").packages.size(), 2u);
  EXPECT_EQ(machine_from_text("pu:1").cores.size(), 1u);
  EXPECT_EQ(machine_from_text("core:128 pu:2").cpus.size(), 256);
}

TEST(Machine, attributes_of_text_may_have_blanks) {
  const Machine machine = machine_from_text("pack:2 numa:1(memory=1GB indexes=2*1:1*2) core:2 pu:1");
  ASSERT_EQ(machine.numa_nodes.size(), 2u);
  EXPECT_GE(machine.numa_nodes[0].memory_bytes, 1'000'000'000);
  EXPECT_EQ(machine_from_text("l3:2(size=32MB indexes=1,0) core:2 pu:1").cores.size(), 4u);
  for (const char* text : {"numa:2(memory=1GB indexes=2*1:1*2) core:0", "l3:0(size=1MB x=2) core:2",
                           "l3:2(size=1MB x=2)core:-1 pu:1"})
    EXPECT_THROW(machine_from_text(text), Error) << text;
}

TEST(Machine, caches_of_text) {
  const Machine machine =
      machine_from_text("pack:1 l3:2(size=32MB) l2:2(size=1MB) l1:1(size=32kB) core:1 pu:1");
  expect_invariants(machine);
  ASSERT_EQ(machine.caches.size(), 2u + 4u + 4u);
  EXPECT_EQ(machine.caches.front().level, 3);
  EXPECT_EQ(machine.caches.front().cpus.to_text(), "0-1");
  EXPECT_GT(machine.last_level_cache_bytes(), 30'000'000);
  EXPECT_EQ(machine_from_text("core:2").last_level_cache_bytes(), 0);
  EXPECT_EQ(machine_from_text("core:2").cache_line_bytes(), 64);
}

TEST(Machine, refuses_other_text) {
  for (const char* text :
       {"", "  ", "core", "core:x", "banana:3", "core:0", "core:-1", "core:-65535", "core:0x10",
        "core: 5000000000", "core:+2", "core:2x", "core:1e3", "core:2 pu:", "/no/such/file.xml"})
    EXPECT_THROW(machine_from_file_or_text(text), Error) << text;
  EXPECT_THROW(machine_from_xml("/no/such/file.xml"), Error);
  EXPECT_THROW(machine_from_xml(TAIHU_RECORDED_MACHINES "/../machine.h"), Error);
}

/// Reads `text` as a recorded machine: the result is a machine that keeps the invariants, or an Error of one
/// line.
void read_damaged(const std::string& text) {
  const std::string path = testing::TempDir() + "damaged_machine_" + std::to_string(getpid()) + ".xml";
  std::ofstream(path, std::ios::binary) << text;
  try {
    expect_invariants(machine_from_xml(path));
  } catch (const Error& error) {
    const std::string line = error.what();
    EXPECT_NE(line.find("cannot read the machine in " + path), line.npos) << line;
    EXPECT_EQ(line.find('\n'), line.npos) << line;
  }
  std::filesystem::remove(path);
}

std::string text_of(const std::string& name) {
  std::ifstream file(std::string(TAIHU_RECORDED_MACHINES) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Two files at which hwloc 2.9 ends the program: by a segmentation fault and by an assertion.
TEST(Machine, files_that_hwloc_does_not_survive) {
  std::string text = text_of("memory_only_node.xml");
  const std::size_t last = text.rfind("complete_nodeset=\"0x00000004\"");
  ASSERT_NE(last, text.npos);
  text.replace(last, 16, "complete_n_deset");
  read_damaged(text);
  read_damaged(
      "<topology>\n<object type=\"PU\" os_index=\"1\" cpuset=\"0x2\" complete_cpuset=\"0x2\"/>\n"
      "<object type=\"Machine\" os_index=\"0\" cpuset=\"0x7\" complete_cpuset=\"0x7\">\n"
      "<object type=\"PU\" os_index=\"0\" cpuset=\"0x1\" "
      "complete_cpuset=\"0x1\"/>\n</object>\n</topology>\n");
}

TEST(Machine, truncated_and_mutated_files) {
#if TAIHU_ADDRESS_SANITIZER
  const __lsan::ScopedDisabler hwloc_forgets;  // its XML reader leaks memory when a file is damaged
#endif
  const char* values[] = {
      "",     "-1",       "0",      "4294967295", "99999999999999999999", "0xf...f", "x", "PU",
      "Core", "NUMANode", "Bridge", "L1Cache",    "0x00000001,0x0"};
  std::mt19937 random(3);
  for (const char* name : {"hybrid.xml", "memory_only_node.xml", "no_numa.xml", "restricted.xml"}) {
    const std::string whole = text_of(name);
    for (int round = 0; round < plain_or_sanitized(12, 4); ++round) {
      read_damaged(whole.substr(0, random() % whole.size()));
      std::string text = whole;
      for (int change = 0; change < 4; ++change) text[random() % text.size()] = static_cast<char>(random());
      read_damaged(text);
      text = whole;
      const std::size_t begin = text.find("=\"", random() % (text.size() / 2)) + 2;
      text.replace(begin, text.find('"', begin) - begin, values[random() % std::size(values)]);
      read_damaged(text);
    }
  }
}

TEST(Machine, refuses_texts_of_too_many_processing_units) {
  EXPECT_EQ(machine_from_text("package:4 core:64 pu:2").cpus.size(), 512);
  for (const char* text : {"core:100000000", "package:65536 core:65536", "core:99999999999999999999"})
    EXPECT_THROW(machine_from_text(text), Error) << text;
}

TEST(Machine, numa_nodes_without_memory_or_without_cpus) {
  const Machine machine = recorded("memory_only_node.xml");
  expect_invariants(machine);
  ASSERT_EQ(machine.numa_nodes.size(), 3u);
  EXPECT_EQ(machine.numa_nodes_with_cpus(), 2);
  for (const NumaNode& node : machine.numa_nodes) {
    if (node.os_index == 1) {
      EXPECT_EQ(node.memory_bytes, 0);
    }
    if (node.os_index == 2) {
      EXPECT_EQ(node.memory_bytes, 549755813888);
    }
  }
  EXPECT_EQ(machine.numa_nodes[machine.cores[0].numa_node].os_index, 0);
  ASSERT_EQ(machine.distances.size(), 9u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(machine.distances[i * 3 + i], 10u);
  EXPECT_NE(describe(machine).find("NUMA node 2 without cores: 512 GiB"), std::string::npos);
}

TEST(Machine, cores_of_two_kinds) {
  const Machine machine = recorded("hybrid.xml");
  expect_invariants(machine);
  ASSERT_EQ(machine.cores.size(), 6u);
  EXPECT_TRUE(machine.hybrid());
  EXPECT_GT(machine.cores[0].efficiency, machine.cores[5].efficiency);
  EXPECT_EQ(machine.packages[0].model, "Hybrid 6-core");
}

TEST(Machine, recorded_in_a_container_with_few_cpus) {
  const Machine machine = recorded("restricted.xml");
  expect_invariants(machine);
  EXPECT_EQ(machine.cpus.to_text(), "1,6");
  EXPECT_EQ(machine.cores.size(), 2u);
}

TEST(Machine, without_numa_information) {
  const Machine machine = recorded("no_numa.xml");
  expect_invariants(machine);
  EXPECT_EQ(machine.cores.size(), 3u);
  EXPECT_EQ(machine.numa_nodes.size(), 1u);
  EXPECT_EQ(machine.packages.size(), 1u);
}

TEST(Machine, restricted_to_some_cpus) {
  const Machine whole = machine_from_text("package:2 numanode:1 l2:2 core:2 pu:2");
  const Machine part = restricted(whole, parse_cpu_set("9,12-13,99"));
  expect_invariants(part);
  EXPECT_EQ(part.cpus.to_text(), "9,12-13");
  ASSERT_EQ(part.cores.size(), 2u);
  EXPECT_EQ(part.cores[0].cpus.to_text(), "9");
  ASSERT_EQ(part.packages.size(), 1u);
  EXPECT_EQ(part.packages[0].os_index, 1);
  EXPECT_EQ(part.numa_nodes.size(), 2u) << "memory of the other node stays reachable";
  EXPECT_EQ(part.numa_nodes_with_cpus(), 1);
  EXPECT_EQ(part.caches.size(), 2u);
  EXPECT_THROW(restricted(whole, CpuSet()), Error);
  EXPECT_THROW(restricted(whole, parse_cpu_set("16-20")), Error);
}

TEST(Machine, live_one_respects_the_affinity_mask) {
  const Machine machine = live_machine();
  expect_invariants(machine);
  EXPECT_TRUE(allowed_cpus().includes(machine.cpus));
  std::thread([&] {
    ASSERT_TRUE(bind_this_thread(CpuSet({machine.cpus.cpus().back()})));
    const Machine part = live_machine();
    expect_invariants(part);
    EXPECT_EQ(part.cpus.size(), 1);
  }).join();
}

TEST(Machine, text_and_json_name_the_same_facts) {
  const Machine machine = machine_from_text("package:1 numanode:2 core:2 pu:1");
  const std::string text = describe(machine);
  EXPECT_NE(text.find("1 package, 2 NUMA nodes, 4 cores, 4 cpus usable: 0-3"), std::string::npos) << text;
  const auto json = nlohmann::json::parse(to_json(machine));
  EXPECT_EQ(json["cores"].size(), 4u);
  EXPECT_EQ(json["cores"][3]["numa_node"], 1);
  EXPECT_EQ(json["numa_nodes"].size(), 2u);
}

TEST(Machine, json_is_valid_whatever_the_encoding_of_names) {
  Machine machine = machine_from_text("core:2");
  machine.source = "r\xe9seau.xml";
  machine.packages[0].model = "\xff";
  const auto json = nlohmann::json::parse(to_json(machine));
  EXPECT_EQ(json["source"], "r\uFFFDseau.xml");
  EXPECT_EQ(json["packages"][0]["model"], "\uFFFD");
}

}  // namespace
}  // namespace taihu::topology

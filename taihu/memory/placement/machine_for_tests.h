// SPDX-License-Identifier: Apache-2.0
// Machines for tests: files as the kernel shows its nodes, and a kernel of memory nodes that only keeps
// books.
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "taihu/memory/placement/page_system.h"

namespace taihu::memory {

/// A folder with sys/devices/system/node and proc/self/status, removed at the end.
class MachineFiles {
 public:
  struct Node {
    int number;
    std::string cpus, distances;
  };

  explicit MachineFiles(const std::vector<Node>& nodes) {
    std::string name = (std::filesystem::temp_directory_path() / "taihu-nodes-XXXXXX").string();
    root_ = mkdtemp(name.data());
    std::string numbers;
    for (const Node& node : nodes) {
      const auto folder = node_folder() / ("node" + std::to_string(node.number));
      std::filesystem::create_directories(folder);
      write(folder / "cpulist", node.cpus);
      write(folder / "distance", node.distances);
      numbers += (numbers.empty() ? "" : ",") + std::to_string(node.number);
    }
    write(node_folder() / "online", numbers);
    set_with_memory(numbers);
    std::filesystem::create_directories(root_ / "proc/self");
    set_allowed(numbers);
  }
  ~MachineFiles() { std::filesystem::remove_all(root_); }
  MachineFiles(const MachineFiles&) = delete;
  MachineFiles& operator=(const MachineFiles&) = delete;

  void set_with_memory(const std::string& numbers) { write(node_folder() / "has_memory", numbers); }
  void set_allowed(const std::string& numbers) {
    write(root_ / "proc/self/status", "Name:\tx\nMems_allowed_list:\t" + numbers);
  }
  /// Another file of the kernel's; `path` is relative.
  void add_file(const std::string& path, const std::string& line) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    write(root_ / path, line);
  }
  std::string root() const { return root_.string(); }

 private:
  std::filesystem::path node_folder() const { return root_ / "sys/devices/system/node"; }
  static void write(const std::filesystem::path& path, const std::string& line) {
    std::ofstream(path) << line << "\n";
  }
  std::filesystem::path root_;
};

/// Remembers the policy of each page. A page counts as touched on the node of its policy (without one on the
/// node of `first_toucher`) unless it is in `untouched`; `hidden` pages have memory but no answer.
class PagesForTests final : public PageSystem {
 public:
  std::map<std::uintptr_t, int> policy;  ///< page address -> node
  std::map<std::uintptr_t, int> placed;  ///< pages that lie elsewhere than their policy says
  std::map<std::uintptr_t, bool> untouched, hidden;
  std::vector<int> refused;  ///< nodes that prefer and move refuse
  int refusal = EINVAL, prefer_calls = 0, here = 0, first_toucher = 0;

  int prefer(void* begin, std::size_t bytes, int node) noexcept override {
    ++prefer_calls;
    for (int no : refused)
      if (no == node) return refusal;
    for (std::size_t i = 0; i < bytes; i += page_bytes()) policy[address(begin) + i] = node;
    return 0;
  }
  int interleave(void* begin, std::size_t bytes, std::span<const int> nodes) noexcept override {
    for (std::size_t i = 0; i < bytes; i += page_bytes())
      policy[address(begin) + i] = nodes[i / page_bytes() % nodes.size()];
    return 0;
  }
  int locate(std::span<void* const> pages, int* status) noexcept override {
    for (std::size_t i = 0; i < pages.size(); ++i) status[i] = node_of(address(pages[i]));
    return 0;
  }
  int move(std::span<void* const> pages, std::span<const int> nodes, int* status) noexcept override {
    for (std::size_t i = 0; i < pages.size(); ++i) {
      const std::uintptr_t page = address(pages[i]) / page_bytes() * page_bytes();
      bool may = node_of(page) >= 0;
      for (int no : refused) may = may && no != nodes[i];
      if (may) placed[page] = nodes[i];
      status[i] = may ? nodes[i] : node_of(page) >= 0 ? -refusal : node_of(page);
    }
    return 0;
  }
  int present(const void* begin, std::size_t pages, bool* present) noexcept override {
    for (std::size_t i = 0; i < pages; ++i)
      present[i] = !untouched.contains(address(begin) + i * page_bytes());
    return 0;
  }
  int node_here() noexcept override { return here; }

  int node_of(std::uintptr_t place) const {
    const std::uintptr_t page = place / page_bytes() * page_bytes();
    if (untouched.contains(page) || hidden.contains(page)) return -ENOENT;
    if (const auto found = placed.find(page); found != placed.end()) return found->second;
    if (const auto found = policy.find(page); found != policy.end()) return found->second;
    return first_toucher;
  }

 private:
  static std::uintptr_t address(const void* place) { return reinterpret_cast<std::uintptr_t>(place); }
};

}  // namespace taihu::memory

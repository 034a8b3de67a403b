// SPDX-License-Identifier: Apache-2.0
// An allocator on a machine that exists in files and books only: four nodes, of which tests choose the
// threads.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "taihu/memory/naalloc/allocator.h"
#include "taihu/memory/placement/machine_for_tests.h"

namespace taihu::memory {

class AllocatorTest : public testing::Test {
 protected:
  static constexpr std::size_t page = 4096;

  /// Makes the allocator; `change` may edit the settings before.
  template <typename Change>
  Allocator& start(Change change) {
    NaallocSettings settings;
    settings.root = files.root();
    settings.window_bytes = std::size_t{1} << 30;
    change(settings);
    allocator = std::make_unique<Allocator>(settings, pages);
    allocator->log().send_to(
        [](void* lines, const char* text) {
          static_cast<std::vector<std::string>*>(lines)->emplace_back(text);
        },
        &log);
    return *allocator;
  }
  Allocator& start() {
    return start([](NaallocSettings&) {});
  }
  /// Thread t runs on node nodes[t].
  void threads_on(const std::vector<int>& nodes) {
    for (std::size_t thread = 0; thread < nodes.size(); ++thread) {
      pages.here = nodes[thread];
      allocator->set_thread(static_cast<int>(thread));
    }
  }
  static BlockShape parts(std::vector<std::size_t> ends) {
    return {BlockKind::partitioned, std::move(ends), 0};
  }
  int policy_of(const void* block, std::size_t page_number) const {
    const auto found = pages.policy.find(reinterpret_cast<std::uintptr_t>(block) + page_number * page);
    return found == pages.policy.end() ? -1 : found->second;
  }
  bool logged(const std::string& words) const {
    for (const std::string& line : log)
      if (line.find(words) != std::string::npos) return true;
    return false;
  }

  MachineFiles files{{{0, "0-1", "10 16 16 22"},
                      {1, "2-3", "16 10 22 16"},
                      {2, "4-5", "16 22 10 16"},
                      {3, "6-7", "22 16 16 10"}}};
  PagesForTests pages;
  std::vector<std::string> log;
  std::unique_ptr<Allocator> allocator;
};

}  // namespace taihu::memory

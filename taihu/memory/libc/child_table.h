// SPDX-License-Identifier: Apache-2.0
// The children that a rank has not waited for, and the resources used by those that it has waited for. Signal
// handlers wait for children, so nothing here takes a lock, and only adding many children allocates.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace taihu::memory::libc {

class ChildTable {
 public:
  ChildTable() = default;
  ~ChildTable();
  ChildTable(const ChildTable&) = delete;
  ChildTable& operator=(const ChildTable&) = delete;

  void add(pid_t child);
  void remove(pid_t child);
  void clear();
  void count(const rusage& of_ended_child);
  rusage usage_of_ended() const;

  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Chunk* chunk = &first_; chunk; chunk = chunk->next.load(std::memory_order_acquire))
      for (const auto& slot : chunk->children)
        if (const pid_t child = slot.load(std::memory_order_acquire); child != 0) visit(child);
  }

 private:
  struct Chunk {
    std::array<std::atomic<pid_t>, 62> children{};
    std::atomic<Chunk*> next{nullptr};
  };
  Chunk first_;
  std::array<std::atomic<std::int64_t>, 2> time_us_{};  ///< user, system
  std::array<std::atomic<long>, 7> counts_{};           ///< ru_maxrss, then as in child_table.cc
};

}  // namespace taihu::memory::libc

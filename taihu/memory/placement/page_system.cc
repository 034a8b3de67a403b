// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/placement/page_system.h"

#include <fcntl.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

#include "taihu/memory/placement/node_table.h"

namespace taihu::memory {
namespace {

constexpr int max_nodes = 1024;  // what the kernel can be built for
constexpr int bits_per_word = 8 * sizeof(unsigned long);
using NodeMask = std::array<unsigned long, max_nodes / bits_per_word>;

bool add(NodeMask& mask, int node) {
  if (node < 0 || node >= max_nodes) return false;
  mask[node / bits_per_word] |= 1ul << (node % bits_per_word);
  return true;
}

class LivePageSystem final : public PageSystem {
 public:
  int prefer(void* begin, std::size_t bytes, int node) noexcept override {
    NodeMask mask{};
    if (!add(mask, node)) return EINVAL;
    return policy(begin, bytes, MPOL_PREFERRED, mask);
  }

  int interleave(void* begin, std::size_t bytes, std::span<const int> nodes) noexcept override {
    NodeMask mask{};
    for (int node : nodes)
      if (!add(mask, node)) return EINVAL;
    return policy(begin, bytes, MPOL_INTERLEAVE, mask);
  }

  int locate(std::span<void* const> pages, int* status) noexcept override {
    return syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, status, 0) == 0 ? 0 : errno;
  }

  int move(std::span<void* const> pages, std::span<const int> nodes, int* status) noexcept override {
    // Above 0 is the number of pages that stayed; the status tells which.
    const long left =
        syscall(SYS_move_pages, 0, pages.size(), pages.data(), nodes.data(), status, MPOL_MF_MOVE);
    return left >= 0 ? 0 : errno;
  }

  int present(const void* begin, std::size_t pages, bool* present) noexcept override {
    const int file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno;
    int failure = 0;
    std::uint64_t entries[256];
    for (std::size_t done = 0; done < pages && failure == 0;) {
      const std::size_t count = std::min(pages - done, std::size(entries));
      const auto place = (reinterpret_cast<std::uintptr_t>(begin) / page_bytes() + done) * sizeof(entries[0]);
      const ssize_t bytes = pread(file, entries, count * sizeof(entries[0]), static_cast<off_t>(place));
      if (bytes != static_cast<ssize_t>(count * sizeof(entries[0]))) failure = bytes < 0 ? errno : EIO;
      for (std::size_t i = 0; i < count && failure == 0; ++i) present[done + i] = (entries[i] >> 62) != 0;
      done += count;
    }
    close(file);
    return failure;
  }

  int node_here() noexcept override {
    unsigned cpu = 0, node = 0;
    return syscall(SYS_getcpu, &cpu, &node, nullptr) == 0 ? static_cast<int>(node) : -1;
  }

 private:
  static int policy(void* begin, std::size_t bytes, int mode, const NodeMask& mask) noexcept {
    if (bytes == 0) return 0;
    // The kernel reads one bit less than it is told of.
    return syscall(SYS_mbind, begin, bytes, mode, mask.data(), max_nodes + 1, 0) == 0 ? 0 : errno;
  }
};

}  // namespace

PageSystem& live_page_system() noexcept {
  static LivePageSystem system;
  return system;
}

namespace {

bool several_nodes() {
  static const bool several = read_node_table("").usable().size() > 1;
  return several;
}

}  // namespace

bool prefer_node_of_this_thread(void* begin, std::size_t bytes) noexcept {
  if (!several_nodes()) return false;
  PageSystem& system = live_page_system();
  const int node = system.node_here();
  return node >= 0 &&
         system.prefer(begin, (bytes + page_bytes() - 1) / page_bytes() * page_bytes(), node) == 0;
}

}  // namespace taihu::memory

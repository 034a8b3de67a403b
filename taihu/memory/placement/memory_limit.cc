// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/placement/memory_limit.h"

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace taihu::memory {
namespace {

/// The least number in the files of this name from the group's folder up to the mounted one. A container sees
/// the path of its group but mounts that as the top: folders that are not there have no say.
std::size_t least_upwards(const std::string& mounted, std::string group, const char* name) {
  std::size_t least = SIZE_MAX;
  for (;;) {
    std::ifstream file(mounted + group + "/" + name);
    std::size_t bytes = 0;
    if (file >> bytes) least = std::min(least, bytes);  // "max" is not a number
    if (group.empty()) return least;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

bool names_memory(const std::string& controllers) {
  return ("," + controllers + ",").find(",memory,") != std::string::npos;
}

}  // namespace

std::size_t memory_limit(const std::string& root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  std::size_t least = SIZE_MAX;
  for (std::string line; std::getline(groups, line);) {  // number:controllers:path
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1),
                      path = line.substr(second + 1);
    if (controllers.empty())
      least = std::min(least, least_upwards(root + "/sys/fs/cgroup", path, "memory.max"));
    else if (names_memory(controllers))
      least = std::min(least, least_upwards(root + "/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"));
  }
  return least;
}

}  // namespace taihu::memory

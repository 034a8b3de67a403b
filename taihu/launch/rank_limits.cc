// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/rank_limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <optional>

#include "taihu/base/error.h"

namespace taihu::launch {
namespace {

// What a rank of a small program needs, measured with 500 to 2,000 ranks: two mappings for its stack, five
// for its image of the program, and two pointers to a channel for each other rank.
constexpr long mappings_of_rank = 7, other_mappings = 100;
constexpr double bytes_of_rank = 160 << 10, bytes_of_pair = 16;

/// The first number of a file; empty when the file has none ("max").
std::optional<double> number_in(const std::string& path) {
  std::ifstream file(path);
  double number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

std::optional<double> memory_bytes(const std::string& root) {
  std::ifstream file(root + "/proc/meminfo");
  std::string key;
  double kilobytes = 0;
  if (file >> key >> kilobytes && key == "MemTotal:") return kilobytes * 1024;
  return std::nullopt;
}

struct GroupSetting {
  std::string path;
  double value;
};

/// The lowest setting of the control groups that this process is in, of version 2 or 1.
std::optional<GroupSetting> group_setting(const std::string& root, const std::string& controller,
                                          const std::string& file_2, const std::string& file_1) {
  std::optional<GroupSetting> lowest;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool is_2 = controllers == ",,";
    if (!is_2 && controllers.find("," + controller + ",") == controllers.npos) continue;
    const std::string top = is_2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controller;
    for (std::string path = line.substr(second + 1);; path.erase(path.rfind('/'))) {
      const std::string file = top + (path == "/" ? "" : path) + "/" + (is_2 ? file_2 : file_1);
      const std::optional<double> value = number_in(root + file);
      if (value && (!lowest || *value < lowest->value)) lowest = {file, *value};
      if (path.find('/') == path.npos) break;
    }
  }
  return lowest;
}

std::string whole(double number) {
  return std::to_string(static_cast<long long>(number));
}

void add_threads(std::vector<RankLimit>& limits, const std::string& root) {
  const auto add = [&](double threads, const std::string& reason) {
    limits.push_back(
        {static_cast<long>(threads), RankLimit::Of::node, reason + " allows " + whole(threads) + " threads"});
  };
  for (const char* name : {"threads-max", "pid_max"})
    if (const auto value = number_in(root + "/proc/sys/kernel/" + name))
      add(*value, std::string("kernel.") + name);
  if (const auto group = group_setting(root, "pids", "pids.max", "pids.max")) add(group->value, group->path);
  rlimit of_user{};
  if (root.empty() && geteuid() != 0 && getrlimit(RLIMIT_NPROC, &of_user) == 0 &&
      of_user.rlim_cur != RLIM_INFINITY)
    add(static_cast<double>(of_user.rlim_cur), "ulimit -u");
}

void add_memory(std::vector<RankLimit>& limits, const std::string& root) {
  const auto add = [&](double bytes, const std::string& reason) {
    // n ranks take n bytes_of_rank + n^2 bytes_of_pair.
    const double ranks =
        (std::sqrt(bytes_of_rank * bytes_of_rank + 4 * bytes_of_pair * bytes) - bytes_of_rank) /
        (2 * bytes_of_pair);
    limits.push_back(
        {static_cast<long>(ranks), RankLimit::Of::node, reason + " is " + whole(bytes / (1 << 20)) + " MiB"});
  };
  if (const auto bytes = memory_bytes(root)) add(*bytes, "the memory of the machine");
  if (const auto group = group_setting(root, "memory", "memory.max", "memory.limit_in_bytes"))
    add(group->value, group->path);
}

}  // namespace

std::vector<RankLimit> rank_limits(const std::string& root) {
  std::vector<RankLimit> limits;
  add_threads(limits, root);
  add_memory(limits, root);
  if (const auto mappings = number_in(root + "/proc/sys/vm/max_map_count"))
    limits.push_back({(static_cast<long>(*mappings) - other_mappings) / mappings_of_rank,
                      RankLimit::Of::node_process,
                      "vm.max_map_count is " + whole(*mappings) + ", and a rank has at least " +
                          std::to_string(mappings_of_rank) + " mappings"});
  return limits;
}

void check_rank_limits(const std::vector<RankLimit>& limits, int ranks, int nodes, int processes) {
  const RankLimit* lowest = nullptr;
  long most = 0;  // ranks of the job
  for (const RankLimit& limit : limits) {
    const long all = limit.ranks * nodes * (limit.of == RankLimit::Of::node_process ? processes : 1);
    if (lowest == nullptr || all < most) {
      lowest = &limit;
      most = all;
    }
  }
  if (lowest == nullptr || ranks <= most) return;
  const bool in_process = lowest->of == RankLimit::Of::node_process;
  throw UsageError("-n " + std::to_string(ranks) + ": at most " + std::to_string(most) + " ranks fit (" +
                   lowest->reason + "); lower -n, " +
                   (in_process ? "raise --processes-per-node" : "use more nodes") + " or raise the limit");
}

}  // namespace taihu::launch

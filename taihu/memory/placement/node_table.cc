// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/placement/node_table.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace taihu::memory {
namespace {

constexpr int most_numbers = 1 << 16;  // a list that names more is damaged

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::vector<int> parse_distances(const std::string& text) {
  std::istringstream words(text);
  std::vector<int> distances;
  for (int distance; words >> distance;) distances.push_back(distance);
  return distances;
}

/// The nodes that the cpuset of this process allows; empty when the kernel does not say.
std::vector<int> allowed_nodes(const std::string& root) {
  std::ifstream status(root + "/proc/self/status");
  const std::string key = "Mems_allowed_list:";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key))
      return parse_number_list(line.substr(line.find_first_not_of(" \t", key.size())));
  return {};
}

bool contains(const std::vector<int>& numbers, int number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

}  // namespace

std::vector<int> parse_number_list(const std::string& text) {
  std::vector<int> numbers;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    int first = 0, last = 0;
    char dash = 0;
    std::istringstream range(word);
    if (!(range >> first) || first < 0) return {};
    if (!(range >> dash))
      last = first;
    else if (dash != '-' || !(range >> last))
      return {};
    if (last < first || last - first >= most_numbers) return {};
    for (int number = first; number <= last; ++number) numbers.push_back(number);
  }
  return numbers;
}

const MemoryNode* NodeTable::find(int number) const noexcept {
  for (const MemoryNode& node : nodes)
    if (node.number == number) return &node;
  return nullptr;
}

int NodeTable::home_of(int number) const noexcept {
  const MemoryNode* from = find(number);
  if (from != nullptr && from->usable) return number;
  int best = -1, best_distance = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].usable) continue;
    const int distance = from != nullptr && i < from->distances.size() ? from->distances[i] : 0;
    if (best != -1 && distance >= best_distance) continue;
    best = nodes[i].number;
    best_distance = distance;
  }
  return best;
}

std::vector<int> NodeTable::usable() const {
  std::vector<int> numbers;
  for (const MemoryNode& node : nodes)
    if (node.usable) numbers.push_back(node.number);
  return numbers;
}

NodeTable read_node_table(const std::string& root) {
  NodeTable table;
  const std::string folder = root + "/sys/devices/system/node/";
  const std::vector<int> online = parse_number_list(first_line(folder + "online"));
  const std::vector<int> with_memory = parse_number_list(first_line(folder + "has_memory"));
  const std::vector<int> allowed = allowed_nodes(root);
  for (int number : online) {
    const std::string place = folder + "node" + std::to_string(number) + "/";
    MemoryNode node{number, true, parse_number_list(first_line(place + "cpulist")),
                    parse_distances(first_line(place + "distance"))};
    if (!with_memory.empty() && !contains(with_memory, number)) {
      node.usable = false;
      table.notes.push_back("node " + std::to_string(number) + " has no memory");
    } else if (!allowed.empty() && !contains(allowed, number)) {
      node.usable = false;
      table.notes.push_back("node " + std::to_string(number) + " is not allowed to this process (cpuset)");
    }
    table.nodes.push_back(std::move(node));
  }
  if (table.nodes.empty()) {
    table.nodes.push_back({0, true, {}, {}});
    table.notes.push_back("the kernel lists no memory nodes in " + folder);
  }
  if (table.usable().empty()) {
    for (MemoryNode& node : table.nodes) node.usable = true;
    table.notes.push_back("no node is both allowed and has memory: all count as usable");
  }
  return table;
}

}  // namespace taihu::memory

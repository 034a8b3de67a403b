// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/layout.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "taihu/base/error.h"

namespace taihu::launch {
namespace {

/// The ranks [first, last) of neighbouring processes on one node or under one switch.
struct Run {
  int first = 0;
  int last = 0;
  const Host* host = nullptr;
  int ranks() const { return last - first; }
};

template <typename Same>
std::vector<Run> runs_of(const Layout& layout, const std::vector<Host>& hosts, const Same& same) {
  std::vector<Run> runs;
  for (int process = 0; process < layout.processes; ++process) {
    const int first = layout.first_rank[process], last = layout.first_rank[process + 1];
    if (!runs.empty() && same(*runs.back().host, hosts[process]))
      runs.back().last = last;
    else
      runs.push_back({first, last, &hosts[process]});
  }
  return runs;
}

void deal_ranks(Layout& layout) {
  const int share = layout.ranks / layout.processes, extra = layout.ranks % layout.processes;
  layout.first_rank.assign(1, 0);
  for (int process = 0; process < layout.processes; ++process)
    layout.first_rank.push_back(layout.first_rank.back() + share + (process < extra ? 1 : 0));
}

void number_nodes(Layout& layout, const std::vector<Host>& hosts) {
  std::map<std::string, int> index;
  for (const Host& host : hosts) {
    const auto [entry, is_new] = index.emplace(host.name, static_cast<int>(index.size()));
    if (is_new) layout.node_names.push_back(host.name);
    layout.node_of_process.push_back(entry->second);
  }
}

/// The largest size whose blocks never cross the border between two of the runs.
int common_divisor(const std::vector<Run>& runs) {
  int divisor = 0;
  for (const Run& run : runs) divisor = std::gcd(divisor, run.ranks());
  return divisor;
}

/// The same for the NUMA nodes of each node. Ranks are dealt to them as evenly as to processes.
int numa_divisor(const std::vector<Run>& nodes) {
  int divisor = 0;
  for (const Run& run : nodes) {
    const int numa_nodes = std::max(1, run.host->numa_nodes);
    divisor = std::gcd(divisor, run.ranks() / numa_nodes);
    if (run.ranks() % numa_nodes != 0) divisor = std::gcd(divisor, run.ranks() / numa_nodes + 1);
  }
  return divisor;
}

[[noreturn]] void refuse(const std::string& inner, int inner_size, const std::string& outer, int outer_size,
                         const std::string& remedy) {
  throw UsageError(inner + " of " + std::to_string(inner_size) + " does not divide " + outer + " of " +
                   std::to_string(outer_size) + " ranks; " + remedy);
}

void expect_division(const std::string& inner, int inner_size, const std::string& outer, int outer_size) {
  if (outer_size % inner_size != 0)
    refuse(inner, inner_size, outer, outer_size, "scope sizes nest: node, big node, supernode, all ranks");
}

void refuse_negative(const ScopeSizes& wanted) {
  for (auto [name, size] :
       {std::pair{"--snode", wanted.snode}, {"--bnode", wanted.bnode}, {"--node", wanted.node}})
    if (size < 0) throw UsageError(std::string(name) + " must be at least 1");
}

void choose_big_node(ScopeSizes& sizes, const std::vector<Run>& nodes) {
  if (sizes.bnode != 0) {
    for (const Run& node : nodes)
      if (node.ranks() % sizes.bnode != 0)
        refuse("--bnode", sizes.bnode, "node " + node.host->name, node.ranks(),
               "a big node lies inside one node");
    return;
  }
  int size = common_divisor(nodes);
  if (sizes.snode != 0) size = std::gcd(size, sizes.snode);
  if (sizes.node != 0) expect_division("--node", sizes.node, "the big node", size);
  sizes.bnode = size;
}

void choose_supernode(ScopeSizes& sizes, const Layout& layout, const std::vector<Host>& hosts) {
  if (sizes.snode != 0) return;
  const bool known =
      std::none_of(hosts.begin(), hosts.end(), [](const Host& h) { return h.network_position.empty(); });
  const auto leaves = runs_of(
      layout, hosts, [](const Host& a, const Host& b) { return a.network_position == b.network_position; });
  const int size = known ? common_divisor(leaves) : layout.ranks;
  // If processes of one node name different leaf switches, no leaf contains the whole big node.
  sizes.snode = size % sizes.bnode == 0 ? size : layout.ranks;
}

}  // namespace

int Layout::process_of(int rank) const noexcept {
  const auto next = std::upper_bound(first_rank.begin(), first_rank.end(), rank);
  return static_cast<int>(next - first_rank.begin()) - 1;
}

int Layout::size(Scope scope) const noexcept {
  switch (scope) {
    case Scope::snode:
      return sizes.snode;
    case Scope::bnode:
      return sizes.bnode;
    case Scope::node:
      return sizes.node;
    case Scope::all:
      break;
  }
  return ranks;
}

Layout make_layout(int ranks, const std::vector<Host>& hosts, ScopeSizes wanted) {
  Layout layout;
  layout.ranks = ranks;
  layout.processes = static_cast<int>(hosts.size());
  if (hosts.empty()) throw UsageError("a job needs at least one node process");
  if (ranks < layout.processes)
    throw UsageError(std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") + " cannot fill " +
                     std::to_string(layout.processes) +
                     " node processes; ask for more ranks with -n, or for fewer nodes");
  refuse_negative(wanted);
  deal_ranks(layout);
  number_nodes(layout, hosts);

  const auto nodes = runs_of(layout, hosts, [](const Host& a, const Host& b) { return a.name == b.name; });
  layout.sizes = wanted;
  choose_big_node(layout.sizes, nodes);
  if (layout.sizes.node == 0) layout.sizes.node = std::gcd(layout.sizes.bnode, numa_divisor(nodes));
  choose_supernode(layout.sizes, layout, hosts);

  expect_division("--node", layout.sizes.node, "the big node", layout.sizes.bnode);
  expect_division("--bnode", layout.sizes.bnode, "the supernode", layout.sizes.snode);
  expect_division("--snode", layout.sizes.snode, "the job", ranks);
  return layout;
}

void add_spare_ranks(Layout& layout, int count) {
  layout.ranks += count;
  layout.spare_ranks = count;
  layout.first_rank.back() += count;
}

}  // namespace taihu::launch

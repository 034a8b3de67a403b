// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/binding.h"

#include <algorithm>
#include <sstream>

#include "taihu/base/error.h"

namespace taihu::launch {
namespace {

using topology::Core;
using topology::CpuSet;
using topology::Machine;

/// The cores to use, in their order: on hybrid processors only the fast ones when they suffice.
std::vector<Core> useful_cores(const Machine& machine, int threads) {
  if (!machine.hybrid()) return machine.cores;
  int fastest = 0;
  for (const Core& core : machine.cores) fastest = std::max(fastest, core.efficiency);
  std::vector<Core> fast;
  for (const Core& core : machine.cores)
    if (core.efficiency == fastest) fast.push_back(core);
  return static_cast<int>(fast.size()) >= threads ? fast : machine.cores;
}

/// NUMA nodes that have cores, with the cpus of those cores.
struct Domain {
  int numa_node = 0;
  CpuSet cpus;
};

std::vector<Domain> domains_of(const Machine& machine) {
  std::vector<Domain> domains;
  for (const Core& core : machine.cores) {
    auto found = std::find_if(domains.begin(), domains.end(),
                              [&core](const Domain& domain) { return domain.numa_node == core.numa_node; });
    if (found == domains.end()) found = domains.insert(domains.end(), {core.numa_node, {}});
    found->cpus.insert(core.cpus);
  }
  return domains;
}

/// Place `index` of `count` evenly spread over `places`.
std::size_t spread(long index, long count, std::size_t places) {
  return static_cast<std::size_t>(index * static_cast<long>(places) / count);
}

RankBinding bind_to_cores(const std::vector<Core>& cores, int rank, int node_ranks, int threads) {
  RankBinding binding;
  for (int thread = 0; thread < threads; ++thread) {
    const long worker = static_cast<long>(rank) * threads + thread;
    const Core& core = cores[spread(worker, static_cast<long>(node_ranks) * threads, cores.size())];
    if (thread == 0) binding.numa_node = core.numa_node;
    binding.cpus.insert(core.cpus);
    binding.threads.push_back(core.cpus);
  }
  return binding;
}

/// Ranks are dealt to NUMA nodes as they are to processes: contiguous, the first ones get one more.
RankBinding bind_to_domain(const std::vector<Domain>& domains, int rank, int node_ranks, int threads) {
  const int count = static_cast<int>(domains.size());
  const int share = node_ranks / count, extra = node_ranks % count;
  const int index =
      rank < extra * (share + 1) ? rank / (share + 1) : extra + (rank - extra * (share + 1)) / share;
  const Domain& domain = domains[index];
  return {domain.cpus, std::vector<CpuSet>(threads, domain.cpus), domain.numa_node};
}

BindPolicy choose_policy(const Machine& machine, int node_ranks, long workers) {
  if (workers <= static_cast<long>(machine.cores.size())) return BindPolicy::core;
  const int domains = machine.numa_nodes_with_cpus();
  return domains > 1 && node_ranks % domains == 0 ? BindPolicy::numa : BindPolicy::none;
}

}  // namespace

BindPolicy parse_bind_policy(const std::string& text) {
  for (BindPolicy policy : {BindPolicy::automatic, BindPolicy::core, BindPolicy::numa, BindPolicy::none})
    if (to_text(policy) == text) return policy;
  throw UsageError("unknown binding '" + text + "'; use core, numa, none or auto");
}

std::string to_text(BindPolicy policy) {
  switch (policy) {
    case BindPolicy::core:
      return "core";
    case BindPolicy::numa:
      return "numa";
    case BindPolicy::none:
      return "none";
    case BindPolicy::automatic:
      break;
  }
  return "auto";
}

int choose_threads(const Machine& machine, int node_ranks, int wanted) noexcept {
  return wanted > 0 ? wanted : std::max(1, static_cast<int>(machine.cores.size()) / std::max(1, node_ranks));
}

Binding plan_binding(const Machine& machine, const NodeShare& share, int threads, BindPolicy policy) {
  const long workers = static_cast<long>(share.node_ranks) * threads;
  if (policy == BindPolicy::automatic) policy = choose_policy(machine, share.node_ranks, workers);
  const long cores = static_cast<long>(machine.cores.size());
  if (policy == BindPolicy::core && workers > cores)
    throw UsageError("binding to cores needs " + std::to_string(workers) + " cores for " +
                     std::to_string(share.node_ranks) + " ranks of " + std::to_string(threads) +
                     " threads, this node has " + std::to_string(cores) + "; use --bind numa or --bind none");
  const std::vector<Core> useful = useful_cores(machine, static_cast<int>(std::min(workers, cores)));
  const std::vector<Domain> domains = domains_of(machine);
  Binding binding;
  binding.policy = policy;
  for (int rank = share.first; rank < share.first + share.ranks; ++rank) {
    if (policy == BindPolicy::core)
      binding.ranks.push_back(bind_to_cores(useful, rank, share.node_ranks, threads));
    else if (policy == BindPolicy::numa)
      binding.ranks.push_back(bind_to_domain(domains, rank, share.node_ranks, threads));
    else
      binding.ranks.push_back({{}, std::vector<CpuSet>(threads), -1});
  }
  return binding;
}

std::string report(const Binding& binding, const Machine& machine, const std::string& host, int first_rank) {
  std::ostringstream text;
  for (std::size_t i = 0; i < binding.ranks.size(); ++i) {
    const RankBinding& rank = binding.ranks[i];
    text << "rank " << first_rank + static_cast<int>(i) << " on " << host << ": ";
    if (rank.cpus.empty()) {
      text << "not bound (cpus " << machine.cpus.to_text() << "), " << rank.threads.size()
           << (rank.threads.size() == 1 ? " thread\n" : " threads\n");
      continue;
    }
    text << to_text(binding.policy) << ", cpus " << rank.cpus.to_text() << ", NUMA node "
         << machine.numa_nodes[rank.numa_node].os_index << ", threads";
    for (const CpuSet& cpus : rank.threads) text << " [" << cpus.to_text() << "]";
    text << '\n';
  }
  return text.str();
}

}  // namespace taihu::launch

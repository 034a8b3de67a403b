// SPDX-License-Identifier: Apache-2.0
// The forms that a choice by network knows (collective_choice.h), each for all payloads. `order` is that in
// which members take part.
#pragma once

#include <memory>
#include <vector>

#include "taihu/schedule/collective_choice.h"

namespace taihu::schedule::forms {

using Order = std::shared_ptr<const std::vector<int>>;

/// ceil(log2 n).
int levels_of(int members) noexcept;

CollectiveForm bcast_binomial(std::string name, Order order);
/// `ring`: the allgather that follows the scatter; its rounds count where latency does not.
CollectiveForm bcast_scatter_ring(std::string name, Order order);
CollectiveForm bcast_scatter_doubling(std::string name, Order order);
CollectiveForm bcast_scatter_exchange(int members);
CollectiveForm bcast_chain(std::string name, Order order, int segments);

CollectiveForm allgather_ring(std::string name, Order order);
CollectiveForm allgather_bruck(int members);
CollectiveForm allgather_all_at_once(int members);
CollectiveForm allgather_far_first(std::string name, Order order);
/// For an even number of members.
CollectiveForm allgather_neighbours(std::string name, Order order);

CollectiveForm allreduce_doubling(std::string name, Order order);
CollectiveForm allreduce_halving(std::string name, Order order);
CollectiveForm allreduce_ring(std::string name, Order order);
/// A reduction to the first member, then a broadcast.
CollectiveForm allreduce_by_root(int members);

CollectiveForm reduce_scatter_all_at_once(int members);
CollectiveForm reduce_scatter_pairwise(int members);
CollectiveForm reduce_scatter_ring(std::string name, Order order);
CollectiveForm reduce_scatter_halving(std::string name, Order order);

}  // namespace taihu::schedule::forms

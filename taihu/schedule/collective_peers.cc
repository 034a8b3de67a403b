// SPDX-License-Identifier: Apache-2.0
// What other MPI libraries take for bcast, allgather, allreduce and reduce_scatter: their thresholds as data.
#include <bit>
#include <memory>
#include <span>

#include "taihu/schedule/collective_forms.h"
#include "taihu/schedule/collectives_in_order.h"
#include "taihu/schedule/exchange_rounds.h"

namespace taihu::schedule {

namespace {

enum class PeerForm {
  tree,
  scatter_doubling,
  scatter_ring,
  bruck,
  neighbours,
  ring,
  by_root,
  doubling,
  halving,
  near_halving,
  pairwise
};

/// For fewer members and fewer bytes than these.
struct PeerRule {
  int members_below;
  std::size_t bytes_below;
  PeerForm form;
};
constexpr int all_members = 1 << 30;
constexpr std::size_t all_bytes = static_cast<std::size_t>(-1);

// coll_tuned_decision_fixed.c of Open MPI 4.1 and 5.0. `bytes`: of bcast and allreduce the buffer, of
// allgather a block, of reduce_scatter all blocks. Its butterfly halves between near ranks first.
using enum PeerForm;
constexpr PeerRule openmpi_bcast[] = {{2048, 524288, tree},
                                      {4096, 262144, tree},
                                      {4096, all_bytes, scatter_doubling},
                                      {all_members, 262144, tree},
                                      {all_members, all_bytes, scatter_doubling}};
constexpr PeerRule openmpi_allgather[] = {{all_members, 4096, bruck}, {all_members, all_bytes, neighbours}};
constexpr PeerRule openmpi_allreduce[] = {
    {all_members, 2048, by_root}, {2048, 16384, doubling},        {2048, all_bytes, halving},
    {4096, 4096, ring},           {4096, 16384, doubling},        {4096, all_bytes, halving},
    {all_members, 16384, ring},   {all_members, 32768, doubling}, {all_members, all_bytes, halving}};
constexpr PeerRule openmpi_reduce_scatter[] = {
    {4096, 4096, halving}, {all_members, 8192, halving}, {all_members, all_bytes, near_halving}};

// Of MPICH 4: MPIR_CVAR_BCAST_SHORT_MSG_SIZE and _LONG_MSG_SIZE, _ALLREDUCE_SHORT_MSG_SIZE,
// _ALLGATHER_SHORT_MSG_SIZE and _LONG_MSG_SIZE, _REDUCE_SCATTER_COMMUTATIVE_LONG_MSG_SIZE, for a power of two
// of members; other numbers below. `bytes`: of allgather and reduce_scatter all blocks.
constexpr PeerRule mpich_bcast[] = {{8, all_bytes, tree},
                                    {all_members, 12288, tree},
                                    {all_members, 524288, scatter_doubling},
                                    {all_members, all_bytes, scatter_ring}};
constexpr PeerRule mpich_allgather[] = {{all_members, 524288, bruck}, {all_members, all_bytes, ring}};
constexpr PeerRule mpich_allreduce[] = {{all_members, 2049, doubling}, {all_members, all_bytes, halving}};
constexpr PeerRule mpich_reduce_scatter[] = {{all_members, 524288, halving},
                                             {all_members, all_bytes, pairwise}};

PeerForm find_rule(std::span<const PeerRule> rules, int members, std::size_t bytes) {
  for (const PeerRule& rule : rules)
    if (members < rule.members_below && (bytes < rule.bytes_below || rule.bytes_below == all_bytes))
      return rule.form;
  return rules.back().form;
}

CollectiveForm form_of(Collective collective, PeerForm form, int members) {
  const auto order = std::make_shared<const std::vector<int>>(plain_order(members));
  const auto near = std::make_shared<const std::vector<int>>(near_first(*order));
  switch (form) {
    case tree:
      return forms::bcast_binomial("tree", order);
    case scatter_doubling: {
      // Doubling from near ranks to far ones: the order that makes the opposite of it is undone.
      return forms::bcast_scatter_doubling("scatter and doubling", near);
    }
    case scatter_ring:
      return forms::bcast_scatter_ring("scatter and ring", order);
    case bruck:
      return forms::allgather_bruck(members);
    case neighbours:
      return members % 2 == 0 ? forms::allgather_neighbours("exchange with neighbours", order)
                              : forms::allgather_ring("ring", order);
    case ring:
      return collective == Collective::allreduce ? forms::allreduce_ring("ring", order)
                                                 : forms::allgather_ring("ring", order);
    case by_root:
      return forms::allreduce_by_root(members);
    case doubling:
      return forms::allreduce_doubling("doubling", order);
    case halving:
      // Both libraries: an allreduce halves between near ranks first, a reduce_scatter between far ones.
      return collective == Collective::allreduce ? forms::allreduce_halving("halving, near ranks first", near)
                                                 : forms::reduce_scatter_halving("halving", order);
    case near_halving:
      return forms::reduce_scatter_halving("halving, near ranks first", near);
    case pairwise:
      break;
  }
  return forms::reduce_scatter_pairwise(members);
}

}  // namespace

CollectiveForm openmpi_form(Collective collective, int members, std::size_t bytes) {
  std::span<const PeerRule> rules = openmpi_bcast;
  if (collective == Collective::allgather) rules = openmpi_allgather;
  if (collective == Collective::allreduce) rules = openmpi_allreduce;
  if (collective == Collective::reduce_scatter) {
    rules = openmpi_reduce_scatter;
    bytes *= index(members);
  }
  return form_of(collective, find_rule(rules, members, bytes), members);
}

CollectiveForm mpich_form(Collective collective, int members, std::size_t bytes) {
  const bool is_power = std::has_single_bit(static_cast<unsigned>(members));
  std::span<const PeerRule> rules = mpich_bcast;
  if (collective == Collective::allreduce) rules = mpich_allreduce;
  if (collective == Collective::allgather) rules = mpich_allgather;
  if (collective == Collective::reduce_scatter) rules = mpich_reduce_scatter;
  if (collective == Collective::allgather || collective == Collective::reduce_scatter)
    bytes *= index(members);
  constexpr std::size_t short_allgather_bytes = 81920;
  if (!is_power && collective == Collective::allgather)
    return form_of(collective, bytes < short_allgather_bytes ? bruck : ring, members);
  const PeerForm form = find_rule(rules, members, bytes);
  return form_of(collective, !is_power && form == scatter_doubling ? scatter_ring : form, members);
}

}  // namespace taihu::schedule

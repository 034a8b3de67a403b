// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/plain_choice.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "taihu/schedule/collective_forms.h"
#include "taihu/schedule/collectives_in_order.h"
#include "taihu/schedule/exchange_rounds.h"

namespace taihu::schedule {

namespace {

/// The lengths are those of so few members; more have a ring from as many bytes for each of them.
constexpr std::size_t measured_members = 4;
/// A power of two of members halves without a remainder, which moves no more bytes than a ring: in
/// simulations of 256 members it is 1.3 times as fast at 16 KiB for each, and the ring begins to win at 256
/// KiB. With 200 members, which halve in 1.3 times the ring's time, 16 KiB are right.
constexpr std::size_t later_for_powers = 16;
/// From so many members on, what takes log2 n rounds with a part of the buffer in each is worth it earlier:
/// the other short forms move the whole buffer log2 n times.
constexpr int many_members = 16;
constexpr std::size_t earlier = 4;
/// Of many members shorter blocks are combined on the way: n messages cost more than copying all blocks.
constexpr std::size_t short_scattered_block = 2 << 10;

/// Three forms for short, long, and what is long for each member.
struct ThreeForms {
  PlainForm for_short, for_long, for_long_parts;
};

PlainRange one_of_three(const ThreeForms& forms, std::size_t bytes, std::size_t long_from,
                        std::size_t ring_from) noexcept {
  if (bytes < std::min(long_from, ring_from))
    return {forms.for_short, 0, std::min(long_from, ring_from) - 1, "short"};
  if (bytes < ring_from)
    return {forms.for_long, long_from, ring_from - 1, "long, but not for each node process"};
  return {forms.for_long_parts, ring_from, PlainRange::no_end, "long for each node process"};
}

/// Of a buffer that all have, by the length that is long for a few members.
PlainRange of_buffer(const ThreeForms& forms, int members, std::size_t bytes, std::size_t length) noexcept {
  const std::size_t long_from = members >= many_members ? length / earlier : length;
  const bool is_power = std::has_single_bit(index(members)) && index(members) > measured_members;
  const std::size_t parts = std::max(measured_members, index(members)) * (is_power ? later_for_powers : 1);
  return one_of_three(forms, bytes, long_from, length / measured_members * parts);
}

}  // namespace

PlainRange plain_range(Collective collective, int members, std::size_t bytes,
                       const LongBytes& lengths) noexcept {
  using enum PlainForm;
  const std::size_t n = index(members);
  switch (collective) {
    case Collective::bcast:
      if (members < 3) return {tree, 0, PlainRange::no_end, "two node processes"};
      return of_buffer({tree, scatter_doubling, scatter_ring}, members, bytes, lengths.bcast);
    case Collective::allgather:
      return one_of_three({bruck, halving_distances, ring}, bytes, (lengths.allgather + n - 1) / n,
                          lengths.allgather / std::min(n, measured_members));
    case Collective::allreduce:
      return of_buffer({doubling, halving, ring}, members, bytes, lengths.allreduce);
    case Collective::reduce_scatter:
      break;
  }
  if (members < many_members) return {all_at_once, 0, PlainRange::no_end, "few node processes"};
  if (bytes < short_scattered_block) return {halving, 0, short_scattered_block - 1, "short blocks"};
  return {all_at_once, short_scattered_block, PlainRange::no_end, "long blocks"};
}

CollectiveForm plain_form(Collective collective, PlainForm form, int members) {
  const auto order = std::make_shared<const std::vector<int>>(plain_order(members));
  const auto near = [&] { return std::make_shared<const std::vector<int>>(near_first(*order)); };
  switch (form) {
    case PlainForm::tree:
      return forms::bcast_binomial("tree", order);
    case PlainForm::scatter_doubling:
      return forms::bcast_scatter_doubling("scatter and doubling, near ranks last", order);
    case PlainForm::scatter_ring:
      return forms::bcast_scatter_ring("scatter and ring", order);
    case PlainForm::bruck:
      return forms::allgather_bruck(members);
    case PlainForm::halving_distances:
      return forms::allgather_far_first("halving distances", order);
    case PlainForm::ring:
      return collective == Collective::allgather ? forms::allgather_ring("ring", order)
                                                 : forms::allreduce_ring("ring", order);
    case PlainForm::doubling:
      return forms::allreduce_doubling("doubling", order);
    case PlainForm::halving:
      return collective == Collective::allreduce
                 ? forms::allreduce_halving("halving, near ranks first", near())
                 : forms::reduce_scatter_halving("halving, near ranks first", near());
    case PlainForm::all_at_once:
      break;
  }
  return forms::reduce_scatter_all_at_once(members);
}

CollectiveForm plain_form(Collective collective, int members, std::size_t bytes, const LongBytes& lengths) {
  return plain_form(collective, plain_range(collective, members, bytes, lengths).form, members);
}

}  // namespace taihu::schedule

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
/// Of 40 ranks on 2 cores, in one and in four node processes, an allgather in the background is as fast or
/// faster by a ring from 64 KiB on.
constexpr std::size_t later_in_background = 4;
/// From so many members on, what takes log2 n rounds with a part of the buffer in each is worth it earlier:
/// the other short forms move the whole buffer log2 n times.
constexpr int many_members = 16;
constexpr std::size_t earlier = 4;
/// Of many members shorter blocks are combined on the way: n messages cost more than copying all blocks.
constexpr std::size_t short_scattered_block = 2 << 10;
/// In the background up to so many members exchange all blocks in one round, so many messages under way
/// together.
constexpr int most_at_once = 32;
/// There blocks travel together from so many members on, and a broadcast is not divided up to so many.
constexpr int least_together = 8;
constexpr int most_undivided = 4;

/// Three forms for short, long, and what is long for each member.
struct ThreeForms {
  PlainForm for_short, for_long, for_long_parts;
};

PlainRange one_of_three(const ThreeForms& forms, std::size_t bytes, std::size_t long_from,
                        std::size_t ring_from) noexcept {
  if (bytes < std::min(long_from, ring_from))
    return {forms.for_short, 0, std::min(long_from, ring_from) - 1, "short"};
  if (bytes < ring_from) return {forms.for_long, long_from, ring_from - 1, "long, but not for each"};
  return {forms.for_long_parts, ring_from, PlainRange::no_end, "long for each"};
}

PlainRange one_of_two(PlainForm for_short, PlainForm for_long, std::size_t bytes,
                      std::size_t long_from) noexcept {
  if (bytes < long_from) return {for_short, 0, long_from - 1, "short"};
  return {for_long, long_from, PlainRange::no_end, "long"};
}

/// `length` times `factor`, which may be more than there are numbers for.
std::size_t times(std::size_t length, std::size_t factor) noexcept {
  return length > PlainRange::no_end / factor ? PlainRange::no_end : length * factor;
}

/// Of a buffer that all have, by the length that is long for a few members.
PlainRange of_buffer(const ThreeForms& forms, int members, std::size_t bytes, std::size_t length,
                     std::size_t ring_later) noexcept {
  const std::size_t long_from = members >= many_members ? length / earlier : length;
  const bool is_power = std::has_single_bit(index(members)) && index(members) > measured_members;
  const std::size_t parts =
      std::max(measured_members, index(members)) * (is_power ? later_for_powers : ring_later);
  return one_of_three(forms, bytes, long_from, times(length / measured_members, parts));
}

/// In the background, of up to `most_at_once`.
PlainRange of_few_in_the_background(Collective collective, int members, std::size_t bytes,
                                    const LongBytes& lengths) noexcept {
  using enum PlainForm;
  switch (collective) {
    case Collective::bcast:
      if (members <= most_undivided) return {tree, 0, PlainRange::no_end, "few"};
      return one_of_two(tree, scatter_exchange, bytes, lengths.bcast);
    case Collective::allgather:
      if (members < least_together) return {all_at_once, 0, PlainRange::no_end, "few"};
      return one_of_two(bruck, all_at_once, bytes, lengths.allgather / earlier / index(members) + 1);
    case Collective::allreduce:
      if (members <= 2) return {doubling, 0, PlainRange::no_end, "two"};
      return one_of_two(doubling, halving, bytes, lengths.allreduce / earlier);
    case Collective::reduce_scatter:
      break;
  }
  return {all_at_once, 0, PlainRange::no_end, "few"};
}

}  // namespace

PlainRange plain_range(Collective collective, int members, std::size_t bytes, const LongBytes& lengths,
                       Progress progress) noexcept {
  using enum PlainForm;
  const bool is_background = progress == Progress::in_the_background;
  if (is_background && members <= most_at_once)
    return of_few_in_the_background(collective, members, bytes, lengths);
  const std::size_t ring_later = is_background ? later_in_background : 1;
  const std::size_t n = index(members);
  switch (collective) {
    case Collective::bcast:
      if (members < 3) return {tree, 0, PlainRange::no_end, "two"};
      return of_buffer({tree, scatter_doubling, scatter_ring}, members, bytes, lengths.bcast, ring_later);
    case Collective::allgather:
      return one_of_three({bruck, halving_distances, ring}, bytes,
                          lengths.allgather / n + (lengths.allgather % n != 0),
                          times(lengths.allgather / std::min(n, measured_members), ring_later));
    case Collective::allreduce:
      return of_buffer({doubling, halving, ring}, members, bytes, lengths.allreduce, ring_later);
    case Collective::reduce_scatter:
      break;
  }
  if (members < many_members) return {all_at_once, 0, PlainRange::no_end, "few"};
  if (bytes < short_scattered_block) return {halving, 0, short_scattered_block - 1, "short blocks"};
  return {all_at_once, short_scattered_block, PlainRange::no_end, "long blocks"};
}

CollectiveForm plain_form(Collective collective, PlainForm form, int members) {
  const auto order = std::make_shared<const std::vector<int>>(plain_order(members));
  const auto near = [&] { return std::make_shared<const std::vector<int>>(near_first(*order)); };
  switch (form) {
    case PlainForm::tree:
      return forms::bcast_binomial("tree", order);
    case PlainForm::scatter_exchange:
      return forms::bcast_scatter_exchange(members);
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
  return collective == Collective::allgather ? forms::allgather_all_at_once(members)
                                             : forms::reduce_scatter_all_at_once(members);
}

CollectiveForm plain_form(Collective collective, int members, std::size_t bytes, const LongBytes& lengths,
                          Progress progress) {
  return plain_form(collective, plain_range(collective, members, bytes, lengths, progress).form, members);
}

}  // namespace taihu::schedule

// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/collective_forms.h"

#include <algorithm>
#include <utility>

#include "taihu/schedule/collectives_in_order.h"
#include "taihu/schedule/exchange_rounds.h"

namespace taihu::schedule::forms {

namespace {

/// The program of the member at my position, with members in place of positions.
template <class MakeProgram>
Program in_order(const std::vector<int>& order, Place place, MakeProgram&& make) {
  Program program = make(Place{place.members, position_of(order, place.me)});
  program.name_peers(order);
  return program;
}

/// `order` begun at the root, the others as they follow it: who is near stays near.
std::vector<int> from_root(const std::vector<int>& order, int root) {
  std::vector<int> result = order;
  std::rotate(result.begin(), result.begin() + position_of(order, root), result.end());
  return result;
}

/// For forms of few rounds: made whole, cut where a part is asked for.
Program part_of(Program program, Rounds rounds) {
  std::erase_if(program.steps, [&](const Step& step) { return !rounds.has(step.round); });
  return program;
}

int members_of(const Order& order) {
  return static_cast<int>(order->size());
}

}  // namespace

int levels_of(int members) noexcept {
  int levels = 0;
  while (1L << levels < members) ++levels;
  return levels;
}

CollectiveForm bcast_binomial(std::string name, Order order) {
  return {std::move(name), levels_of(members_of(order)) + 1,
          [order](Place place, const Payload& payload, Rounds rounds) {
            return part_of(in_order(*order, place,
                                    [&](Place at) {
                                      return schedule::bcast_binomial(at, payload.count,
                                                                      position_of(*order, payload.root));
                                    }),
                           rounds);
          }};
}

CollectiveForm bcast_scatter_ring(std::string name, Order order) {
  return {std::move(name), levels_of(members_of(order)) + members_of(order) - 1,
          [order](Place place, const Payload& payload, Rounds rounds) {
            return in_order(*order, place, [&](Place at) {
              return bcast_scatter_allgather(at, payload.count, position_of(*order, payload.root), rounds);
            });
          }};
}

CollectiveForm bcast_scatter_doubling(std::string name, Order order) {
  return {std::move(name), 2 * levels_of(members_of(order)) + 2,
          [order](Place place, const Payload& payload, Rounds rounds) {
            const std::vector<int> near = near_first(from_root(*order, payload.root));
            return part_of(schedule::bcast_scatter_doubling(place, near, payload.count), rounds);
          }};
}

CollectiveForm bcast_scatter_exchange(int members) {
  return {"scatter and exchange", 2,
          [](Place place, const Payload& payload, Rounds rounds) {
            return part_of(
                schedule::bcast_scatter_exchange(place, payload.count, payload.root, payload.granule),
                rounds);
          },
          members};
}

CollectiveForm bcast_chain(std::string name, Order order, int segments) {
  return {std::move(name), std::max(0, members_of(order) - 2) + segments,
          [order, segments](Place place, const Payload& payload, Rounds rounds) {
            return schedule::bcast_chain(place, from_root(*order, payload.root), payload.count, segments,
                                         rounds);
          }};
}

CollectiveForm allgather_ring(std::string name, Order order) {
  return {std::move(name), std::max(1, members_of(order) - 1),
          [order](Place place, const Payload& payload, Rounds rounds) {
            return allgather_ring_in_order(place, *order, payload.blocks, rounds);
          }};
}

CollectiveForm allgather_bruck(int members) {
  return {"Bruck", levels_of(members) + 1, [](Place place, const Payload& payload, Rounds rounds) {
            return part_of(schedule::allgather_bruck(place, payload.blocks), rounds);
          }};
}

CollectiveForm allgather_all_at_once(int members) {
  return {"all at once", 1,
          [](Place place, const Payload& payload, Rounds rounds) {
            return part_of(allgather_direct(place, payload.blocks), rounds);
          },
          members};
}

CollectiveForm allgather_far_first(std::string name, Order order) {
  return {std::move(name), levels_of(members_of(order)) + 1,
          [order](Place place, const Payload& payload, Rounds rounds) {
            return part_of(schedule::allgather_far_first(place, *order, payload.blocks), rounds);
          }};
}

CollectiveForm allgather_neighbours(std::string name, Order order) {
  return {std::move(name), members_of(order) / 2,
          [order](Place place, const Payload& payload, Rounds rounds) {
            return schedule::allgather_neighbours(place, *order, payload.blocks, rounds);
          }};
}

CollectiveForm allreduce_doubling(std::string name, Order order) {
  return {std::move(name), levels_of(members_of(order)) + 3,
          [order](Place place, const Payload& payload, Rounds rounds) {
            return part_of(
                in_order(*order, place,
                         [&](Place at) { return allreduce_recursive_doubling(at, payload.count); }),
                rounds);
          }};
}

CollectiveForm allreduce_halving(std::string name, Order order) {
  return {std::move(name), 2 * levels_of(members_of(order)) + 2,
          [order](Place place, const Payload& payload, Rounds rounds) {
            return part_of(in_order(*order, place,
                                    [&](Place at) { return schedule::allreduce_halving(at, payload.count); }),
                           rounds);
          }};
}

CollectiveForm allreduce_ring(std::string name, Order order) {
  return {std::move(name), std::max(1, 2 * (members_of(order) - 1)),
          [order](Place place, const Payload& payload, Rounds rounds) {
            return in_order(*order, place, [&](Place at) {
              return schedule::allreduce_ring(at, payload.count, payload.granule, rounds, payload.apart);
            });
          }};
}

CollectiveForm allreduce_by_root(int members) {
  return {"reduction to one, then broadcast", 2 * levels_of(members) + 2,
          [levels = levels_of(members)](Place place, const Payload& payload, Rounds rounds) {
            Program program = reduce_binomial(place, payload.count, 0, Operands::commutative);
            for (Step step : schedule::bcast_binomial(place, payload.count, 0).steps) {
              step.round += levels + 1;
              program.steps.push_back(step);
            }
            return part_of(std::move(program), rounds);
          }};
}

CollectiveForm reduce_scatter_all_at_once(int members) {
  return {"all at once", 2,
          [](Place place, const Payload& payload, Rounds rounds) {
            return part_of(reduce_scatter_direct(place, payload.blocks), rounds);
          },
          members};
}

CollectiveForm reduce_scatter_pairwise(int members) {
  return {"pairwise", std::max(1, members - 1), [](Place place, const Payload& payload, Rounds rounds) {
            const Blocks& blocks = payload.blocks;
            const int n = place.members;
            const std::size_t mine = blocks.count(place.me);
            Program program;
            program.scratch = mine;
            if (rounds.has(0))
              program.copy(0, Buffer::result, 0, Buffer::source, blocks.start(place.me), mine);
            for (int round = rounds.first; round + 1 < n && rounds.has(round); ++round) {
              const int to = (place.me + round + 1) % n;
              program.send(round, to, Buffer::source, blocks.start(to), blocks.count(to));
              program.receive(round, (place.me + n - round - 1) % n, Buffer::scratch, 0, mine);
              program.reduce(round, Buffer::result, 0, Buffer::scratch, 0, mine);
            }
            return program;
          }};
}

CollectiveForm reduce_scatter_ring(std::string name, Order order) {
  return {std::move(name), std::max(1, members_of(order) - 1),
          [order](Place place, const Payload& payload, Rounds rounds) {
            return schedule::reduce_scatter_ring(place, *order, payload.blocks, rounds);
          }};
}

CollectiveForm reduce_scatter_halving(std::string name, Order order) {
  return {std::move(name), levels_of(members_of(order)) + 2,
          [order](Place place, const Payload& payload, Rounds rounds) {
            return part_of(schedule::reduce_scatter_halving(place, *order, payload.blocks), rounds);
          }};
}

}  // namespace taihu::schedule::forms

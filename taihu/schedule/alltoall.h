// SPDX-License-Identifier: Apache-2.0
// Forms of alltoall for networks whose links are not all alike: exchanges in a chosen order, through relays,
// and gathered by rows and columns. Which one suits a network is decided by schedule/alltoall_choice.h.
//
// Sources: Y. Zhou et al., Parallel C, section 5.4.2 (ring, two-level ring, simple spread, pairwise, exchange
// by rows and columns, chosen by the position of the nodes in the network); relays are our own.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "taihu/schedule/algorithms.h"
#include "taihu/schedule/exchange_order.h"

namespace taihu::schedule {

/// A part of alltoall_bruck of algorithms.h.
Program alltoall_bruck(Place place, std::size_t block_count, Rounds rounds);

/// As alltoall_pairwise, in another order: `window` exchanges of `order` are one round. A ring has window 1,
/// a simple spread as many as there are members.
Program alltoall_in_order(Place place, const ExchangeOrder& order, std::span<const Range> sources,
                          std::span<const Range> results, int window, Nothing nothing = Nothing::sent,
                          Rounds rounds = {});
/// The same with equal blocks.
Program alltoall_in_order(Place place, const ExchangeOrder& order, std::size_t block_count, int window,
                          Rounds rounds = {});

/// Who passes on blocks of other groups of members. A group whose members all messages from outside reach by
/// few links has the blocks for them spread over all these links, and passed on inside.
struct Relays {
  struct Share {
    int via = -1;     ///< a member of the same group
    double upto = 0;  ///< shares, added up
  };
  std::vector<int> group;                    ///< member -> group
  std::vector<std::vector<int>> members_of;  ///< group -> members
  /// member -> what part of the blocks from outside come by others; the rest comes straight.
  std::vector<std::vector<Share>> shares;
  /// By whom the block comes that `to` gets from another group in exchange `exchange`: `to` itself, or a
  /// relay.
  int via(int to, int exchange) const;
};

/// Equal blocks in `order`, some of them by a relay: what arrives for others in one round goes on in the
/// next. One round more than alltoall_in_order. Scratch: the blocks passed on in two rounds, up to 2 window
/// times the group's members.
Program alltoall_relayed(Place place, const ExchangeOrder& order, const Relays& relays,
                         std::size_t block_count, int window, Rounds rounds = {});

/// Members at positions of `order`, written in rows of `columns`: each sends every member of its row what is
/// for that one's column, then every member of its column what is for that one. About columns + n / columns
/// messages instead of n - 1, and twice the units. When the last row is short, the row above it stands in for
/// what it lacks. Scratch: four buffers.
Program alltoall_by_rows(Place place, std::span<const int> order, int columns, std::size_t block_count,
                         int window, Rounds rounds = {});

}  // namespace taihu::schedule

// SPDX-License-Identifier: Apache-2.0
// Which form of alltoall suits a network: for each form the time of some of its rounds is estimated from the
// most loaded link and the busiest member, and the least wins. All members that know the same network and the
// same places choose alike.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "taihu/schedule/alltoall.h"
#include "taihu/topology/interconnect.h"

namespace taihu::schedule {

/// What a message costs besides its way. The defaults are usual for MPI over InfiniBand FDR; they are
/// assumed.
struct MessageCosts {
  double send_seconds = 0.3e-6;        ///< of the sender's processor
  double receive_seconds = 0.3e-6;     ///< of the receiver's
  std::size_t eager_bytes = 16 << 10;  ///< up to here a send does not wait for its receive
  double copy_bytes_per_second = 8e9;  ///< of copies and reductions, and of messages inside a node
};

/// The programs of all members, of which a part can be had. Units are bytes.
struct Schedule {
  std::string name;
  int rounds = 0;
  std::size_t bytes = 0;  ///< of a block
  /// Rounds of a member's program, with blocks of any length.
  std::function<Program(Place, std::size_t bytes, Rounds)> make;
  /// Where each block goes straight to its receiver: in which order, and exchanges under way together.
  std::shared_ptr<const ExchangeOrder> order = nullptr;
  int window = 0;

  Program part(Place place, Rounds part_of_rounds) const { return make(place, bytes, part_of_rounds); }
};

/// Members of a group, on their nodes: what decides besides the length of a block.
struct Placed {
  const topology::Interconnect& network;
  std::vector<int> nodes;  ///< member -> node

  int members() const noexcept { return static_cast<int>(nodes.size()); }
  /// The members in the order of their nodes.
  std::vector<int> order_by_node() const;
};

/// All forms with equal blocks of `bytes`.
Schedule ring_schedule(int members, std::size_t bytes);
Schedule pairwise_schedule(int members, std::size_t bytes);
Schedule exchange_schedule(std::string name, ExchangeOrder order, std::size_t bytes, int window);
Schedule bruck_schedule(int members, std::size_t bytes);
Schedule rows_schedule(std::vector<int> order, int columns, std::size_t bytes, int window);
Schedule relayed_schedule(ExchangeOrder order, Relays relays, std::size_t bytes, int window);
/// Groups of members with a common group of nodes, in their order.
ExchangeOrder two_level_order(const Placed& placed);

/// Relays for groups that all others reach over links of unequal load: each link in use gets the same.
/// Without shares where the loads differ by less than a tenth, or the network has no such links.
Relays make_relays(const Placed& placed);
bool has_shares(const Relays& relays);

/// Seconds of `schedule` if all began each round together: for up to `samples` rounds, evenly spread.
double estimate_seconds(const Placed& placed, const Schedule& schedule, const MessageCosts& costs,
                        int samples = 8);

/// What the most loaded link needs for all bytes of the whole schedule: no simulation can be faster.
double least_seconds(const Placed& placed, const Schedule& schedule);

struct AlltoallChoice {
  Schedule schedule;
  std::string reason;  ///< one line: the form, its estimate, and that of the ring
};
/// The form with the least estimate: all messages at once, or, where it is better by 0.1 %, a form whose
/// blocks pass other members; of short blocks by half, because estimates of such forms are too low.
AlltoallChoice choose_alltoall(const Placed& placed, std::size_t bytes, const MessageCosts& costs = {});

/// What Open MPI 4.1 (coll/tuned, fixed rules) and MPICH 4 take for equal blocks, all nodes having one
/// member: they do not look at the network.
Schedule openmpi_choice(int members, std::size_t bytes);
Schedule mpich_choice(int members, std::size_t bytes);

}  // namespace taihu::schedule

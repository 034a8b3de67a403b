// SPDX-License-Identifier: Apache-2.0
// Checks of the network: conservation of flits and credits, and who holds what.
#include <bit>

#include "taihu/noc/network/network.h"

namespace taihu::noc {

namespace {

const char* const port_names[input_ports] = {"east", "south", "west", "north", "local", "unit"};

std::string name_of(int router, int port, int vc) {
  return "router " + std::to_string(router) + " " + port_names[port] + " vc " + std::to_string(vc);
}

}  // namespace

/// For every link and VC: credits here + credits coming back + flits on the link + flits in the buffer ==
/// depth.
void Network::check_invariants() const {
  std::vector<int> on_link(count_.size()), coming_back(credits_.size()), to_source(source_credits_.size());
  std::int64_t flits = 0;
  for (const auto& list : arrivals_) {
    flits += static_cast<std::int64_t>(list.size());
    for (const Arrival& arrival : list)
      if ((arrival.target & to_core) == 0) ++on_link[arrival.target];
  }
  for (const auto& list : credit_returns_)
    for (const std::uint32_t credit : list)
      ++(credit < first_source_credit_ ? coming_back[credit] : to_source[credit - first_source_credit_]);
  for (const std::uint8_t held : count_) flits += held;
  // The texts are made only when they are needed: this runs in every cycle.
  if (flits != in_network_)
    throw Error("flits are lost or doubled: " + std::to_string(flits) + " found, " +
                std::to_string(in_network_) + " entered, cycle " + std::to_string(now_));
  for (int router = 0; router < routers_; ++router) {
    for (int port = 0; port < input_ports - 1; ++port) {
      const int from = port == local ? router : config_.mesh.neighbour(router, port);
      if (from < 0) continue;
      for (int vc = 0; vc < config_.vcs; ++vc) {
        const std::size_t place = input(router, (port << vc_shift_) + vc);
        int sum = on_link[place] + count_[place];
        if (port == local) {
          const auto source = (static_cast<std::size_t>(router) << vc_shift_) + static_cast<std::size_t>(vc);
          sum += source_credits_[source] + to_source[source];
        } else {
          const std::size_t out = output(from, opposite(port), vc);
          sum += credits_[out] + coming_back[out];
        }
        if (sum != config_.depth)
          throw Error("credits are lost or doubled at " + name_of(router, port, vc) + ": " +
                      std::to_string(sum) + " instead of " + std::to_string(config_.depth) + ", cycle " +
                      std::to_string(now_));
      }
    }
  }
}

std::string Network::dump() const {
  std::string text;
  for (int router = 0; router < routers_; ++router) {
    for (int index = 0; index < input_stride_; ++index) {
      const std::size_t vc = input(router, index);
      if (count_[vc] == 0) continue;
      const Packet& packet = packets_[slot_of(front(vc))];
      text += name_of(router, index >> vc_shift_, index & ((1 << vc_shift_) - 1)) + ": " +
              std::to_string(count_[vc]) + " flits, front " + to_text(packet.kind) + " packet " +
              std::to_string(packet.source) + " -> " + std::to_string(packet.destination) + ", waits for ";
      const std::uint64_t bit = std::uint64_t{1} << index;
      if ((wants_unit_[static_cast<std::size_t>(router)] & bit) != 0)
        text += "the collective unit";
      else if (is_multicast_[vc] != 0)
        text += "VCs at ports " + std::to_string(multicast_[vc].want) + ", sends to ports " +
                std::to_string(multicast_[vc].have);
      else if (out_vc_[vc] >= 0)
        text += std::string("the switch or a credit, holds ") + name_of(router, out_port_[vc], out_vc_[vc]);
      else if (out_port_[vc] >= 0)
        text += std::string("a VC at port ") + port_names[out_port_[vc]];
      else
        text += "its packet to be taken in";
      text += "\n";
    }
    const CollectiveUnit* unit = units_.empty() ? nullptr : units_[static_cast<std::size_t>(router)].get();
    if (unit != nullptr && (unit->open_operations() != 0 || unit->busy()))
      text += "router " + std::to_string(router) + " unit: " + std::to_string(unit->open_operations()) +
              " open operations, " + std::to_string(unit->finished.size()) + " results wait to leave\n";
  }
  return text;
}

}  // namespace taihu::noc

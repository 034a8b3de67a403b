// SPDX-License-Identifier: Apache-2.0
// VC allocation (VA): which head gets which VC of the next router.
#include <algorithm>
#include <bit>

#include "taihu/noc/network/network.h"
#include "taihu/noc/network/round_robin.h"

namespace taihu::noc {

int Network::credits_needed(const Packet& packet) const noexcept {
  if (config_.reuse == Reuse::wormhole) return 0;
  return config_.reuse == Reuse::cut_through ? packet.flits : config_.depth;
}

/// VCs of the next router that the packet may take, as bits. Down packets may not use the escape VCs of up
/// packets (README.md, "Freedom from deadlock").
int Network::allowed_vcs(int router, int port, const Packet& packet) const noexcept {
  if (port == local) return vc_mask_;
  const Way way = is_down(packet.kind) ? Way::down : Way::up;
  if (!config_.mesh.torus()) return way == Way::down ? vc_mask_ & ~1 : vc_mask_;
  const int ring = config_.mesh.ring_class(router, port, packet.source, packet.destination, way);
  const int of_class = (ring == 0 ? 0x55 : 0xaa) & vc_mask_;
  return way == Way::down ? of_class & ~3 : of_class;
}

std::uint64_t Network::collect_requests(int router, std::uint64_t (&requests)[output_ports]) const noexcept {
  std::uint64_t ports = 0;
  for (std::uint64_t rest = wants_vc_[static_cast<std::size_t>(router)]; rest != 0; rest &= rest - 1) {
    const int index = std::countr_zero(rest);
    const std::size_t vc = input(router, index);
    const unsigned wanted = is_multicast_[vc] != 0 ? multicast_[vc].want : 1u << out_port_[vc];
    ports |= wanted;
    for (unsigned more = wanted; more != 0; more &= more - 1)
      requests[std::countr_zero(more)] |= std::uint64_t{1} << index;
  }
  return ports;
}

/// Of `vcs` (bits, not 0) the one with most credits; of equal ones the first at or behind `first`.
int Network::emptiest_vc(int vcs, const std::uint8_t* credits, int first) const noexcept {
  int chosen = -1;
  for (int step = 0; step < config_.vcs; ++step) {
    const int vc = first + step < config_.vcs ? first + step : first + step - config_.vcs;
    if ((vcs >> vc & 1) != 0 && (chosen < 0 || credits[vc] > credits[chosen])) chosen = vc;
  }
  return chosen;
}

/// VC allocation: each waiting head asks for the emptiest free VC of its output that it may take; of equally
/// empty ones it takes turns. Each VC chooses one of the heads that ask for it, round robin. The head gets
/// the VC if the VC has the credits that the packet needs.
void Network::allocate_vcs(int router) {
  std::uint64_t requests[output_ports] = {};
  std::uint64_t winners = 0;
  for (std::uint64_t ports = collect_requests(router, requests); ports != 0; ports &= ports - 1) {
    const int port = std::countr_zero(ports);
    const std::size_t first_place = output(router, port, 0);
    std::uint64_t asks[8] = {};
    ask_for_vcs(router, port, requests[port], asks);
    for (int vc = 0; vc < config_.vcs; ++vc) {
      if (asks[vc] == 0) continue;
      const std::size_t place = first_place + static_cast<std::size_t>(vc);
      const int winner = next_bit(asks[vc], grant_pointer_[place]);
      const Packet& packet = packets_[slot_of(front(input(router, winner)))];
      if (port != local && credits_[place] < credits_needed(packet)) continue;
      grant_pointer_[place] = static_cast<std::uint8_t>((winner + 1) % input_stride_);
      next_first_[static_cast<std::size_t>(winner)] =
          static_cast<std::uint8_t>(vc + 1 == config_.vcs ? 0 : vc + 1);
      winners |= std::uint64_t{1} << winner;
      grant(router, winner, port, vc);
    }
  }
  for (; winners != 0; winners &= winners - 1) {
    const int index = std::countr_zero(winners);
    first_vc_[input(router, index)] = next_first_[static_cast<std::size_t>(index)];
  }
}

/// Which heads (input VCs as bits) ask for each VC of an output.
void Network::ask_for_vcs(int router, int port, std::uint64_t heads,
                          std::uint64_t (&asks)[8]) const noexcept {
  const std::size_t first_place = output(router, port, 0);
  int free = 0;
  for (int vc = 0; vc < config_.vcs; ++vc)
    free |= owned_[first_place + static_cast<std::size_t>(vc)] == 0 ? 1 << vc : 0;
  for (; free != 0 && heads != 0; heads &= heads - 1) {
    const int index = std::countr_zero(heads);
    const std::size_t place = input(router, index);
    const int vcs = free & allowed_vcs(router, port, packets_[slot_of(front(place))]);
    if (vcs != 0)
      asks[emptiest_vc(vcs, &credits_[first_place], first_vc_[place])] |= std::uint64_t{1} << index;
  }
}

void Network::grant(int router, int index, int port, int vc) {
  const auto at = static_cast<std::size_t>(router);
  const std::size_t place = input(router, index);
  owned_[output(router, port, vc)] = 1;
  wants_switch_[at] |= std::uint64_t{1} << index;
  if (is_multicast_[place] == 0) {
    out_vc_[place] = static_cast<std::int8_t>(vc);
    wants_vc_[at] &= ~(std::uint64_t{1} << index);
    return;
  }
  Multicast& copies = multicast_[place];
  copies.vc[port] = static_cast<std::uint8_t>(vc);
  copies.sent[port] = 0;
  copies.have = static_cast<std::uint8_t>(copies.have | 1u << port);
  copies.want = static_cast<std::uint8_t>(copies.want & ~(1u << port));
  if (copies.want == 0) wants_vc_[at] &= ~(std::uint64_t{1} << index);
}

}  // namespace taihu::noc

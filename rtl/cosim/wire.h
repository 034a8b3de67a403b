// SPDX-License-Identifier: Apache-2.0
// Flits as they are on the wires of the RTL: the layout of rtl/noc_pkg.sv, made from the model's packets.
#pragma once

#include <cstdint>
#include <string>

#include "taihu/noc/network/network.h"

namespace taihu::rtl {

struct WireFlit {
  std::uint64_t low = 0, high = 0;
  bool head = false, tail = false;
  bool operator==(const WireFlit&) const = default;
};

/// Fields of a head.
enum Field : int {
  kind_bit = 0,
  arithmetic_bit = 3,
  length_bit = 7,
  communicator_bit = 14,
  operation_bit = 24
};
enum HighField : int { source_bit = 32, destination_bit = 40, weight_bit = 48, place_bit = 57 };

inline std::uint64_t field(const WireFlit& head, int bit, int width) {
  return head.high >> bit & ((std::uint64_t{1} << width) - 1);
}

/// Flit `number` of the packet. Bodies past the packet's data (ordinary traffic) carry words that differ.
inline WireFlit wire_flit(const noc::Mesh& mesh, const noc::Packet& packet, int number) {
  using noc::Kind;
  const auto node = [&mesh](int place) {
    return static_cast<std::uint64_t>(mesh.y(place) << 4 | mesh.x(place));
  };
  const auto word = [&packet](int place) {
    return packet.data[static_cast<std::size_t>(place % 8)] + static_cast<std::uint64_t>(place / 8);
  };
  WireFlit flit;
  flit.head = number == 0;
  flit.tail = number + 1 == packet.flits;
  const bool past = packet.kind != Kind::plain && 2 * number > 7;
  if (!flit.head) {
    flit.low = word(2 * number - 1);
    flit.high = past ? 0 : word(2 * number);
    return flit;
  }
  flit.low = packet.kind != Kind::learn ? word(0)
                                        : static_cast<std::uint64_t>(packet.beyond_tables) |
                                              static_cast<std::uint64_t>(packet.seen_unit) << 1 |
                                              static_cast<std::uint64_t>(packet.forget) << 2;
  const std::uint64_t length = packet.kind == Kind::plain ? packet.flits : packet.bytes;
  const std::uint64_t place = packet.kind == Kind::gather      ? packet.place
                              : packet.kind == Kind::broadcast ? packet.part
                                                               : 0;
  flit.high = static_cast<std::uint64_t>(packet.kind) << kind_bit |
              static_cast<std::uint64_t>(packet.arithmetic) << arithmetic_bit | length << length_bit |
              static_cast<std::uint64_t>(packet.communicator & 0x3ff) << communicator_bit |
              static_cast<std::uint64_t>(packet.operation & 0xff) << operation_bit |
              node(packet.source) << source_bit | node(packet.destination) << destination_bit |
              static_cast<std::uint64_t>(packet.weight & 0x1ff) << weight_bit | (place & 0x3f) << place_bit;
  return flit;
}

inline std::string to_text(const WireFlit& flit) {
  char text[96];
  std::snprintf(text, sizeof text, "%s%s %016llx %016llx", flit.head ? "head" : "", flit.tail ? "tail" : "",
                static_cast<unsigned long long>(flit.high), static_cast<unsigned long long>(flit.low));
  return text;
}

}  // namespace taihu::rtl

// SPDX-License-Identifier: Apache-2.0
// Packets and flits. A packet is one record in a pool and, in buffers and on links, one 32-bit word per flit.
// The flits of a packet: a head that carries the header and the first 8 bytes of data, then bodies of 16
// bytes each (Lu et al. 2017, figure 4: 128-bit flits), so that 64 bytes need 5 flits.
#pragma once

#include <array>
#include <cstdint>

#include "taihu/noc/network/arithmetic.h"
#include "taihu/noc/network/mesh.h"

namespace taihu::noc {

/// Place of a packet in the pool.
using Slot = std::uint32_t;
using Cycle = std::int64_t;

inline constexpr int max_bytes = 64;  ///< data of one packet: a cache line

constexpr int flits_for_bytes(int bytes) {
  return bytes <= 8 ? 1 : 1 + (bytes + 7) / 16;
}

enum class Kind : std::uint8_t {
  plain,     ///< ordinary traffic
  message,   ///< part of a message between cores: software collectives, and the legs to and from a moved root
  learn,     ///< empty pseudo reduction: routers note where it came from, or forget it again
  reduce,    ///< contribution or partial result on the way to the tree's root
  gather,    ///< contribution that has not passed a level-1 router
  gathered,  ///< the same behind its first level-1 router: passes all others unchanged
  broadcast  ///< down the learned tree, replicated where it branches
};
inline constexpr int kinds = 7;
const char* to_text(Kind kind) noexcept;

constexpr bool is_down(Kind kind) {
  return kind == Kind::broadcast;
}

struct Packet {
  Cycle created = 0;         ///< when the core handed it over
  Slot next = 0;             ///< in the source queue of its node
  std::uint16_t source = 0;  ///< node; of a partial result the router that made it
  std::uint16_t destination = 0;
  std::uint16_t communicator = 0;
  std::uint16_t weight = 1;      ///< contributions of members inside
  std::uint16_t place = 0;       ///< position among the inputs of the next level-1 router on its way
  std::uint16_t references = 1;  ///< copies under way (broadcasts)
  std::uint32_t operation = 0;   ///< number of the operation on its communicator, or of the message
  std::uint32_t part = 0;        ///< messages: which packet of the message
  std::uint8_t flits = 1;
  std::uint8_t bytes = 0;  ///< of data
  Kind kind = Kind::plain;
  Arithmetic arithmetic = Arithmetic::add_double;
  Ties ties;                   ///< in a torus
  bool measured = false;       ///< counted in statistics of ordinary traffic
  bool beyond_tables = false;  ///< learning: a router on the way had no table entry left
  bool seen_unit = false;      ///< learning: a level-1 router has counted it
  bool forget = false;         ///< learning undone: routers on the way forget the communicator
  std::array<std::uint64_t, max_bytes / 8> data{};

  int words() const noexcept { return (bytes + 7) / 8; }
};

/// A flit in a buffer: packet slot, number of the flit in its packet, whether it is the last.
using Flit = std::uint32_t;
inline constexpr int flit_number_bits = 6;
inline constexpr int max_packet_flits = 1 << (flit_number_bits - 1);
inline constexpr Slot max_slots = Slot{1} << (31 - flit_number_bits);
constexpr Flit make_flit(Slot slot, int number, bool tail) {
  return slot << (flit_number_bits + 1) | static_cast<Flit>(number) << 1 | (tail ? 1u : 0u);
}
constexpr Slot slot_of(Flit flit) {
  return flit >> (flit_number_bits + 1);
}
constexpr int number_of(Flit flit) {
  return static_cast<int>(flit >> 1 & ((1u << flit_number_bits) - 1));
}
constexpr bool is_head(Flit flit) {
  return number_of(flit) == 0;
}
constexpr bool is_tail(Flit flit) {
  return (flit & 1) != 0;
}

}  // namespace taihu::noc

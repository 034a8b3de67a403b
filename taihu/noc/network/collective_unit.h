// SPDX-License-Identifier: Apache-2.0
// The collective unit of a level-1 or level-2 router (Lu et al. 2017, sections 2.2 and 3.1): the table of
// learned communicators (LSBA) and, in level 1, the open operations (CSBA), each with its own partial result,
// and the arithmetic unit. Differences from the paper, with reasons, are in README.md.
//
// Every table entry of a communicator owns `window` operation entries, chosen by the operation's number
// modulo `window`. Cores never have more than `window` operations of a communicator open (ordered admission),
// so an entry is always free, and operations that overlap in any order cannot block each other.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "taihu/noc/network/packet.h"

namespace taihu::noc {

struct UnitConfig {
  int communicators = 5;  ///< LSBA entries
  int operations = 10;    ///< CSBA entries, at least as many
  int arithmetic_cycles = 6;
  bool pipelined = true;  ///< a new word every cycle; else a word when the last one is done
  bool fixed_order =
      false;  ///< inputs are combined in the order of their places, whatever order they come in

  int window() const noexcept { return operations / communicators; }
  /// Cycles from the first word of a packet to the result of its last word.
  int combine_cycles(int words) const noexcept {
    if (words == 0) return 1;
    return pipelined ? arithmetic_cycles + words - 1 : arithmetic_cycles * words;
  }
};

/// What a router knows about a communicator. Invariant: total == sum of counts.
struct LearnedEntry {
  int communicator = -1;  ///< -1: free
  std::array<std::uint16_t, 5>
      counts{};  ///< contributions that come in by each port; level 2 keeps one bit of each
  std::uint16_t total = 0;
  std::uint16_t direct = 0;  ///< those that have passed no other level-1 router
  std::uint16_t inputs =
      0;  ///< packets of a reduction that arrive: direct ones and one per level-1 router before
  std::uint16_t place = 0;  ///< of the own result among the inputs of the next level-1 router
};

/// A partial result. `parked`: packets that wait for their turn (fixed order), indexed by place.
struct OpenOperation {
  bool open = false;
  std::uint32_t number = 0;
  Slot result = 0;
  int merged = 0;  ///< inputs combined
  int weight = 0;  ///< contributions that have arrived
  std::vector<Slot> parked;
  std::vector<bool> is_parked;
};

class CollectiveUnit {
 public:
  CollectiveUnit(int level, const UnitConfig& config);

  int level() const noexcept { return level_; }
  const UnitConfig& config() const noexcept { return config_; }

  LearnedEntry* find(int communicator) noexcept;
  /// A free entry for `communicator`, or null when the table is full.
  LearnedEntry* claim(int communicator) noexcept;
  void forget(int communicator) noexcept;
  /// Output ports of a broadcast that came in by `port`.
  unsigned broadcast_ports(int communicator, int port) noexcept;
  /// Where the operation's partial result is kept.
  OpenOperation& operation(const LearnedEntry& entry, std::uint32_t number) noexcept;
  /// LSBA write of a pseudo packet that came in by `port`. Level 1 counts, level 2 notes the port.
  void learn(Packet& packet, int port) noexcept;
  int open_operations() const noexcept;
  /// Whether the unit works on something. Packets that wait in buffers do not count.
  bool busy() const noexcept { return working || !finished.empty(); }

  // The packet that is being taken in; the network drives it (network_unit.cc).
  bool working = false;
  int source_index = -1;  ///< input VC within the router
  Slot taken_slot = 0;
  int taken_flits = 0;
  bool computes = false;  ///< false: the packet is only stored or appended
  bool merged = false;    ///< its data are in the partial result, the slot may be gone: see the next three
  int communicator = -1;
  std::uint32_t operation_number = 0;
  bool gathers = false;
  int issued_words = 0;
  Cycle next_issue = 0;       ///< earliest cycle of the next word
  Cycle done = -1;            ///< -1: not known yet
  int pointer = 0;            ///< of the round-robin choice among input VCs
  std::deque<Slot> finished;  ///< results that wait for the unit's output buffer
  /// Words of reorder memory that were in use at most, for the cost of the fixed order.
  int parked_most = 0;

 private:
  int level_;
  UnitConfig config_;
  std::vector<LearnedEntry> learned_;
  std::vector<OpenOperation> open_;
};

}  // namespace taihu::noc

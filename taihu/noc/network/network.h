// SPDX-License-Identifier: Apache-2.0
// The network, cycle by cycle: routers with input buffers, virtual channels (VCs) and credits, links, the
// interfaces of the nodes, and the collective units of level-1 and level-2 routers. taihu/noc/README.md says
// what happens in which cycle. This file and the RTL have to agree with it.
//
// How it is stored: everything is in flat arrays indexed by router and port or VC ("structure of arrays");
// three bit masks per router name its VCs that wait for a VC of the next router, for the switch, and for the
// collective unit. A router whose masks are zero is not in the active set and costs nothing. Flits and
// credits on links are entries of short rings of lists, one list per cycle to come.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/noc/network/collective_unit.h"
#include "taihu/noc/network/mesh.h"
#include "taihu/noc/network/packet.h"

namespace taihu::noc {

/// When a VC may be given to the next packet.
enum class Reuse : std::uint8_t {
  wormhole,     ///< behind the tail of the last one
  cut_through,  ///< behind the tail of the last one, with credits for the whole packet
  atomic        ///< when its buffer is empty
};

/// When the output port of a head is found.
enum class RouteAt : std::uint8_t {
  write,  ///< when it is written into the buffer
  front   ///< when it is in front: one cycle more for a head that came while another packet was there
};

struct NetworkConfig {
  Mesh mesh;
  int vcs = 2;          ///< virtual channels per port, 1 to 8
  int depth = 5;        ///< flits per VC, 1 to 32
  int link_cycles = 1;  ///< a hop takes 4 + link_cycles
  Reuse reuse = Reuse::wormhole;
  RouteAt route_at = RouteAt::write;
  bool bypass = false;               ///< body flits can leave a buffer in the cycle in which they are written
  std::vector<std::uint8_t> levels;  ///< of each router: 0 plain, 1 or 2; empty: all plain
  UnitConfig unit;
  Cycle watchdog_cycles = 20000;  ///< a network that holds flits and moves none in this time is deadlocked
  bool checked = false;           ///< conservation of flits and credits is checked after every cycle

  int hop_cycles() const noexcept { return 4 + link_cycles; }
};

/// The network holds flits that cannot move; the text names who holds what.
class DeadlockError : public Error {
 public:
  using Error::Error;
};

/// A flit that moves in a cycle. Leaving a router: `port` is the output port and `vc` the VC of the next
/// router's input, in the cycle of its switch allocation (it is written there 2 + link_cycles later).
/// Entering the network: `port` is `from_core` and `vc` that of the router's local input (written there in
/// the next cycle). With `slot_of`, `number_of`, `is_tail` a second implementation of the routers can be
/// driven with the same flits and compared cycle by cycle.
struct FlitMove {
  static constexpr std::int8_t from_core = -1;
  std::int32_t router;
  std::int8_t port;
  std::int8_t vc;
  Flit flit;
};

/// A packet that has left the network at `node`; its slot is valid until the receiver calls `drop`.
struct Delivery {
  Slot slot;
  std::int32_t node;
};

class Network {
 public:
  explicit Network(const NetworkConfig& config);

  const NetworkConfig& config() const noexcept { return config_; }
  Cycle now() const noexcept { return now_; }

  /// A packet of the pool with default header; `enqueue` hands it to the network. The reference is valid
  /// until the next call of `make_packet` or `step`.
  Slot make_packet();
  Packet& packet(Slot slot) noexcept { return packets_[slot]; }
  const Packet& packet(Slot slot) const noexcept { return packets_[slot]; }
  /// Appends the packet to the source queue of `packet.source`. Its first flit can enter the network in this
  /// cycle.
  void enqueue(Slot slot);
  int queue_length(int node) const noexcept { return queue_length_[static_cast<std::size_t>(node)]; }
  /// Gives one reference of a delivered packet back.
  void drop(Slot slot);

  /// Simulates the present cycle. Deliveries of packets whose tail arrived in it are in `deliveries()` until
  /// the next call. Throws DeadlockError.
  void step();
  const std::vector<Delivery>& deliveries() const noexcept { return deliveries_; }
  /// No flit or credit is under way, no packet waits in a source queue, and no unit is at work. Partial
  /// results that wait for further contributions do not count.
  bool idle() const noexcept { return in_network_ + queued_ + pending_credits_ + busy_units_ == 0; }
  /// Lets time pass while idle.
  void skip_to(Cycle cycle) noexcept {
    if (cycle > now_) last_move_ = now_ = cycle;
  }

  /// Contents of a collective unit: software may write tables too. Null for a plain router.
  CollectiveUnit* collective_unit(int router) noexcept {
    return units_.empty() ? nullptr : units_[static_cast<std::size_t>(router)].get();
  }

  // Counts since the start.
  std::uint64_t flits_over(int router, int port) const noexcept {
    return link_flits_[static_cast<std::size_t>(router * output_ports + port)];
  }
  std::uint64_t packet_hops(Kind kind) const noexcept { return packet_hops_[static_cast<int>(kind)]; }
  std::uint64_t flit_hops() const noexcept { return flit_hops_; }
  std::uint64_t ejected_flits() const noexcept { return ejected_flits_; }
  std::uint64_t buffer_reads() const noexcept { return buffer_reads_; }
  std::uint64_t unit_words() const noexcept { return unit_words_; }
  std::int64_t flits_inside() const noexcept { return in_network_; }
  std::int64_t measured_alive() const noexcept { return measured_alive_; }
  std::size_t packets_alive() const noexcept { return packets_.size() - free_.size(); }

  /// When set, the moves of every flit are appended here, router by router within a cycle. The owner empties
  /// it between cycles. A packet's record is valid until its delivery has been dropped.
  std::vector<FlitMove>* moves = nullptr;
  /// When set, the packets that are handed over are appended here.
  std::vector<Slot>* handed = nullptr;
  /// When set: per router, output ports (bits) that send nothing in this cycle.
  const std::vector<std::uint8_t>* stalls = nullptr;

  /// Who holds what, one line each; for reports.
  std::string dump() const;
  /// Throws Error when flits or credits are lost or doubled. Slow.
  void check_invariants() const;

 private:
  struct Multicast {
    std::uint8_t want = 0;  ///< output ports that still need a VC
    std::uint8_t have = 0;  ///< output ports that have one and have not sent the tail
    std::uint8_t freed = 0;
    std::uint8_t sent[output_ports] = {};
    std::uint8_t vc[output_ports] = {};
  };
  struct Nominee {
    std::int8_t vc = -1, output = -1;  ///< the output for which it was chosen
    std::uint8_t ports = 0;            ///< outputs that it sends to if it wins them: several of a broadcast
  };
  struct Arrival {
    std::uint32_t target;  ///< input VC, or node with `to_core`
    Flit flit;
  };
  static constexpr std::uint32_t to_core = 1u << 31;

  std::size_t input(int router, int index) const noexcept {
    return static_cast<std::size_t>(router * input_stride_ + index);
  }
  std::size_t output(int router, int port, int vc) const noexcept {
    return static_cast<std::size_t>(((router * output_ports + port) << vc_shift_) + vc);
  }
  void activate(int router) noexcept {
    active_[static_cast<std::size_t>(router) >> 6] |= std::uint64_t{1} << (router & 63);
  }

  // The steps of a cycle, in this order.
  void inject();
  void inject_from(int node);
  void step_router(int router);
  Nominee nominate(int router, int port, std::uint64_t waiting) const noexcept;
  void allocate_switch(int router);
  void send(int router, int index, int port);
  void send_branch(int router, int index, int port);
  void run_unit(int router, CollectiveUnit& unit);
  void begin_next(int router, CollectiveUnit& unit);
  void take_flit(int router, CollectiveUnit& unit);
  void end_packet(CollectiveUnit& unit);
  void allocate_vcs(int router);
  void ask_for_vcs(int router, int port, std::uint64_t heads, std::uint64_t (&asks)[8]) const noexcept;
  void write_buffers();
  void return_credits();
  void emit(int router, CollectiveUnit& unit);

  bool may_send(int router, int index, std::uint8_t& ports) const noexcept;
  std::uint64_t collect_requests(int router, std::uint64_t (&requests)[output_ports]) const noexcept;
  void grant(int router, int index, int port, int vc);
  int allowed_vcs(int router, int port, const Packet& packet) const noexcept;
  int credits_needed(const Packet& packet) const noexcept;
  int emptiest_vc(int vcs, const std::uint8_t* credits, int first) const noexcept;
  void pop(int router, int index);
  void finish_packet(int router, int index);
  void route_head(int router, int index);
  void route_broadcast(int router, int index, Slot slot);
  void route_packet(int router, int index, const Packet& packet);
  Flit front(std::size_t vc) const noexcept {
    return buffer_[vc * static_cast<std::size_t>(config_.depth) + first_[vc]];
  }
  void traverse_switch(int router, int port, int vc, Flit flit);
  void push(std::size_t vc, Flit flit) noexcept;
  void write_buffer(const Arrival& arrival);
  void check_progress();

  NetworkConfig config_;
  int vc_shift_, vc_mask_, input_stride_, routers_;
  Cycle now_ = 0;

  // Per input VC (router, port, vc).
  std::vector<Flit> buffer_;
  std::vector<std::uint8_t> first_, count_;
  std::vector<std::int8_t> out_port_;   ///< of the packet in front, -1 none
  std::vector<std::int8_t> out_vc_;     ///< VC that the packet in front holds at the next router, -1 none
  std::vector<Multicast> multicast_;    ///< only with collective units
  std::vector<std::uint8_t> first_vc_;  ///< of equally empty VCs a head asks for the first at or behind it
  std::vector<std::uint8_t> is_multicast_;
  // Per output VC (router, port, vc).
  std::vector<std::uint8_t> credits_;
  std::vector<std::uint8_t> owned_;
  std::vector<std::uint8_t> grant_pointer_;
  // Per router.
  std::vector<std::uint64_t> wants_vc_, wants_switch_, wants_unit_;
  /// Heads in front whose output port is computed (RC) in the next cycle (RouteAt::front, bypass).
  std::vector<std::uint64_t> unrouted_;
  // Round robin of the switch: an input port's choice of an output and of a VC for it, an output's of an
  // input.
  std::vector<std::uint8_t> nominee_output_pointer_, nominee_vc_pointer_;  ///< per router and input port
  std::vector<std::uint8_t> output_pointer_;                               ///< per router and output port
  std::vector<std::uint64_t> active_;
  std::vector<std::unique_ptr<CollectiveUnit>> units_;

  // The cycle's changes that become visible in the next one.
  std::array<std::uint8_t, 64> next_first_ = {};  ///< first_vc_ of the heads that have been given a VC
  std::vector<std::size_t> released_;
  std::uint64_t routed_ = 0;  ///< heads with a computed port, which ask for a VC from the next cycle on
  std::uint64_t routed_to_unit_ = 0;  ///< heads that ask for the collective unit from the next cycle on

  // Nodes: source queues and the packet that is being sent.
  std::vector<Slot> queue_head_, queue_tail_;
  std::vector<std::int32_t> queue_length_;
  std::vector<std::int8_t> sending_vc_;
  std::vector<std::uint8_t> sending_flit_;
  std::vector<std::uint8_t> source_credits_, source_owned_;  ///< per node and VC of its router's local port
  std::vector<std::uint8_t> source_first_vc_;                ///< of equally empty ones
  std::vector<std::uint64_t> sending_nodes_;

  // Links: lists per cycle to come.
  std::vector<std::vector<Arrival>> arrivals_;
  std::vector<std::vector<std::uint32_t>> credit_returns_;  ///< output VCs; nodes' VCs above
  std::uint32_t first_source_credit_ = 0;

  std::vector<Packet> packets_;
  std::vector<Slot> free_;
  std::vector<Delivery> deliveries_;

  std::int64_t in_network_ = 0;  ///< flits in buffers and on links
  std::int64_t busy_units_ = 0;  ///< packets that units work on, and results that wait to leave them
  std::int64_t queued_ = 0;      ///< packets in source queues
  std::int64_t pending_credits_ = 0;
  Cycle last_move_ = 0;
  std::int64_t measured_alive_ = 0;
  std::vector<std::uint64_t> link_flits_;
  std::uint64_t packet_hops_[kinds] = {};
  std::uint64_t flit_hops_ = 0, ejected_flits_ = 0, buffer_reads_ = 0, unit_words_ = 0;
};

}  // namespace taihu::noc

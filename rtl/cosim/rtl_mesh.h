// SPDX-License-Identifier: Apache-2.0
// A verilated mesh (rtl/mesh.sv) behind calls: queues of flits per core, what each router sends, what
// arrives.
#pragma once

#include <verilated.h>

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "rtl/cosim/wire.h"

namespace taihu::rtl {

// Bits of ports, whatever type Verilator has chosen for their width.
template <class Signal>
std::uint64_t bits(const Signal& signal, int first, int width) {
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if constexpr (std::is_integral_v<Signal>) {
    return static_cast<std::uint64_t>(signal) >> first & mask;
  } else {
    std::uint64_t value = 0;
    for (int bit = 0; bit < width;) {
      const int at = first + bit;
      value |= static_cast<std::uint64_t>(signal.at(static_cast<std::size_t>(at / 32)) >> at % 32) << bit;
      bit += 32 - at % 32;
    }
    return value & mask;
  }
}

template <class Signal>
void set_bits(Signal& signal, int first, int width, std::uint64_t value) {
  const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if constexpr (std::is_integral_v<Signal>) {
    signal = static_cast<Signal>((signal & ~(mask << first)) | (value & mask) << first);
  } else {
    for (int bit = 0; bit < width;) {
      const int at = first + bit;
      const int count = std::min(32 - at % 32, width - bit);
      const std::uint32_t part = static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1) << at % 32;
      auto& word = signal.at(static_cast<std::size_t>(at / 32));
      word = (word & ~part) | (static_cast<std::uint32_t>(value >> bit << at % 32) & part);
      bit += count;
    }
  }
}

struct Sent {
  int link;  ///< router * 5 + port, or the node for what arrives at a core
  int vc;
  WireFlit flit;
};

/// Made before a model: all registers of the model begin with random values, different ones for each model of
/// a process.
struct RandomRegisters {
  RandomRegisters() {
    static int models = 0;
    Verilated::randReset(2);
    Verilated::randSeed(++models);
  }
};

template <class Model>
class RtlMesh {
 public:
  RtlMesh(int nodes, int vcs) : nodes_(nodes), vc_bits_(vcs > 4 ? 3 : vcs > 2 ? 2 : 1), queues_(size(nodes)) {
    // All registers begin with random values, also the clocks inside blocks. A clock that begins high misses
    // the first edge, so it sees only one of the two cycles of reset.
    for (int node = 0; node < nodes; ++node) {
      set_bits(model_.inject_valid_i, node, 1, 0);
      stall(node, 0);
    }
    model_.rst_ni = 0;
    Verilated::assertOn(false);  // nothing holds before the reset
    tick();
    tick();
    Verilated::assertOn(true);
    model_.rst_ni = 1;
  }
  ~RtlMesh() { model_.final(); }

  /// The core of `node` hands a flit to its interface, behind those that wait.
  void inject(int node, const WireFlit& flit) { queues_[size(node)].push_back(flit); }
  std::size_t waiting(int node) const { return queues_[size(node)].size(); }
  /// Outputs of the router that send nothing in the coming cycle.
  void stall(int router, unsigned ports) { set_bits(model_.stall_i, router * 5, 5, ports); }

  /// A clock cycle. Afterwards `sent` and `arrived` show the registers at the beginning of the next one.
  void step() {
    for (int node = 0; node < nodes_; ++node) {
      const bool valid = !queues_[size(node)].empty();
      set_bits(model_.inject_valid_i, node, 1, valid);
      if (valid) put(node, queues_[size(node)].front());
    }
    model_.clk_i = 0;
    model_.eval();
    for (int node = 0; node < nodes_; ++node)
      if (!queues_[size(node)].empty() && bits(model_.inject_ready_o, node, 1) != 0)
        queues_[size(node)].pop_front();
    model_.clk_i = 1;
    model_.eval();
  }

  /// Reads the outputs of the routers, in the order of links.
  void sent(std::vector<Sent>& list) const {
    list.clear();
    collect(list, nodes_ * 5, model_.sent_valid_o, model_.sent_flit_o, model_.sent_vc_o);
  }
  /// Reads the flits that arrive at the cores.
  void arrived(std::vector<Sent>& list) const {
    list.clear();
    collect(list, nodes_, model_.eject_valid_o, model_.eject_flit_o, model_.eject_vc_o);
  }
  bool fault() const { return bits(model_.fault_o, 0, nodes_ > 64 ? 64 : nodes_) != 0; }

 private:
  static std::size_t size(int number) { return static_cast<std::size_t>(number); }
  static constexpr int flit_bits = 130;

  void tick() {
    model_.clk_i = 0;
    model_.eval();
    model_.clk_i = 1;
    model_.eval();
  }
  void put(int node, const WireFlit& flit) {
    const int first = node * flit_bits;
    set_bits(model_.inject_flit_i, first, 64, flit.low);
    set_bits(model_.inject_flit_i, first + 64, 64, flit.high);
    set_bits(model_.inject_flit_i, first + 128, 1, flit.tail);
    set_bits(model_.inject_flit_i, first + 129, 1, flit.head);
  }
  template <class Valid, class Flits, class Vcs>
  void collect(std::vector<Sent>& list, int count, const Valid& valid, const Flits& flits,
               const Vcs& vcs) const {
    for (int place = 0; place < count; ++place) {
      if (bits(valid, place, 1) == 0) continue;
      const int first = place * flit_bits;
      WireFlit flit;
      flit.low = bits(flits, first, 64);
      flit.high = bits(flits, first + 64, 64);
      flit.tail = bits(flits, first + 128, 1) != 0;
      flit.head = bits(flits, first + 129, 1) != 0;
      list.push_back({place, static_cast<int>(bits(vcs, place * vc_bits_, vc_bits_)), flit});
    }
  }

  int nodes_, vc_bits_;
  RandomRegisters random_;
  Model model_;
  std::vector<std::deque<WireFlit>> queues_;
};

}  // namespace taihu::rtl

// SPDX-License-Identifier: Apache-2.0
// Runs the model (taihu/noc) and the RTL in lockstep. Both get the same packets and the same stalled outputs.
// After every cycle all flits that the routers send are compared, with their VCs and all their bits.
//
// A flit that wins the switch of the model in cycle s is on the RTL router's output in s + 2, and at the core
// K (link) cycles later.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "rtl/cosim/rtl_mesh.h"

namespace taihu::rtl {

template <class Model>
class Lockstep {
 public:
  explicit Lockstep(noc::Network& network)
      : network_(network),
        rtl_(network.config().mesh.nodes(), network.config().vcs),
        stalls_(static_cast<std::size_t>(network.config().mesh.nodes())) {
    network.moves = &moves_;
    network.handed = &handed_;
    network.stalls = &stalls_;
    on_links_.resize(1);
    at_cores_.resize(static_cast<std::size_t>(1 + network.config().link_cycles));
  }
  ~Lockstep() {
    network_.moves = nullptr;
    network_.handed = nullptr;
    network_.stalls = nullptr;
  }

  void stall(int router, unsigned ports) {
    stalls_[static_cast<std::size_t>(router)] = static_cast<std::uint8_t>(ports);
    rtl_.stall(router, ports);
  }

  /// To be called after the model's step. False when the two differ; the failure has been reported.
  bool follow() {
    const noc::Mesh& mesh = network_.config().mesh;
    for (const noc::Slot slot : handed_) {
      const noc::Packet& packet = network_.packet(slot);
      for (int number = 0; number < packet.flits; ++number)
        rtl_.inject(packet.source, wire_flit(mesh, packet, number));
    }
    handed_.clear();
    std::vector<Sent> expected, expected_at_cores;
    for (const noc::FlitMove& move : moves_) {
      if (move.port == noc::FlitMove::from_core) continue;
      const noc::Packet& packet = network_.packet(noc::slot_of(move.flit));
      const WireFlit flit = wire_flit(mesh, packet, noc::number_of(move.flit));
      expected.push_back({move.router * 5 + move.port, move.vc, flit});
      if (move.port == noc::local) expected_at_cores.push_back({move.router, move.vc, flit});
    }
    moves_.clear();
    flits_ += expected.size();
    rtl_.step();
    on_links_.push_back(std::move(expected));
    at_cores_.push_back(std::move(expected_at_cores));
    rtl_.sent(found_);
    const bool same = compare(on_links_.front(), "links");
    rtl_.arrived(found_);
    const bool same_at_cores = compare(at_cores_.front(), "cores");
    on_links_.pop_front();
    at_cores_.pop_front();
    EXPECT_FALSE(rtl_.fault()) << "cycle " << network_.now() - 1;
    return same && same_at_cores && !rtl_.fault();
  }
  std::size_t flits() const { return flits_; }

 private:
  bool compare(std::vector<Sent>& expected, const char* where) {
    std::sort(expected.begin(), expected.end(),
              [](const Sent& left, const Sent& right) { return left.link < right.link; });
    std::string difference;
    for (std::size_t place = 0; place < std::max(expected.size(), found_.size()); ++place) {
      const Sent* model = place < expected.size() ? &expected[place] : nullptr;
      const Sent* rtl = place < found_.size() ? &found_[place] : nullptr;
      if (model != nullptr && rtl != nullptr && model->link == rtl->link && model->vc == rtl->vc &&
          model->flit == rtl->flit)
        continue;
      for (const auto& [name, sent] : {std::pair{"model", model}, std::pair{"rtl", rtl}})
        if (sent != nullptr)
          difference += std::string("\n  ") + name + ": link " + std::to_string(sent->link / 5) + ":" +
                        std::to_string(sent->link % 5) + " vc " + std::to_string(sent->vc) + " " +
                        to_text(sent->flit);
    }
    EXPECT_EQ(difference, "") << where << " differ behind cycle " << network_.now() - 1 << ", flit "
                              << flits_;
    return difference.empty();
  }

  noc::Network& network_;
  RtlMesh<Model> rtl_;
  std::vector<std::uint8_t> stalls_;
  std::vector<noc::FlitMove> moves_;
  std::vector<noc::Slot> handed_;
  std::deque<std::vector<Sent>> on_links_, at_cores_;
  std::vector<Sent> found_;
  std::size_t flits_ = 0;
};

}  // namespace taihu::rtl

// SPDX-License-Identifier: Apache-2.0
// How flows share the links of a network: max-min fair. No flow can get more without taking from one that has
// no more than it.
//
// A flow has its fair share exactly when one of its links, its bottleneck, is full and no flow on that link
// is faster (D. Bertsekas, R. Gallager: Data Networks, 2nd edition, section 6.5.2). So after a change only
// those flows are solved anew, by progressive filling, that have lost their bottleneck, and those whom the
// new rates take it from, until every flow has one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace taihu::model {

class FairShare {
 public:
  using Flow = std::uint32_t;

  FairShare(int links, int longest_route, double bytes_per_second);

  /// A flow over `links`, at rate 0 until `update`. Numbers of removed flows are used again.
  Flow add(std::span<const int> links);
  void remove(Flow flow);
  /// Gives every flow its fair rate. `changed()`: those whose rate is another one than before, new ones
  /// included.
  void update();
  std::span<const Flow> changed() const noexcept { return changed_; }
  /// Bytes per second.
  double rate(Flow flow) const noexcept { return flows_[flow].rate; }
  /// Flows ever alive at the same time.
  std::size_t flows() const noexcept { return flows_.size(); }

  /// Throws Error when a link carries more than it can or a flow has no bottleneck: for tests.
  void check() const;

 private:
  struct FlowState {
    double rate = 0;
    double old_rate = 0;
    int hops = 0;
    bool alive = false;
    bool open = false;   ///< is solved anew
    bool fixed = false;  ///< of open ones: has its rate
  };
  struct Entry {
    Flow flow;
    int hop;
  };
  struct LinkState {
    std::vector<Entry> flows;
    double load = 0;
    double fastest = 0;      ///< the highest rate of its flows
    double spare = 0;        ///< while solving: what the open flows without a rate may share
    std::uint32_t open = 0;  ///< while solving: their number
    bool listed = false;
  };

  int& link_of(Flow flow, int hop) {
    return links_of_[flow * longest_route_ + static_cast<std::uint32_t>(hop)];
  }
  int link_of(Flow flow, int hop) const {
    return links_of_[flow * longest_route_ + static_cast<std::uint32_t>(hop)];
  }
  std::uint32_t& place_of(Flow flow, int hop) {
    return places_[flow * longest_route_ + static_cast<std::uint32_t>(hop)];
  }
  bool is_full(const LinkState& link) const noexcept { return link.load >= capacity_ * (1 - tolerance); }
  void measure(LinkState& link);
  bool has_bottleneck(Flow flow) const;
  void open(Flow flow);
  void list(int link);
  void fill();
  void fix_flows(const LinkState& tight, double share);
  /// Opens flows that the last filling has left without a bottleneck; false when there are none.
  bool open_more();

  static constexpr double tolerance = 1e-9;
  const double capacity_;
  const std::uint32_t longest_route_;
  std::vector<LinkState> links_;
  std::vector<FlowState> flows_;
  std::vector<int> links_of_;
  std::vector<std::uint32_t> places_;
  std::vector<Flow> free_;
  std::vector<Flow> open_;   ///< solved anew
  std::vector<int> listed_;  ///< links of open flows, and links that lost a flow
  std::vector<Flow> changed_;
  /// What a link leaves to each of its open flows, or less: that only grows while others get their rates.
  struct Level {
    double share;
    int link;
    bool operator<(const Level& other) const { return share > other.share; }
  };
  std::vector<Level> levels_;
};

}  // namespace taihu::model

// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/fair_share.h"

#include <algorithm>

#include "taihu/base/contract.h"
#include "taihu/base/error.h"
#include "taihu/schedule/exchange_rounds.h"

namespace taihu::model {

namespace {

using schedule::index;

}  // namespace

FairShare::FairShare(int links, int longest_route, double bytes_per_second)
    : capacity_(bytes_per_second),
      longest_route_(static_cast<std::uint32_t>(longest_route)),
      links_(index(links)) {
  expect(longest_route >= 1 && bytes_per_second > 0, "routes have links, and links carry something");
}

FairShare::Flow FairShare::add(std::span<const int> links) {
  expect(!links.empty() && links.size() <= longest_route_, "a flow has from 1 to longest_route links");
  Flow flow;
  if (free_.empty()) {
    flow = static_cast<Flow>(flows_.size());
    flows_.emplace_back();
    links_of_.resize(links_of_.size() + longest_route_);
    places_.resize(places_.size() + longest_route_);
  } else {
    flow = free_.back();
    free_.pop_back();
  }
  flows_[flow] = {};
  flows_[flow].hops = static_cast<int>(links.size());
  flows_[flow].alive = true;
  for (int hop = 0; hop < flows_[flow].hops; ++hop) {
    LinkState& link = links_[index(links[index(hop)])];
    link_of(flow, hop) = links[index(hop)];
    place_of(flow, hop) = static_cast<std::uint32_t>(link.flows.size());
    link.flows.push_back({flow, hop});
  }
  open(flow);
  return flow;
}

void FairShare::remove(Flow flow) {
  FlowState& state = flows_[flow];
  expect(state.alive && !state.open, "only flows that have a rate end");
  state.alive = false;
  for (int hop = 0; hop < state.hops; ++hop) {
    const int number = link_of(flow, hop);
    LinkState& link = links_[index(number)];
    const Entry last = link.flows.back();
    link.flows[place_of(flow, hop)] = last;
    place_of(last.flow, last.hop) = place_of(flow, hop);
    link.flows.pop_back();
    if (is_full(link)) list(number);
    link.load = link.flows.empty() ? 0 : link.load - state.rate;
  }
  free_.push_back(flow);
}

void FairShare::open(Flow flow) {
  FlowState& state = flows_[flow];
  if (state.open) return;
  state.open = true;
  state.old_rate = state.rate;
  open_.push_back(flow);
  for (int hop = 0; hop < state.hops; ++hop) list(link_of(flow, hop));
}

void FairShare::list(int link) {
  if (links_[index(link)].listed) return;
  links_[index(link)].listed = true;
  listed_.push_back(link);
}

void FairShare::measure(LinkState& link) {
  link.load = link.fastest = 0;
  for (const Entry& entry : link.flows) {
    const double rate = flows_[entry.flow].rate;
    link.load += rate;
    link.fastest = std::max(link.fastest, rate);
  }
}

bool FairShare::has_bottleneck(Flow flow) const {
  const FlowState& state = flows_[flow];
  for (int hop = 0; hop < state.hops; ++hop) {
    const LinkState& link = links_[index(link_of(flow, hop))];
    if (is_full(link) && link.fastest <= state.rate * (1 + tolerance)) return true;
  }
  return false;
}

// Progressive filling of the open flows; the others keep what they have.
void FairShare::fill() {
  levels_.clear();
  for (const Flow flow : open_) flows_[flow].fixed = false;
  for (const int number : listed_) {
    LinkState& link = links_[index(number)];
    link.spare = capacity_;
    link.open = 0;
    for (const Entry& entry : link.flows) {
      if (flows_[entry.flow].open)
        ++link.open;
      else
        link.spare -= flows_[entry.flow].rate;
    }
    link.spare = std::max(0.0, link.spare);
    if (link.open > 0) levels_.push_back({link.spare / link.open, number});
  }
  std::make_heap(levels_.begin(), levels_.end());
  while (!levels_.empty()) {
    std::pop_heap(levels_.begin(), levels_.end());
    Level& level = levels_.back();
    const LinkState& link = links_[index(level.link)];
    const double share = link.open == 0 ? 0 : link.spare / link.open;
    if (link.open > 0 && share > level.share) {
      level.share = share;
      std::push_heap(levels_.begin(), levels_.end());
      continue;
    }
    levels_.pop_back();
    if (link.open > 0) fix_flows(link, share);
  }
  for (const int number : listed_) measure(links_[index(number)]);
}

// Gives the open flows of `tight` that have no rate yet what it leaves to each.
void FairShare::fix_flows(const LinkState& tight, double share) {
  for (const Entry& entry : tight.flows) {
    FlowState& state = flows_[entry.flow];
    if (!state.open || state.fixed) continue;
    state.fixed = true;
    state.rate = share;
    for (int hop = 0; hop < state.hops; ++hop) {
      LinkState& link = links_[index(link_of(entry.flow, hop))];
      link.spare = std::max(0.0, link.spare - share);
      --link.open;
    }
  }
}

bool FairShare::open_more() {
  const std::size_t before = open_.size();
  // By index: opening a flow lists its links, which this pass has not filled.
  const std::size_t listed = listed_.size();
  for (std::size_t k = 0; k < listed; ++k) {
    // Whoever shares a link with a changed flow may have lost its bottleneck.
    const std::size_t count = links_[index(listed_[k])].flows.size();
    for (std::size_t at = 0; at < count; ++at) {
      const Flow flow = links_[index(listed_[k])].flows[at].flow;
      if (!flows_[flow].open && !has_bottleneck(flow)) open(flow);
    }
  }
  // An open flow without one is held by faster flows that are not open.
  const std::size_t open_flows = before;
  for (std::size_t k = 0; k < open_flows; ++k) {
    const Flow flow = open_[k];
    if (has_bottleneck(flow)) continue;
    for (int hop = 0; hop < flows_[flow].hops; ++hop) {
      const int number = link_of(flow, hop);
      if (!is_full(links_[index(number)])) continue;
      for (std::size_t at = 0; at < links_[index(number)].flows.size(); ++at) {
        const Flow other = links_[index(number)].flows[at].flow;
        if (flows_[other].rate > flows_[flow].rate * (1 + tolerance)) open(other);
      }
    }
  }
  return open_.size() > before;
}

void FairShare::update() {
  changed_.clear();
  if (open_.empty() && listed_.empty()) return;
  // What only lost flows: who had its bottleneck there?
  if (open_.empty()) {
    for (const int link : listed_) measure(links_[index(link)]);
    open_more();
  }
  while (true) {
    fill();
    if (!open_more()) break;
  }
  for (const Flow flow : open_) {
    FlowState& state = flows_[flow];
    state.open = false;
    if (state.rate != state.old_rate) changed_.push_back(flow);
  }
  for (const int link : listed_) links_[index(link)].listed = false;
  open_.clear();
  listed_.clear();
}

void FairShare::check() const {
  for (const LinkState& link : links_) {
    double load = 0;
    for (const Entry& entry : link.flows) load += flows_[entry.flow].rate;
    check_input(load <= capacity_ * (1 + 1e-6), "a link carries more than it can");
  }
  for (Flow flow = 0; flow < flows_.size(); ++flow)
    check_input(!flows_[flow].alive || has_bottleneck(flow), "a flow could be faster");
}

}  // namespace taihu::model

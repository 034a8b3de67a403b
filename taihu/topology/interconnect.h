// SPDX-License-Identifier: Apache-2.0
// The network between nodes as links and routes: which links a message from one node to another takes, and
// how fast each is. Routing is static: a function of sender and receiver, as in InfiniBand.
//
// Every node has a link into the network and one out of it; these are links 0 .. 2 nodes - 1.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace taihu::topology {

/// What all kinds of networks have.
struct LinkRates {
  double bytes_per_second = 6.8e9;  ///< of each link in each direction; 56 Gb/s FDR carries 6.8 GB/s of data
  double hop_seconds = 0.2e-6;      ///< latency of each link of a route
  double start_seconds = 0.6e-6;    ///< latency of a message besides that of its links
};

/// Immutable, so any number of threads may ask.
class Interconnect {
 public:
  virtual ~Interconnect() = default;
  Interconnect(const Interconnect&) = delete;
  Interconnect& operator=(const Interconnect&) = delete;

  int nodes() const noexcept { return nodes_; }
  int links() const noexcept { return links_; }
  /// Links of the longest route.
  int longest_route() const noexcept { return longest_route_; }
  const LinkRates& rates() const noexcept { return rates_; }
  double bytes_per_second(int) const noexcept { return rates_.bytes_per_second; }
  double latency(int links_of_route) const noexcept {
    return rates_.start_seconds + rates_.hop_seconds * links_of_route;
  }
  int link_in(int node) const noexcept { return node; }
  int link_out(int node) const noexcept { return nodes_ + node; }

  /// Writes the links from `from` to `to` in their order to `links`, which has room for longest_route();
  /// returns their number, 0 for a node to itself.
  virtual int route(int from, int to, int* links) const = 0;

  /// Nodes of the same group reach each other without the links that the network has fewer of: a supernode, a
  /// group of a dragonfly; on a torus a line of the first dimension.
  virtual int group(int node) const = 0;
  /// The link by which all messages from other groups reach this group when they are for `node`; -1 where
  /// that depends on the sender.
  virtual int entry(int) const { return -1; }
  /// One line for people.
  virtual std::string describe() const = 0;

 protected:
  Interconnect(int nodes, int links, int longest_route, const LinkRates& rates)
      : nodes_(nodes), links_(links), longest_route_(longest_route), rates_(rates) {}

 private:
  int nodes_;
  int links_;
  int longest_route_;
  LinkRates rates_;
};

/// Supernodes with all bandwidth inside and `uplinks` links to as many top switches, fewer than nodes when
/// the tree is tapered. A message to node d goes by top switch d % uplinks ("D-mod-k", destination based).
struct FatTree {
  int supernodes = 160;
  int nodes_per_supernode = 256;
  int uplinks = 64;
};

/// Groups of routers, all of a group linked to each other; one link from each group to each other one.
/// Shortest routes: at most one link inside the first group, one between groups, one inside the last.
/// Source: J. Kim et al.: Technology-driven, highly-scalable dragonfly topology, ISCA 2008.
struct Dragonfly {
  int groups = 33;
  int routers_per_group = 8;
  int nodes_per_router = 4;
};

/// Rings in each dimension. Routes go dimension by dimension, the shorter way round; half way round: upwards.
struct Torus {
  std::vector<int> sizes{16, 16, 16};
};

/// These throw Error for sizes below 1 and for more than 2^30 links.
std::unique_ptr<Interconnect> make_interconnect(const FatTree& shape, const LinkRates& rates);
std::unique_ptr<Interconnect> make_interconnect(const Dragonfly& shape, const LinkRates& rates);
std::unique_ptr<Interconnect> make_interconnect(const Torus& shape, const LinkRates& rates);

/// A network and the names of its nodes.
struct NamedInterconnect {
  std::unique_ptr<Interconnect> network;
  std::vector<std::string> hosts;  ///< node -> host name; empty when the file has none
  /// The node of a host name, with or without its domain; -1 when the network has no such host.
  int node_of(const std::string& host) const;
};

/// Reads JSON text:
///   {"kind": "fat-tree", "supernodes": 160, "nodes_per_supernode": 256, "uplinks": 64,
///    "bytes_per_second": 6.8e9, "hop_seconds": 2e-7, "start_seconds": 6e-7, "hosts": "n[1-40960]"}
/// The other kinds are "dragonfly" (groups, routers_per_group, nodes_per_router) and "torus" (sizes). Rates
/// and hosts may be absent. Throws Error, which begins with `name`, for anything else.
NamedInterconnect parse_interconnect(std::string_view text, const std::string& name);
/// The same from a file.
NamedInterconnect read_interconnect(const std::string& file);

}  // namespace taihu::topology

// SPDX-License-Identifier: Apache-2.0
// The shape of the network: width x height nodes, numbered row by row from the north-west corner, as a mesh
// or a torus, and dimension-order routing over it. A route is a pure function of (here, destination).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace taihu::noc {

/// Ports of a router. Outputs: the first five. Inputs: all six; `unit` is where results of the router's own
/// collective unit enter.
enum Port : int { east = 0, south = 1, west = 2, north = 3, local = 4, unit = 5 };
inline constexpr int output_ports = 5;
inline constexpr int input_ports = 6;

/// Port at the other end of a link: what leaves east arrives at the neighbour's west port.
constexpr int opposite(int port) {
  return (port + 2) % 4;
}

/// Which coordinate is corrected first.
enum class Routing : std::uint8_t { yx, xy };

/// Direction in which channels are numbered for deadlock freedom: packets in routing order (plain packets,
/// contributions on their way up), or packets on the reversed paths (broadcasts down a learned tree).
enum class Way : std::uint8_t { up, down };

/// Which of two ways of the same length around a ring a packet takes.
struct Ties {
  bool x_backwards = false, y_backwards = false;
};

class Mesh {
 public:
  Mesh() : Mesh(8, 8, false, Routing::yx) {}
  Mesh(int width, int height, bool torus, Routing routing);

  int width() const noexcept { return width_; }
  int height() const noexcept { return height_; }
  bool torus() const noexcept { return torus_; }
  Routing routing() const noexcept { return routing_; }
  int nodes() const noexcept { return width_ * height_; }
  int x(int node) const noexcept { return x_[static_cast<std::size_t>(node)]; }
  int y(int node) const noexcept { return y_[static_cast<std::size_t>(node)]; }
  int node(int x, int y) const noexcept { return y * width_ + x; }

  /// Node at the other end of the link of `port`, -1 at an edge.
  int neighbour(int node, int port) const noexcept {
    return neighbours_[static_cast<std::size_t>(node) * 4 + static_cast<std::size_t>(port)];
  }
  /// Port by which a packet for `destination` leaves `here`; `local` when it is there. `ties` only counts in
  /// a torus.
  int route(int here, int destination, Ties ties = {}) const noexcept;
  /// Links between two nodes.
  int distance(int from, int to) const noexcept;
  /// In a torus every ring has a date line between its last and its first node. On the way up a packet's
  /// class in a ring is whether its route crosses the line there (1) or not (0): shortest routes of either
  /// kind never go all around. On the way down the class says whether the packet has crossed the line since
  /// its source.
  int ring_class(int here, int port, int source, int destination, Way way) const noexcept;
  /// "8x8 mesh, YX".
  std::string describe() const;

 private:
  int step_along(int from, int to, int length, bool backwards) const noexcept;

  int width_, height_;
  bool torus_;
  Routing routing_;
  std::vector<std::int16_t> x_, y_;
  std::vector<std::int32_t> neighbours_;
};

/// The node nearest to the middle, north-west of it: (width/2 - 1, height/2 - 1); 27 in 8 x 8.
int middle_node(const Mesh& mesh) noexcept;

}  // namespace taihu::noc

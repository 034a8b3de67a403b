// SPDX-License-Identifier: Apache-2.0
#include "taihu/topology/interconnect.h"

#include <numeric>

#include "taihu/base/contract.h"
#include "taihu/base/error.h"
#include "taihu/base/formatted.h"

namespace taihu::topology {
namespace {

constexpr double most_links = 1 << 30;

void check_sizes(std::initializer_list<int> sizes, double links) {
  for (const int size : sizes)
    check_input(size >= 1, "a network has a size of " + std::to_string(size) + "; sizes are from 1 on");
  check_input(links <= most_links, "a network has more than 2^30 links");
}

class FatTreeNetwork : public Interconnect {
 public:
  FatTreeNetwork(const FatTree& shape, const LinkRates& rates)
      : Interconnect(shape.supernodes * shape.nodes_per_supernode,
                     2 * shape.supernodes * (shape.nodes_per_supernode + shape.uplinks), 4, rates),
        shape_(shape) {}

  int route(int from, int to, int* links) const override {
    if (from == to) return 0;
    int count = 0;
    links[count++] = link_in(from);
    if (group(from) != group(to)) {
      links[count++] = 2 * nodes() + group(from) * shape_.uplinks + to % shape_.uplinks;
      links[count++] = entry(to);
    }
    links[count++] = link_out(to);
    return count;
  }
  int group(int node) const override { return node / shape_.nodes_per_supernode; }
  int entry(int node) const override {
    return 2 * nodes() + (shape_.supernodes + group(node)) * shape_.uplinks + node % shape_.uplinks;
  }
  std::string describe() const override {
    return formatted("fat tree: %d supernodes of %d nodes with %d uplinks each", shape_.supernodes,
                     shape_.nodes_per_supernode, shape_.uplinks);
  }

 private:
  FatTree shape_;
};

class DragonflyNetwork : public Interconnect {
 public:
  DragonflyNetwork(const Dragonfly& shape, const LinkRates& rates)
      : Interconnect(shape.groups * shape.routers_per_group * shape.nodes_per_router,
                     2 * shape.groups * shape.routers_per_group * shape.nodes_per_router +
                         shape.groups * shape.routers_per_group * shape.routers_per_group +
                         shape.groups * shape.groups,
                     5, rates),
        shape_(shape) {}

  int route(int from, int to, int* links) const override {
    if (from == to) return 0;
    int count = 0;
    links[count++] = link_in(from);
    int router = from / shape_.nodes_per_router % shape_.routers_per_group;
    const int last_router = to / shape_.nodes_per_router % shape_.routers_per_group;
    const int here = group(from);
    const int there = group(to);
    if (here != there) {
      const int leaving = gateway(here, there);
      if (router != leaving) links[count++] = local(here, router, leaving);
      links[count++] = global(here, there);
      router = gateway(there, here);
    }
    if (router != last_router) links[count++] = local(there, router, last_router);
    links[count++] = link_out(to);
    return count;
  }
  int group(int node) const override { return node / (shape_.nodes_per_router * shape_.routers_per_group); }
  std::string describe() const override {
    return formatted("dragonfly: %d groups of %d routers with %d nodes each", shape_.groups,
                     shape_.routers_per_group, shape_.nodes_per_router);
  }

 private:
  /// The router of group `here` with the link to group `there`: neighbours in turn.
  int gateway(int here, int there) const {
    const int distance = (there - here + shape_.groups) % shape_.groups;
    return (distance - 1) % shape_.routers_per_group;
  }
  int local(int group, int from, int to) const {
    return 2 * nodes() + (group * shape_.routers_per_group + from) * shape_.routers_per_group + to;
  }
  int global(int from, int to) const {
    return 2 * nodes() + shape_.groups * shape_.routers_per_group * shape_.routers_per_group +
           from * shape_.groups + to;
  }
  Dragonfly shape_;
};

int product(const std::vector<int>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 1, std::multiplies<>());
}

int longest_ways(const std::vector<int>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), 0, [](int sum, int size) { return sum + size / 2; });
}

class TorusNetwork : public Interconnect {
 public:
  TorusNetwork(const Torus& shape, const LinkRates& rates)
      : Interconnect(product(shape.sizes),
                     product(shape.sizes) * 2 * (1 + static_cast<int>(shape.sizes.size())),
                     2 + longest_ways(shape.sizes), rates),
        shape_(shape) {}

  int route(int from, int to, int* links) const override {
    if (from == to) return 0;
    int count = 0;
    links[count++] = link_in(from);
    int node = from;
    int stride = 1;
    const int dimensions = static_cast<int>(shape_.sizes.size());
    for (int dimension = 0; dimension < dimensions; ++dimension) {
      const int size = shape_.sizes[static_cast<std::size_t>(dimension)];
      int place = node / stride % size;
      const int target = to / stride % size;
      const int upwards = (target - place + size) % size;
      const bool is_up = 2 * upwards <= size;
      for (int steps = is_up ? upwards : size - upwards; steps > 0; --steps) {
        links[count++] = 2 * nodes() + (node * dimensions + dimension) * 2 + (is_up ? 0 : 1);
        const int next = (place + (is_up ? 1 : size - 1)) % size;
        node += (next - place) * stride;
        place = next;
      }
      stride *= size;
    }
    ensure(node == to, "a route ends at its receiver");
    links[count++] = link_out(to);
    return count;
  }
  int group(int node) const override { return node / shape_.sizes.front(); }
  std::string describe() const override {
    std::string text = "torus: ";
    for (std::size_t k = 0; k < shape_.sizes.size(); ++k)
      text += (k == 0 ? "" : " x ") + std::to_string(shape_.sizes[k]);
    return text + " nodes";
  }

 private:
  Torus shape_;
};

}  // namespace

std::unique_ptr<Interconnect> make_interconnect(const FatTree& shape, const LinkRates& rates) {
  check_sizes({shape.supernodes, shape.nodes_per_supernode, shape.uplinks},
              2.0 * shape.supernodes * (static_cast<double>(shape.nodes_per_supernode) + shape.uplinks));
  return std::make_unique<FatTreeNetwork>(shape, rates);
}

std::unique_ptr<Interconnect> make_interconnect(const Dragonfly& shape, const LinkRates& rates) {
  const double routers = static_cast<double>(shape.groups) * shape.routers_per_group;
  check_sizes({shape.groups, shape.routers_per_group, shape.nodes_per_router},
              routers * (2.0 * shape.nodes_per_router + shape.routers_per_group) +
                  static_cast<double>(shape.groups) * shape.groups);
  return std::make_unique<DragonflyNetwork>(shape, rates);
}

std::unique_ptr<Interconnect> make_interconnect(const Torus& shape, const LinkRates& rates) {
  check_input(!shape.sizes.empty() && shape.sizes.size() <= 8, "a torus has from 1 to 8 dimensions");
  double links = 2.0 * (1.0 + static_cast<double>(shape.sizes.size()));
  for (const int size : shape.sizes) {
    check_sizes({size}, 0);
    links *= size;
  }
  check_sizes({}, links);
  return std::make_unique<TorusNetwork>(shape, rates);
}

}  // namespace taihu::topology

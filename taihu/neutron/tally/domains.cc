// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/tally/domains.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "taihu/base/error.h"
#include "taihu/neutron/source/fission_bank.h"

namespace taihu::neutron {
namespace {

/// Where the surfaces that bound the model lie along an axis.
struct Extent {
  double low = infinity, high = -infinity;
  void add(double at) {
    low = std::min(low, at);
    high = std::max(high, at);
  }
  void add(double centre, double radius) {
    add(centre - radius);
    add(centre + radius);
  }
};

std::array<Extent, 3> boundaries_of(const Geometry& geometry) {
  std::array<Extent, 3> extents;
  for (const SurfaceId index : geometry.boundaries) {
    const Surface& surface = geometry.surface(index);
    const auto& c = surface.coefficients;
    switch (surface.type) {
      case SurfaceType::x_plane:
        extents[0].add(c[0]);
        break;
      case SurfaceType::y_plane:
        extents[1].add(c[0]);
        break;
      case SurfaceType::z_plane:
        extents[2].add(c[0]);
        break;
      case SurfaceType::x_cylinder:
        extents[1].add(c[0], c[2]);
        extents[2].add(c[1], c[2]);
        break;
      case SurfaceType::y_cylinder:
        extents[0].add(c[0], c[2]);
        extents[2].add(c[1], c[2]);
        break;
      case SurfaceType::z_cylinder:
        extents[0].add(c[0], c[2]);
        extents[1].add(c[1], c[2]);
        break;
      case SurfaceType::sphere:
        for (int axis = 0; axis < 3; ++axis) extents[axis].add(c[axis], c[3]);
        break;
      default:
        break;  // other kinds do not bound the model along an axis
    }
  }
  return extents;
}

}  // namespace

Domains::Domains(const DomainOptions& options, const Geometry& geometry, int ranks)
    : shape_(options.shape), ranks_(ranks) {
  check_input(options.count() <= ranks, std::to_string(options.count()) +
                                            " domains need at least as many ranks; there are " +
                                            std::to_string(ranks));
  const std::array<Extent, 3> extents = boundaries_of(geometry);
  for (int axis = 0; axis < 3; ++axis) {
    const int layers = shape_[axis];
    if (layers == 1) continue;
    const double low = options.has_box ? options.lower[axis] : extents[axis].low;
    const double high = options.has_box ? options.upper[axis] : extents[axis].high;
    const std::string name(1, static_cast<char>('x' + axis));
    check_input(low < high && std::isfinite(high - low),
                options.has_box ? "the box of the domains has no width along " + name
                                : "the model's boundaries do not say where to cut along " + name +
                                      "; give the domains a box");
    lower_[axis] = low, upper_[axis] = high;
    const int columns = axis == 0 ? 1 : axis == 1 ? shape_[0] : shape_[0] * shape_[1];
    for (int column = 0; column < columns; ++column)
      for (int i = 1; i < layers; ++i) cuts_[axis].push_back(low + (high - low) * i / layers);
  }
}

int Domains::layer_of(int axis, int column, double coordinate) const noexcept {
  int layer = 0;
  for (int i = 0; i + 1 < shape_[axis]; ++i) layer += coordinate >= cut(axis, column, i);
  return layer;
}

DomainBox Domains::box(int domain) const noexcept {
  return box_of_layers(layers_of(domain), 3);
}

/// The box that the layers along the first `axes` axes make; it is infinite along the others.
DomainBox Domains::box_of_layers(const std::array<int, 3>& layers, int axes) const noexcept {
  DomainBox box{{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}};
  const int columns[] = {0, layers[0], layers[1] * shape_[0] + layers[0]};
  for (int axis = 0; axis < axes; ++axis) {
    if (layers[axis] > 0) box.lower[axis] = cut(axis, columns[axis], layers[axis] - 1);
    if (layers[axis] + 1 < shape_[axis]) box.upper[axis] = cut(axis, columns[axis], layers[axis]);
  }
  return box;
}

int Domains::first_rank(int domain) const noexcept {
  return static_cast<int>(first_history(ranks_, domain, count()));
}

int Domains::domain_of_rank(int rank) const noexcept {
  int domain = 0;
  while (first_rank(domain + 1) <= rank) ++domain;
  return domain;
}

}  // namespace taihu::neutron

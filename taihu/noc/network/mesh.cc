// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/network/mesh.h"

#include <algorithm>
#include <cstdlib>

namespace taihu::noc {

Mesh::Mesh(int width, int height, bool torus, Routing routing)
    : width_(width), height_(height), torus_(torus), routing_(routing) {
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      x_.push_back(static_cast<std::int16_t>(x));
      y_.push_back(static_cast<std::int16_t>(y));
      const auto at = [&](int column, int row) {
        if (torus) return node((column + width) % width, (row + height) % height);
        return column < 0 || row < 0 || column >= width || row >= height ? -1 : node(column, row);
      };
      neighbours_.push_back(at(x + 1, y));
      neighbours_.push_back(at(x, y + 1));
      neighbours_.push_back(at(x - 1, y));
      neighbours_.push_back(at(x, y - 1));
    }
  }
}

/// +1, -1 or 0: the direction of the shorter way; of two equal ones the positive one if not `backwards`.
int Mesh::step_along(int from, int to, int length, bool backwards) const noexcept {
  if (from == to) return 0;
  if (!torus_) return to > from ? 1 : -1;
  const int forward = (to - from + length) % length;
  return 2 * forward < length + (backwards ? 0 : 1) ? 1 : -1;
}

int Mesh::route(int here, int destination, Ties ties) const noexcept {
  const int along_x = step_along(x(here), x(destination), width_, ties.x_backwards);
  const int along_y = step_along(y(here), y(destination), height_, ties.y_backwards);
  const bool y_now = routing_ == Routing::yx ? along_y != 0 : along_x == 0;
  if (y_now && along_y != 0) return along_y > 0 ? south : north;
  if (along_x != 0) return along_x > 0 ? east : west;
  return local;
}

int Mesh::distance(int from, int to) const noexcept {
  int dx = std::abs(x(from) - x(to));
  int dy = std::abs(y(from) - y(to));
  if (torus_) {
    dx = dx > width_ - dx ? width_ - dx : dx;
    dy = dy > height_ - dy ? height_ - dy : dy;
  }
  return dx + dy;
}

int Mesh::ring_class(int here, int port, int source, int destination, Way way) const noexcept {
  const bool horizontal = port == east || port == west;
  const int begin = horizontal ? x(source) : y(source);
  const int end_node = way == Way::up ? destination : here;
  const int end = horizontal ? x(end_node) : y(end_node);
  const bool positive = port == east || port == south;
  return (positive ? end < begin : end > begin) ? 1 : 0;
}

std::string Mesh::describe() const {
  return std::to_string(width_) + "x" + std::to_string(height_) + (torus_ ? " torus, " : " mesh, ") +
         (routing_ == Routing::yx ? "YX" : "XY");
}

int middle_node(const Mesh& mesh) noexcept {
  return mesh.node(std::max(0, mesh.width() / 2 - 1), std::max(0, mesh.height() / 2 - 1));
}

}  // namespace taihu::noc

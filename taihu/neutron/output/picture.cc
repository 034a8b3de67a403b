// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/output/picture.h"

#include <algorithm>
#include <cmath>

namespace taihu::neutron {
namespace {

using picture::Colour;

/// Distinct colours: hues by the golden angle, two levels of brightness.
Colour colour_of(int number) {
  if (number < 0) return {255, 255, 255};  // void
  const double hue = std::fmod(number * 0.61803398875, 1.0) * 6, light = number % 2 == 0 ? 0.95 : 0.7;
  const auto part = [&](int i) {
    const double distance = std::fabs(std::fmod(hue + 2 * i, 6.0) - 3) - 1;
    return static_cast<std::uint8_t>(255 * light * (0.35 + 0.65 * std::clamp(distance, 0.0, 1.0)));
  };
  return {part(0), part(1), part(2)};
}

/// Dark blue over green to yellow and red for 0..1.
Colour heat(double share) {
  constexpr double points[5][3] = {
      {30, 20, 90}, {30, 110, 160}, {60, 180, 110}, {250, 220, 60}, {200, 30, 30}};
  const double place = std::clamp(share, 0.0, 1.0) * 4;
  const int low = std::min(3, static_cast<int>(place));
  const auto part = [&](int i) {
    return static_cast<std::uint8_t>(points[low][i] + (place - low) * (points[low + 1][i] - points[low][i]));
  };
  return {part(0), part(1), part(2)};
}

CellId first_other_cell(const Geometry& geometry, const Location::Level& level) {
  for (const CellId cell : geometry.universe(level.universe).cells)
    if (cell != level.cell && contains(geometry.tests_of(geometry.cell(cell)), geometry.surfaces, level.r))
      return cell;
  return {};
}

/// Sums of a mesh along z, at most `most_pixels` a side.
class MeshMap {
 public:
  explicit MeshMap(const Mesh& mesh)
      : mesh_(mesh),
        cells_((std::max(mesh.shape[0], mesh.shape[1]) + most_pixels - 1) / most_pixels),
        width_((mesh.shape[0] + cells_ - 1) / cells_),
        height_((mesh.shape[1] + cells_ - 1) / cells_),
        sums_(static_cast<std::size_t>(width_) * height_) {}

  void add(std::int64_t cell, double value) {
    const auto x = static_cast<int>(cell % mesh_.shape[0]);
    const auto y = static_cast<int>(cell / mesh_.shape[0] % mesh_.shape[1]);
    sums_[static_cast<std::size_t>(y / cells_) * width_ + x / cells_] += value;
  }

  Picture draw() const {
    double largest = 0;
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) largest = std::max(largest, mean(x, y));
    const int zoom = std::max(1, 800 / std::max(width_, height_));
    Picture picture(width_ * zoom, height_ * zoom);
    for (int y = 0; y < picture.height(); ++y)
      for (int x = 0; x < picture.width(); ++x) {
        const double value = mean(x / zoom, height_ - 1 - y / zoom);
        picture.dot(x, y, value > 0 ? heat(value / largest) : Colour{235, 235, 235});
      }
    return picture;
  }

 private:
  static constexpr int most_pixels = 1000;

  /// The last pixels of a row or column may have fewer cells.
  double mean(int x, int y) const {
    const int across = std::min(cells_, mesh_.shape[0] - x * cells_);
    const int up = std::min(cells_, mesh_.shape[1] - y * cells_);
    return sums_[static_cast<std::size_t>(y) * width_ + x] / (across * up);
  }

  const Mesh& mesh_;
  int cells_;  ///< of the mesh along a side of a pixel
  int width_, height_;
  std::vector<double> sums_;
};

}  // namespace

std::string fault_at(const Geometry& geometry, const Vector& r) {
  CellMemory memory(geometry);
  Location location;
  const bool found = locate(geometry, memory, r, {0, 0, 1}, location);
  for (int level = 0; level < location.depth; ++level)
    if (const CellId other = first_other_cell(geometry, location.levels[level]))
      return "in cells " + std::to_string(geometry.cell(location.levels[level].cell).id) + " and " +
             std::to_string(geometry.cell(other).id) + " of universe " +
             std::to_string(geometry.universe(location.levels[level].universe).id);
  if (found) return "";
  if (location.depth == 0) return "in no cell of the root universe";
  const Location::Level& below = location.levels[location.depth];
  if (!below.universe)
    return "outside of lattice " + std::to_string(geometry.lattice(below.lattice).id) +
           ", which has no outer universe";
  return "in no cell of universe " + std::to_string(geometry.universe(below.universe).id);
}

Picture draw_slice(const Model& model, const Slice& slice, std::vector<GeometryFault>& faults) {
  Picture picture(slice.pixels_x, slice.pixels_y);
  CellMemory memory(model.geometry);
  bool reported[2] = {false, false};
  for (int y = 0; y < slice.pixels_y; ++y)
    for (int x = 0; x < slice.pixels_x; ++x) {
      Vector r = slice.origin;
      r[slice.horizontal] += ((x + 0.5) / slice.pixels_x - 0.5) * slice.width;
      r[slice.vertical] += (0.5 - (y + 0.5) / slice.pixels_y) * slice.height;
      Location location;
      const bool found = locate(model.geometry, memory, r, {0, 0, 1}, location);
      bool overlap = false;
      for (int level = 0; level < location.depth && !overlap; ++level)
        overlap = bool(first_other_cell(model.geometry, location.levels[level]));
      Colour colour{0, 0, 0};
      if (overlap)
        colour = {255, 0, 0};
      else if (found)
        colour = colour_of(slice.by_material ? location.material.index() : location.cell().index());
      picture.dot(x, y, colour);
      if ((found && !overlap) || reported[overlap ? 1 : 0]) continue;
      reported[overlap ? 1 : 0] = true;
      faults.push_back({r, fault_at(model.geometry, r)});
    }
  return picture;
}

bool is_map(const TallyLayout& layout, std::size_t tally) {
  const TallyLayout::CompiledTally& compiled = layout.compiled[tally];
  if (compiled.mesh_filter < 0) return false;
  const Mesh& mesh = *compiled.filters[compiled.mesh_filter].mesh;
  return mesh.type == MeshType::regular && mesh.dimensions >= 2 && compiled.combinations == mesh.size();
}

std::vector<Picture> draw_mesh_tally(const TallyLayout& layout, const TallySource& source,
                                     std::size_t tally) {
  if (!is_map(layout, tally)) return {};
  const TallyLayout::CompiledTally& compiled = layout.compiled[tally];
  std::vector<MeshMap> maps(compiled.width, MeshMap(*compiled.filters[compiled.mesh_filter].mesh));
  for_each_piece(layout, source, tally, [&](std::int64_t first, std::int64_t n, const TallyView& statistics) {
    for (std::size_t column = 0; column < maps.size(); ++column)
      for (std::int64_t i = 0; i < n; ++i)
        maps[column].add(first + i, statistics.sum[i * compiled.width + column]);
  });
  std::vector<Picture> pictures;
  for (const MeshMap& map : maps) pictures.push_back(map.draw());
  return pictures;
}

}  // namespace taihu::neutron

// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/geometry/cell_search.h"

#include <algorithm>
#include <vector>

#include "taihu/neutron/geometry/geometry.h"

namespace taihu::neutron {
namespace {

// Beyond these the cell that was found last is a better guess, and trees would take memory and time to make.
constexpr std::size_t most_cells = 400, most_tests = 512;
constexpr int most_depth = 20;

CellTest test_of(const Geometry& geometry, SurfaceId id) {
  const Surface& surface = geometry.surface(id);
  const std::array<double, 10>& c = surface.coefficients;
  CellTest test{.surface = id};
  if (surface.type <= SurfaceType::z_plane) {
    test.kind = CellTest::Kind::axis_plane;
    test.axis = static_cast<int>(surface.type);
    test.bound = c[0];
  } else if (surface.type == SurfaceType::z_cylinder) {
    test.kind = CellTest::Kind::z_cylinder;
    test.x = c[0], test.y = c[1], test.bound = c[2] * c[2];
  }
  return test;
}

/// Both compare the same number, with their bounds.
bool are_alike(const CellTest& a, const CellTest& b) {
  if (a.kind == CellTest::Kind::other) return a.surface == b.surface;
  return a.kind == b.kind && a.axis == b.axis && a.x == b.x && a.y == b.y;
}

/// Follows the plain search for all points at once. Where it asks for a surface whose sign is not known,
/// there are two ways on.
class TreeMaker {
 public:
  explicit TreeMaker(Geometry& geometry) : geometry_(geometry), place_of_(geometry.surfaces.size(), -1) {}

  SearchStep make(const std::vector<CellId>& cells) {
    if (cells.size() > most_cells) return no_tree;
    cells_ = cells;
    first_ = geometry_.cell_tests.size();
    too_large_ = false;
    collect_tests();
    const SearchStep root = follow(0, 0, 0);
    for (const CellTest& test : tests_) place_of_[test.surface.index()] = -1;
    if (!too_large_) return root;
    geometry_.cell_tests.resize(first_);
    return no_tree;
  }

 private:
  enum class Sign : std::int8_t { unknown, negative, positive };

  void collect_tests() {
    tests_.clear();
    for (const CellId cell : cells_)
      for (const HalfSpaceTest& test : geometry_.tests_of(geometry_.cell(cell))) {
        int& place = place_of_[test.surface.index()];
        if (place >= 0) continue;
        place = static_cast<int>(tests_.size());
        tests_.push_back(test_of(geometry_, test.surface));
      }
    signs_.assign(tests_.size(), Sign::unknown);
  }

  /// From test `at` of the cell with this number on, below `depth` tests.
  SearchStep follow(std::size_t number, int at, int depth) {
    while (!too_large_ && number < cells_.size()) {
      const std::span<const HalfSpaceTest> tests = geometry_.tests_of(geometry_.cell(cells_[number]));
      if (at == HalfSpaceTest::inside || tests.empty()) return found_cell(cells_[number]);
      if (at == HalfSpaceTest::outside) {
        ++number, at = 0;
        continue;
      }
      const HalfSpaceTest& test = tests[at];
      const int place = place_of_[test.surface.index()];
      if (signs_[place] == Sign::unknown) return divide(number, at, depth, middle_of(place));
      at = (signs_[place] == Sign::positive) == test.positive ? test.if_true : test.if_false;
    }
    return in_no_cell;
  }

  /// Of the tests like this one whose signs are not known either: the one in the middle.
  int middle_of(int place) const {
    std::vector<int> alike;
    for (std::size_t i = 0; i < tests_.size(); ++i)
      if (signs_[i] == Sign::unknown && are_alike(tests_[i], tests_[place]))
        alike.push_back(static_cast<int>(i));
    const auto middle = alike.begin() + static_cast<std::ptrdiff_t>(alike.size() / 2);
    std::ranges::nth_element(alike, middle, {}, [&](int i) { return tests_[i].bound; });
    return *middle;
  }

  SearchStep divide(std::size_t number, int at, int depth, int place) {
    const std::size_t index = geometry_.cell_tests.size();
    too_large_ = index - first_ == most_tests || depth == most_depth;
    if (too_large_) return in_no_cell;
    geometry_.cell_tests.push_back(tests_[place]);
    const std::vector<Sign> before = signs_;
    know(place, Sign::negative);
    const SearchStep negative = follow(number, at, depth + 1);
    signs_ = before;
    know(place, Sign::positive);
    const SearchStep positive = follow(number, at, depth + 1);
    signs_ = before;
    geometry_.cell_tests[index].if_negative = negative;
    geometry_.cell_tests[index].if_positive = positive;
    return static_cast<SearchStep>(index);
  }

  /// Below one bound is below all that are higher.
  void know(int place, Sign sign) {
    const CellTest& known = tests_[place];
    for (std::size_t i = 0; i < tests_.size(); ++i) {
      const bool follows =
          sign == Sign::negative ? tests_[i].bound >= known.bound : tests_[i].bound <= known.bound;
      if (follows && are_alike(tests_[i], known)) signs_[i] = sign;
    }
  }

  Geometry& geometry_;
  std::vector<int> place_of_;  ///< in tests_, by surface; -1: none
  std::vector<CellId> cells_;
  std::size_t first_ = 0;
  std::vector<CellTest> tests_;  ///< one for each surface of the universe
  std::vector<Sign> signs_;      ///< of them, as far as the tests above tell
  bool too_large_ = false;
};

}  // namespace

void make_cell_searches(Geometry& geometry) {
  geometry.cell_tests.clear();
  TreeMaker maker(geometry);
  for (Universe& universe : geometry.universes) universe.search = maker.make(universe.cells);
}

}  // namespace taihu::neutron

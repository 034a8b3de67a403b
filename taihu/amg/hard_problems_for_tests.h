// SPDX-License-Identifier: Apache-2.0
// Matrices that multigrid in its usual settings finds hard, made by plain code: elasticity in two and three
// dimensions, convection, graphs with hubs, plates, waves.
#pragma once

#include <array>
#include <cmath>

#include "taihu/amg/matrix/matrices_for_tests.h"

namespace taihu::amg {

/// Linear elasticity on bricks of 8 corners (isotropic, E = 1), clamped at x = 0: `cells` bricks of the given
/// edge lengths in each direction, three unknowns per corner.
inline PlainMatrix elasticity(std::array<int, 3> cells, double poisson,
                              std::array<double, 3> edge = {1, 1, 1}) {
  const double lame = poisson / ((1 + poisson) * (1 - 2 * poisson)), shear = 0.5 / (1 + poisson);
  // Element matrix: sum over 2 x 2 x 2 Gauss points of the products of the shape functions' gradients.
  double element[24][24] = {};
  for (int point = 0; point < 8; ++point) {
    double gradient[8][3];
    for (int a = 0; a < 8; ++a)
      for (int d = 0; d < 3; ++d) {
        double value = (a >> d & 1) != 0 ? 1 / edge[d] : -1 / edge[d];
        for (int other = 0; other < 3; ++other) {
          const double at = (point >> other & 1) != 0 ? 0.5 + std::sqrt(1.0 / 12) : 0.5 - std::sqrt(1.0 / 12);
          if (other != d) value *= (a >> other & 1) != 0 ? at : 1 - at;
        }
        gradient[a][d] = value;
      }
    const double weight = edge[0] * edge[1] * edge[2] / 8;
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < 8; ++b) {
        double dot = 0;
        for (int d = 0; d < 3; ++d) dot += gradient[a][d] * gradient[b][d];
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            element[3 * a + i][3 * b + j] +=
                weight * (lame * gradient[a][i] * gradient[b][j] + shear * gradient[a][j] * gradient[b][i] +
                          (i == j ? shear * dot : 0));
      }
  }
  const auto [nx, ny, nz] = cells;
  const auto unknown = [&](int x, int y, int z) {  // of the first direction; negative where clamped
    return 3 * (GlobalIndex{x - 1} + GlobalIndex{nx} * (y + GlobalIndex{ny + 1} * z));
  };
  PlainMatrix matrix;
  matrix.rows = matrix.columns = GlobalIndex{3} * nx * (ny + 1) * (nz + 1);
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        for (int a = 0; a < 8; ++a)
          for (int b = 0; b < 8; ++b) {
            const int xa = x + (a & 1), xb = x + (b & 1);
            if (xa == 0 || xb == 0) continue;
            const GlobalIndex row = unknown(xa, y + (a >> 1 & 1), z + (a >> 2)),
                              column = unknown(xb, y + (b >> 1 & 1), z + (b >> 2));
            for (int i = 0; i < 3; ++i)
              for (int j = 0; j < 3; ++j)
                matrix.entries[{row + i, column + j}] += element[3 * a + i][3 * b + j];
          }
  return matrix;
}

/// -diffusion (u_xx + u_yy) + w . grad u on n x n points, upwind, w = (wx, wy)(x, y) on the unit square.
template <class Wind>
PlainMatrix convection_diffusion(GlobalIndex n, double diffusion, const Wind& wind) {
  const double h = 1.0 / static_cast<double>(n + 1);
  PlainMatrix matrix{n * n, n * n, {}};
  for (GlobalIndex y = 0; y < n; ++y)
    for (GlobalIndex x = 0; x < n; ++x) {
      const GlobalIndex row = x + n * y;
      const auto [wx, wy] = wind(h * static_cast<double>(x + 1), h * static_cast<double>(y + 1));
      const auto add = [&](GlobalIndex to_x, GlobalIndex to_y, double inflow) {
        const double value = diffusion + h * std::max(inflow, 0.0);
        matrix.entries[{row, row}] += value;
        if (to_x >= 0 && to_x < n && to_y >= 0 && to_y < n) matrix.entries[{row, to_x + n * to_y}] -= value;
      };
      add(x - 1, y, wx);
      add(x + 1, y, -wx);
      add(x, y - 1, wy);
      add(x, y + 1, -wy);
    }
  return matrix;
}

/// Wind that goes round and round.
inline std::pair<double, double> recirculating(double x, double y) {
  return {4 * x * (x - 1) * (1 - 2 * y), -4 * y * (y - 1) * (1 - 2 * x)};
}

/// Laplacian of a graph that grows by preferential attachment, `links` edges for each new node: a few nodes
/// have very many neighbours. `ground` is added to the diagonal.
inline PlainMatrix power_law_graph(GlobalIndex nodes, int links, double ground, unsigned seed) {
  std::mt19937 random(seed);
  PlainMatrix matrix{nodes, nodes, {}};
  std::vector<GlobalIndex> ends{0};  // a node is here once for each of its edges
  for (GlobalIndex node = 1; node < nodes; ++node) {
    for (int link = 0; link < links; ++link) {
      const GlobalIndex other = ends[random() % ends.size()];
      if (other == node || matrix.entries.contains({node, other})) continue;
      matrix.entries[{node, other}] = matrix.entries[{other, node}] = -1;
      ++matrix.entries[{node, node}];
      ++matrix.entries[{other, other}];
      ends.push_back(node);
      ends.push_back(other);
    }
  }
  for (GlobalIndex node = 0; node < nodes; ++node) matrix.entries[{node, node}] += ground;
  return matrix;
}

/// 5-point Laplacian with coefficients of the edges and `shift` on the diagonal; without `boundary` values no
/// point is held, so that the rows add up to zero (Neumann).
template <class Coefficient>
PlainMatrix diffusion(GlobalIndex n, double shift, bool boundary, const Coefficient& coefficient) {
  PlainMatrix matrix{n * n, n * n, {}};
  for (GlobalIndex y = 0; y < n; ++y)
    for (GlobalIndex x = 0; x < n; ++x) {
      const GlobalIndex row = x + n * y;
      matrix.entries[{row, row}] += shift;
      const auto add = [&](GlobalIndex to_x, GlobalIndex to_y) {
        const bool inside = to_x >= 0 && to_x < n && to_y >= 0 && to_y < n;
        if (!inside && !boundary) return;
        const double value = coefficient(x + to_x, y + to_y);
        matrix.entries[{row, row}] += value;
        if (inside) matrix.entries[{row, to_x + n * to_y}] -= value;
      };
      add(x - 1, y);
      add(x + 1, y);
      add(x, y - 1);
      add(x, y + 1);
    }
  return matrix;
}

inline double one(GlobalIndex, GlobalIndex) {
  return 1;
}

/// Product of two matrices.
inline PlainMatrix product(const PlainMatrix& a, const PlainMatrix& b) {
  PlainMatrix result{a.rows, b.columns, {}};
  for (const auto& [place, value] : a.entries)
    for (auto at = b.entries.lower_bound({place.second, 0});
         at != b.entries.end() && at->first.first == place.second; ++at)
      result.entries[{place.first, at->first.second}] += value * at->second;
  return result;
}

/// D A D with a diagonal matrix of sizes 10^-spread .. 10^spread.
inline PlainMatrix badly_scaled(PlainMatrix matrix, double spread, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> scale(matrix.rows);
  for (double& value : scale)
    value = std::pow(10, spread * (static_cast<double>(random() % 2001) / 1000 - 1));
  for (auto& [place, value] : matrix.entries) value *= scale[place.first] * scale[place.second];
  return matrix;
}

}  // namespace taihu::amg

// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/matrix/generate.h"

#include <array>
#include <cmath>
#include <utility>

#include "taihu/amg/matrix/assemble.h"
#include "taihu/amg/parallel/huge_pages.h"
#include "taihu/base/error.h"

namespace taihu::amg {
namespace {

constexpr std::array<std::pair<const char*, Problem>, 6> names = {{{"laplace2d", Problem::laplace2d},
                                                                   {"laplace2d9", Problem::laplace2d9},
                                                                   {"laplace3d", Problem::laplace3d},
                                                                   {"27pt", Problem::laplace27},
                                                                   {"anisotropic", Problem::anisotropic},
                                                                   {"jump", Problem::jump}}};

int dimensions(Problem problem) {
  return problem == Problem::laplace2d || problem == Problem::laplace2d9 ? 2 : 3;
}

// A point of the grid; z is 0 in two dimensions.
struct Point {
  GlobalIndex x, y, z;
};

double coefficient(const Point& p) {
  return (p.x / 8 + p.y / 8 + p.z / 8) % 2 == 0 ? 1.0 : 1000.0;
}

class Stencil {
 public:
  Stencil(Problem problem, GlobalIndex n) : problem_(problem), n_(n) {}

  // Calls entry(global column, value) for the entries of a row in ascending order of columns.
  template <class Entry>
  void row(GlobalIndex index, const Entry& entry) const {
    const Point centre{index % n_, index / n_ % n_, index / n_ / n_};
    const bool box = problem_ == Problem::laplace2d9 || problem_ == Problem::laplace27;
    const GlobalIndex depth = dimensions(problem_) == 3 ? 1 : 0;
    const double diagonal = diagonal_of(centre);
    for (GlobalIndex dz = -depth; dz <= depth; ++dz)
      for (GlobalIndex dy = -1; dy <= 1; ++dy)
        for (GlobalIndex dx = -1; dx <= 1; ++dx) {
          const GlobalIndex steps = dx * dx + dy * dy + dz * dz;
          if (steps > 1 && !box) continue;
          const Point p{centre.x + dx, centre.y + dy, centre.z + dz};
          if (!inside(p)) continue;
          entry(p.x + n_ * (p.y + n_ * p.z), steps == 0 ? diagonal : -coupling(centre, p));
        }
  }

 private:
  bool inside(const Point& p) const {
    return p.x >= 0 && p.x < n_ && p.y >= 0 && p.y < n_ && p.z >= 0 &&
           (p.z < n_ && (p.z == 0 || dimensions(problem_) == 3));
  }

  double coupling(const Point& a, const Point& b) const {
    if (problem_ == Problem::anisotropic) return a.x != b.x ? 1.0 : a.y != b.y ? 0.1 : 0.001;
    if (problem_ != Problem::jump) return 1.0;
    if (!inside(b)) return coefficient(a);
    return 2 / (1 / coefficient(a) + 1 / coefficient(b));
  }

  // The sum of the couplings to all neighbours, those on the boundary too.
  double diagonal_of(const Point& c) const {
    if (problem_ == Problem::laplace2d9) return 8;
    if (problem_ == Problem::laplace27) return 26;
    if (problem_ == Problem::laplace2d) return 4;
    double sum = 0;
    for (const GlobalIndex step : {-1, 1})
      sum += coupling(c, {c.x + step, c.y, c.z}) + coupling(c, {c.x, c.y + step, c.z}) +
             coupling(c, {c.x, c.y, c.z + step});
    return sum;
  }

  Problem problem_;
  GlobalIndex n_;
};

}  // namespace

Problem problem_of_name(const std::string& name) {
  std::string known;
  for (const auto& [word, problem] : names) {
    if (name == word) return problem;
    known += std::string(" ") + word;
  }
  throw UsageError("there is no problem '" + name + "'; there are:" + known);
}

GlobalIndex problem_rows(Problem problem, GlobalIndex n) {
  const double rows = std::pow(static_cast<double>(n), dimensions(problem));
  if (n < 1 || rows > std::ldexp(1.0, 40))
    throw UsageError(
        "the number of points per direction must be at least 1, with at most 2^40 points in all");
  return dimensions(problem) == 2 ? n * n : n * n * n;
}

DistributedMatrix generate(const Context& context, Problem problem, GlobalIndex n,
                           const Distribution& distribution) {
  check_input(distribution.most_rows() <= most_local_rows, too_many_rows);
  const int rank = context.communicator.rank();
  const GlobalIndex first = distribution.begin(rank), last = distribution.end(rank);
  const auto rows = static_cast<LocalIndex>(last - first);
  const Stencil stencil(problem, n);
  const Partition even = Partition::even(rows, context.team.size());
  Array<Offset> starts(context.storage, part_ends(even, 1, 1));
  std::vector<std::vector<GlobalIndex>> ghosts(context.team.size());
  context.team.run(even, [&](LocalIndex begin, LocalIndex end, int thread) {
    for (LocalIndex i = begin; i < end; ++i) {
      Offset count = 0;
      stencil.row(first + i, [&](GlobalIndex column, double) {
        ++count;
        if (column < first || column >= last) ghosts[thread].push_back(column);
      });
      starts[i + 1] = count;
    }
  });
  starts[0] = 0;
  for (LocalIndex i = 0; i < rows; ++i) starts[i + 1] += starts[i];
  DistributedMatrix matrix = matrix_frame(context, distribution, distribution, merged(ghosts));
  matrix.local = csr_with_starts<double>(context.storage, context.team.size(), rows, matrix.local.columns,
                                         std::move(starts));
  ask_for_huge_pages(matrix.local.column);
  ask_for_huge_pages(matrix.local.value);
  const LocalIndex owned = matrix.owned_columns();
  context.team.run(matrix.local.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) {
      Offset k = matrix.local.starts[i];
      stencil.row(first + i, [&](GlobalIndex column, double value) {
        matrix.local.column[k] = local_column(matrix, owned, column);
        matrix.local.value[k++] = value;
      });
    }
  });
  if constexpr (contracts_checked) matrix.check_invariants(context.communicator.rank());
  return matrix;
}

}  // namespace taihu::amg

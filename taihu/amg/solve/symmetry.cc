// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/solve/symmetry.h"

#include <cmath>

#include "taihu/amg/solve/random_number.h"
#include "taihu/amg/solve/steps.h"

namespace taihu::amg {
namespace {

// left'A right, and the 2-norm of A right.
std::array<double, 2> form(const System& system, Array<double>& left, Array<double>& right,
                           Array<double>& product) {
  system.matrix.fill_ghosts(system.context, right.data());
  const auto sums = sum_blocks<2>(system.context, system.partition, [&](LocalIndex begin, LocalIndex end) {
    system.matrix.product(begin, end, right.data(), product.data());
    const double* block = product.data() + begin;
    return std::array{dot(left.data() + begin, block, end - begin), dot(block, block, end - begin)};
  });
  return {sums[0], std::sqrt(sums[1])};
}

}  // namespace

bool is_symmetric(const System& system, GlobalIndex first_row) {
  constexpr double tolerance = 1e-7;
  Array<double> u = make_vector(system), v = make_vector(system), product = make_vector(system);
  for_rows(system, [&](LocalIndex i) {
    u[i] = random_number(first_row + i, 0);
    v[i] = random_number(first_row + i, 1);
  });
  const auto [uav, size_of_av] = form(system, u, v, product);
  const auto [vau, size_of_au] = form(system, v, u, product);
  return std::abs(uav - vau) <= tolerance * (size_of_av + size_of_au);
}

}  // namespace taihu::amg

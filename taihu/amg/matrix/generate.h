// SPDX-License-Identifier: Apache-2.0
// Model problems on a square or cubic grid with n interior points per direction and zero boundary values.
// Points are numbered with the first direction fastest. All are symmetric positive definite.
#pragma once

#include <string>

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

enum class Problem {
  laplace2d,    ///< 5 points
  laplace2d9,   ///< 9 points: 8 in the middle, -1 around
  laplace3d,    ///< 7 points
  laplace27,    ///< 27 points: 26 in the middle, -1 around
  anisotropic,  ///< 7 points, couplings 1, 0.1 and 0.001 in the three directions
  jump  ///< 7 points, coefficient 1 or 1000 by cubes of 8 points (checkerboard), harmonic means between
};

/// laplace2d laplace2d9 laplace3d 27pt anisotropic jump; throws UsageError with the list for other names.
Problem problem_of_name(const std::string& name);

/// Points in all: n^2 or n^3. Throws UsageError when n < 1 or there are more than 2^40.
GlobalIndex problem_rows(Problem problem, GlobalIndex n);

/// The matrix of the problem, rows distributed by `rows`. Collective.
DistributedMatrix generate(const Context& context, Problem problem, GlobalIndex n, const Distribution& rows);

}  // namespace taihu::amg

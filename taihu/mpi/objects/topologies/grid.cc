// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/topologies/grid.h"

#include <cstdint>
#include <string>

#include "taihu/mpi/error.h"

namespace taihu::mpi {
namespace {

/// `base` to the power of `exponent`, at most `limit`.
std::int64_t power_up_to(std::int64_t base, int exponent, std::int64_t limit) noexcept {
  std::int64_t result = 1;
  while (exponent-- > 0 && result < limit) result *= base;
  return result;
}

/// Writes `parts` factors of `number`, none above `bound` or below `least`, in falling order, such that the
/// largest is as small as can be, then the second, and so on. `divisors`: all of the first number, rising.
bool factorise(int number, int parts, int bound, int least, const std::vector<int>& divisors, int* out) {
  if (parts == 0) return number == 1;
  for (const int largest : divisors) {
    if (largest > bound) return false;
    if (largest < least || number % largest != 0 || power_up_to(largest, parts, number) < number) continue;
    const int rest = number / largest;
    if (power_up_to(least, parts - 1, std::int64_t{rest} + 1) > rest) return false;
    if (!factorise(rest, parts - 1, largest, least, divisors, out + 1)) continue;
    *out = largest;
    return true;
  }
  return false;
}

std::vector<int> divisors_of(int number) {
  std::vector<int> low, high;
  for (int divisor = 1; divisor <= number / divisor; ++divisor) {
    if (number % divisor != 0) continue;
    low.push_back(divisor);
    if (divisor != number / divisor) high.push_back(number / divisor);
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

/// `parts` factors of `number` in falling order, the largest and the smallest as close as can be; among such
/// the ones whose smallest is largest.
std::vector<int> balanced_factors(int number, int parts) {
  const std::vector<int> divisors = divisors_of(number);
  std::vector<int> best(static_cast<std::size_t>(parts), 1), found = best;
  factorise(number, parts, number, 1, divisors, best.data());
  for (const int bound : divisors) {
    const int spread = best.front() - best.back();
    // No such spread when even equal factors of the least size that it needs are too many.
    if (bound > spread && power_up_to(bound - spread, parts, std::int64_t{number} + 1) > number) break;
    for (const int least : divisors) {
      if (least > bound) break;
      if (bound - least > best.front() - best.back()) continue;
      if (!factorise(number, parts, bound, least, divisors, found.data())) break;
      if (found.front() - found.back() <= best.front() - best.back()) best = found;
    }
  }
  return best;
}

}  // namespace

std::optional<int> points_of(std::span<const int> dimensions) noexcept {
  int points = 1;
  for (const int dimension : dimensions) {
    if (__builtin_mul_overflow(points, dimension, &points)) return std::nullopt;
  }
  return points;
}

std::vector<int> coordinates_of(const Topology& grid, int rank) {
  std::vector<int> coordinates(grid.dimensions.size());
  for (std::size_t d = coordinates.size(); d-- > 0;) {
    coordinates[d] = rank % grid.dimensions[d];
    rank /= grid.dimensions[d];
  }
  return coordinates;
}

int rank_at(const Topology& grid, std::span<const int> coordinates) noexcept {
  int rank = 0;
  for (std::size_t d = 0; d < coordinates.size(); ++d) {
    const int extent = grid.dimensions[d];
    int coordinate = coordinates[d];
    if (coordinate < 0 || coordinate >= extent) {
      if (grid.periods[d] == 0) return MPI_PROC_NULL;
      coordinate %= extent;
      if (coordinate < 0) coordinate += extent;
    }
    rank = rank * extent + coordinate;
  }
  return rank;
}

int shifted(const Topology& grid, int rank, int direction, int displacement) {
  std::vector<int> coordinates = coordinates_of(grid, rank);
  const auto d = static_cast<std::size_t>(direction);
  const std::int64_t extent = grid.dimensions[d];
  std::int64_t moved = std::int64_t{coordinates[d]} + displacement;
  if (moved < 0 || moved >= extent) {
    if (grid.periods[d] == 0) return MPI_PROC_NULL;
    moved = (moved % extent + extent) % extent;
  }
  coordinates[d] = static_cast<int>(moved);
  return rank_at(grid, coordinates);
}

std::vector<int> grid_neighbours(const Topology& grid, int rank) {
  std::vector<int> neighbours;
  for (int direction = 0; direction < static_cast<int>(grid.dimensions.size()); ++direction) {
    neighbours.push_back(shifted(grid, rank, direction, -1));
    neighbours.push_back(shifted(grid, rank, direction, 1));
  }
  return neighbours;
}

void balance_dimensions(int nodes, std::span<int> dimensions) {
  require(nodes > 0, MPI_ERR_DIMS,
          [&] { return "nnodes is " + std::to_string(nodes) + "; it must be positive"; });
  int rest = nodes, free = 0;
  for (const int dimension : dimensions) {
    require(dimension >= 0, MPI_ERR_DIMS, [&] {
      return "dimension " + std::to_string(dimension) + " is negative; give 0 to have it chosen";
    });
    if (dimension == 0) {
      ++free;
    } else {
      require(rest % dimension == 0, MPI_ERR_DIMS,
              [&] { return "the given dimensions do not divide " + std::to_string(nodes) + " nodes"; });
      rest /= dimension;
    }
  }
  require(free != 0 || rest == 1, MPI_ERR_DIMS,
          [&] { return "the product of the given dimensions is not " + std::to_string(nodes); });
  const std::vector<int> chosen = free != 0 ? balanced_factors(rest, free) : std::vector<int>{};
  std::size_t next = 0;
  for (int& dimension : dimensions) {
    if (dimension == 0) dimension = chosen[next++];
  }
}

}  // namespace taihu::mpi

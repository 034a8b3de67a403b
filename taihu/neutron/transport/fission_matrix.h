// SPDX-License-Identifier: Apache-2.0
// Acceleration of the source's convergence. The fission matrix F[to][from] is the number of fission neutrons
// that are born in one cell of a mesh for each neutron that began in another one. It is counted from the
// sources and sites of the generations, and its fundamental mode is found by iteration. Then sites are taken
// in the numbers that the mode has in each cell. In a loosely coupled core the source needs many generations
// to find its shape, but F only needs few. Sources: S. Carney, F. Brown, B. Kiedrowski, W. Martin, Ann. Nucl.
// Energy 73 (2014) 423; J. Dufek, W. Gudowski, Nucl. Sci. Eng. 162 (2009) 103.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "taihu/neutron/geometry/mesh.h"
#include "taihu/neutron/particle/site.h"
#include "taihu/parallel/communicator.h"

namespace taihu::neutron {

class FissionMatrix {
 public:
  static constexpr int most_cells = 1000;
  /// Weight of a site that is taken as often as without acceleration.
  static constexpr std::int64_t plain_weight = 1 << 16;

  /// `mesh` has at most most_cells and must outlive the object.
  explicit FissionMatrix(const Mesh& mesh);

  /// Adds a generation: its source and the sites that it made, whose number was scaled by 1 / k. Collective.
  void add(parallel::Communicator& ranks, const std::vector<Site>& source, const std::vector<Site>& sites,
           double k);

  /// Weights of the last added `sites` of this rank, with which they follow the fundamental mode. They do not
  /// depend on ranks.
  std::vector<std::int64_t> weights(const std::vector<Site>& sites) const;

  /// Share of the sources' neutrons of each cell in the fundamental mode of all that was added.
  std::vector<double> fundamental_mode() const;

  /// All that was added, for a statepoint: births by cell; neutrons made, by cell to and cell from.
  const std::vector<double>& births() const noexcept { return births_; }
  const std::vector<double>& made() const noexcept { return made_; }
  /// Continues with what another object had, of as many cells.
  void restore(std::vector<double> births, std::vector<double> made);

 private:
  const Mesh* mesh_;
  std::size_t cells_;
  std::vector<double> births_, made_;
  std::vector<std::int64_t> last_;  ///< sites in each cell in the last generation
};

}  // namespace taihu::neutron

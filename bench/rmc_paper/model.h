// SPDX-License-Identifier: Apache-2.0
// A model as lists of lists: each material, cell, universe and tally owns its vectors. rmc keeps the same
// things in flat arrays. Formulas of surfaces, lattices and meshes are rmc's.
#pragma once

#include <string>

#include "bench/rmc_paper/list.h"
#include "taihu/neutron/geometry/lattice.h"
#include "taihu/neutron/geometry/mesh.h"
#include "taihu/neutron/geometry/surface.h"
#include "taihu/neutron/transport/simulation.h"

namespace taihu::listed {

/// Cross sections in 1/cm by group.
struct Material {
  List<double> total, absorption, fission, nu_fission;
  List<double> spectrum;       ///< of fission neutrons, by group; empty: not fissionable
  List<List<double>> scatter;  ///< [from][to]
};

/// The side of a surface.
struct HalfSpace {
  int surface = 0;
  bool positive = false;
};

/// The intersection of half-spaces.
struct Cell {
  List<HalfSpace> half_spaces;
  neutron::Fill fill = neutron::Fill::material;
  int target = -1;  ///< material (-1: void), universe or lattice
};

struct Universe {
  List<int> cells;
};

struct Lattice {
  neutron::Lattice form;  ///< without its universes
  List<int> universes;
};

/// Fission rates by mesh cell.
struct Tally {
  neutron::Mesh mesh;
};

struct Model {
  List<Material> materials;
  List<neutron::Surface> surfaces;
  List<Cell> cells;
  List<Universe> universes;
  List<Lattice> lattices;
  List<Tally> tallies;
  int root = 0;
  int groups = 0;
};

/// Takes over what rmc has read; `library` is the text library of its materials. Throws Error where the
/// model has something that this transport does not know.
Model listed_model(const neutron::Model& model, const std::string& library);

}  // namespace taihu::listed

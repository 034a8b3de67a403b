// SPDX-License-Identifier: Apache-2.0
// The model of Kremer and Grest (Dynamics of entangled linear polymer melts, J. Chem. Phys. 92, 1990): beads repel each other
// by the Lennard-Jones potential 4 (r^-12 - r^-6), cut and shifted at its minimum; bonds are springs of finite length,
// -15 1.5^2 ln(1 - (r/1.5)^2), with the same repulsion. Between two hydrophobic beads the potential is cut at 2.5 instead,
// so that they attract each other.
#ifndef FOLDING_FORCES_H
#define FOLDING_FORCES_H

static const double repulsion_range = 1.122462048309373, attraction_range = 2.5;
static const double longest_bond = 1.5, spring = 30;

/// Of this process's pairs and bonds.
typedef struct {
    double pairs, bonds;  // energy
    double virial;        // sum of force times distance
} potential;

/// Computes the forces on all beads, ghosts too; `attracting` says whether there may be hydrophobic beads.
void compute_forces(int attracting);

/// The same, and energies.
potential compute_forces_and_energies(int attracting);

#endif

// SPDX-License-Identifier: Apache-2.0
// Beads to start with, from a file or made here.
#ifndef FOLDING_START_H
#define FOLDING_START_H

#include <stdint.h>

#include "beads.h"

/// Chains of `length` beads on a path that winds through a cubic lattice, with `density` beads per volume and Maxwellian
/// velocities.
chains melt(int count, int length, double density, double temperature, uint64_t seed);

/// One chain, wound as a loose helix, half of whose beads are hydrophobic.
chains unfolded_chain(int count, double temperature, uint64_t seed);

/// Reads a data file of LAMMPS: `atom_style bond`, one type of bonds, masses 1, beads of type 2 hydrophobic. Gives up when
/// the file has something else. Process 0 reads, all call and get the same.
chains read_data_file(const char *name);

/// Writes such a file.
void write_data_file(const char *name, const chains *all);

#endif

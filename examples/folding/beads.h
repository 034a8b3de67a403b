// SPDX-License-Identifier: Apache-2.0
// The beads of a process: its own ones, sorted by cell, and behind them ghosts, copies of beads of its neighbours.
// Lengths, energies and masses are in the units of the Lennard-Jones potential of a bead.
#ifndef FOLDING_BEADS_H
#define FOLDING_BEADS_H

#include <stddef.h>

// How wide vectors are passed to functions depends on the processor; all functions here are compiled for the same one.
#pragma clang diagnostic ignored "-Wpsabi"

/// x, y, z and what stands with the name of the array.
typedef double four __attribute__((ext_vector_type(4)));

/// Numbers count from 1; 0 is no bead.
typedef struct {
    int number, molecule;
    int bonded[2];  // numbers of the beads that are bonded to it
} identity;

extern struct beads {
    int own, all, capacity;  // all: with ghosts
    four *place;             // symmetric; w is 1 for a hydrophobic bead, 0 for a polar one
    identity *name;          // symmetric
    four *velocity;          // of the own ones; w is 0
    four *force;             // w has no meaning
} beads;

/// Beads as one process has them all.
typedef struct {
    int count;
    double box[3];  // it begins at 0 along each axis, and is periodic
    four *place, *velocity;
    identity *name;
} chains;

/// Makes room for `count` beads, keeping what is there. All processes call with the same count.
void reserve_beads(int count);

/// Memory of new size, or the end of the job with a message; NULL for no bytes.
void *resize(void *memory, size_t bytes);

/// Prints why, once, and ends the job with exit code 1. Processes that find the same cause may all call.
_Noreturn void give_up(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// All beads in the order of their numbers, at process 0; the others get none. All processes call.
chains collect_beads(void);

/// Gives the beads of process 0 to all others, which have none. All processes call.
void share_chains(chains *all);

/// Beads that are all 0.
chains new_chains(int count);
void free_chains(chains *all);

#endif

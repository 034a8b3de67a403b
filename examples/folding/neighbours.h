// SPDX-License-Identifier: Apache-2.0
// Lists of the pairs that may come so near that they act on each other before the lists are made again.
#ifndef FOLDING_NEIGHBOURS_H
#define FOLDING_NEIGHBOURS_H

#include "beads.h"

enum { pair_group = 4 };  // pairs that are computed together

/// The partners of one bead: `count` indices from `first` on in partners, a multiple of pair_group. The bead itself stands in
/// for partners that are missing.
typedef struct {
    int bead, first, count;
} pair_row;

typedef struct {
    int a, b;
} bond;

extern struct lists {
    int row_count, bond_count;
    pair_row *rows;
    int *partners;
    bond *bonds;
    four *before;  // places of the own beads when the lists were made
} lists;

/// How far two beads may come nearer before the lists are made again.
static const double skin = 0.4;

/// Moves beads to their processes, sorts them by cell, makes ghosts and lists. Pairs of beads that are bonded are in the list of
/// bonds only. All processes call.
void make_lists(void);

#endif

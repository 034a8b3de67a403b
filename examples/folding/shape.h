// SPDX-License-Identifier: Apache-2.0
#ifndef FOLDING_SHAPE_H
#define FOLDING_SHAPE_H

#include "beads.h"

/// Roots of the mean square of the distance of beads from the centre of their chain.
typedef struct {
    double all;                 // the radius of gyration
    double hydrophobic, polar;  // of these beads from the same centre; 0 when there are none
} radii;

/// Moves beads by lengths of the box, so that those that are bonded lie together; gives the radii over all chains.
radii join_chains(chains *all);

/// A PNG file: left the radius of gyration over time, from 0 up; right the beads, each a ball, hydrophobic ones
/// orange and polar ones blue. Returns 1, or 0 after a message.
int write_picture(const char *file, const chains *all, const double *radius, int count);

#endif

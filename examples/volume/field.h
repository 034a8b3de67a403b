// SPDX-License-Identifier: Apache-2.0
// A regular volume of bytes, held once per node, and how far it is empty around each of its bricks.
#ifndef VOLUME_FIELD_H
#define VOLUME_FIELD_H

#include <stdint.h>

#include "transfer.h"

enum { brick_shift = 3, brick = 1 << brick_shift };  // cells along a brick's edge

typedef struct {
    int n[3];  // voxels in x, y and z, x fastest; a cell lies between eight voxels
    const uint8_t *voxels;
    int bricks[3];
    /// For each brick 0 when something in it can be seen; else how many steps of a chess king the nearest brick that can be
    /// seen is away, at least so many bricks in every direction being empty (Deakin and Knoll, Efficient ray casting of
    /// volumetric images using distance maps for empty space skipping, Computational Visual Media 6, 2020).
    const uint8_t *distance;
} field;

/// Fills `result` from `file`, or with the orbital when that is NULL. All processes call.
void make_field(field *result, const int n[3], const char *file, const transfer *colours);

/// The orbital at a place of the volume, as a voxel of unlimited precision, 0 to 255.
double orbital(const int n[3], double x, double y, double z);

#endif

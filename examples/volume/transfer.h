// SPDX-License-Identifier: Apache-2.0
// The transfer function: which colour and which opacity a value of the volume has.
#ifndef VOLUME_TRANSFER_H
#define VOLUME_TRANSFER_H

/// A corner of the piecewise linear function.
typedef struct {
    float value;    // of a voxel, 0 to 255, rising
    float rgb[3];   // 0 to 1
    float opacity;  // part of the light that one voxel's length takes away, 0 to 1
} corner;

enum { fine = 4, table_size = 255 * fine + 1, most_corners = 64 };

typedef struct {
    corner corners[most_corners];
    int count;
    float step;  // distance of two samples, in voxels
    float colour[table_size]
                [4];  // at value i / fine: red, green, blue, each times the opacity of a step, and that opacity
} transfer;

/// Reads lines "value red green blue opacity" of `file`; NULL: blue below 128, orange above. Ends the job when they are wrong.
void make_transfer(transfer *function, const char *file, float step);

/// Colour and opacity per voxel at a value, by the corners.
corner evaluate(const transfer *function, float value);

#endif

// SPDX-License-Identifier: Apache-2.0
// What can be looked at: a volume or a surface. All processes call these functions in the same order.
#ifndef VOLUME_SCENE_H
#define VOLUME_SCENE_H

#include <stddef.h>

#include "lanes.h"

/// A scene says how it is made, what a packet of rays sees, and how its pictures are checked.
typedef struct {
    float centre[3];  // what the camera circles around
    float distance;   // from the eye to the centre
    float elevation;  // of the eye above the horizon, in radians
    /// Colours that the rays from `eye` see; directions have length 1.
    colour_lanes (*cast)(const float eye[3], vector_lanes direction);
    /// The same by a slow and simple way: the formula for a volume, all triangles of a surface.
    colour_lanes (*cast_slowly)(const float eye[3], vector_lanes direction);
    float tolerance;      // largest difference between the two that counts as correct
    int checked_packets;  // how many of a picture are cast both ways
} scene;

/// The orbital of a hydrogen atom as a volume of n[0] x n[1] x n[2] voxels, or those of `file`, which has so many bytes, x
/// fastest. `transfer` names a file of colours (transfer.h) or is NULL; `step` is the distance of two samples, in voxels.
scene make_volume(const int n[3], const char *file, const char *transfer, float step);

/// A landscape of at least `faces` triangles.
scene make_terrain(long faces);

/// The triangles of a file in the STL format, as text or binary; gives their number.
scene make_mesh(const char *file, long *count);

/// Memory that the processes of a node share: each process calls with the same sizes and finds it at an address of its own.
/// 64-byte aligned, zero. Ends the job when the node's share is used up.
void *node_memory(size_t bytes);

/// The cells 0 .. count-1 are given to all accelerator threads of the node's processes, a few at a time, as each gets free;
/// returns when all are done.
void for_all_on_node(void (*body)(long cell), long count);

/// Ends the job with exit code 1 after the message, which one process of a node prints. All processes of the node call.
void give_up(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif

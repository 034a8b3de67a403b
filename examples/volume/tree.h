// SPDX-License-Identifier: Apache-2.0
// A tree of boxes over triangles, held once per node: which triangle does a ray meet first.
#ifndef VOLUME_TREE_H
#define VOLUME_TREE_H

#include "lanes.h"

typedef struct {
    float corner[3][3];
} face;

/// Sorts `faces` (memory of node_memory) into a tree. All processes call. Boxes are split where the surface area heuristic in
/// 16 bins finds it best (Wald, On fast construction of SAH-based bounding volume hierarchies, IEEE Symposium on Interactive
/// Ray Tracing, 2007); the upper ones one after the other, the trees below them by all threads of the node.
void build_tree(face *faces, int count);

/// Where rays meet a surface.
typedef struct {
    lanes distance;  // from the origin along the direction; INFINITY where nothing was met
    int_lanes face;  // index of the triangle, -1 where nothing was met
} hits;

/// First triangle on each ray of the lanes in `wanted`; with `whether` any triangle on it.
hits trace(vector_lanes origin, vector_lanes direction, int_lanes wanted, int whether);

/// Normals of length 1 of the triangles, to the side from which their corners are counter-clockwise.
vector_lanes normals(int_lanes face);

/// The first triangle without the tree, by looking at all.
hits trace_slowly(vector_lanes origin, vector_lanes direction, int_lanes wanted, int whether);

#endif

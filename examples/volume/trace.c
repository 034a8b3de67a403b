// SPDX-License-Identifier: Apache-2.0
// Sixteen rays go down the tree together, into each box that one of them meets, the nearer box first.
#include <math.h>

#include "tree.h"
#include "tree_node.h"

// Möller and Trumbore, Fast, minimum storage ray/triangle intersection, Journal of Graphics Tools 2(1), 1997.
static void meet(const vector_lanes *origin, const vector_lanes *direction, int_lanes wanted, int index, hits *found) {
    const face *f = &tree_faces[index];
    float u[3], v[3];
    for (int a = 0; a < 3; a++) {
        u[a] = f->corner[1][a] - f->corner[0][a];
        v[a] = f->corner[2][a] - f->corner[0][a];
    }
    lanes p[3], q[3], s[3];
    for (int a = 0; a < 3; a++) s[a] = origin->x[a] - f->corner[0][a];
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        p[a] = direction->x[b] * v[c] - direction->x[c] * v[b];
        q[a] = s[b] * u[c] - s[c] * u[b];
    }
    const lanes determinant = u[0] * p[0] + u[1] * p[1] + u[2] * p[2];
    const lanes inverse = 1.0f / determinant;
    const lanes along_u = (s[0] * p[0] + s[1] * p[1] + s[2] * p[2]) * inverse;
    const lanes along_v = (direction->x[0] * q[0] + direction->x[1] * q[1] + direction->x[2] * q[2]) * inverse;
    const lanes distance = (v[0] * q[0] + v[1] * q[1] + v[2] * q[2]) * inverse;
    const int_lanes met = wanted & (determinant != 0) & (along_u >= 0) & (along_v >= 0) & (along_u + along_v <= 1) &
                          (distance > 0) & (distance < found->distance);
    found->distance = choose(met, distance, found->distance);
    found->face = met ? (int_lanes)index : found->face;
}

// Distance at which the box begins on each ray; INFINITY where it is missed or begins behind `limit`.
static lanes enter_box(const box *b, const vector_lanes *origin, const lanes inverse[3], int_lanes wanted,
                       lanes limit) {
    lanes enter = 0, leave = limit;
    for (int a = 0; a < 3; a++) {
        const lanes first = (b->low[a] - origin->x[a]) * inverse[a], last = (b->high[a] - origin->x[a]) * inverse[a];
        enter = most(enter, least(first, last));
        leave = least(leave, most(first, last));
    }
    return choose(wanted & (enter <= leave), enter, (lanes)INFINITY);
}

hits trace(vector_lanes origin, vector_lanes direction, int_lanes wanted, int whether) {
    hits found = {INFINITY, -1};
    lanes inverse[3];
    for (int a = 0; a < 3; a++) inverse[a] = 1.0f / choose(direction.x[a] == 0, 1e-20f, direction.x[a]);
    int stack[most_deep], depth = 0, at = 0;
    for (;;) {
        const tree_node *node = &tree_nodes[at];
        for (int i = 0; i < node->count; i++) meet(&origin, &direction, wanted, node->first + i, &found);
        if (whether && node->count > 0) {
            wanted &= found.face < 0;
            if (!any(wanted)) return found;
        }
        int next = -1;
        if (node->count == 0) {
            const float left =
                smallest(enter_box(&tree_nodes[node->first].around, &origin, inverse, wanted, found.distance));
            const float right =
                smallest(enter_box(&tree_nodes[node->first + 1].around, &origin, inverse, wanted, found.distance));
            const int nearer = right < left;
            if (fminf(left, right) < INFINITY) next = node->first + nearer;
            if (fmaxf(left, right) < INFINITY) stack[depth++] = node->first + !nearer;
        }
        while (next < 0) {
            if (depth == 0) return found;
            next = stack[--depth];
            if (!any(enter_box(&tree_nodes[next].around, &origin, inverse, wanted, found.distance) < INFINITY))
                next = -1;
        }
        at = next;
    }
}

hits trace_slowly(vector_lanes origin, vector_lanes direction, int_lanes wanted, int whether) {
    (void)whether;
    hits found = {INFINITY, -1};
    for (int i = 0; i < tree_face_count; i++) meet(&origin, &direction, wanted, i, &found);
    return found;
}

vector_lanes normals(int_lanes index) {
    vector_lanes result;
    for (int i = 0; i < lane_count; i++) {
        const face *f = &tree_faces[index[i] < 0 ? 0 : index[i]];
        float u[3], v[3], normal[3];
        for (int a = 0; a < 3; a++) {
            u[a] = f->corner[1][a] - f->corner[0][a];
            v[a] = f->corner[2][a] - f->corner[0][a];
        }
        for (int a = 0; a < 3; a++) normal[a] = u[(a + 1) % 3] * v[(a + 2) % 3] - u[(a + 2) % 3] * v[(a + 1) % 3];
        const float length = sqrtf(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        for (int a = 0; a < 3; a++) result.x[a][i] = normal[a] / length;
    }
    return result;
}

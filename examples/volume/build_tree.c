// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <parallelc.h>
#include <stddef.h>

#include "scene.h"
#include "tree.h"
#include "tree_node.h"

enum { bins = 16, most_in_leaf = 4, most_subtrees = 256, small = 4096, deep = most_deep - 32 };

typedef struct {
    int node, begin, end;  // the faces of the node, before it is split
    int depth;             // boxes around it
} range;

face *tree_faces;
int tree_face_count;
tree_node *tree_nodes;
node_shared int nodes_used;
node_shared range subtrees[most_subtrees];
node_shared int subtree_count;

static void empty_box(box *b) {
    for (int a = 0; a < 3; a++) {
        b->low[a] = INFINITY;
        b->high[a] = -INFINITY;
    }
}

static void include(box *b, const float point[3]) {
    for (int a = 0; a < 3; a++) {
        b->low[a] = fminf(b->low[a], point[a]);
        b->high[a] = fmaxf(b->high[a], point[a]);
    }
}

static float half_area(const box *b) {
    const float x = b->high[0] - b->low[0], y = b->high[1] - b->low[1], z = b->high[2] - b->low[2];
    return x < 0 ? 0 : x * y + y * z + z * x;
}

static float middle(const face *f, int a) { return (f->corner[0][a] + f->corner[1][a] + f->corner[2][a]) / 3; }

static void include_face(box *b, const face *f) {
    for (int i = 0; i < 3; i++) include(b, f->corner[i]);
}

typedef struct {
    int axis;
    float low, scale;  // bin of a middle m: (m - low) * scale
} binning;

static int bin_of(const binning *by, const face *f) {
    const int i = (int)((middle(f, by->axis) - by->low) * by->scale);
    return i < 0 ? 0 : i >= bins ? bins - 1 : i;
}

// Number of the first bin of the upper half, where (area x faces) of both halves together is smallest.
static int best_split(const binning *by, range r) {
    box boxes[bins];
    int counts[bins] = {0};
    for (int i = 0; i < bins; i++) empty_box(&boxes[i]);
    for (int f = r.begin; f < r.end; f++) {
        const int i = bin_of(by, &tree_faces[f]);
        include_face(&boxes[i], &tree_faces[f]);
        counts[i]++;
    }
    float upper[bins];
    box all;
    empty_box(&all);
    for (int i = bins - 1, count = 0; i > 0; i--) {
        include(&all, boxes[i].low);
        include(&all, boxes[i].high);
        count += counts[i];
        upper[i] = half_area(&all) * (float)count;
    }
    int best = bins / 2;
    float least_cost = INFINITY;
    empty_box(&all);
    for (int i = 0, count = 0; i + 1 < bins; i++) {
        include(&all, boxes[i].low);
        include(&all, boxes[i].high);
        count += counts[i];
        const float cost = half_area(&all) * (float)count + upper[i + 1];
        if (cost < least_cost) {
            least_cost = cost;
            best = i + 1;
        }
    }
    return best;
}

// Moves the faces below the split to the front; returns where the others begin.
static int divide(const binning *by, int split, range r) {
    int begin = r.begin, end = r.end;
    while (begin < end) {
        if (bin_of(by, &tree_faces[begin]) < split) {
            begin++;
        } else {
            const face other = tree_faces[--end];
            tree_faces[end] = tree_faces[begin];
            tree_faces[begin] = other;
        }
    }
    return begin > r.begin && begin < r.end ? begin : r.begin + (r.end - r.begin) / 2;
}

// Gives the node its box, and makes it a leaf (returns 0) or two ranges.
static int split_node(range r, range half[2]) {
    tree_node *node = &tree_nodes[r.node];
    box middles;
    empty_box(&node->around);
    empty_box(&middles);
    for (int f = r.begin; f < r.end; f++) {
        include_face(&node->around, &tree_faces[f]);
        const float m[3] = {middle(&tree_faces[f], 0), middle(&tree_faces[f], 1), middle(&tree_faces[f], 2)};
        include(&middles, m);
    }
    node->count = r.end - r.begin;
    node->first = r.begin;
    if (node->count <= most_in_leaf) return 0;
    binning by = {0};
    float widest = 0;
    for (int a = 0; a < 3; a++) {
        const float width = middles.high[a] - middles.low[a];
        if (width > widest) {
            widest = width;
            by = (binning){a, middles.low[a], bins / width};
        }
    }
    const int divisible = widest > 0 && r.depth < deep;  // else into equal halves: less than 32 times
    const int at = divisible ? divide(&by, best_split(&by, r), r) : r.begin + node->count / 2;
    node->count = 0;
    node->first = __atomic_fetch_add(&nodes_used, 2, __ATOMIC_RELAXED);
    half[0] = (range){node->first, r.begin, at, r.depth + 1};
    half[1] = (range){node->first + 1, at, r.end, r.depth + 1};
    return 1;
}

static void build_subtree(range r) {
    range half[2];
    while (split_node(r, half)) {
        const int larger = half[1].end - half[1].begin > half[0].end - half[0].begin;
        build_subtree(half[!larger]);  // the smaller one, so that calls nest less than 32 deep
        r = half[larger];
    }
}

static void build_one(long number) { build_subtree(subtrees[number]); }

// Splits the widest ranges until there are enough for all threads.
static void build_top(int count) {
    subtrees[0] = (range){0, 0, count, 0};
    subtree_count = 1;
    nodes_used = 1;
    while (subtree_count < most_subtrees) {
        int largest = 0;
        for (int i = 1; i < subtree_count; i++) {
            if (subtrees[i].end - subtrees[i].begin > subtrees[largest].end - subtrees[largest].begin) largest = i;
        }
        if (subtrees[largest].end - subtrees[largest].begin < small) return;
        range half[2];
        split_node(subtrees[largest], half);
        subtrees[largest] = half[0];
        subtrees[subtree_count++] = half[1];
    }
}

void build_tree(face *faces, int count) {
    tree_faces = faces;
    tree_face_count = count;
    tree_nodes = node_memory((size_t)count * 2 * sizeof(tree_node));
    if (m_rank(CCC_NODE) == 0) build_top(count);
    m_barrier(CCC_NODE);
    for_all_on_node(build_one, subtree_count);
}

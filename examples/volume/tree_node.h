// SPDX-License-Identifier: Apache-2.0
// What the tree looks like in memory: for those who build it and those who search it.
#ifndef VOLUME_TREE_NODE_H
#define VOLUME_TREE_NODE_H

#include "tree.h"

typedef struct {
    float low[3], high[3];
} box;

/// A leaf (count > 0) has the faces first .. first+count-1; an inner node the nodes `first` and first+1 below it.
typedef struct {
    box around;
    int first, count;
} tree_node;

enum { most_deep = 96 };  // boxes inside each other

extern face *tree_faces;
extern int tree_face_count;
extern tree_node *tree_nodes;  // the first is the root

#endif

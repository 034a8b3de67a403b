// SPDX-License-Identifier: Apache-2.0
// Messages between neighbours, of one kind at a time along an axis.
#ifndef FOLDING_POST_H
#define FOLDING_POST_H

#include <stddef.h>

/// The first ones go to the neighbour below, those from count_up on to the one above.
enum {
    count_down,
    beads_down,
    ghost_count,
    ghost_names,
    ghost_places,
    count_up,
    beads_up,
    ghost_first,
    ghost_forces,
    kinds
};

static inline int goes_up(int kind) { return kind >= count_up; }

/// `to` is the sender's address of symmetric memory; `from` stays as it is until settle.
void post(int kind, int axis, void *from, void *to, size_t bytes);

/// Waits for the message that the other neighbour has posted: so many bytes at `to`.
void await(int kind, int axis, void *to, size_t bytes);

/// Waits until what was posted has arrived.
void settle(int kind, int axis);

#endif

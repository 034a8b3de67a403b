// SPDX-License-Identifier: Apache-2.0
// One axis after the other: what came along x goes on along y and z, so that six neighbours are enough. Places go straight to where the force loop reads them: the receiver
// has said where. Nothing is overwritten too early, as a process sends places again only after the forces on the former ones
// have come back.
#include "exchange.h"

#include <parallelc.h>
#include <stdlib.h>
#include <string.h>

#include "beads.h"
#include "domain.h"
#include "post.h"

static int number[kinds][3];  // of a message that is one number

static void send_number(int kind, int axis, int value) {
    static int sent[kinds][3];
    settle(kind, axis);
    sent[kind][axis] = value;
    post(kind, axis, &sent[kind][axis], &number[kind][axis], sizeof value);
}

static int await_number(int kind, int axis) {
    await(kind, axis, &number[kind][axis], sizeof(int));
    return number[kind][axis];
}

typedef struct {
    four place, velocity;
    identity name;
} migrant;

// Symmetric, so that it grows on all processes together.
typedef struct {
    void *memory;
    size_t bytes;
} inbox;
static inbox migrants_from[2], forces_from[3];

static void enlarge(inbox *box, size_t bytes) {
    if (bytes <= box->bytes) return;
    if (box->memory != NULL) m_free(box->memory);
    box->bytes = bytes + bytes / 4 + 4096;
    box->memory = m_malloc(box->bytes);
    if (box->memory == NULL) give_up("not enough memory; use fewer beads or more computers");
}

static int largest(int value) {
    int result;
    m_allreduce(CCC_ALL, &value, &result, 1, M_INT, M_MAX);
    return result;
}

// Moves the own beads that are outside along the axis to `leaving`, down and up.
static void take_out(int axis, migrant **leaving, int count[2]) {
    static int capacity[2];
    int kept = 0;
    count[0] = count[1] = 0;
    for (int i = 0; i < beads.own; i++) {
        const double at = beads.place[i][axis];
        if (at >= domain.low[axis] && at < domain.high[axis]) {
            if (kept != i) {
                beads.place[kept] = beads.place[i];
                beads.velocity[kept] = beads.velocity[i];
                beads.name[kept] = beads.name[i];
            }
            kept++;
            continue;
        }
        const int side = at >= domain.high[axis];
        if (count[side] == capacity[side]) {
            capacity[side] = 2 * capacity[side] + 64;
            migrant *larger = aligned_alloc(64, capacity[side] * sizeof *larger);
            if (larger == NULL) give_up("not enough memory; use fewer beads or more computers");
            if (count[side] > 0) memcpy(larger, leaving[side], count[side] * sizeof *larger);
            free(leaving[side]);
            leaving[side] = larger;
        }
        four place = beads.place[i];
        place[axis] += side ? domain.over_high[axis] : domain.over_low[axis];
        // The sum is the upper end itself for a bead just below 0.
        if (place[axis] >= domain.box[axis]) place[axis] = domain.box[axis] * (1 - 0x1p-53);
        leaving[side][count[side]++] = (migrant){place, beads.velocity[i], beads.name[i]};
    }
    beads.own = beads.all = kept;
}

static void take_in(const migrant *coming, int count) {
    for (int i = 0; i < count; i++) {
        beads.place[beads.own] = coming[i].place;
        beads.velocity[beads.own] = coming[i].velocity;
        beads.name[beads.own++] = coming[i].name;
    }
    beads.all = beads.own;
}

void migrate(void) {
    static migrant *leaving[2];
    static const int counts[2] = {count_down, count_up}, moves[2] = {beads_down, beads_up};
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < 6; i++) settle(moves[i % 2], i / 2);
        int count[2];
        take_out(axis, leaving, count);
        if (domain.grid[axis] == 1) {
            for (int side = 0; side < 2; side++) take_in(leaving[side], count[side]);
        } else {
            for (int side = 0; side < 2; side++) send_number(counts[side], axis, count[side]);
            int coming[2];
            for (int side = 0; side < 2; side++) coming[side] = await_number(counts[side], axis);
            reserve_beads(largest(beads.own + coming[0] + coming[1]));
            const int most = largest(coming[0] > coming[1] ? coming[0] : coming[1]);
            for (int side = 0; side < 2; side++) {
                enlarge(&migrants_from[side], most * sizeof(migrant));
                post(moves[side], axis, leaving[side], migrants_from[side].memory, count[side] * sizeof(migrant));
            }
            for (int side = 0; side < 2; side++) {
                await(moves[side], axis, migrants_from[side].memory, coming[side] * sizeof(migrant));
                take_in(migrants_from[side].memory, coming[side]);
            }
        }
    }
    for (int i = 0; i < beads.own; i++) {
        for (int axis = 0; axis < 3; axis++) {
            if (!is_inside(axis, beads.place[i][axis]))
                give_up("bead %d moves too fast; use a shorter time step", beads.name[i].number);
        }
    }
}

// Along each axis: which beads are ghosts at the neighbour below, and the ghosts from the one above.
static struct layer {
    int *sent, capacity, count;
    four *packed;
    identity *names;
    int there;          // index of the first one at the neighbour below
    int first, ghosts;  // here
} layers[3];

static void choose_layer(struct layer *layer, int axis) {
    layer->count = 0;
    for (int i = 0; i < beads.all; i++) {
        if (cell_along(axis, beads.place[i][axis]) != 0) continue;
        if (layer->count == layer->capacity) {
            layer->capacity = 2 * layer->capacity + 64;
            layer->sent = resize(layer->sent, layer->capacity * sizeof *layer->sent);
            layer->names = resize(layer->names, layer->capacity * sizeof *layer->names);
            free(layer->packed);
            layer->packed = aligned_alloc(64, layer->capacity * sizeof *layer->packed);
            if (layer->packed == NULL) give_up("not enough memory; use fewer beads or more computers");
        }
        layer->sent[layer->count++] = i;
    }
}

static void send_layer(int axis) {
    struct layer *layer = &layers[axis];
    const int here = domain.grid[axis] == 1;
    four over = 0;
    over[axis] = domain.over_low[axis];
    settle(ghost_places, axis);
    four *to = here ? beads.place + layer->first : layer->packed;
    for (int i = 0; i < layer->count; i++) to[i] = beads.place[layer->sent[i]] + over;
    if (here) return;
    post(ghost_places, axis, layer->packed, beads.place + layer->there, layer->count * sizeof *to);
    await(ghost_places, axis, beads.place + layer->first, layer->ghosts * sizeof *to);
}

void make_ghosts(void) {
    for (int axis = 0; axis < 3; axis++) {
        struct layer *layer = &layers[axis];
        const int here = domain.grid[axis] == 1;
        settle(ghost_places, axis);
        settle(ghost_names, axis);
        choose_layer(layer, axis);
        layer->first = beads.all;
        if (!here) send_number(ghost_count, axis, layer->count);
        layer->ghosts = here ? layer->count : await_number(ghost_count, axis);
        reserve_beads(largest(beads.all + layer->ghosts));
        if (!here) {
            enlarge(&forces_from[axis], largest(layer->count) * sizeof(four));
            send_number(ghost_first, axis, layer->first);
            layer->there = await_number(ghost_first, axis);
        }
        identity *names = here ? beads.name + layer->first : layer->names;
        for (int i = 0; i < layer->count; i++) names[i] = beads.name[layer->sent[i]];
        if (!here) {
            post(ghost_names, axis, names, beads.name + layer->there, layer->count * sizeof *names);
            await(ghost_names, axis, beads.name + layer->first, layer->ghosts * sizeof *names);
        }
        send_layer(axis);
        beads.all += layer->ghosts;
    }
}

void send_places(void) {
    for (int axis = 0; axis < 3; axis++) send_layer(axis);
}

void wait_for_returned_forces(void) {
    for (int axis = 0; axis < 3; axis++) settle(ghost_forces, axis);
}

void return_forces(void) {
    for (int axis = 2; axis >= 0; axis--) {
        const struct layer *layer = &layers[axis];
        const four *from = beads.force + layer->first;
        if (domain.grid[axis] > 1) {
            post(ghost_forces, axis, beads.force + layer->first, forces_from[axis].memory,
                 layer->ghosts * sizeof(four));
            await(ghost_forces, axis, forces_from[axis].memory, layer->count * sizeof(four));
            from = forces_from[axis].memory;
        }
        for (int i = 0; i < layer->count; i++) beads.force[layer->sent[i]] += from[i];
    }
}

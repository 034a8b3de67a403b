// SPDX-License-Identifier: Apache-2.0
#include "beads.h"

#include <parallelc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "domain.h"

struct beads beads;

void give_up(const char *format, ...) {
    m_lock(CCC_ALL, 0);  // never given back: the first one prints
    va_list values;
    va_start(values, format);
    fputs("folding: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    m_abort(1);
    for (;;) pause();
}

void *resize(void *memory, size_t bytes) {
    if (bytes == 0) {
        free(memory);
        return NULL;
    }
    void *larger = realloc(memory, bytes);
    if (larger == NULL) give_up("not enough memory; use fewer beads or more computers");
    return larger;
}

static void *larger_symmetric(void *memory, size_t used, size_t bytes) {
    void *larger = m_malloc(bytes);
    if (larger == NULL) give_up("not enough memory; use fewer beads or more computers");
    if (used > 0) memcpy(larger, memory, used);
    if (memory != NULL) m_free(memory);
    return larger;
}

// realloc keeps no more than 16 bytes of alignment.
static four *larger_fours(four *old, size_t used, size_t count) {
    four *larger = aligned_alloc(64, (count * sizeof *larger + 63) / 64 * 64);
    if (larger == NULL) give_up("not enough memory; use fewer beads or more computers");
    if (used > 0) memcpy(larger, old, used * sizeof *larger);
    free(old);
    return larger;
}

void reserve_beads(int count) {
    if (count <= beads.capacity) return;
    const int capacity = count + count / 4 + 64;
    beads.place = larger_symmetric(beads.place, beads.all * sizeof *beads.place, capacity * sizeof *beads.place);
    beads.name = larger_symmetric(beads.name, beads.all * sizeof *beads.name, capacity * sizeof *beads.name);
    beads.velocity = larger_fours(beads.velocity, beads.own, capacity);
    beads.force = larger_fours(beads.force, beads.all, capacity);
    beads.capacity = capacity;
}

typedef struct {
    four place, velocity;
    identity name;
} whole_bead;

static void put_into(chains *all, const whole_bead *some, int count) {
    for (int i = 0; i < count; i++) {
        const int at = some[i].name.number - 1;
        all->place[at] = some[i].place;
        all->velocity[at] = some[i].velocity;
        all->name[at] = some[i].name;
    }
}

chains collect_beads(void) {
    enum { tag = 1 };
    whole_bead *mine = aligned_alloc(64, (beads.own * sizeof *mine + 64) / 64 * 64);
    if (mine == NULL) give_up("not enough memory; use fewer beads or more computers");
    for (int i = 0; i < beads.own; i++) mine[i] = (whole_bead){beads.place[i], beads.velocity[i], beads.name[i]};
    long total, own = beads.own;
    m_allreduce(CCC_ALL, &own, &total, 1, M_LONG, M_SUM);
    chains all = {.count = (int)total, .box = {domain.box[0], domain.box[1], domain.box[2]}};
    if (m_rank(CCC_ALL) != 0) {
        m_send(0, mine, own * (long)sizeof *mine, tag);
        free(mine);
        return all;
    }
    const chains empty = new_chains(all.count);
    all.place = empty.place;
    all.velocity = empty.velocity;
    all.name = empty.name;
    put_into(&all, mine, beads.own);
    free(mine);
    for (int rank = 1; rank < m_size(CCC_ALL); rank++) {
        m_status_t status;
        m_probe(rank, tag, &status);
        whole_bead *theirs = aligned_alloc(64, (status.size + 64) / 64 * 64);
        m_recv(rank, theirs, status.size, tag, &status);
        put_into(&all, theirs, (int)(status.size / (long)sizeof *theirs));
        free(theirs);
    }
    return all;
}

chains new_chains(int count) {
    chains all = {.count = count, .place = larger_fours(NULL, 0, count), .velocity = larger_fours(NULL, 0, count)};
    all.name = resize(NULL, count * sizeof *all.name);
    memset(all.place, 0, count * sizeof *all.place);
    memset(all.velocity, 0, count * sizeof *all.velocity);
    memset(all.name, 0, count * sizeof *all.name);
    return all;
}

void share_chains(chains *all) {
    m_bcast(CCC_ALL, &all->count, 1, M_INT, 0);
    m_bcast(CCC_ALL, all->box, 3, M_DOUBLE, 0);
    if (m_rank(CCC_ALL) != 0) {
        const chains empty = new_chains(all->count);
        all->place = empty.place;
        all->velocity = empty.velocity;
        all->name = empty.name;
    }
    m_bcast(CCC_ALL, all->place, all->count * 4L, M_DOUBLE, 0);
    m_bcast(CCC_ALL, all->velocity, all->count * 4L, M_DOUBLE, 0);
    m_bcast(CCC_ALL, all->name, all->count * 4L, M_INT, 0);
}

void free_chains(chains *all) {
    free(all->place);
    free(all->velocity);
    free(all->name);
}

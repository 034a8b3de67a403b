// SPDX-License-Identifier: Apache-2.0
// The slow and simple way to the forces: for one bead all others are looked at, one after the other, in the nearest image.
#include <math.h>
#include <parallelc.h>

#include "forces.h"
#include "motion.h"

static double repulsion_and_attraction(double r) { return 48 * pow(r, -13) - 24 * pow(r, -7); }

// Along the line between two beads, outwards.
static double force_between(const chains *all, int a, int b, double r) {
    const identity name = all->name[a];
    const double repulsion = r < pow(2, 1.0 / 6) ? repulsion_and_attraction(r) : 0;
    if (name.bonded[0] == b + 1 || name.bonded[1] == b + 1) return repulsion - 30 * r / (1 - pow(r / 1.5, 2));
    const int attract = all->place[a].w != 0 && all->place[b].w != 0;
    return attract && r < 2.5 ? repulsion_and_attraction(r) : repulsion;
}

static four force_on(const chains *all, int bead) {
    four force = 0;
    for (int other = 0; other < all->count; other++) {
        four away = all->place[bead] - all->place[other];
        away.w = 0;
        for (int k = 0; k < 3; k++) away[k] -= all->box[k] * round(away[k] / all->box[k]);
        const double r = sqrt(away.x * away.x + away.y * away.y + away.z * away.z);
        if (other != bead && r < 2.5) force += away / r * force_between(all, bead, other, r);
    }
    return force;
}

double check_forces(void) {
    chains all = collect_beads();
    share_chains(&all);
    int attracting = 0;
    for (int i = 0; i < all.count; i++) attracting |= all.place[i].w != 0;
    compute_forces(attracting);
    const int every = all.count < 200 ? 1 : all.count / 100;
    double largest = 0, result;
    for (int i = 0; i < beads.own; i++) {
        if (beads.name[i].number % every != 0) continue;
        const four slow = force_on(&all, beads.name[i].number - 1), off = beads.force[i] - slow;
        for (int k = 0; k < 3; k++) largest = fmax(largest, fabs(off[k]) / (1 + fabs(slow[k])));
    }
    free_chains(&all);
    m_allreduce(CCC_ALL, &largest, &result, 1, M_DOUBLE, M_MAX);
    return result;
}

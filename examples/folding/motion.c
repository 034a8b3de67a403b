// SPDX-License-Identifier: Apache-2.0
// The thermostat is that of Langevin as LAMMPS has it: to the force on a bead are added a friction -v / damping and three
// random numbers of the variance 2 temperature / (damping * time step), equally likely in an interval (Duenweg, Paul, Brownian
// dynamics simulations without Gaussian random numbers, Int. J. Mod. Phys. C 2, 1991).
#include "motion.h"

#include <math.h>
#include <parallelc.h>
#include <string.h>

#include "domain.h"
#include "exchange.h"
#include "forces.h"
#include "neighbours.h"
#include "random.h"

static motion how;
static int attracting;
static long now, total_count, total_bonds, times_listed;
static double heat;          // for this process's beads
static double first_energy;  // per bead, at the start

// The end of one step and the beginning of the next: velocities take the force for half a step each, places move on. Returns
// whether a bead is so far from where it was when the lists were made that they are to be made again. The thermostat's force
// is the same for both halves; after a pause between them it is found again from the velocity before the first half.
static inline int kick(int ending, int beginning, int thermostat) {
    const double half = how.time_step / 2;
    const four half_step = {half, half, half, 0}, whole_step = 2 * half_step;
    const four step = ending && beginning ? whole_step : half_step;
    const double friction = thermostat ? 1 / how.damping : 0;
    const double noise = thermostat ? sqrt(24 * how.temperature / (how.damping * how.time_step)) : 0;
    const uint64_t key = mix(how.seed, (uint64_t)now);
    four warmed = 0, *restrict place = beads.place, *restrict velocity = beads.velocity, *restrict force = beads.force;
    const four *restrict before = lists.before;
    int far = 0;
    for (int i = 0; i < beads.own; i++) {
        const four old = velocity[i];
        four push = force[i];
        if (thermostat) {
            const four start = ending ? old : old - half_step * push;
            const four thermal = noise * mix_three(key, (uint64_t)beads.name[i].number) - friction * start;
            if (ending) push += thermal;
            warmed += step * thermal * (old + 0.5 * step * push);
            if (!beginning) force[i] = push;
        }
        velocity[i] = old + step * push;
        if (beginning) {
            place[i] += whole_step * velocity[i];
            const four way = place[i] - before[i], square = way * way;
            far |= !(square.x + square.y + square.z <= skin * skin / 4);  // also when it is no number
        }
    }
    heat += warmed.x + warmed.y + warmed.z;
    return far;
}

static state measure(potential here) {
    double mine[6] = {0, here.pairs, here.bonds, here.virial, heat, lists.bond_count}, sums[6];
    for (int i = 0; i < beads.own; i++) {
        const four v = beads.velocity[i];
        mine[0] += v.x * v.x + v.y * v.y + v.z * v.z;
    }
    m_allreduce(CCC_ALL, mine, sums, 6, M_DOUBLE, M_SUM);
    if (sums[5] != (double)total_bonds) {
        give_up("%ld of %ld bonds are longer than %g; use a shorter time step", total_bonds - (long)sums[5],
                total_bonds, repulsion_range + skin);
    }
    const double n = (double)total_count, freedom = n > 1 ? 3 * n - 3 : 3;
    const double volume = domain.box[0] * domain.box[1] * domain.box[2];
    state result = {.temperature = sums[0] / freedom, .pairs = sums[1] / n, .bonds = sums[2] / n, .heat = sums[4] / n};
    result.pressure = (sums[0] + sums[3]) / (3 * volume);
    result.total = 0.5 * sums[0] / n + result.pairs + result.bonds;
    result.apart = result.total - result.heat - first_energy;
    return result;
}

state start_motion(const chains *all, motion new_how) {
    how = new_how;
    total_count = all->count;
    now = total_bonds = times_listed = 0;
    heat = first_energy = 0;
    attracting = 0;
    for (int i = 0; i < all->count; i++) {
        for (int k = 0; k < 2; k++) total_bonds += all->name[i].bonded[k] > all->name[i].number;
        attracting |= all->place[i].w != 0;
    }
    divide_box(all->box, (attracting ? attraction_range : repulsion_range) + skin, all->count);
    beads.own = beads.all = 0;
    int count = 0, most;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < all->count; i++) {
            const four at = all->place[i];
            if (!is_inside(0, at.x) || !is_inside(1, at.y) || !is_inside(2, at.z)) continue;
            if (pass == 0) {
                count++;
                continue;
            }
            beads.place[beads.own] = at;
            beads.velocity[beads.own] = all->velocity[i];
            beads.name[beads.own++] = all->name[i];
        }
        if (pass == 0) {
            m_allreduce(CCC_ALL, &count, &most, 1, M_INT, M_MAX);
            reserve_beads(most);
        }
    }
    beads.all = beads.own;
    make_lists();
    times_listed = 1;
    const state first = measure(compute_forces_and_energies(attracting));
    first_energy = first.total;
    return first;
}

// Places have moved: brings ghosts or lists up to date.
static void follow(int far) {
    int stale;
    m_allreduce(CCC_ALL, &far, &stale, 1, M_INT, M_MAX);
    if (stale) {
        make_lists();
        times_listed++;
    } else {
        send_places();
    }
    now++;
}

state move_to(long step) {
    const int thermostat = how.damping > 0;
    // The thermostat begins with the end of the first step.
    follow(thermostat && now > 0 ? kick(0, 1, 1) : kick(0, 1, 0));
    while (now < step) {
        compute_forces(attracting);
        follow(thermostat ? kick(1, 1, 1) : kick(1, 1, 0));
    }
    const potential here = compute_forces_and_energies(attracting);
    if (thermostat)
        kick(1, 0, 1);
    else
        kick(1, 0, 0);
    return measure(here);
}

long list_count(void) { return times_listed; }

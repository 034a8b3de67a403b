// SPDX-License-Identifier: Apache-2.0
// Four pairs at a time: the differences of their places, each one vector, are turned into vectors of x, y and z, one lane for
// each pair; the force of a pair is then again its difference times one number.
#include "forces.h"

#include <math.h>
#include <stdint.h>

#include "beads.h"
#include "exchange.h"
#include "neighbours.h"

typedef int64_t conditions __attribute__((ext_vector_type(4)));

typedef struct {
    four x, y, z, w;
} columns;

static inline columns turn(four a, four b, four c, four d) {
    const four ab_low = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_high = __builtin_shufflevector(a, b, 1, 5, 3, 7),
               cd_low = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_high = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return (columns){
        __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5), __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
        __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7), __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
}

static inline four when(conditions condition, four value) { return condition ? value : (four)0; }
static inline double sum(four a) { return a.x + a.y + a.z + a.w; }

typedef struct {
    four pairs, bonds, virial;
} energies;

// What moves the potential to 0 at the range.
static double shift_at(double range) {
    const double inverse6 = pow(range, -6);
    return 4 * inverse6 * (inverse6 - 1);
}

static inline void add_pairs(int attracting, int measuring, energies *total) {
    const four *restrict place = beads.place;
    four *restrict force = beads.force;
    const double near = repulsion_range * repulsion_range, more = attraction_range * attraction_range - near;
    const double near_shift = shift_at(repulsion_range), more_shift = shift_at(attraction_range) - near_shift;
    for (int r = 0; r < lists.row_count; r++) {
        const pair_row row = lists.rows[r];
        const four here = place[row.bead];
        four acting = 0;
        for (int k = row.first; k < row.first + row.count; k += pair_group) {
            const int *other = lists.partners + k;
            const four away[4] = {here - place[other[0]], here - place[other[1]], here - place[other[2]],
                                  here - place[other[3]]};
            const columns d = turn(away[0], away[1], away[2], away[3]);
            const four square = d.x * d.x + d.y * d.y + d.z * d.z;
            four both = 0;  // 1 for two hydrophobic beads
            if (attracting) both = here.w * (here.w - d.w);
            const conditions acts = (square < near + more * both) & (square > 0);
            const four inverse = 1 / square, inverse6 = inverse * inverse * inverse;
            const four factor = when(acts, 48 * inverse6 * (inverse6 - 0.5) * inverse);
            if (measuring) {
                total->pairs += when(acts, 4 * inverse6 * (inverse6 - 1) - (near_shift + more_shift * both));
                total->virial += factor * square;
            }
            for (int i = 0; i < 4; i++) {
                const four push = away[i] * factor[i];
                acting += push;
                force[other[i]] -= push;
            }
        }
        force[row.bead] += acting;
    }
}

static void refuse_length(const bond *bonds, four square) {
    for (int i = 0; i < 4; i++) {
        if (square[i] < longest_bond * longest_bond) continue;
        give_up(
            "the bond between beads %d and %d is broken, its length being %.3g of at most %g; use a shorter time step",
            beads.name[bonds[i].a].number, beads.name[bonds[i].b].number, sqrt(square[i]), longest_bond);
    }
}

// The last group is filled up with its first bond, which then has no weight.
static inline void add_bonds(int measuring, energies *total) {
    const four *restrict place = beads.place;
    four *restrict force = beads.force;
    const double near = repulsion_range * repulsion_range, most = longest_bond * longest_bond;
    const conditions lane = {0, 1, 2, 3};
    for (int b = 0; b < lists.bond_count; b += 4) {
        bond bonds[4];
        four away[4];
        for (int i = 0; i < 4; i++) {
            bonds[i] = lists.bonds[b + i < lists.bond_count ? b + i : b];
            away[i] = place[bonds[i].a] - place[bonds[i].b];
        }
        const columns d = turn(away[0], away[1], away[2], away[3]);
        const four square = d.x * d.x + d.y * d.y + d.z * d.z;
        const conditions counts = lane < (int64_t)(lists.bond_count - b), repels = square < near;
        if (__builtin_reduce_or(square >= most)) refuse_length(bonds, square);
        const four rest = 1 - square / most, inverse = 1 / square, inverse6 = inverse * inverse * inverse;
        const four factor = when(counts, when(repels, 48 * inverse6 * (inverse6 - 0.5) * inverse) - spring / rest);
        if (measuring) {
            four energy = when(repels, 4 * inverse6 * (inverse6 - 1) + 1);
            for (int i = 0; i < 4; i++) energy[i] -= 0.5 * spring * most * log(rest[i]);
            total->bonds += when(counts, energy);
            total->virial += factor * square;
        }
        for (int i = 0; i < 4; i++) {
            const four push = away[i] * factor[i];
            force[bonds[i].a] += push;
            force[bonds[i].b] -= push;
        }
    }
}

static inline energies add_all(int attracting, int measuring) {
    energies total = {0, 0, 0};
    wait_for_returned_forces();
    for (int i = 0; i < beads.all; i++) beads.force[i] = 0;
    add_pairs(attracting, measuring, &total);
    add_bonds(measuring, &total);
    return_forces();
    return total;
}

void compute_forces(int attracting) {
    if (attracting)
        add_all(1, 0);
    else
        add_all(0, 0);
}

potential compute_forces_and_energies(int attracting) {
    const energies total = add_all(attracting, 1);
    return (potential){sum(total.pairs), sum(total.bonds), sum(total.virial)};
}

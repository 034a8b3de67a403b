// SPDX-License-Identifier: Apache-2.0
#include "start.h"

#include <math.h>

#include "random.h"

static chains separate_chains(int count, int length) {
    chains all = new_chains(count);
    for (int i = 0; i < count; i++) {
        const int first = i % length == 0, last = i % length == length - 1 || i == count - 1;
        all.name[i] = (identity){i + 1, i / length + 1, {first ? 0 : i, last ? 0 : i + 2}};
    }
    return all;
}

// Nearly normal: the sum of twelve numbers that are equally likely. Without motion of the whole.
static void set_velocities(chains *all, double temperature, uint64_t seed) {
    four mean = 0;
    for (int i = 0; i < all->count; i++) {
        four v = 0;
        for (int k = 0; k < 12; k++) v += mix_three(mix(seed, (uint64_t)k), (uint64_t)i);
        all->velocity[i] = v;
        mean += v / all->count;
    }
    double square = 0;
    for (int i = 0; i < all->count; i++) {
        if (all->count > 1) all->velocity[i] -= mean;
        const four v = all->velocity[i] * all->velocity[i];
        square += v.x + v.y + v.z;
    }
    const double freedom = all->count > 1 ? 3.0 * all->count - 3 : 3;
    for (int i = 0; i < all->count; i++) all->velocity[i] *= sqrt(temperature * freedom / square);
}

chains melt(int count, int length, double density, double temperature, uint64_t seed) {
    chains all = separate_chains(count, length);
    const int side = (int)ceil(cbrt(count) - 1e-9);
    const int layers = (count + side * side - 1) / (side * side);
    const double step = cbrt(count / density / ((double)side * side * layers));
    all.box[0] = all.box[1] = side * step;
    all.box[2] = layers * step;
    const double near = step < 1.06 ? step : 1;  // springs are not longer than 1.5
    for (int i = 0; i < count; i++) {
        const int z = i / side / side, row = i / side % side, column = i % side;
        const int y = z % 2 == 0 ? row : side - 1 - row;
        const int x = (i / side) % 2 == 0 ? column : side - 1 - column;
        all.place[i] = ((four){x, y, z, -0.5} + 0.5) * near;
    }
    set_velocities(&all, temperature, seed);
    return all;
}

chains unfolded_chain(int count, double temperature, uint64_t seed) {
    chains all = separate_chains(count, count);
    const double radius = 5, rise = 0.25, bond_length = 0.97;
    const double turn = 2 * asin(sqrt(bond_length * bond_length - rise * rise) / (2 * radius));
    const double side = fmax(40, count * rise + 20);
    for (int k = 0; k < 3; k++) all.box[k] = side;
    for (int i = 0; i < count; i++) {
        const int hydrophobic = mix(seed, (uint64_t)i + 1000000007) % 2 == 0;
        all.place[i] = (four){side / 2 + radius * cos(turn * i), side / 2 + radius * sin(turn * i),
                              side / 2 + rise * (i - count / 2.0), hydrophobic};
    }
    set_velocities(&all, temperature, seed);
    return all;
}

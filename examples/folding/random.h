// SPDX-License-Identifier: Apache-2.0
// Random numbers that depend on the number of a bead and on the step only, not on the process that has the bead: SplitMix64
// (Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014), entered at any place.
#ifndef FOLDING_RANDOM_H
#define FOLDING_RANDOM_H

#include <stdint.h>

#include "beads.h"

static inline uint64_t mix(uint64_t key, uint64_t number) {
    uint64_t z = key + (number + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/// Three numbers from -1/2 to 1/2, of 21 bits each, and 0.
static inline four mix_three(uint64_t key, uint64_t number) {
    typedef uint64_t words __attribute__((ext_vector_type(4)));
    const words shift = {0, 21, 42, 63};
    const words bits = ((words)mix(key, number) >> shift) & (words){0x1fffff, 0x1fffff, 0x1fffff, 0};
    const double middle = 0x1p-22 - 0.5;
    return __builtin_convertvector(bits, four) * 0x1p-21 + (four){middle, middle, middle, 0};
}

#endif

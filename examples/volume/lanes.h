// SPDX-License-Identifier: Apache-2.0
// Sixteen rays at a time: a packet of 4 x 4 pixels, one lane each. Arithmetic on these types is that of all lanes at once, in
// the widest registers that the compiler may use (-march=native); a comparison gives -1 or 0 in each lane.
#ifndef VOLUME_LANES_H
#define VOLUME_LANES_H

#include <stdint.h>

// How wide vectors are passed to functions depends on the processor; all functions here are compiled for the same one.
#pragma clang diagnostic ignored "-Wpsabi"

enum { packet = 4, lane_count = packet * packet };

typedef float lanes __attribute__((ext_vector_type(16)));
typedef int32_t int_lanes __attribute__((ext_vector_type(16)));

/// A point or a direction in each lane.
typedef struct {
    lanes x[3];
} vector_lanes;

/// Red, green and blue of each lane, 0 to 1.
typedef struct {
    lanes rgb[3];
} colour_lanes;

static inline lanes to_float(int_lanes value) { return __builtin_convertvector(value, lanes); }
static inline int_lanes to_int(lanes value) { return __builtin_convertvector(value, int_lanes); }
static inline lanes least(lanes a, lanes b) { return __builtin_elementwise_min(a, b); }
static inline lanes most(lanes a, lanes b) { return __builtin_elementwise_max(a, b); }
static inline lanes rounded_down(lanes a) { return __builtin_elementwise_floor(a); }
static inline lanes square_root(lanes a) { return __builtin_elementwise_sqrt(a); }
static inline int any(int_lanes condition) { return __builtin_reduce_or(condition) != 0; }
static inline float smallest(lanes a) { return __builtin_reduce_min(a); }
static inline lanes choose(int_lanes condition, lanes yes, lanes no) { return condition ? yes : no; }
static inline lanes dot(vector_lanes a, vector_lanes b) { return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2]; }

#endif

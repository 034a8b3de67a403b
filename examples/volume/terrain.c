// SPDX-License-Identifier: Apache-2.0
// A landscape of triangles: noise on a grid, coloured by height and slope, with sun and shadows.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "scene.h"
#include "tree.h"

static int edge;     // squares of the grid along each edge, two triangles each
static face *faces;  // counter-clockwise from above; x and y from 0 to 1, z up
static const float water = 0.06f;
static const float sun[3] = {0.55f, -0.42f, 0.72f};  // direction to it, length 1

// A number from 0 to 1 for each point of the lattice: a hash of its coordinates.
static float lattice(uint32_t x, uint32_t y, uint32_t octave) {
    uint32_t h = x * 0x8da6b343u ^ y * 0xd8163841u ^ octave * 0xcb1ab31fu;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (float)((h ^ h >> 15) >> 8) * 0x1p-24f;
}

// Smooth between the points of the lattice.
static float noise(float x, float y, uint32_t octave) {
    const uint32_t i = (uint32_t)x, j = (uint32_t)y;
    float u = x - (float)i, v = y - (float)j;
    u = u * u * (3 - 2 * u);
    v = v * v * (3 - 2 * v);
    const float low = lattice(i, j, octave) + u * (lattice(i + 1, j, octave) - lattice(i, j, octave));
    const float high = lattice(i, j + 1, octave) + u * (lattice(i + 1, j + 1, octave) - lattice(i, j + 1, octave));
    return low + v * (high - low);
}

// Ridges upon ridges, each octave half as wide as the one before; valleys are filled with water.
static float height(int column, int row) {
    const float x = (float)column / (float)edge, y = (float)row / (float)edge;
    float sum = 0, size = 0.16f, waves = 3, ridge = 1;
    for (uint32_t octave = 0; octave < 11; octave++) {
        const float fold = 1 - fabsf(2 * noise(x * waves, y * waves, octave) - 1);
        sum += size * fold * ridge;
        ridge = 0.3f + 0.7f * fold;
        size *= 0.45f;
        waves *= 2;
    }
    return fmaxf(sum - 0.08f, water);
}

static void make_row(long row) {
    for (int column = 0; column < edge; column++) {
        float point[4][3];
        for (int i = 0; i < 4; i++) {
            const int x = column + (i & 1), y = (int)row + (i >> 1);
            point[i][0] = (float)x / (float)edge;
            point[i][1] = (float)y / (float)edge;
            point[i][2] = height(x, y);
        }
        face *pair = faces + 2 * ((size_t)row * edge + column);
        for (int i = 0; i < 3; i++) {
            for (int a = 0; a < 3; a++) {
                pair[0].corner[i][a] = point[i][a];
                pair[1].corner[i][a] = point[3 - i][a];
            }
        }
    }
}

static vector_lanes places(vector_lanes origin, vector_lanes direction, lanes distance) {
    for (int a = 0; a < 3; a++) origin.x[a] += distance * direction.x[a];
    return origin;
}

static vector_lanes same(const float v[3]) { return (vector_lanes){{v[0], v[1], v[2]}}; }

// 0 below `low`, 1 above `high`.
static lanes rise(lanes value, float low, float high) { return least(most((value - low) / (high - low), 0.0f), 1.0f); }

// Where the sun's rays are looked for: a little above the surface, so that a face does not shadow itself.
static vector_lanes above(vector_lanes place) {
    place.x[2] += 1e-5f;
    return place;
}

typedef hits tracer(vector_lanes origin, vector_lanes direction, int_lanes wanted, int whether);

static inline colour_lanes shade(const float eye[3], vector_lanes direction, tracer *find) {
    static const float sky[3] = {0.55f, 0.7f, 0.9f}, haze[3] = {0.75f, 0.82f, 0.9f}, blue[3] = {0.1f, 0.25f, 0.4f};
    static const float grass[3] = {0.2f, 0.33f, 0.1f}, rock[3] = {0.38f, 0.33f, 0.3f}, snow[3] = {0.95f, 0.95f, 1.0f};
    const hits first = find(same(eye), direction, -1, 0);
    const int_lanes met = first.face >= 0;
    const lanes distance = choose(met, first.distance, 0.0f);
    const vector_lanes place = places(same(eye), direction, distance), normal = normals(first.face);
    const lanes facing = most(dot(normal, same(sun)), 0.0f);
    const int_lanes dark = find(above(place), same(sun), met & (facing > 0), 1).face >= 0;
    const lanes light = 0.3f + choose(dark, 0.0f, 0.9f * facing);
    const lanes flat = rise(normal.x[2], 0.55f, 0.8f), high = rise(place.x[2], 0.15f, 0.18f) * flat;
    const lanes wet = choose(place.x[2] < water + 1e-5f, 1.0f, 0.0f), far = rise(distance, 0.8f, 4.0f);
    const lanes upward = rise(direction.x[2], -0.2f, 0.4f);
    colour_lanes seen;
    for (int k = 0; k < 3; k++) {
        lanes ground = rock[k] + flat * (grass[k] - rock[k]);
        ground += high * (snow[k] - ground);
        ground += wet * (blue[k] - ground);
        ground *= light;
        ground += far * (haze[k] - ground);
        seen.rgb[k] = choose(met, ground, haze[k] + upward * (sky[k] - haze[k]));
    }
    return seen;
}

static colour_lanes cast(const float eye[3], vector_lanes direction) { return shade(eye, direction, trace); }

static colour_lanes cast_slowly(const float eye[3], vector_lanes direction) {
    return shade(eye, direction, trace_slowly);
}

scene make_terrain(long least_faces) {
    edge = (int)ceil(sqrt((double)least_faces / 2));
    const long count = 2L * edge * edge;
    faces = node_memory((size_t)count * sizeof(face));
    for_all_on_node(make_row, edge);
    build_tree(faces, (int)count);
    return (scene){.centre = {0.5f, 0.5f, 0.05f},
                   .distance = 1.3f,
                   .elevation = 0.45f,
                   .cast = cast,
                   .cast_slowly = cast_slowly,
                   .tolerance = 0.0025f,
                   .checked_packets = 8};
}

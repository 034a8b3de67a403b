// SPDX-License-Identifier: Apache-2.0
// Ray casting of a volume: samples at equal distances along a ray, each blended behind those before it, until nearly no light
// comes through (Levoy, Display of surfaces from volume data, IEEE Computer Graphics and Applications 8(3), 1988).
//
// The lanes of a packet go forward each at its own pace: one step where there is something, a leap where the distance map
// says that all bricks around are empty. A leap ends on a sample, so the picture is the same with and without leaps.
#include <math.h>
#include <string.h>

#include "field.h"
#include "scene.h"

static field data;
static transfer colours;
static const float dark = 1.0f / 256;  // light that may be left out

static lanes gather(const float *from, int_lanes index) {
    lanes result;
    for (int i = 0; i < lane_count; i++) result[i] = from[index[i]];
    return result;
}

static int_lanes gather_bytes(const uint8_t *from, int_lanes index) {
    int_lanes result;
    for (int i = 0; i < lane_count; i++) result[i] = from[index[i]];
    return result;
}

// Two neighbours in x: the voxel itself in the low byte.
static int_lanes gather_pairs(const uint8_t *from, int_lanes index) {
    int_lanes result;
    for (int i = 0; i < lane_count; i++) {
        uint16_t pair;
        memcpy(&pair, from + index[i], sizeof pair);
        result[i] = pair;
    }
    return result;
}

// The value at a place inside a cell, linear in each direction.
static lanes interpolate(const int_lanes cell[3], const lanes place[3]) {
    const int row = data.n[0], slice = data.n[0] * data.n[1];
    const int_lanes voxel = cell[2] * slice + cell[1] * row + cell[0];
    const lanes x = place[0] - to_float(cell[0]), y = place[1] - to_float(cell[1]), z = place[2] - to_float(cell[2]);
    lanes edge[4];
    for (int i = 0; i < 4; i++) {
        const int_lanes pair = gather_pairs(data.voxels, voxel + (i & 1) * row + (i >> 1) * slice);
        const lanes low = to_float(pair & 255), high = to_float(pair >> 8);
        edge[i] = low + x * (high - low);
    }
    const lanes front = edge[0] + y * (edge[1] - edge[0]), back = edge[2] + y * (edge[3] - edge[2]);
    return front + z * (back - front);
}

// How far a ray may go from `place` before it leaves the empty bricks around that of `cell`.
static lanes way_out(const int_lanes cell[3], const lanes place[3], const vector_lanes *direction,
                     const lanes inverse[3], int_lanes empty) {
    lanes way = INFINITY;
    for (int a = 0; a < 3; a++) {
        const int_lanes here = cell[a] >> brick_shift;
        const int_lanes end = (direction->x[a] > 0 ? here + empty : here - empty + 1) << brick_shift;
        way = least(way, (to_float(end) - place[a]) * inverse[a]);
    }
    return way;
}

// Where the rays enter the volume and where they leave it.
static void clip(const float eye[3], const lanes inverse[3], lanes *enter, lanes *leave) {
    *enter = 0;
    *leave = INFINITY;
    for (int a = 0; a < 3; a++) {
        const lanes first = (0 - eye[a]) * inverse[a], last = ((float)(data.n[a] - 1) - eye[a]) * inverse[a];
        *enter = most(*enter, least(first, last));
        *leave = least(*leave, most(first, last));
    }
}

static colour_lanes cast(const float eye[3], vector_lanes direction) {
    lanes inverse[3], enter, leave;
    for (int a = 0; a < 3; a++) inverse[a] = 1.0f / choose(direction.x[a] == 0, 1e-20f, direction.x[a]);
    clip(eye, inverse, &enter, &leave);
    lanes sample = 0.5f;
    const lanes end = (leave - enter) / colours.step;
    lanes red = 0, green = 0, blue = 0, light = 1;
    int_lanes active = sample < end;
    while (any(active)) {
        const lanes t = choose(active, enter + sample * colours.step, 0.0f);
        lanes place[3];
        int_lanes cell[3];
        for (int a = 0; a < 3; a++) {
            place[a] = least(most(eye[a] + t * direction.x[a], 0.0f), (float)(data.n[a] - 1));
            cell[a] = to_int(least(place[a], (float)(data.n[a] - 2)));
        }
        const int_lanes brick_at =
            ((cell[2] >> brick_shift) * data.bricks[1] + (cell[1] >> brick_shift)) * data.bricks[0] +
            (cell[0] >> brick_shift);
        const int_lanes empty = gather_bytes(data.distance, brick_at);
        const int_lanes full = active & (empty == 0);
        lanes forward = 1;
        if (any(active & (empty > 0))) {
            const lanes steps = way_out(cell, place, &direction, inverse, empty) / colours.step;
            forward = choose(empty > 0, most(1.0f, rounded_down(steps - 0.01f) + 1.0f), 1.0f);
        }
        if (any(full)) {
            const int_lanes entry = to_int(interpolate(cell, place) * (float)fine + 0.5f) * 4;
            const lanes share = choose(full, light, 0.0f), opacity = gather(colours.colour[0] + 3, entry);
            if (any(full & (opacity > 0))) {
                red += share * gather(colours.colour[0], entry);
                green += share * gather(colours.colour[0] + 1, entry);
                blue += share * gather(colours.colour[0] + 2, entry);
                light -= share * opacity;
            }
        }
        sample += forward;
        active = (sample < end) & (light > dark);
    }
    return (colour_lanes){{red, green, blue}};
}

static double voxel_value(double x, double y, double z) {
    const double place[3] = {x, y, z};
    const uint8_t *corner_voxel = data.voxels;
    double part[3], value = 0;
    size_t stride[3] = {1, (size_t)data.n[0], (size_t)data.n[0] * data.n[1]};
    for (int a = 0; a < 3; a++) {
        const int cell = (int)fmin(fmax(place[a], 0), data.n[a] - 2);
        part[a] = place[a] - cell;
        corner_voxel += cell * stride[a];
    }
    for (int i = 0; i < 8; i++) {
        double weight = 1;
        for (int a = 0; a < 3; a++) weight *= i >> a & 1 ? part[a] : 1 - part[a];
        value += weight * corner_voxel[(i & 1) * stride[0] + (i >> 1 & 1) * stride[1] + (i >> 2) * stride[2]];
    }
    return value;
}

static double orbital_value(double x, double y, double z) { return orbital(data.n, x, y, z); }

static double (*true_value)(double x, double y, double z);

// One ray as the formula says, sample by sample, without table, leaps and early end.
static void march(const float eye[3], const float direction[3], double step, double rgb[3]) {
    double enter = 0, leave = INFINITY, light = 1;
    for (int a = 0; a < 3; a++) {
        const double first = (0 - (double)eye[a]) / direction[a],
                     last = (data.n[a] - 1 - (double)eye[a]) / direction[a];
        enter = fmax(enter, fmin(first, last));
        leave = fmin(leave, fmax(first, last));
        rgb[a] = 0;
    }
    for (double t = enter + 0.5 * step; t < leave; t += step) {
        const corner c = evaluate(&colours, (float)true_value(eye[0] + t * direction[0], eye[1] + t * direction[1],
                                                              eye[2] + t * direction[2]));
        const double opacity = 1 - pow(1 - c.opacity, step);
        for (int k = 0; k < 3; k++) rgb[k] += light * opacity * c.rgb[k];
        light *= 1 - opacity;
    }
}

static colour_lanes cast_slowly(const float eye[3], vector_lanes direction) {
    colour_lanes seen;
    for (int i = 0; i < lane_count; i++) {
        const float one[3] = {direction.x[0][i], direction.x[1][i], direction.x[2][i]};
        double rgb[3];
        march(eye, one, true_value == orbital_value ? 0.25 : colours.step, rgb);
        for (int k = 0; k < 3; k++) seen.rgb[k][i] = (float)rgb[k];
    }
    return seen;
}

scene make_volume(const int n[3], const char *file, const char *transfer_file, float step) {
    make_transfer(&colours, transfer_file, step);
    make_field(&data, n, file, &colours);
    const int fine_enough = n[0] >= 128 && n[1] >= 128 && n[2] >= 128;
    true_value = file == NULL && fine_enough ? orbital_value : voxel_value;
    scene s = {.cast = cast, .cast_slowly = cast_slowly, .elevation = 0.4f, .checked_packets = 64};
    s.tolerance = true_value == orbital_value ? 0.03f : 0.01f;
    float square = 0;
    for (int a = 0; a < 3; a++) {
        s.centre[a] = 0.5f * (float)(n[a] - 1);
        square += (float)n[a] * (float)n[a];
    }
    s.distance = 1.2f * sqrtf(square);
    return s;
}

/* SPDX-License-Identifier: Apache-2.0
 * Bodies that attract each other: an array of structures, a structure of arrays, float and double, cells with lists. */
#include <math.h>

#include "user.h"

enum { n = 150, cells = 5 };
struct body {
    double place[3], speed[3];
    float mass;
    int cell;
};
static struct body bodies[n];
static struct {
    float x[n], y[n], z[n], mass[n];
    float ax[n], ay[n], az[n];
} all;
static int first[cells * cells], next[n];
static double energy[2];

KERNEL void step_structures(void *argument) {
    const double dt = *(const double *)argument;
    ONE_THREAD;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i == j) continue;
            double d[3], square = 0.01;
            for (int c = 0; c < 3; c++) d[c] = bodies[j].place[c] - bodies[i].place[c], square += d[c] * d[c];
            const double factor = bodies[j].mass / (square * sqrt(square));
            for (int c = 0; c < 3; c++) bodies[i].speed[c] += dt * factor * d[c];
        }
    for (struct body *body = bodies; body < bodies + n; body++)
        for (int c = 0; c < 3; c++) body->place[c] += dt * body->speed[c];
}

KERNEL void forces_of_arrays(void *argument) {
    (void)argument;
    ONE_THREAD;
    for (int i = 0; i < n; i++) {
        float ax = 0, ay = 0, az = 0;
        for (int j = 0; j < n; j++) {
            const float dx = all.x[j] - all.x[i], dy = all.y[j] - all.y[i], dz = all.z[j] - all.z[i];
            const float square = dx * dx + dy * dy + dz * dz + 0.01f;
            const float factor = all.mass[j] / (square * sqrtf(square));
            ax += dx * factor, ay += dy * factor, az += dz * factor;
        }
        all.ax[i] = ax, all.ay[i] = ay, all.az[i] = az;
    }
}

static int cell_of(double x) {
    const int cell = (int)(x * cells);
    return cell < 0 ? 0 : cell >= cells ? cells - 1 : cell;
}
KERNEL void into_cells(void *argument) {
    (void)argument;
    ONE_THREAD;
    for (int c = 0; c < cells * cells; c++) first[c] = -1;
    for (int i = n - 1; i >= 0; i--) {
        const int cell = cell_of(bodies[i].place[0]) * cells + cell_of(bodies[i].place[1]);
        bodies[i].cell = cell;
        next[i] = first[cell];
        first[cell] = i;
    }
    energy[0] = energy[1] = 0;
    for (int c = 0; c < cells * cells; c++)
        for (int i = first[c]; i >= 0; i = next[i])
            for (int j = next[i]; j >= 0; j = next[j]) {
                const double dx = bodies[i].place[0] - bodies[j].place[0], dy = bodies[i].place[1] - bodies[j].place[1];
                energy[c % 2] += 1 / sqrt(dx * dx + dy * dy + 1e-3);
            }
}

int main(void) {
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++) bodies[i].place[c] = next_double(), bodies[i].speed[c] = next_double() - 0.5;
        bodies[i].mass = (float)next_double() / n;
        bodies[i].cell = 0;
        all.x[i] = (float)bodies[i].place[0], all.y[i] = (float)bodies[i].place[1],
        all.z[i] = (float)bodies[i].place[2];
        all.mass[i] = bodies[i].mass;
    }
    double dt = 0.01;
    for (int step = 0; step < 3; step++) RUN(step_structures, &dt);
    RUN(forces_of_arrays, NULL);
    RUN(into_cells, NULL);
    SHOW(bodies), SHOW(all), SHOW(first), SHOW(next), SHOW(energy);
    return 0;
}

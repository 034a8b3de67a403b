/* SPDX-License-Identifier: Apache-2.0
 * Jacobi and Gauss-Seidel on grids: pointers that are exchanged, an end that is found on the way, a stencil in three
 * dimensions, the game of life on bytes. */
#include <math.h>

#include "user.h"

enum { rows = 50, columns = 67, depth = 14 };
typedef double grid[rows][columns];
static grid one, other, in_place;
static double body[2][depth][depth][depth];
static unsigned char cells[2][rows][columns];
struct relaxed {
    double (*from)[columns], (*to)[columns];
    int steps;
    double change;
};

KERNEL void relax(void *argument) {
    struct relaxed *own = argument;
    ONE_THREAD;
    for (int step = 0; step < own->steps; step++) {
        for (int i = 1; i < rows - 1; i++)
            for (int j = 1; j < columns - 1; j++)
                own->to[i][j] =
                    (own->from[i - 1][j] + own->from[i + 1][j] + own->from[i][j - 1] + own->from[i][j + 1]) / 4;
        double(*const kept)[columns] = own->from;
        own->from = own->to, own->to = kept;
    }
    own->change = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            const double change = fabs(own->from[i][j] - own->to[i][j]);
            if (change > own->change) own->change = change;
        }
}

KERNEL void relax_in_place(void *argument) {
    const double limit = *(const double *)argument;
    ONE_THREAD;
    double change;
    int rounds = 0;
    do {
        change = 0;
        for (int i = 1; i < rows - 1; i++)
            for (int j = 1; j < columns - 1; j++) {
                const double before = in_place[i][j];
                in_place[i][j] =
                    (in_place[i - 1][j] + in_place[i][j - 1] + in_place[i][j + 1] + in_place[i + 1][j]) * 0.25;
                change = fmax(change, fabs(in_place[i][j] - before));
            }
    } while (change > limit && ++rounds < 30);
    in_place[0][0] = rounds;
}

KERNEL void heat(void *argument) {
    (void)argument;
    ONE_THREAD;
    for (int t = 0; t < 5; t++) {
        double(*const from)[depth][depth] = body[t % 2], (*const to)[depth][depth] = body[1 - t % 2];
        for (int i = 1; i < depth - 1; i++)
            for (int j = 1; j < depth - 1; j++)
                for (int k = 1; k < depth - 1; k++)
                    to[i][j][k] = 0.125 * (from[i + 1][j][k] - 2 * from[i][j][k] + from[i - 1][j][k]) +
                                  0.125 * (from[i][j + 1][k] - 2 * from[i][j][k] + from[i][j - 1][k]) +
                                  0.125 * (from[i][j][k + 1] - 2 * from[i][j][k] + from[i][j][k - 1]) + from[i][j][k];
    }
}

KERNEL void live(void *argument) {
    const int generations = *(const int *)argument;
    ONE_THREAD;
    for (int g = 0; g < generations; g++)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                int count = 0;
                for (int di = -1; di <= 1; di++)
                    for (int dj = -1; dj <= 1; dj++)
                        if (di != 0 || dj != 0)
                            count += cells[g % 2][(i + di + rows) % rows][(j + dj + columns) % columns];
                cells[1 - g % 2][i][j] = count == 3 || (count == 2 && cells[g % 2][i][j]);
            }
}

int main(void) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            one[i][j] = other[i][j] = in_place[i][j] = next_double();
            cells[0][i][j] = next_random() % 3 == 0;
        }
    for (int i = 0; i < depth * depth * depth; i++) (&body[0][0][0][0])[i] = next_double();
    for (int steps = 1; steps < 9; steps += 3) {
        struct relaxed relaxed = {one, other, steps, 0};
        RUN(relax, &relaxed);
        printf("change %a\n", relaxed.change);
    }
    /* What is read is what is written. */
    struct relaxed same = {one, one, 2, 0};
    RUN(relax, &same);
    const double limit = 0.004;
    RUN(relax_in_place, (void *)&limit);
    RUN(heat, NULL);
    int generations = 6;
    RUN(live, &generations);
    SHOW(one), SHOW(other), SHOW(in_place), SHOW(body), SHOW(cells);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
#include "domain.h"

#include <math.h>
#include <parallelc.h>

#include "beads.h"

struct domain domain;

// The grid whose boxes have the least surface, which is what is sent; 0 when boxes would be shorter than the range.
static int choose_grid(const double box[3], double range) {
    const int size = m_size(CCC_ALL);
    double least = INFINITY;
    for (int a = 1; a <= size; a++) {
        if (size % a != 0) continue;
        for (int b = 1; b <= size / a; b++) {
            if (size / a % b != 0) continue;
            const int grid[3] = {size / a / b, b, a};
            double side[3], surface = 0;
            int fits = 1;
            for (int k = 0; k < 3; k++) {
                side[k] = box[k] / grid[k];
                fits &= side[k] >= range;
            }
            for (int k = 0; k < 3; k++) {
                if (grid[k] > 1) surface += side[(k + 1) % 3] * side[(k + 2) % 3];
            }
            if (!fits || surface >= least) continue;
            least = surface;
            for (int k = 0; k < 3; k++) domain.grid[k] = grid[k];
        }
    }
    return least < INFINITY;
}

static int rank_at(int x, int y, int z) {
    const int *grid = domain.grid;
    const int at[3] = {(x + grid[0]) % grid[0], (y + grid[1]) % grid[1], (z + grid[2]) % grid[2]};
    return (at[2] * grid[1] + at[1]) * grid[0] + at[0];
}

void divide_box(const double box[3], double range, int bead_count) {
    for (int k = 0; k < 3; k++) {
        if (box[k] < 2 * range) {
            give_up("the box is %g long, less than twice the range of neighbours, %g; use more beads or a larger box",
                    box[k], range);
        }
    }
    const int size = m_size(CCC_ALL), rank = m_rank(CCC_ALL);
    if (!choose_grid(box, range)) {
        give_up(
            "a box of %g x %g x %g is too small for %d processes, as each needs %g along each edge; "
            "use fewer processes",
            box[0], box[1], box[2], size, range);
    }
    const int *grid = domain.grid;
    const int at[3] = {rank % grid[0], rank / grid[0] % grid[1], rank / grid[0] / grid[1]};
    // A box that is nearly empty would have more cells than beads.
    const double enough = cbrt(fmax(64, 4.0 * bead_count / size));
    for (int k = 0; k < 3; k++) {
        int next[3] = {at[0], at[1], at[2]}, last[3] = {at[0], at[1], at[2]};
        next[k]++;
        last[k]--;
        domain.box[k] = box[k];
        domain.up[k] = rank_at(next[0], next[1], next[2]);
        domain.down[k] = rank_at(last[0], last[1], last[2]);
        domain.low[k] = at[k] == 0 ? 0 : box[k] * at[k] / grid[k];
        domain.high[k] = at[k] + 1 == grid[k] ? box[k] : box[k] * (at[k] + 1) / grid[k];
        domain.over_low[k] = at[k] == 0 ? box[k] : 0;
        domain.over_high[k] = at[k] + 1 == grid[k] ? -box[k] : 0;
        domain.cells[k] = (int)fmax(1, fmin(floor(box[k] / grid[k] / range), 2 * enough));
    }
    domain.range = range;
}

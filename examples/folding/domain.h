// SPDX-License-Identifier: Apache-2.0
// A box for each process, divided into cells that are at least as long as the range of neighbours.
//
// Pairs belong to the cell that is lowest along each axis among the cells of the two beads, and to the process of that cell
// (the "eighth shell" of Bowers, Dror, Shaw, The midpoint method for parallelization of particle simulations, J. Chem. Phys.
// 124, 2006). So a process needs ghosts only beyond its upper faces, one layer of cells, numbered as the last.
#ifndef FOLDING_DOMAIN_H
#define FOLDING_DOMAIN_H

extern struct domain {
    double box[3];           // of all processes
    int grid[3];             // processes along each axis
    int down[3], up[3];      // ranks of the neighbours
    double low[3], high[3];  // of this process
    double over_low[3];      // what is added to the place of a bead that goes down, 0 or the length of the box
    double over_high[3];     // the same for a bead that goes up
    int cells[3];            // of this process, without the layer of ghosts
    double range;            // of neighbours
} domain;

/// Divides the box, or gives up when it is too small. All processes call.
void divide_box(const double box[3], double range, int bead_count);

/// Number of the cell along an axis; `cells` for a ghost beyond the upper face.
static inline int cell_along(int axis, double place) {
    if (place >= domain.high[axis]) return domain.cells[axis];
    const double width = domain.high[axis] - domain.low[axis];
    const int cell = (int)((place - domain.low[axis]) / width * domain.cells[axis]);
    return cell < domain.cells[axis] ? cell : domain.cells[axis] - 1;
}

/// Whether a place belongs to this process, along one axis; not for one that is no number.
static inline int is_inside(int axis, double place) { return place >= domain.low[axis] && place < domain.high[axis]; }

#endif

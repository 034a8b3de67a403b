// SPDX-License-Identifier: Apache-2.0
// Cells along x lie one behind the other, so the partners of a bead in three cells are one run of beads. Their distances are
// computed 16 at a time from places in single precision; the range is longer by what rounding may take away.
#include "neighbours.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "domain.h"
#include "exchange.h"
#include "forces.h"

struct lists lists;

enum { wide = 16 };
typedef float floats __attribute__((ext_vector_type(wide)));
typedef float unaligned_floats __attribute__((ext_vector_type(wide), aligned(4)));
typedef int32_t ints __attribute__((ext_vector_type(wide)));
typedef _Bool flags __attribute__((ext_vector_type(wide)));

// Beads in the order of their cells.
static struct {
    int capacity, cell_capacity;
    int *cell_of;       // of a bead
    int *start;         // of a cell, and the end of the last one
    int *bead;          // index in `beads`
    float *x[3], *fat;  // place from the lower corner; 1 for a hydrophobic bead
    identity *name;
} sorted;

static struct {
    int row, partner, bond;
} capacity;

static int cell_count(void) { return (domain.cells[0] + 1) * (domain.cells[1] + 1) * (domain.cells[2] + 1); }

static int cell_number(int x, int y, int z) { return (z * (domain.cells[1] + 1) + y) * (domain.cells[0] + 1) + x; }

static void reserve_sorted(void) {
    if (cell_count() + 1 > sorted.cell_capacity) {
        sorted.cell_capacity = cell_count() + 1;
        sorted.start = resize(sorted.start, sorted.cell_capacity * sizeof *sorted.start);
    }
    if (sorted.capacity >= beads.capacity) return;
    sorted.capacity = beads.capacity;
    const size_t size = (size_t)sorted.capacity + wide;  // loads may begin at the last bead
    sorted.cell_of = resize(sorted.cell_of, size * sizeof(int));
    sorted.bead = resize(sorted.bead, size * sizeof(int));
    sorted.name = resize(sorted.name, size * sizeof *sorted.name);
    float **columns[] = {&sorted.x[0], &sorted.x[1], &sorted.x[2], &sorted.fat};
    for (int i = 0; i < 4; i++) {
        *columns[i] = resize(*columns[i], size * sizeof(float));
        memset(*columns[i], 0, size * sizeof(float));
    }
}

// Fills cell_of, start and bead for the first `count` beads.
static void sort_into_cells(int count) {
    memset(sorted.start, 0, (cell_count() + 1) * sizeof *sorted.start);
    for (int i = 0; i < count; i++) {
        const four at = beads.place[i];
        const int cell = cell_number(cell_along(0, at.x), cell_along(1, at.y), cell_along(2, at.z));
        sorted.cell_of[i] = cell;
        sorted.start[cell + 1]++;
    }
    for (int cell = 0; cell < cell_count(); cell++) sorted.start[cell + 1] += sorted.start[cell];
    // The start of each cell moves to its end, and back.
    for (int i = 0; i < count; i++) sorted.bead[sorted.start[sorted.cell_of[i]]++] = i;
    for (int cell = cell_count(); cell > 0; cell--) sorted.start[cell] = sorted.start[cell - 1];
    sorted.start[0] = 0;
}

// Puts the own beads in the order of their cells, so that partners are near in memory too.
static void sort_own_beads(void) {
    static four *velocity;
    static int own_capacity;
    sort_into_cells(beads.own);
    if (own_capacity < beads.capacity) {
        own_capacity = beads.capacity;
        free(lists.before);
        free(velocity);
        lists.before = aligned_alloc(64, (own_capacity * sizeof(four) + 63) / 64 * 64);
        velocity = aligned_alloc(64, (own_capacity * sizeof(four) + 63) / 64 * 64);
        if (lists.before == NULL || velocity == NULL) give_up("not enough memory; use fewer beads or more computers");
    }
    for (int i = 0; i < beads.own; i++) {
        const int from = sorted.bead[i];
        lists.before[i] = beads.place[from];
        velocity[i] = beads.velocity[from];
        sorted.name[i] = beads.name[from];
    }
    memcpy(beads.place, lists.before, beads.own * sizeof *beads.place);
    memcpy(beads.velocity, velocity, beads.own * sizeof *velocity);
    memcpy(beads.name, sorted.name, beads.own * sizeof *sorted.name);
}

static void fill_columns(void) {
    for (int i = 0; i < beads.all; i++) {
        const int from = sorted.bead[i];
        const four at = beads.place[from];
        for (int k = 0; k < 3; k++) sorted.x[k][i] = (float)(at[k] - domain.low[k]);
        sorted.fat[i] = (float)at.w;
        sorted.name[i] = beads.name[from];
    }
}

static inline floats load(const float *from) { return *(const unaligned_floats *)from; }

// Writes i + k for each k that is chosen to `to` and returns how many; may write up to 16.
static inline int keep_chosen(int *to, int i, ints chosen) {
    uint16_t bits;
    const flags choice = __builtin_convertvector(chosen, flags);
    memcpy(&bits, &choice, sizeof bits);
#ifdef __AVX512F__
    const __m512i all =
        _mm512_add_epi32(_mm512_set1_epi32(i), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(bits, all));
    return __builtin_popcount(bits);
#else
    int count = 0;
    for (; bits != 0; bits &= bits - 1) to[count++] = i + __builtin_ctz(bits);
    return count;
#endif
}

// Squares of the range of neighbours for two beads, unless both are hydrophobic, and what is added when they are.
static struct {
    float usual, more;
} reach;

static void set_reach(void) {
    double longest = 0;
    for (int k = 0; k < 3; k++) longest = longest < domain.box[k] ? domain.box[k] : longest;
    const double rounding = 4e-7 * longest, usual = repulsion_range + skin + rounding,
                 largest = domain.range + rounding;
    reach.usual = (float)(usual * usual);
    reach.more = (float)(largest * largest - usual * usual);
}

// Appends those of the sorted beads begin .. end-1 that are neighbours of bead i, and returns the new count.
static inline int find_near(int i, int begin, int end, int *near, int count) {
    static const ints lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const floats limit = reach.usual, more = reach.more * sorted.fat[i];
    for (int k = begin; k < end; k += wide) {
        const floats dx = load(sorted.x[0] + k) - sorted.x[0][i], dy = load(sorted.x[1] + k) - sorted.x[1][i],
                     dz = load(sorted.x[2] + k) - sorted.x[2][i];
        const floats square = dx * dx + dy * dy + dz * dz;
        count += keep_chosen(near + count, k, (square < limit + more * load(sorted.fat + k)) & (lane < end - k));
    }
    return count;
}

static int at_least(int needed, int capacity) { return needed <= capacity ? capacity : needed + needed / 2 + 1024; }

static void reserve_lists(int more) {
    const struct lists *now = &lists;
    const int rows = at_least(now->row_count + 1, capacity.row),
              bonds = at_least(now->bond_count + more, capacity.bond);
    if (rows > capacity.row) lists.rows = resize(lists.rows, (capacity.row = rows) * sizeof *lists.rows);
    if (bonds > capacity.bond) lists.bonds = resize(lists.bonds, (capacity.bond = bonds) * sizeof *lists.bonds);
}

static int is_bonded(identity a, identity b) { return b.number == a.bonded[0] || b.number == a.bonded[1]; }

// Adds the row of sorted bead i with those that are near; `partner_count` is how many partners there are already.
static int add_row(int i, const int *near, int count, int partner_count) {
    reserve_lists(count);
    const int needed = partner_count + count + pair_group;
    if (needed > capacity.partner) {
        capacity.partner = at_least(needed, capacity.partner);
        lists.partners = resize(lists.partners, capacity.partner * sizeof *lists.partners);
    }
    const identity name = sorted.name[i];
    const int self = sorted.bead[i];
    int *partners = lists.partners + partner_count;
    bond *bonds = lists.bonds + lists.bond_count;
    int pairs = 0, bonded = 0;
    for (int k = 0; k < count; k++) {
        const int other = sorted.bead[near[k]], bond_here = is_bonded(name, sorted.name[near[k]]);
        partners[pairs] = other;
        bonds[bonded] = (bond){self, other};
        pairs += !bond_here;
        bonded += bond_here;
    }
    lists.bond_count += bonded;
    if (pairs == 0) return partner_count;
    const int padded = (pairs + pair_group - 1) / pair_group * pair_group;
    for (int k = pairs; k < padded; k++) partners[k] = self;
    lists.rows[lists.row_count++] = (pair_row){self, partner_count, padded};
    return partner_count + padded;
}

typedef struct {
    int begin, end;
} run;

// The beads behind those of a cell that are its partners: in the same row of cells, and in four others. A pair of ghosts
// beyond the same face belongs to another process.
static int find_runs(int x, int y, int z, run *runs) {
    static const int rows[5][2] = {{0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};
    const int *cells = domain.cells;
    int count = 0;
    for (int r = 0; r < 5; r++) {
        const int other_y = y + rows[r][0], other_z = z + rows[r][1];
        if (other_y < 0 || other_y > cells[1] || other_z > cells[2]) continue;
        if ((y == cells[1] && other_y == cells[1]) || (z == cells[2] && other_z == cells[2])) continue;
        if (r == 0 && x == cells[0]) continue;
        const int from = r == 0 ? x : x > 0 ? x - 1 : 0, to = x == cells[0] ? x - 1 : x + 1;
        runs[count++] = (run){sorted.start[cell_number(from, other_y, other_z)],
                              sorted.start[cell_number(to, other_y, other_z) + 1]};
    }
    return count;
}

static void find_pairs(void) {
    static int *near, near_capacity;
    int partner_count = 0;
    lists.row_count = lists.bond_count = 0;
    for (int z = 0; z <= domain.cells[2]; z++) {
        for (int y = 0; y <= domain.cells[1]; y++) {
            for (int x = 0; x <= domain.cells[0]; x++) {
                const int cell = cell_number(x, y, z), begin = sorted.start[cell], end = sorted.start[cell + 1];
                if (begin == end) continue;
                run runs[5];
                const int run_count = find_runs(x, y, z, runs);
                int most = wide;
                for (int r = 0; r < run_count; r++) most += runs[r].end - runs[r].begin;
                if (most > near_capacity) near = resize(near, (near_capacity = 2 * most) * sizeof *near);
                const int same_row = run_count > 0 && runs[0].begin == begin;
                for (int i = begin; i < end; i++) {
                    int count = 0;
                    for (int r = 0; r < run_count; r++) {
                        const int first = r == 0 && same_row ? i + 1 : runs[r].begin;
                        count = find_near(i, first, runs[r].end, near, count);
                    }
                    if (count > 0) partner_count = add_row(i, near, count, partner_count);
                }
            }
        }
    }
}

void make_lists(void) {
    migrate();
    reserve_sorted();
    sort_own_beads();
    make_ghosts();
    reserve_sorted();
    sort_into_cells(beads.all);
    fill_columns();
    set_reach();
    find_pairs();
}

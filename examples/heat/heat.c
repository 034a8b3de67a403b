// SPDX-License-Identifier: Apache-2.0
// The heat equation on the unit square, u_t = u_xx + u_yy, u = 0 on the boundary, explicit in time, in Parallel C.
//
// Each process owns a block of grid rows and two copies of it, one being read and one being written. After a step it puts
// its first and its last row into the neighbours' halo rows, each put adding one to a reply word there; nobody waits for
// more than its own two neighbours. Two copies make that safe: a neighbour can only be one step ahead, and then it writes
// into the copy that is not being read. The accelerator threads share the rows of the block; each streams its rows through
// scratchpad memory by DMA, fetching the next row while it computes.
//
// The initial field is a sum of sine modes. On the grid each of them decays by an exactly known factor per step, so the
// whole field is known at any time and the result is checked to rounding error at every point.
#include <math.h>
#include <parallelc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "picture.h"

enum { tile = 1024 };  // columns that a thread holds in its scratchpad at a time

typedef struct {
    int kx, ky;
    double amplitude;
} mode;

static const mode modes[] = {{1, 1, 1.0}, {3, 2, 0.6}, {2, 5, 0.4}, {7, 7, 0.25}};
enum { mode_count = sizeof modes / sizeof *modes };

static const double pi = 3.14159265358979323846;

// What one process owns. Grid rows and columns are numbered 0 .. points+1; 0 and points+1 are the boundary.
typedef struct {
    int points;       // inner points per direction
    int rows;         // rows of this process
    int first_row;    // grid row of local row 1
    double ratio;     // dt / h^2
    double *copy[2];  // each (most_rows + 2) x (points + 2), symmetric memory; rows 0 and rows+1 are halos
} field;

static field u;
static int from_above, from_below;  // reply words: halo rows received so far

typedef struct {
    int reading;  // which copy is read
} step_argument;

static size_t width(void) { return (size_t)u.points + 2; }

static int rows_of(int rank) { return u.points / m_size(CCC_ALL) + (rank < u.points % m_size(CCC_ALL)); }

// Three rows being read in rotation, and the row being made.
__thread_local double in[3][tile + 2];
__thread_local double out[tile];

__kernel void update(void *argument) {
    const double *from = u.copy[((step_argument *)argument)->reading];
    double *to = u.copy[1 - ((step_argument *)argument)->reading];
    for (int left = 1; left <= u.points; left += tile) {
        const int columns = left + tile <= u.points + 1 ? tile : u.points + 1 - left;
        const size_t bytes = (size_t)(columns + 2) * sizeof(double);
        int previous = -1;
        forall (int row = 1; row <= u.rows; row++; BLOCK; CCC_ARRAY) {
            const double *source = from + (size_t)row * width() + left - 1;
            int fetched = 0;
            dma_iget(in[(row + 1) % 3], source + width(), bytes, &fetched);
            if (row != previous + 1) {  // first row of this thread's block
                dma_get(in[(row + 2) % 3], source - width(), bytes);
                dma_get(in[row % 3], source, bytes);
            }
            dma_wait(&fetched, 1);
            const double *above = in[(row + 2) % 3], *here = in[row % 3], *below = in[(row + 1) % 3];
            for (int i = 0; i < columns; i++) {
                out[i] =
                    here[i + 1] + u.ratio * (above[i + 1] + below[i + 1] + here[i] + here[i + 2] - 4.0 * here[i + 1]);
            }
            dma_put(to + (size_t)row * width() + left, out, (size_t)columns * sizeof(double));
            previous = row;
        }
    }
}

// Puts the outer rows of `copy` into the neighbours' halos and waits for theirs: the `round`-th exchange.
static void exchange_halos(int copy, int round) {
    const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
    const long bytes = (long)(width() * sizeof(double));
    double *first = u.copy[copy] + width(), *last = u.copy[copy] + (size_t)u.rows * width();
    handle_t up = M_NO_HANDLE, down = M_NO_HANDLE;
    if (rank > 0) {
        double *halo = u.copy[copy] + (size_t)(rows_of(rank - 1) + 1) * width();
        up = m_msg_put(rank - 1, first, halo, bytes, &from_below);
    }
    if (rank + 1 < size) down = m_msg_put(rank + 1, last, u.copy[copy], bytes, &from_above);
    if (rank > 0) m_wait_reply(&from_above, round);
    if (rank + 1 < size) m_wait_reply(&from_below, round);
    m_wait_msg(up);
    m_wait_msg(down);
}

// Factor by which a mode decays in one step on the grid (von Neumann): 1 - 4 r (sin^2(kx pi h/2) + sin^2(ky pi h/2)).
static double decay(mode m) {
    const double h = 1.0 / (u.points + 1);
    const double sx = sin(m.kx * pi * h / 2), sy = sin(m.ky * pi * h / 2);
    return 1.0 - 4.0 * u.ratio * (sx * sx + sy * sy);
}

static double exact(int row, int column, int steps) {
    const double h = 1.0 / (u.points + 1);
    double value = 0.0;
    for (int k = 0; k < mode_count; k++) {
        value += modes[k].amplitude * pow(decay(modes[k]), steps) * sin(modes[k].kx * pi * column * h) *
                 sin(modes[k].ky * pi * row * h);
    }
    return value;
}

// Largest difference from the exact grid solution over all processes.
static double largest_error(int copy, int steps) {
    double error = 0.0, largest;
    for (int row = 1; row <= u.rows; row++) {
        for (int column = 1; column <= u.points; column++) {
            const double value = u.copy[copy][(size_t)row * width() + column];
            error = fmax(error, fabs(value - exact(u.first_row + row - 1, column, steps)));
        }
    }
    m_allreduce(CCC_ALL, &error, &largest, 1, M_DOUBLE, M_MAX);
    return largest;
}

// Brings the field to process 0 as points x points values; NULL elsewhere. The caller frees it.
static double *collect(int copy) {
    const int rank = m_rank(CCC_ALL);
    double *mine = malloc((size_t)u.rows * u.points * sizeof(double) + 1);
    for (int row = 1; row <= u.rows; row++) {
        for (int column = 1; column <= u.points; column++) {
            mine[(size_t)(row - 1) * u.points + column - 1] = u.copy[copy][(size_t)row * width() + column];
        }
    }
    if (rank != 0) {
        m_send(0, mine, (long)u.rows * u.points * (long)sizeof(double), 0);
        free(mine);
        return NULL;
    }
    double *whole = malloc((size_t)u.points * u.points * sizeof(double));
    size_t filled = (size_t)u.rows * u.points;
    for (size_t i = 0; i < filled; i++) whole[i] = mine[i];
    free(mine);
    for (int from = 1; from < m_size(CCC_ALL); from++) {
        const size_t count = (size_t)rows_of(from) * u.points;
        m_recv(from, whole + filled, (long)(count * sizeof(double)), 0, NULL);
        filled += count;
    }
    return whole;
}

static void allocate_and_fill(void) {
    const int rank = m_rank(CCC_ALL);
    u.rows = rows_of(rank);
    u.first_row = 1;
    for (int before = 0; before < rank; before++) u.first_row += rows_of(before);
    u.ratio = 0.2;
    const size_t bytes = (size_t)(rows_of(0) + 2) * width() * sizeof(double);
    for (int copy = 0; copy < 2; copy++) u.copy[copy] = m_malloc(bytes);
    if (u.copy[0] == NULL || u.copy[1] == NULL) {
        fprintf(stderr, "heat: not enough memory for %d x %d points; use a smaller -n\n", u.points, u.points);
        m_abort(1);
    }
    for (int row = 1; row <= u.rows; row++) {
        for (int column = 1; column <= u.points; column++) {
            u.copy[0][(size_t)row * width() + column] = exact(u.first_row + row - 1, column, 0);
        }
    }
}

// Ends the job with exit code 2 after a message of process 0; the others wait for that.
static void wrong_use(const char *format, ...) {
    if (m_rank(CCC_ALL) != 0) pause();
    va_list values;
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    m_abort(2);
}

// A number of at least `least`, or the end of the job with a message.
static int number(const char *option, const char *text, int least) {
    char *end;
    const long value = strtol(text, &end, 10);
    if (*end != '\0' || value < least || value > 1000000)
        wrong_use("heat: %s '%s' is not a number from %d to 1000000\n", option, text, least);
    return (int)value;
}

int main(int argc, char **argv) {
    int steps = 1000;
    const char *file = NULL;
    u.points = 510;
    for (int option; (option = getopt(argc, argv, "n:s:o:")) != -1;) {
        if (option == 'n')
            u.points = number("-n", optarg, 1);
        else if (option == 's')
            steps = number("-s", optarg, 0);
        else if (option == 'o')
            file = optarg;
        else
            wrong_use("usage: heat [-n POINTS] [-s STEPS] [-o PICTURE.png]\n");
    }
    const int rank = m_rank(CCC_ALL);
    if (u.points < m_size(CCC_ALL))
        wrong_use("heat: %d rows are fewer than %d processes; use a larger -n\n", u.points, m_size(CCC_ALL));
    allocate_and_fill();
    double *before = file != NULL ? collect(0) : NULL;
    m_barrier(CCC_ALL);

    const double start = m_wtime();
    exchange_halos(0, 1);
    for (int step = 0; step < steps; step++) {
        step_argument argument = {step % 2};
        m_run(update, &argument);
        exchange_halos(1 - step % 2, step + 2);
        if (rank == 0 && isatty(2) && (step + 1) % 100 == 0) fprintf(stderr, "\rstep %d of %d", step + 1, steps);
    }
    m_barrier(CCC_ALL);
    const double seconds = m_wtime() - start;

    const double error = largest_error(steps % 2, steps);
    double *after = file != NULL ? collect(steps % 2) : NULL;
    if (rank == 0) {
        if (isatty(2)) fprintf(stderr, "\r");
        printf("heat: %d x %d points, %d steps, %d processes x %d threads\n", u.points, u.points, steps,
               m_size(CCC_ALL), m_size(CCC_ARRAY));
        printf("  %.3f s, %.1f million point updates per second\n", seconds,
               seconds > 0 ? 1e-6 * u.points * u.points * steps / seconds : 0.0);
        printf("  largest difference from the exact solution: %.1e %s\n", error,
               error < 1e-11 ? "(correct)" : "(WRONG)");
        if (file != NULL && write_picture(file, before, after, u.points)) printf("  picture: %s\n", file);
    }
    free(before);
    free(after);
    m_free(u.copy[0]);
    m_free(u.copy[1]);
    return error < 1e-11 ? 0 : 1;
}

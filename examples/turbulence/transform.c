// SPDX-License-Identifier: Apache-2.0
// One way: each thread transforms planes along z and y by FFTW and packs what each process is to get; the processes exchange
// it by m_alltoall; then each thread puts together planes of the spectrum and transforms them along x. The three components
// go together, in messages three times as long.
#include "transform.h"

#include <fftw3.h>
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

grid part;

// For the rows, the columns y and the columns x of one plane.
static fftw_plan rows_forward, rows_backward, y_forward, y_backward, x_forward, x_backward;
static double complex **plane;             // one of each thread, [y][kz] with all n/2+1 kz
static double complex *packed, *received;  // per process a block [component][x][y][kz], of its y or its x
static double *const *fields;              // what the threads work on
static double complex *const *spectra;

void *allocate(size_t bytes) {
    void *memory = fftw_malloc(bytes);
    if (memory == NULL) {
        fprintf(stderr, "turbulence: not enough memory; use a smaller -n or more computers\n");
        m_abort(1);
    }
    return memory;
}

static int all_kz(void) { return part.n / 2 + 1; }

// A row of modes of one component; x or y counts over all processes, the other one over the planes of this one.
static double complex *row_of(double complex *blocks, int process, int component, int x, int y) {
    const size_t plane_number = ((size_t)process * 3 + component) * part.planes + x;
    return blocks + (plane_number * part.planes + y) * part.kept;
}
static double complex *row_to_y(double complex *blocks, int component, int x, int y) {
    return row_of(blocks, y / part.planes, component, x, y % part.planes);
}
static double complex *row_to_x(double complex *blocks, int component, int x, int y) {
    return row_of(blocks, x / part.planes, component, x % part.planes, y);
}

static void plane_to_modes(int component, int x) {
    double complex *work = plane[m_rank(CCC_ARRAY)];
    const double scale = 1.0 / ((double)part.n * part.n * part.n);
    fftw_execute_dft_r2c(rows_forward, fields[component] + (size_t)x * part.n * part.n, work);
    fftw_execute_dft(y_forward, work, work);
    for (int y = 0; y < part.n; y++) {
        double complex *to = row_to_y(packed, component, x, y);
        for (int k = 0; k < part.kept; k++) to[k] = scale * work[(size_t)y * all_kz() + k];
    }
}

static void modes_to_plane(int component, int x) {
    double complex *work = plane[m_rank(CCC_ARRAY)];
    for (int y = 0; y < part.n; y++) {
        double complex *row = work + (size_t)y * all_kz();
        memcpy(row, row_to_y(received, component, x, y), part.kept * sizeof *row);
        memset(row + part.kept, 0, (all_kz() - part.kept) * sizeof *row);
    }
    fftw_execute_dft(y_backward, work, work);
    fftw_execute_dft_c2r(rows_backward, work, fields[component] + (size_t)x * part.n * part.n);
}

static void finish_spectrum(int component, int y) {
    double complex *to = spectra[component] + (size_t)y * part.n * part.kept;
    const size_t row = part.kept * sizeof *to;
    if (!is_kept(wave_number(part.first + y))) {
        memset(to, 0, part.n * row);
        return;
    }
    for (int x = 0; x < part.n; x++) memcpy(to + (size_t)x * part.kept, row_to_x(received, component, x, y), row);
    fftw_execute_dft(x_forward, to, to);
    for (int x = part.kept; x < part.n - part.kept + 1; x++) memset(to + (size_t)x * part.kept, 0, row);
}

static void begin_field(int component, int y) {
    double complex *work = plane[m_rank(CCC_ARRAY)];
    const double complex *from = spectra[component] + (size_t)y * part.n * part.kept;
    const size_t row = part.kept * sizeof *work;
    const int kept = is_kept(wave_number(part.first + y));
    if (kept) {
        memcpy(work, from, part.n * row);
        fftw_execute_dft(x_backward, work, work);
    }
    for (int x = 0; x < part.n; x++) {
        if (kept)
            memcpy(row_to_x(packed, component, x, y), work + (size_t)x * part.kept, row);
        else
            memset(row_to_x(packed, component, x, y), 0, row);
    }
}

// A process alone has received what it packed.
static void exchange(void) {
    if (m_size(CCC_ALL) == 1) {
        double complex *swap = packed;
        packed = received;
        received = swap;
    } else {
        m_alltoall(CCC_ALL, packed, received, (long)part.planes * part.planes * part.kept * 3 * 2, M_DOUBLE);
    }
}

// The planes of the three components are shared out among the threads.
static void for_planes(void (*work)(int component, int number)) {
    forall (int i = 0; i < 3 * part.planes; i++; BLOCK; CCC_ARRAY) work(i / part.planes, i % part.planes);
}

void forward(double *const field[3], double complex *const spectrum[3]) {
    fields = field;
    spectra = spectrum;
    for_planes(plane_to_modes);
    exchange();
    for_planes(finish_spectrum);
}

void backward(double complex *const spectrum[3], double *const field[3]) {
    spectra = spectrum;
    fields = field;
    for_planes(begin_field);
    exchange();
    for_planes(modes_to_plane);
}

static fftw_plan columns(int length, int stride, int sign, double complex *work) {
    return fftw_plan_many_dft(1, &length, part.kept, work, NULL, stride, 1, work, NULL, stride, 1, sign, FFTW_MEASURE);
}

void make_transforms(int n) {
    part = (grid){n, n / m_size(CCC_ALL), n / m_size(CCC_ALL) * m_rank(CCC_ALL), (n - 1) / 3 + 1};
    packed = allocate(3 * spectrum_size() * sizeof *packed);
    received = allocate(3 * spectrum_size() * sizeof *received);
    plane = allocate(m_size(CCC_ARRAY) * sizeof *plane);
    for (int i = 0; i < m_size(CCC_ARRAY); i++) plane[i] = allocate((size_t)n * all_kz() * sizeof **plane);
    double *rows = allocate((size_t)n * n * sizeof *rows);
    // FFTW may plan in one thread of a system process at a time, and processes may be such threads.
    m_lock(CCC_ALL, 0);
    rows_forward = fftw_plan_many_dft_r2c(1, &n, n, rows, NULL, 1, n, plane[0], NULL, 1, all_kz(), FFTW_MEASURE);
    rows_backward = fftw_plan_many_dft_c2r(1, &n, n, plane[0], NULL, 1, all_kz(), rows, NULL, 1, n, FFTW_MEASURE);
    y_forward = columns(n, all_kz(), FFTW_FORWARD, plane[0]);
    y_backward = columns(n, all_kz(), FFTW_BACKWARD, plane[0]);
    x_forward = columns(n, part.kept, FFTW_FORWARD, plane[0]);
    x_backward = columns(n, part.kept, FFTW_BACKWARD, plane[0]);
    m_unlock(CCC_ALL, 0);
    fftw_free(rows);
}

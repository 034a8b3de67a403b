// SPDX-License-Identifier: Apache-2.0
// The decay of the Taylor-Green vortex into turbulence by direct numerical simulation, in Parallel C.
//
// The cube is cut into slabs, one for each process; its accelerator threads share the planes of the slab, and the processes
// exchange blocks in the middle of every Fourier transform by m_alltoall (transform.c).
#include <complex.h>
#include <math.h>
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "flow.h"
#include "picture.h"
#include "transform.h"

static void wrong_use(const char *reason) {
    if (m_rank(CCC_ALL) != 0) pause();  // until process 0 ends the job
    fprintf(stderr,
            "turbulence: %s\n"
            "usage: turbulence [options]\n"
            "  -n N         points along each edge (default 64): even, a multiple of the number of processes\n"
            "  -r REYNOLDS  1 / viscosity (default 1600)\n"
            "  -d STEP      time step (default 0.01)\n"
            "  -t END       time (default 0.2)\n"
            "  -o FILE      picture of vorticity and energy spectrum\n",
            reason);
    m_abort(2);
}

static double positive(const char *text) {
    char *end;
    const double value = strtod(text, &end);
    if (*end != '\0' || !(value > 0 && value < 1e9)) wrong_use("a number is not greater than 0");
    return value;
}

// Half the square of the vorticity early on, as the inventors of the vortex computed it by hand, up to the fifth power of time
// (Taylor and Green, Mechanism of the production of small eddies from large ones, Proc. R. Soc. London A 158, 1937).
static double known_enstrophy(double t, double r) {
    const double terms[] = {1,
                            -6 / r,
                            5.0 / 48 + 18 / (r * r),
                            -(5.0 / 3 + 36 / (r * r)) / r,
                            50.0 / (99 * 64) + 1835 / (9 * 16 * r * r) + 54 / (r * r * r * r),
                            -(361.0 / (44 * 32) + 761 / (12 * r * r) + 324 / (5 * r * r * r * r)) / r};
    double sum = 0;
    for (int i = 5; i >= 0; i--) sum = sum * t + terms[i];
    return 0.375 * sum;
}

static void report(double time, means now, double reynolds) {
    if (m_rank(CCC_ALL) == 0)
        printf("  %6.3f  %.7f  %.7f  %.7f\n", time, now.energy, now.enstrophy, 2 / reynolds * now.enstrophy);
}

static void paint(const char *file) {
    double *energy = allocate((size_t)part.kept * sizeof *energy);
    double *slice = allocate((size_t)part.n * part.n * sizeof *slice);
    energy_spectrum(energy);
    vorticity_slice(slice);
    if (m_rank(CCC_ALL) == 0 && !write_picture(file, slice, part.n, energy, part.kept)) m_abort(1);
}

int main(int argc, char **argv) {
    double reynolds = 1600, step = 0.01, end = 0.2, n = 64;
    const char *file = NULL;
    for (int option; (option = getopt(argc, argv, "n:r:d:t:o:")) != -1;) {
        if (option == 'n')
            n = positive(optarg);
        else if (option == 'r')
            reynolds = positive(optarg);
        else if (option == 'd')
            step = positive(optarg);
        else if (option == 't')
            end = positive(optarg);
        else if (option == 'o')
            file = optarg;
        else
            wrong_use("there is no such option");
    }
    if (optind < argc) wrong_use("there are words after the options");
    if (n != floor(n) || n < 16 || n > 16384 || (int)n % 2 != 0) wrong_use("-n is not an even number from 16 to 16384");
    if ((int)n % m_size(CCC_ALL) != 0) wrong_use("-n is not a multiple of the number of processes");
    const int rank = m_rank(CCC_ALL);
    const long steps = lround(ceil(end / step - 1e-9));

    start_flow((int)n, 1 / reynolds);
    means now = measure();
    const means first = now;
    if (rank == 0) {
        printf("turbulence: %d^3 points, Reynolds number %g, %d processes x %d threads\n", (int)n, reynolds,
               m_size(CCC_ALL), m_size(CCC_ARRAY));
        printf("    time  energy     enstrophy  dissipation\n");
    }
    report(0, now, reynolds);
    const double series_end = fmin(0.3, reynolds / 50);  // the next terms would be less than 1e-5 of the sum
    double dissipated = 0, seconds = 0, off_series = 0;
    for (long i = 1; i <= steps; i++) {
        const double start = m_wtime();
        advance(step);
        m_barrier(CCC_ALL);
        seconds += m_wtime() - start;
        const means last = now;
        now = measure();
        const double time = (double)i * step;
        if (time <= series_end)
            off_series = fmax(off_series, fabs(now.enstrophy / known_enstrophy(time, reynolds) - 1));
        dissipated += step * (last.enstrophy + now.enstrophy) / reynolds;
        if (i == steps || (i * 10 / steps > (i - 1) * 10 / steps)) report(time, now, reynolds);
    }
    const double lost = first.energy - now.energy, difference = fabs(lost - dissipated) / dissipated;
    const int correct = difference < 1e-3 && off_series < 1e-4;
    if (rank == 0) {
        printf("  %.4f s per step\n", seconds / (double)steps);
        printf("  energy lost %.6e, dissipated %.6e\n", lost, dissipated);
        printf("  largest difference from the series of Taylor and Green up to time %g: %.1e %s\n",
               fmin(end, series_end), off_series, correct ? "(correct)" : "(WRONG)");
    }
    if (file != NULL) paint(file);
    return correct ? 0 : 1;
}

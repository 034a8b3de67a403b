// SPDX-License-Identifier: Apache-2.0
// Pseudo-spectral: derivatives are products with wave numbers in the spectrum, products of fields are made in space. The
// equation in rotation form, du/dt = u x w - grad p + viscosity * laplacian u, costs nine transforms: velocity and vorticity
// w to space, their product to the spectrum. There the pressure is what makes the result free of divergence (Canuto, Hussaini,
// Quarteroni, Zang: Spectral Methods, Evolution to Complex Geometries, Springer 2007, section 3.3).
#include "flow.h"

#include <complex.h>
#include <math.h>
#include <parallelc.h>

#include "transform.h"

static double viscosity;
static double complex *u[3];                // spectrum of the velocity
static double complex *before[3];           // of the step's start
static double complex *sum[3];              // of the step's end, as far as it is known
static double complex *rate[3];             // of change
static double *velocity[3], *vorticity[3];  // in space

typedef void mode_work(size_t at, const double k[3], double square);

// Calls `work` for each mode of the plane ky that the 2/3 rule keeps.
static inline void for_modes(int y, mode_work *work) {
    double k[3];
    k[1] = wave_number(part.first + y);
    if (!is_kept((int)k[1])) return;
    for (int x = 0; x < part.n; x++) {
        k[0] = wave_number(x);
        if (!is_kept((int)k[0])) continue;
        const size_t row = ((size_t)y * part.n + x) * part.kept;
        for (int z = 0; z < part.kept; z++) {
            k[2] = z;
            work(row + z, k, k[0] * k[0] + k[1] * k[1] + k[2] * k[2]);
        }
    }
}

static inline double complex times_i(double complex a) { return __builtin_complex(-cimag(a), creal(a)); }

// The curl of the velocity.
static inline void turn(size_t at, const double k[3], double square) {
    (void)square;
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        rate[a][at] = times_i(k[b] * u[c][at] - k[c] * u[b][at]);
    }
}

static void turn_plane(int y) { for_modes(y, turn); }

// Velocity x vorticity, in place of the vorticity.
static void multiply_plane(int x) {
    const size_t begin = (size_t)x * part.n * part.n, end = begin + (size_t)part.n * part.n;
    const double *restrict v0 = velocity[0], *restrict v1 = velocity[1], *restrict v2 = velocity[2];
    double *restrict w0 = vorticity[0], *restrict w1 = vorticity[1], *restrict w2 = vorticity[2];
    for (size_t i = begin; i < end; i++) {
        const double x0 = v1[i] * w2[i] - v2[i] * w1[i], x1 = v2[i] * w0[i] - v0[i] * w2[i];
        w2[i] = v0[i] * w1[i] - v1[i] * w0[i];
        w0[i] = x0;
        w1[i] = x1;
    }
}

// Takes away the gradient part, which the pressure balances, and what viscosity takes.
static inline void project(size_t at, const double k[3], double square) {
    const double inverse = square > 0 ? 1 / square : 0;
    const double complex along = (k[0] * rate[0][at] + k[1] * rate[1][at] + k[2] * rate[2][at]) * inverse;
    for (int a = 0; a < 3; a++) rate[a][at] -= along * k[a] + viscosity * square * u[a][at];
}

static void find_rate(void) {
    backward(u, velocity);
    forall (int y = 0; y < part.planes; y++; BLOCK; CCC_ARRAY) turn_plane(y);
    backward(rate, vorticity);
    forall (int x = 0; x < part.planes; x++; BLOCK; CCC_ARRAY) multiply_plane(x);
    forward(vorticity, rate);
}

static double next_weight, sum_weight;  // times the time step, of the stage
static int stage;

static inline void add_stage(size_t at, const double k[3], double square) {
    project(at, k, square);
    for (int a = 0; a < 3; a++) {
        const double complex first = stage == 0 ? u[a][at] : before[a][at];
        if (stage == 0) before[a][at] = first;
        const double complex total = (stage == 0 ? first : sum[a][at]) + sum_weight * rate[a][at];
        if (stage < 3) sum[a][at] = total;
        u[a][at] = stage < 3 ? first + next_weight * rate[a][at] : total;
    }
}

static void add_stage_plane(int y) { for_modes(y, add_stage); }

void advance(double time_step) {
    static const double next[4] = {0.5, 0.5, 1, 0}, share[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    for (stage = 0; stage < 4; stage++) {
        next_weight = next[stage] * time_step;
        sum_weight = share[stage] * time_step;
        find_rate();
        forall (int y = 0; y < part.planes; y++; BLOCK; CCC_ARRAY) add_stage_plane(y);
    }
}

void start_flow(int n, double new_viscosity) {
    viscosity = new_viscosity;
    make_transforms(n);
    const size_t modes = spectrum_size() * sizeof(double complex), points = field_size() * sizeof(double);
    for (int a = 0; a < 3; a++) {
        double complex **spectra[] = {&u[a], &before[a], &sum[a], &rate[a]};
        for (int i = 0; i < 4; i++) {
            *spectra[i] = allocate(modes);
            for (size_t k = 0; k < spectrum_size(); k++) (*spectra[i])[k] = 0;
        }
        velocity[a] = allocate(points);
        vorticity[a] = allocate(points);
    }
    const double h = 2 * acos(-1) / n;
    for (size_t i = 0; i < field_size(); i++) {
        const double x = h * (double)(part.first + (long)(i / n / n)), y = h * (double)(i / n % n),
                     z = h * (double)(i % n);
        velocity[0][i] = sin(x) * cos(y) * cos(z);
        velocity[1][i] = -cos(x) * sin(y) * cos(z);
        velocity[2][i] = 0;
    }
    forward(velocity, u);
}

static double *shells;  // for add_to_shell

// A mode stands for itself and, where kz > 0, for the one opposite to it.
static inline double energy_of(size_t at, const double k[3]) {
    double sum_of_squares = 0;
    for (int a = 0; a < 3; a++) {
        const double re = creal(u[a][at]), im = cimag(u[a][at]);
        sum_of_squares += re * re + im * im;
    }
    return (k[2] > 0 ? 1 : 0.5) * sum_of_squares;
}

static inline void add_to_means(size_t at, const double k[3], double square) {
    const double energy = energy_of(at, k);
    shells[0] += energy;
    shells[1] += square * energy;
}

static inline void add_to_shell(size_t at, const double k[3], double square) {
    const int shell = (int)(sqrt(square) + 0.5);
    if (shell < part.kept) shells[shell] += energy_of(at, k);
}

static void add_up(mode_work *work, double *result, int count) {
    for (int i = 0; i < count; i++) result[i] = 0;
    shells = result;
    for (int y = 0; y < part.planes; y++) for_modes(y, work);
    m_allreduce(CCC_ALL, result, result, count, M_DOUBLE, M_SUM);
}

means measure(void) {
    double both[2];
    add_up(add_to_means, both, 2);
    return (means){both[0], both[1]};
}

void energy_spectrum(double *energy) { add_up(add_to_shell, energy, part.kept); }

void vorticity_slice(double *length) {
    forall (int y = 0; y < part.planes; y++; BLOCK; CCC_ARRAY) turn_plane(y);
    backward(rate, vorticity);
    for (size_t i = 0; i < (size_t)part.n * part.n; i++) {
        length[i] = sqrt(vorticity[0][i] * vorticity[0][i] + vorticity[1][i] * vorticity[1][i] +
                         vorticity[2][i] * vorticity[2][i]);
    }
}

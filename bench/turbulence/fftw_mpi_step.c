// SPDX-License-Identifier: Apache-2.0
// The peer of examples/turbulence: the same equation, 2/3 rule and Runge-Kutta method with the MPI transforms
// of FFTW, one field at a time, in its transposed order. Usage: fftw_mpi_step N STEPS TIME_STEP REYNOLDS;
// prints energy, half the square of the vorticity, and seconds per step.
#include <complex.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static ptrdiff_t n, half, planes, first, rows, first_row;  // half: wave numbers kz
static double complex *u[3], *before[3], *sum[3], *rate[3];
static double *velocity[3], *vorticity[3];
static fftw_plan forward, backward;
static double complex* spectrum;  // both plans work between these two
static double* field;

static int wave_number(ptrdiff_t i) {
  return (int)(i <= n / 2 ? i : i - n);
}
static int is_kept(int k) {
  return 3 * labs(k) < n;
}

static void to_space(const double complex* from, double* to) {
  for (ptrdiff_t i = 0; i < rows * n * half; i++) spectrum[i] = from[i];
  fftw_mpi_execute_dft_c2r(backward, spectrum, to);
}

static void to_spectrum(double* from, double complex* to) {
  fftw_mpi_execute_dft_r2c(forward, from, to);
  const double scale = 1.0 / ((double)n * (double)n * (double)n);
  for (ptrdiff_t y = 0; y < rows; y++) {
    for (ptrdiff_t x = 0; x < n; x++) {
      const int kept = is_kept(wave_number(first_row + y)) && is_kept(wave_number(x));
      for (ptrdiff_t z = 0; z < half; z++) to[(y * n + x) * half + z] *= kept && is_kept((int)z) ? scale : 0;
    }
  }
}

static void find_rate(double viscosity) {
  for (int a = 0; a < 3; a++) to_space(u[a], velocity[a]);
  for (int a = 0; a < 3; a++) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    for (ptrdiff_t y = 0; y < rows; y++) {
      for (ptrdiff_t x = 0; x < n; x++) {
        const double kx = wave_number(x), ky = wave_number(first_row + y);
        for (ptrdiff_t z = 0; z < half; z++) {
          const ptrdiff_t at = (y * n + x) * half + z;
          const double k[3] = {kx, ky, (double)z};
          const double complex turned = k[b] * u[c][at] - k[c] * u[b][at];
          spectrum[at] = CMPLX(-cimag(turned), creal(turned));
        }
      }
    }
    fftw_mpi_execute_dft_c2r(backward, spectrum, vorticity[a]);
  }
  for (ptrdiff_t i = 0; i < planes * n * 2 * half; i++) {
    const double x0 = velocity[1][i] * vorticity[2][i] - velocity[2][i] * vorticity[1][i];
    const double x1 = velocity[2][i] * vorticity[0][i] - velocity[0][i] * vorticity[2][i];
    vorticity[2][i] = velocity[0][i] * vorticity[1][i] - velocity[1][i] * vorticity[0][i];
    vorticity[0][i] = x0;
    vorticity[1][i] = x1;
  }
  for (int a = 0; a < 3; a++) to_spectrum(vorticity[a], rate[a]);
  for (ptrdiff_t y = 0; y < rows; y++) {
    for (ptrdiff_t x = 0; x < n; x++) {
      const double kx = wave_number(x), ky = wave_number(first_row + y);
      for (ptrdiff_t z = 0; z < half; z++) {
        const ptrdiff_t at = (y * n + x) * half + z;
        const double kz = (double)z, square = kx * kx + ky * ky + kz * kz,
                     inverse = square > 0 ? 1 / square : 0;
        const double complex along = (kx * rate[0][at] + ky * rate[1][at] + kz * rate[2][at]) * inverse;
        rate[0][at] -= along * kx + viscosity * square * u[0][at];
        rate[1][at] -= along * ky + viscosity * square * u[1][at];
        rate[2][at] -= along * kz + viscosity * square * u[2][at];
      }
    }
  }
}

static void advance(double step, double viscosity) {
  static const double next[4] = {0.5, 0.5, 1, 0}, share[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  for (int stage = 0; stage < 4; stage++) {
    find_rate(viscosity);
    for (int a = 0; a < 3; a++) {
      for (ptrdiff_t i = 0; i < rows * n * half; i++) {
        if (stage == 0) before[a][i] = sum[a][i] = u[a][i];
        sum[a][i] += share[stage] * step * rate[a][i];
        u[a][i] = stage < 3 ? before[a][i] + next[stage] * step * rate[a][i] : sum[a][i];
      }
    }
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  if (argc != 5) return 2;
  n = atol(argv[1]);
  half = n / 2 + 1;
  const long steps = atol(argv[2]);
  const double step = atof(argv[3]), viscosity = 1 / atof(argv[4]);
  const ptrdiff_t size =
      fftw_mpi_local_size_3d_transposed(n, n, half, MPI_COMM_WORLD, &planes, &first, &rows, &first_row);
  field = fftw_alloc_real((size_t)(2 * size));
  spectrum = fftw_alloc_complex((size_t)size);
  for (int a = 0; a < 3; a++) {
    u[a] = fftw_alloc_complex((size_t)size);
    before[a] = fftw_alloc_complex((size_t)size);
    sum[a] = fftw_alloc_complex((size_t)size);
    rate[a] = fftw_alloc_complex((size_t)size);
    velocity[a] = fftw_alloc_real((size_t)(2 * size));
    vorticity[a] = fftw_alloc_real((size_t)(2 * size));
  }
  forward = fftw_mpi_plan_dft_r2c_3d(n, n, n, field, spectrum, MPI_COMM_WORLD,
                                     FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
  backward = fftw_mpi_plan_dft_c2r_3d(n, n, n, spectrum, field, MPI_COMM_WORLD,
                                      FFTW_MEASURE | FFTW_MPI_TRANSPOSED_IN);
  const double h = 2 * acos(-1) / (double)n;
  for (ptrdiff_t x = 0; x < planes; x++) {
    for (ptrdiff_t y = 0; y < n; y++) {
      for (ptrdiff_t z = 0; z < 2 * half; z++) {
        const ptrdiff_t at = (x * n + y) * 2 * half + z;
        const double px = h * (double)(first + x), py = h * (double)y, pz = h * (double)z;
        velocity[0][at] = sin(px) * cos(py) * cos(pz);
        velocity[1][at] = -cos(px) * sin(py) * cos(pz);
        velocity[2][at] = 0;
      }
    }
  }
  for (int a = 0; a < 3; a++) to_spectrum(velocity[a], u[a]);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (long i = 0; i < steps; i++) advance(step, viscosity);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  double means[2] = {0, 0}, all[2];
  for (ptrdiff_t y = 0; y < rows; y++) {
    for (ptrdiff_t x = 0; x < n; x++) {
      for (ptrdiff_t z = 0; z < half; z++) {
        const double kx = wave_number(x), ky = wave_number(first_row + y), kz = (double)z;
        double energy = 0;
        for (int a = 0; a < 3; a++) {
          const double complex v = u[a][(y * n + x) * half + z];
          energy += (z > 0 ? 1 : 0.5) * (creal(v) * creal(v) + cimag(v) * cimag(v));
        }
        means[0] += energy;
        means[1] += (kx * kx + ky * ky + kz * kz) * energy;
      }
    }
  }
  MPI_Reduce(means, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) printf("%.7f %.7f %.4f s per step\n", all[0], all[1], seconds / (double)steps);
  MPI_Finalize();
}

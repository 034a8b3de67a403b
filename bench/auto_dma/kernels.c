// SPDX-License-Identifier: Apache-2.0
// Kernels that were not written for --auto-dma: the loops of PolyBench (Pouchet, version 4.2, written anew
// from their formulas), sparse product, histogram, FFT, bodies. One accelerator thread; each line of output
// is a kernel and a sum over the bits of its results, so that two builds can be compared.
#include <math.h>
#include <parallelc.h>
#include <stdio.h>

enum { n = 160, wide = 400, deep = 40, points = 4096, bodies = 512, rows = 2000, filled = 9, steps = 4 };

static double A[n][n], B[n][n], C[n][n], D[n][n], P[wide][wide], Q[wide][wide], R[wide][wide];
static double X[deep][deep][deep], Y[deep][deep][deep], x[wide], y[wide], z[wide], w[wide];
static double values[rows * filled], in[rows], out[rows], re[points], im[points], turn_re[points],
    turn_im[points];
static int columns[rows * filled], begin[rows + 1], counts[256];
static unsigned char image[wide * wide];
static double px[bodies], py[bodies], pz[bodies], fx[bodies], fy[bodies], fz[bodies], mass[bodies];

#define KERNEL(name) __kernel void name(void* argument)
#define FOR(i, from, to) for (long i = from; i < to; i++)

KERNEL(gemm) {
  (void)argument;
  FOR(i, 0, n) {
    FOR(j, 0, n) C[i][j] *= 0.5;
    FOR(k, 0, n) FOR(j, 0, n) C[i][j] += 1.5 * A[i][k] * B[k][j];
  }
}
KERNEL(two_products) {
  (void)argument;
  FOR(i, 0, n) FOR(j, 0, n) {
    double sum = 0;
    FOR(k, 0, n) sum += A[i][k] * B[k][j];
    D[i][j] = sum;
  }
  FOR(i, 0, n) FOR(j, 0, n) {
    double sum = 0.5 * C[i][j];
    FOR(k, 0, n) sum += D[i][k] * B[k][j];
    C[i][j] = sum;
  }
}
KERNEL(atax) {
  (void)argument;
  FOR(j, 0, wide) y[j] = 0;
  FOR(i, 0, wide) {
    double sum = 0;
    FOR(j, 0, wide) sum += P[i][j] * x[j];
    FOR(j, 0, wide) y[j] += P[i][j] * sum;
  }
}
KERNEL(bicg) {
  (void)argument;
  FOR(i, 0, wide) {
    double sum = 0;
    FOR(j, 0, wide) {
      z[j] += w[i] * P[i][j];
      sum += P[i][j] * x[j];
    }
    y[i] = sum;
  }
}
KERNEL(mvt) {
  (void)argument;
  FOR(i, 0, wide) FOR(j, 0, wide) x[i] += P[i][j] * y[j];
  FOR(i, 0, wide) FOR(j, 0, wide) z[i] += P[j][i] * w[j];
}
KERNEL(syrk) {
  (void)argument;
  FOR(i, 0, n) {
    FOR(j, 0, i + 1) C[i][j] *= 0.5;
    FOR(k, 0, n) FOR(j, 0, i + 1) C[i][j] += A[i][k] * A[j][k];
  }
}
KERNEL(lu) {
  (void)argument;
  FOR(k, 0, n) {
    FOR(i, k + 1, n) D[i][k] /= D[k][k];
    FOR(i, k + 1, n) FOR(j, k + 1, n) D[i][j] -= D[i][k] * D[k][j];
  }
}
KERNEL(solve) {
  (void)argument;
  FOR(i, 0, n) {
    double sum = x[i];
    FOR(j, 0, i) sum -= A[i][j] * z[j];
    z[i] = sum / A[i][i];
  }
}
KERNEL(floyd) {
  (void)argument;
  FOR(k, 0, 40) FOR(i, 0, n) FOR(j, 0, n) {
    const double way = B[i][k] + B[k][j];
    B[i][j] = B[i][j] < way ? B[i][j] : way;
  }
}
// The same, with the row and the column that a round reads beside the matrix that it writes.
KERNEL(floyd_apart) {
  (void)argument;
  FOR(k, 0, 40) {
    FOR(j, 0, n) x[j] = B[k][j];
    FOR(i, 0, n) y[i] = B[i][k];
    FOR(i, 0, n) FOR(j, 0, n) {
      const double way = y[i] + x[j];
      B[i][j] = B[i][j] < way ? B[i][j] : way;
    }
  }
}
KERNEL(jacobi) {
  (void)argument;
  FOR(t, 0, steps) {
    FOR(i, 1, wide - 1)
    FOR(j, 1, wide - 1) Q[i][j] = 0.2 * (P[i][j] + P[i][j - 1] + P[i][j + 1] + P[i + 1][j] + P[i - 1][j]);
    FOR(i, 1, wide - 1)
    FOR(j, 1, wide - 1) P[i][j] = 0.2 * (Q[i][j] + Q[i][j - 1] + Q[i][j + 1] + Q[i + 1][j] + Q[i - 1][j]);
  }
}
KERNEL(seidel) {
  (void)argument;
  FOR(t, 0, steps)
  FOR(i, 1, wide - 1)
  FOR(j, 1, wide - 1)
  P[i][j] = (P[i - 1][j - 1] + P[i - 1][j] + P[i - 1][j + 1] + P[i][j - 1] + P[i][j] + P[i][j + 1] +
             P[i + 1][j - 1] + P[i + 1][j] + P[i + 1][j + 1]) /
            9;
}
KERNEL(heat3d) {
  (void)argument;
  FOR(i, 1, deep - 1)
  FOR(j, 1, deep - 1)
  FOR(k, 1, deep - 1)
  Y[i][j][k] = 0.125 * (X[i + 1][j][k] - 2 * X[i][j][k] + X[i - 1][j][k]) +
               0.125 * (X[i][j + 1][k] - 2 * X[i][j][k] + X[i][j - 1][k]) +
               0.125 * (X[i][j][k + 1] - 2 * X[i][j][k] + X[i][j][k - 1]) + X[i][j][k];
}
KERNEL(fdtd) {
  (void)argument;
  FOR(t, 0, steps) {
    FOR(i, 1, wide) FOR(j, 0, wide) Q[i][j] -= 0.5 * (R[i][j] - R[i - 1][j]);
    FOR(i, 0, wide) FOR(j, 1, wide) P[i][j] -= 0.5 * (R[i][j] - R[i][j - 1]);
    FOR(i, 0, wide - 1) FOR(j, 0, wide - 1) R[i][j] -= 0.7 * (P[i][j + 1] - P[i][j] + Q[i + 1][j] - Q[i][j]);
  }
}
KERNEL(transpose) {
  (void)argument;
  FOR(i, 0, wide) FOR(j, 0, wide) Q[j][i] = P[i][j];
}
KERNEL(spmv) {
  (void)argument;
  FOR(i, 0, rows) {
    double sum = 0;
    FOR(k, begin[i], begin[i + 1]) sum += values[k] * in[columns[k]];
    out[i] = sum;
  }
}
KERNEL(histogram) {
  (void)argument;
  FOR(i, 0, wide * wide) counts[image[i]]++;
}
KERNEL(fft) {
  (void)argument;
  for (long length = 2; length <= points; length *= 2)
    for (long from = 0; from < points; from += length)
      for (long k = 0; k < length / 2; k++) {
        const long a = from + k, b = a + length / 2, angle = k * (points / length);
        const double r = re[b] * turn_re[angle] - im[b] * turn_im[angle],
                     i = re[b] * turn_im[angle] + im[b] * turn_re[angle];
        re[b] = re[a] - r, im[b] = im[a] - i;
        re[a] += r, im[a] += i;
      }
}
KERNEL(gravity) {
  (void)argument;
  FOR(i, 0, bodies) {
    double ax = 0, ay = 0, az = 0;
    FOR(j, 0, bodies) {
      const double dx = px[j] - px[i], dy = py[j] - py[i], dz = pz[j] - pz[i],
                   square = dx * dx + dy * dy + dz * dz + 0.01;
      const double weight = mass[j] / (square * sqrt(square));
      ax += weight * dx, ay += weight * dy, az += weight * dz;
    }
    fx[i] = ax, fy[i] = ay, fz[i] = az;
  }
}

static void reset(void) {
  FOR(i, 0, n)
  FOR(j, 0, n)
  A[i][j] = (double)(i * j % 13 + 1) / n, B[i][j] = (double)(i * 7 % 31 + j % 5) / n,
  C[i][j] = (double)(i + j) / n, D[i][j] = i == j ? n : 1.0 / (double)(i + j + 1);
  FOR(i, 0, wide)
  FOR(j, 0, wide)
  P[i][j] = (double)(i * j % 17), Q[i][j] = (double)(i + 2 * j) / wide,
  R[i][j] = (double)(i * 3 % 11 + j) / wide, image[i * wide + j] = (unsigned char)(i * i + j * 7);
  FOR(i, 0, deep) FOR(j, 0, deep) FOR(k, 0, deep) X[i][j][k] = (double)(i + j * 2 + k * 3 % 7);
  FOR(i, 0, wide)
  x[i] = (double)(i % 9), y[i] = 1.0 / (double)(i + 1), z[i] = (double)(i % 4), w[i] = (double)(i % 6);
  FOR(i, 0, rows) begin[i] = (int)(i * filled), in[i] = (double)(i % 23);
  begin[rows] = rows * filled;
  FOR(k, 0, rows * filled) values[k] = 1.0 / (double)(k + 1), columns[k] = (int)(k * 7919L % rows);
  FOR(k, 0, points)
  re[k] = (double)(k % 37), im[k] = 0, turn_re[k] = cos(-6.283185307179586 * (double)k / points),
  turn_im[k] = sin(-6.283185307179586 * (double)k / points);
  FOR(i, 0, bodies)
  px[i] = (double)(i * 7 % 101), py[i] = (double)(i * 11 % 97), pz[i] = (double)(i * 13 % 89),
  mass[i] = 1 + (double)(i % 3);
  FOR(i, 0, 256) counts[i] = 0;
}

static unsigned long sum_of(const void* memory, unsigned long bytes, unsigned long sum) {
  for (unsigned long i = 0; i < bytes; i++) sum = (sum ^ ((const unsigned char*)memory)[i]) * 1099511628211UL;
  return sum;
}

int main(void) {
  static void (*const kernels[])(void*) = {gemm,      two_products, atax,        bicg,   mvt,    syrk,   lu,
                                           solve,     floyd,        floyd_apart, jacobi, seidel, heat3d, fdtd,
                                           transpose, spmv,         histogram,   fft,    gravity};
  static const char* const names[] = {"gemm",   "two_products", "atax",   "bicg",   "mvt",
                                      "syrk",   "lu",           "solve",  "floyd",  "floyd_apart",
                                      "jacobi", "seidel",       "heat3d", "fdtd",   "transpose",
                                      "spmv",   "histogram",    "fft",    "gravity"};
  for (unsigned k = 0; k < sizeof kernels / sizeof *kernels; k++) {
    reset();
    m_run(kernels[k], NULL);
    unsigned long sum = 14695981039346656037UL;
#define ADD(object) sum = sum_of(&object, sizeof object, sum)
    ADD(A), ADD(B), ADD(C), ADD(D), ADD(P), ADD(Q), ADD(R), ADD(X), ADD(Y), ADD(x), ADD(y), ADD(z), ADD(w),
        ADD(out), ADD(re), ADD(im);
    ADD(counts), ADD(fx), ADD(fy), ADD(fz);
    printf("%s %016lx\n", names[k], sum);
  }
  return 0;
}

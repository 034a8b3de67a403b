/* SPDX-License-Identifier: Apache-2.0
 * Fourier transforms of complex numbers: recursive, in place with exchanged bits, and by definition. */
#include <complex.h>
#include <math.h>

#include "user.h"

enum { bits = 9, n = 1 << bits };
static double complex input[n], in_place[n], recursive[n], work[n];
static float complex by_definition[64];
static double complex roots[n / 2];
static const double turn = 6.283185307179586476925286766559;

static void transform(double complex *to, const double complex *from, long count, long step) {
    if (count == 1) {
        to[0] = from[0];
        return;
    }
    transform(to, from, count / 2, 2 * step);
    transform(to + count / 2, from + step, count / 2, 2 * step);
    for (long k = 0; k < count / 2; k++) {
        const double complex even = to[k], odd = to[k + count / 2] * roots[k * step];
        to[k] = even + odd;
        to[k + count / 2] = even - odd;
    }
}

KERNEL void by_recursion(void *argument) {
    ONE_THREAD;
    transform(recursive, argument, n, 1);
}

static unsigned reversed(unsigned x) {
    unsigned result = 0;
    for (int b = 0; b < bits; b++, x >>= 1) result = result << 1 | (x & 1);
    return result;
}

KERNEL void by_butterflies(void *argument) {
    const double complex *from = argument;
    ONE_THREAD;
    for (unsigned i = 0; i < n; i++) in_place[reversed(i)] = from[i];
    for (int length = 2; length <= n; length *= 2)
        for (int start = 0; start < n; start += length)
            for (int k = 0; k < length / 2; k++) {
                const double complex even = in_place[start + k];
                const double complex odd = in_place[start + k + length / 2] * roots[k * (n / length)];
                in_place[start + k] = even + odd;
                in_place[start + k + length / 2] = even - odd;
            }
}

KERNEL void slowly(void *argument) {
    (void)argument;
    ONE_THREAD;
    for (int k = 0; k < 64; k++) {
        float complex sum = 0;
        for (int i = 0; i < 64; i++)
            sum += (float complex)input[i] * (float complex)roots[k * i % 64 * (n / 64) % (n / 2)];
        by_definition[k] = sum;
    }
    for (int k = 0; k < n; k++) work[k] = conj(input[n - 1 - k]) * I;
}

int main(void) {
    for (int i = 0; i < n; i++) input[i] = next_double() - next_double() * I;
    for (int i = 0; i < n / 2; i++) roots[i] = cos(turn * i / n) - sin(turn * i / n) * I;
    RUN(by_recursion, input);
    RUN(by_butterflies, input);
    RUN(slowly, NULL);
    SHOW(recursive), SHOW(in_place), SHOW(by_definition), SHOW(work);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 * Histograms, prefix sums in place and by blocks, runs, a sieve, a moving median, numbers that wrap around. */
#include "user.h"

enum { n = 5000, bins = 37 };
static uint8_t bytes[n];
static uint16_t narrow[n];
static uint32_t histogram[256], wide_bins[bins];
static int64_t sums[n], blocked[n], by_parts[n];
static float values[n], smooth[n];
static unsigned char is_composite[n];
static int primes, longest[2];
static int8_t small[n];
static unsigned __int128 total;

KERNEL void count(void *argument) {
    (void)argument;
    ONE_THREAD;
    for (int i = 0; i < 256; i++) histogram[i] = 0;
    for (int i = 0; i < n; i++) histogram[bytes[i]]++;
    for (int b = 0; b < bins; b++) wide_bins[b] = 0;
    for (int i = 0; i < n; i++) {
        const int bin = (int)(values[i] * bins);
        if (bin >= 0 && bin < bins) wide_bins[bin] += narrow[i];
    }
}

KERNEL void prefix_sums(void *argument) {
    const int64_t *from = argument;
    ONE_THREAD;
    for (int i = 0; i < n; i++) sums[i] = from[i] + (i > 0 ? sums[i - 1] : 0);
    int64_t totals[n / 100 + 1] = {0};
    for (int b = 0; b < n / 100; b++)
        for (int i = 0; i < 100; i++) totals[b + 1] += from[b * 100 + i];
    for (int b = 0; b < n / 100; b++) totals[b + 1] += totals[b];
    for (int b = 0; b < n / 100; b++) {
        int64_t sum = totals[b];
        for (int i = b * 100; i < b * 100 + 100; i++) blocked[i] = sum += from[i];
    }
    for (int i = 0; i < n; i++) by_parts[i] = from[i];
    for (int step = 1; step < n; step *= 2)
        for (int i = n - 1; i >= step; i--) by_parts[i] += by_parts[i - step];
}

KERNEL void sieve(void *argument) {
    (void)argument;
    ONE_THREAD;
    memset(is_composite, 0, sizeof is_composite);
    primes = 0;
    for (unsigned i = 2; i < n; i++) {
        if (is_composite[i]) continue;
        primes++;
        for (unsigned k = i * i; k < n; k += i) is_composite[k] = 1;
    }
    int run = 0;
    longest[0] = longest[1] = 0;
    for (int i = 0; i < n; i++) {
        run = is_composite[i] ? run + 1 : 0;
        if (run > longest[0]) longest[0] = run, longest[1] = i;
    }
}

KERNEL void wrap(void *argument) {
    const int rounds = *(const int *)argument;
    ONE_THREAD;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < n; i++) {
            small[i] = (int8_t)(small[i] * 3 + (int8_t)bytes[n - 1 - i]);
            narrow[i] = (uint16_t)((unsigned)narrow[i] * narrow[i] + (unsigned)small[i]);
        }
    total = 0;
    for (int i = 0; i < n; i++) total = total * 31 + narrow[i] - (unsigned char)small[i];
}

KERNEL void median(void *argument) {
    (void)argument;
    ONE_THREAD;
    for (int i = 0; i < n; i++) {
        float window[5];
        for (int k = -2; k <= 2; k++) window[k + 2] = values[i + k < 0 ? 0 : i + k >= n ? n - 1 : i + k];
        for (int p = 0; p < 4; p++)
            for (int q = 0; q < 4 - p; q++)
                if (window[q] > window[q + 1]) {
                    const float kept = window[q];
                    window[q] = window[q + 1], window[q + 1] = kept;
                }
        smooth[i] = window[2];
    }
}

int main(void) {
    static int64_t start[n];
    for (int i = 0; i < n; i++) {
        bytes[i] = (uint8_t)(next_random() >> 32), narrow[i] = (uint16_t)next_random();
        start[i] = (int64_t)(next_random() % 1000) - 500, values[i] = (float)(next_double() * 1.1 - 0.05);
        small[i] = (int8_t)next_random();
    }
    int rounds = 3;
    RUN(count, NULL);
    RUN(prefix_sums, start);
    RUN(sieve, NULL);
    RUN(wrap, &rounds);
    RUN(median, NULL);
    SHOW(histogram), SHOW(wide_bins), SHOW(sums), SHOW(blocked), SHOW(by_parts), SHOW(is_composite), SHOW(small),
        SHOW(narrow);
    SHOW(total), SHOW(smooth), SHOW(longest);
    printf("%d primes\n", primes);
    return 0;
}

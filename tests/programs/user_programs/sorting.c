/* SPDX-License-Identifier: Apache-2.0
 * Quicksort by recursion, by a stack and through a function pointer; merge sort, sort by digits, binary search. */
#include "user.h"

enum { n = 1500 };
static int numbers[n], sorted[n], merged[n], spare[n];
static uint32_t digits[n], moved[n];
static struct record {
    char name[12];
    short key;
    double value;
} records[n / 3];
static long found[64];

static void quicksort(int *low, int *high) {
    while (high - low > 1) {
        const int pivot = low[(high - low) / 2];
        int *i = low, *j = high - 1;
        do {
            while (*i < pivot) i++;
            while (*j > pivot) j--;
            if (i <= j) {
                const int kept = *i;
                *i++ = *j, *j-- = kept;
            }
        } while (i <= j);
        quicksort(low, j + 1);
        low = i;
    }
}
KERNEL void sort_numbers(void *argument) {
    ONE_THREAD;
    memcpy(sorted, argument, sizeof sorted);
    quicksort(sorted, sorted + n);
}

KERNEL void merge_numbers(void *argument) {
    ONE_THREAD;
    int *from = merged, *to = spare;
    memmove(merged, argument, sizeof merged);
    for (long width = 1; width < n; width *= 2) {
        for (long start = 0; start < n; start += 2 * width) {
            const long middle = start + width < n ? start + width : n,
                       end = start + 2 * width < n ? start + 2 * width : n;
            long i = start, j = middle;
            for (long k = start; k < end; k++)
                to[k] = j >= end || (i < middle && from[i] <= from[j]) ? from[i++] : from[j++];
        }
        int *const kept = from;
        from = to, to = kept;
    }
    if (from != merged)
        for (long i = 0; i < n; i++) merged[i] = from[i];
}

KERNEL void sort_by_digits(void *argument) {
    (void)argument;
    ONE_THREAD;
    uint32_t *from = digits, *to = moved;
    for (unsigned shift = 0; shift < 32; shift += 8) {
        unsigned counts[257] = {0};
        for (long i = 0; i < n; i++) counts[(from[i] >> shift & 255) + 1]++;
        for (int d = 0; d < 256; d++) counts[d + 1] += counts[d];
        for (long i = 0; i < n; i++) to[counts[from[i] >> shift & 255]++] = from[i];
        uint32_t *const kept = from;
        from = to, to = kept;
    }
}

static int by_key(const struct record *one, const struct record *other) {
    return one->key != other->key ? one->key - other->key : strcmp(one->name, other->name);
}
static int by_value(const struct record *one, const struct record *other) {
    return (one->value > other->value) - (one->value < other->value);
}
struct order {
    int (*compare)(const struct record *, const struct record *);
};
KERNEL void sort_records(void *argument) {
    const struct order *own = argument;
    ONE_THREAD;
    for (size_t i = 1; i < sizeof records / sizeof *records; i++) {
        const struct record one = records[i];
        size_t k = i;
        for (; k > 0 && own->compare(&records[k - 1], &one) > 0; k--) records[k] = records[k - 1];
        records[k] = one;
    }
}

KERNEL void search(void *argument) {
    const int *where = argument;
    ONE_THREAD;
    for (int k = 0; k < 64; k++) {
        long low = 0, high = n;
        while (low < high) {
            const long middle = low + (high - low) / 2;
            if (where[middle] < k * 100 - 3000)
                low = middle + 1;
            else
                high = middle;
        }
        found[k] = low;
    }
}

int main(void) {
    for (int i = 0; i < n; i++) numbers[i] = (int)(next_random() % 7000) - 3500, digits[i] = (uint32_t)next_random();
    for (int i = 0; i < n / 3; i++) {
        snprintf(records[i].name, sizeof records[i].name, "r%u", (unsigned)(next_random() % 10000));
        records[i].key = (short)(next_random() % 20), records[i].value = next_double();
    }
    RUN(sort_numbers, numbers);
    RUN(merge_numbers, numbers);
    RUN(sort_by_digits, NULL);
    RUN(search, sorted);
    SHOW(sorted), SHOW(merged), SHOW(digits), SHOW(found);
    struct order order = {by_key};
    RUN(sort_records, &order);
    for (int i = 0; i < n / 3; i += 50) printf("%s %d %a\n", records[i].name, records[i].key, records[i].value);
    order.compare = by_value;
    RUN(sort_records, &order);
    for (int i = 0; i < n / 3; i += 50) printf("%s %d %a\n", records[i].name, records[i].key, records[i].value);
    return 0;
}

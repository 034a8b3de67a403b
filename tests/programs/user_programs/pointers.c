/* SPDX-License-Identifier: Apache-2.0
 * Arrays of variable length, restrict and not, overlapping parts, lists and trees, pointers to pointers, ends that are
 * found. */
#include <stdarg.h>

#include "user.h"

enum { n = 600 };
static double a[n], b[n];
static int numbers[n];
static struct node {
    struct node *left, *right;
    int key, count;
} nodes[n], *root;
static int in_order[n];
static char *names[40];
static double windows[3][n];
static long sums[8];

struct triple {
    const double *from, *also;
    double *to;
    long count, step;
};
static void add_apart(double *restrict to, const double *restrict from, const double *restrict also, long count) {
    for (long i = 0; i < count; i++) to[i] = from[i] + also[i] * 0.5;
}
static __attribute__((noinline)) void add_any(double *to, const double *from, const double *also, long count,
                                              long step) {
    for (long i = 0; i < count; i++) to[i * step] = from[i * step] + also[i] * 0.5;
}
KERNEL void add(void *argument) {
    const struct triple *own = argument;
    ONE_THREAD;
    if (own->to == own->from || own->step != 1)
        add_any(own->to, own->from, own->also, own->count, own->step);
    else
        add_apart(own->to, own->from, own->also, own->count);
}
KERNEL void add_overlapping(void *argument) {
    const struct triple *own = argument;
    ONE_THREAD;
    add_any(own->to, own->from, own->also, own->count, own->step);
}

KERNEL void variable(void *argument) {
    const int size = *(const int *)argument;
    ONE_THREAD;
    double square[size][size], *last = &square[size - 1][size - 1];
    long column[size];
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) square[i][j] = a[i] * b[j];
    for (int j = 0; j < size; j++) {
        column[j] = 0;
        for (int i = 0; i < size; i++) column[j] += (long)(square[i][j] * 100);
    }
    for (int j = 0; j < size; j++) windows[size % 3][j] = (double)column[j] + *last--;
    double(*const part)[size] = (double(*)[size])windows[2];
    for (int i = 0; i < n / size; i++) part[i][size - 1] += part[i][0];
}

static struct node *insert(struct node *at, struct node *one) {
    if (at == NULL) return one;
    if (one->key == at->key)
        at->count++;
    else if (one->key < at->key)
        at->left = insert(at->left, one);
    else
        at->right = insert(at->right, one);
    return at;
}
static int *walk(const struct node *at, int *to) {
    if (at == NULL) return to;
    to = walk(at->left, to);
    *to++ = at->key * 10 + at->count;
    return walk(at->right, to);
}
KERNEL void build_tree(void *argument) {
    const int *keys = argument;
    ONE_THREAD;
    root = NULL;
    for (int i = 0; i < n; i++) {
        nodes[i] = (struct node){NULL, NULL, keys[i], 1};
        root = insert(root, &nodes[i]);
    }
    walk(root, in_order);
}

static long sum_of(int count, ...) {
    va_list arguments;
    va_start(arguments, count);
    long sum = 0;
    while (count-- > 0) sum += va_arg(arguments, int);
    va_end(arguments);
    return sum;
}
KERNEL void scan(void *argument) {
    const int limit = *(const int *)argument;
    ONE_THREAD;
    long sum = 0;
    int i = 0;
    while (i < n && sum < limit) sum += numbers[i++];
    sums[0] = sum, sums[1] = i;
    for (unsigned k = n; k-- > 0;)
        if (numbers[k] % 97 == 0) {
            sums[2] = k;
            break;
        }
    for (const int *end = numbers + n, *at = numbers; at != end; at += 3) sums[3] += *at;
    for (size_t k = 0; k < 40; k++)
        for (const char *c = names[k]; c && *c; c++) sums[4] = sums[4] * 33 + *c;
    sums[5] = sum_of(4, numbers[0], numbers[1], numbers[2], numbers[n - 1]);
    memmove(numbers + 5, numbers, 300 * sizeof *numbers);
    memmove(numbers + 300, numbers + 310, 200 * sizeof *numbers);
    for (int k = 100; k < 200; k++) numbers[k] = numbers[k - 1] + numbers[k + 300];
    unsigned char wrapped = 250;
    for (int k = 0; k < 20; k++, wrapped++) numbers[wrapped] += k;
}

int main(void) {
    char texts[40][8];
    for (int i = 0; i < n; i++) a[i] = next_double(), b[i] = next_double(), numbers[i] = (int)(next_random() % 500);
    for (int i = 0; i < 40; i++) snprintf(texts[i], sizeof texts[i], "n%d", i * i), names[i] = i % 7 ? texts[i] : NULL;
    struct triple apart = {a, b, windows[0], n, 1}, overlapping = {a + 1, b, a, n - 1, 1},
                  ahead = {a, b, a + 3, n - 3, 1}, backward = {a + n - 1, b, a + n - 1, n, -1},
                  wide = {b, b + 1, b, n / 5, 5};
    RUN(add, &apart);
    RUN(add, &backward);
    RUN(add, &wide);
    SHOW(a), SHOW(b), SHOW(windows);
    RUN(add_overlapping, &overlapping);
    RUN(add_overlapping, &ahead);
    RUN(add_overlapping, &backward);
    SHOW(a);
    for (int size = 1; size < 20; size += 5) RUN(variable, &size);
    RUN(build_tree, numbers);
    int limit = 20000;
    RUN(scan, &limit);
    SHOW(windows), SHOW(in_order), SHOW(sums), SHOW(numbers);
    return 0;
}

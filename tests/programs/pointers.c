// SPDX-License-Identifier: Apache-2.0
// Built with --auto-dma: the kernels of pointers_kernels.c read under a condition through pointers to what only this file
// knows, and write so. Variables and blocks of m_malloc are moved, up to their ends; memory of mmap, whose next page cannot be read, is not;
// nor is what is not written and could not be put back.
#include <string.h>
#include <sys/mman.h>

#include "check.h"
#include "pointers.h"

enum { n = 1000, page = 4096, guarded = page / (int)sizeof(double) };
double of_program[n];
static double of_file[n];
static double few[8];

static void fill(double *memory, long count) {
    for (long i = 0; i < count; i++) memory[i] = (double)(i % 17) + 0.5;
}

static void run(void (*kernel)(void *), const double *from, const int *which, long count) {
    struct part part = {from, which, {0}, count};
    m_run(kernel, &part);
    double sum = 0;
    for (long i = 0; i < count; i++)
        if (which[i] != 0) sum += from[i];
    for (int thread = 0; thread < m_size(CCC_ARRAY) && thread < most_threads; thread++) CHECK(part.sum[thread] == sum);
}

static int which[n + 1];

// Kernels of this file, whose loops are in a function of the other one.
enum { rows = 24, columns = 40 };
static double of_grid[rows * columns];
__kernel void in_grid(void *argument) {
    struct part *part = argument;
    const double sum = sum_of_grid(part->from, part->which, part->count / columns, columns);
    if (m_rank(CCC_ARRAY) < most_threads) part->sum[m_rank(CCC_ARRAY)] = sum;
}
__kernel void over_grid(void *argument) {
    struct part *part = argument;
    const double sum = sum_of_grid(part->from, part->which, part->count / columns + 1, columns);
    if (m_rank(CCC_ARRAY) < most_threads) part->sum[m_rank(CCC_ARRAY)] = sum;
}

const double lowest[n] = {1}, highest[n] = {[0 ... n - 1] = 1e300};

static void raise(void (*kernel)(void *), const double *to, const double *from) {
    struct raised raised = {(double *)to, from, n};
    m_run(kernel, &raised);
    for (long i = 0; i < n; i++) CHECK(to[i] >= from[i]);
}
__kernel void raise_grid(void *argument) {
    const struct raised *raised = argument;
    if (m_rank(CCC_ARRAY) == 0) raise_rows(raised->to, raised->from, rows, columns);
}
__kernel void raise_constant_grid(void *argument) {
    const struct raised *raised = argument;
    if (m_rank(CCC_ARRAY) == 0) raise_rows(raised->to, raised->from, rows, columns);
}

static void raise_all(void) {
    double *const block = m_malloc(n * sizeof *block);
    double *const memory = mmap(NULL, n * sizeof *memory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(block != NULL && memory != MAP_FAILED);
    memset(block, 0, n * sizeof *block);
    memcpy(memory, highest, sizeof highest);
    CHECK(mprotect(memory, n * sizeof *memory, PROT_READ) == 0);
    raise(raise_program, of_program, lowest);
    raise(raise_constant, highest, of_program);
    raise(raise_memory, memory, of_program);
    raise(raise_block, block, of_program);
    struct raised variable = {of_grid, of_program, 0}, constant = {(double *)highest, of_program, 0};
    m_run(raise_grid, &variable);
    for (long i = 0; i < rows * columns; i++) CHECK(of_grid[i] >= of_program[i]);
    m_run(raise_constant_grid, &constant);
    m_free(block);
    munmap(memory, n * sizeof *memory);
}

// Tables whose places come from `places`.
static double large_table[1 << 17];
static int places[n];

static void look_up(void (*kernel)(void *), const double *from, long entries) {
    struct part part = {from, places, {0}, n};
    double sum = 0;
    for (long i = 0; i < n; i++) places[i] = (int)(i * 7919 % entries), sum += from[places[i]];
    m_run(kernel, &part);
    for (int thread = 0; thread < m_size(CCC_ARRAY) && thread < most_threads; thread++) CHECK(part.sum[thread] == sum);
}

static void look_up_into(void (*kernel)(void *), const double *from, double *to, long count) {
    struct looked_up own = {from, places, to, count};
    for (long i = 0; i < count; i++) places[i] = (int)(i * 7919 % (n / 2));
    m_run(kernel, &own);
    for (long i = 0; i < count; i++) CHECK(to[i] == from[places[i]] * 2);
}

static void look_up_all(double *memory) {
    static double apart[n], within[n];
    fill(large_table, 1 << 17), fill(within, n);
    look_up(by_table, of_file, n);
    look_up(by_half_table, of_file + n / 2, n / 2);
    look_up(by_large_table, large_table, 1 << 17);
    look_up(by_memory, memory, guarded);
    look_up(by_declared, of_program, n);
    look_up_into(beside_table, of_file, apart, n);
    look_up_into(within_table, within, within + n / 2, n / 2);
}

int main(void) {
    fill(of_program, n), fill(of_file, n), fill(few, 8);
    for (long i = 0; i < n; i++) which[i] = i % 3 != 0 && i < n - 9;
    run(in_program, of_program, which, n);
    run(in_file, of_file, which, n);
    fill(of_grid, rows * columns);
    run(in_grid, of_grid, which, rows * columns);
    CHECK(sum_of_grid(of_grid, which, rows, columns) > 0);
    memset(which + rows * columns, 0, columns * sizeof *which);
    run(over_grid, of_grid, which, rows * columns);  // one row more than there are
    for (long i = rows * columns; i < n; i++) which[i] = i % 3 != 0 && i < n - 9;
    run(in_file, of_file + n - 64, which, 64);
    run(over_end, of_file + n - 64, which + n - 64, 64);  // one more than there are
    run(few_only, few, which, 8);
    char *pages = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED && mprotect(pages, page, PROT_NONE) == 0 &&
          mprotect(pages + 2 * page, page, PROT_NONE) == 0);
    double *const memory = (double *)(void *)(pages + page);
    fill(memory, guarded);
    // Says that it wants more than the page has, but reads none of that.
    memset(which, 0, sizeof which);
    for (long i = 0; i < guarded - 12; i++) which[i] = 1;
    run(in_memory, memory, which, n);
    look_up_all(memory);
    double *const block = m_malloc(n * sizeof(double));
    CHECK(block != NULL);
    fill(block, n);
    for (long i = 0; i < n; i++) which[i] = i % 3 != 0 && i < n - 9;
    run(in_block, block, which, n);
    run(over_block, block + n - 64, which + n - 64, 64);  // one more than there are
    m_free(block);
    run(freed_block, block, which + n, 1);  // reads nothing of it
    raise_all();
    return all_checks_passed("pointers");
}

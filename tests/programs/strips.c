// SPDX-License-Identifier: Apache-2.0
// Built with --optimise-for-host, and each nest that walks columns is taken in strips: what kernels compute must be what
// the same loops of process code, which are left as they are, compute.
#include <stdint.h>
#include <string.h>

#include "check.h"

enum { rows = 300, columns = 70 };
typedef double wide __attribute__((vector_size(32), aligned(8)));
static double grid[rows][columns], other[rows][columns], row[columns], first[columns], of_columns[columns],
    line[rows + 4];
static uint64_t numbers[rows][columns];
static char bytes[4 * rows + 8];

struct part {
    long rows, columns;
    double before, result;
};

#define COLUMNS for (long j = 0; j < along; j++)
#define DOWN for (long i = 1; i < down; i++)
// A kernel, and the same as process code.
#define BOTH(name, ...)                                                     \
    static inline void do_##name(struct part *own, long down, long along) { \
        (void)own;                                                          \
        __VA_ARGS__                                                         \
    }                                                                       \
    __kernel void name(void *argument) {                                    \
        struct part *own = argument;                                        \
        do_##name(own, own->rows, own->columns);                            \
    }                                                                       \
    static __attribute__((noinline)) void plain_##name(struct part *own) {  \
        const long down = own->rows, along = own->columns;                  \
        __VA_ARGS__                                                         \
    }

// The value that a branch chooses comes from the loop around it: its number, or what was read before.
BOTH(number_of_column,
     COLUMNS DOWN grid[i][j] = grid[i][j] > 3 ? grid[i - 1][j] / (grid[i][j] * grid[i][j] + 1) / (grid[i - 1][j] + 2)
                                              : (double)j;)
BOTH(
    read_before, COLUMNS {
        const double twice = row[j] * 2;
        DOWN {
            double value = twice;
            if (grid[i][j] > 3) {
                value = grid[i - 1][j] / (grid[i][j] + 1);
                other[i][j] = value;
            }
            grid[i][j] = value;
        }
    })
// What goes from iteration to iteration becomes such a value.
BOTH(
    sum_or_read_before, COLUMNS {
        const double twice = row[j] * 2;
        double sum = first[j];
        DOWN {
            if (grid[i][j] > 3)
                sum = sum / grid[i][j] + 1;
            else
                sum = twice;
        }
        of_columns[j] = sum;
    })
BOTH(
    last_is_read_before, COLUMNS {
        const double twice = row[j] * 2;
        double factor = first[j], sum = 0;
        DOWN {
            sum = sum * 0.5 + grid[i][j] * factor;
            factor = twice;
        }
        of_columns[j] = sum;
    })
// Accesses that are wider than the step of the only loop that moves them.
BOTH(vectors, COLUMNS DOWN *(wide *)(line + i) = *(wide *)(line + i) * 0.7 + grid[i][j];)
BOTH(
    words, COLUMNS DOWN {
        uint64_t value;
        memcpy(&value, bytes + 4 * i, 8);
        value = value * 3 + numbers[i][j];
        memcpy(bytes + 4 * i, &value, 8);
    })
// What is known after the nest was known before.
BOTH(known_before, {
    double value = own->before;
    const double next = value * 3;
    if (down > 1 && along > 0) {
        COLUMNS DOWN other[i][j] = grid[i][j] * 0.5;
        value = next;
    }
    own->result = value;
})

static void reset(void) {
    for (long i = 0; i < rows; i++)
        for (long j = 0; j < columns; j++) {
            grid[i][j] = (double)((i * 7 + j * 3) % 11), other[i][j] = 0;
            numbers[i][j] = (uint64_t)i * 0x9e3779b97f4a7c15u + (uint64_t)j;
        }
    for (long j = 0; j < columns; j++) row[j] = (double)j, first[j] = 1e9 * (double)j, of_columns[j] = 0;
    memset(line, 0, sizeof line);
    memset(bytes, 0, sizeof bytes);
}

static uint64_t sum_of_all(const struct part *part) {
    uint64_t sum = 14695981039346656037u;
    const struct {
        const void *memory;
        unsigned long bytes;
    } all[] = {{grid, sizeof grid}, {other, sizeof other}, {of_columns, sizeof of_columns},
               {line, sizeof line}, {bytes, sizeof bytes}, {&part->result, sizeof part->result}};
    for (unsigned long k = 0; k < sizeof all / sizeof *all; k++)
        for (unsigned long i = 0; i < all[k].bytes; i++)
            sum = (sum ^ ((const unsigned char *)all[k].memory)[i]) * 1099511628211u;
    return sum;
}

static void compare(void (*kernel)(void *), void (*plain)(struct part *), long down, long along) {
    struct part by_kernel = {down, along, 7, 0}, by_process = by_kernel;
    reset();
    m_run(kernel, &by_kernel);
    const uint64_t sum = sum_of_all(&by_kernel);
    reset();
    plain(&by_process);
    CHECK(sum == sum_of_all(&by_process));
}

int main(void) {
    static const struct {
        void (*kernel)(void *), (*plain)(struct part *);
    } all[] = {{number_of_column, plain_number_of_column},
               {read_before, plain_read_before},
               {sum_or_read_before, plain_sum_or_read_before},
               {last_is_read_before, plain_last_is_read_before},
               {vectors, plain_vectors},
               {words, plain_words},
               {known_before, plain_known_before}};
    for (unsigned long k = 0; k < sizeof all / sizeof *all; k++) {
        compare(all[k].kernel, all[k].plain, rows, columns);
        compare(all[k].kernel, all[k].plain, rows, 64);
        compare(all[k].kernel, all[k].plain, 2, 9);
        compare(all[k].kernel, all[k].plain, 0, columns);
        compare(all[k].kernel, all[k].plain, rows, 0);
    }
    return all_checks_passed("strips");
}

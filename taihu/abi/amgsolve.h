/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Algebraic multigrid: solves A x = b for sparse matrices in compressed rows, in one process with threads. Link with
 * -lamgsolve; C11 and C++. The command amgsolve, the Python module taihu.amg and this interface take the same
 * options. For the ranks of MPI use the C++ interface, taihu/amg/solver.h.
 *
 *     amgsolve *solver = amgsolve_create(0);
 *     amgsolve_set(solver, "tol", "1e-10");
 *     if (amgsolve_setup32(solver, rows, starts, columns, values) != 0 || amgsolve_solve(solver, b, x) != 0)
 *         fprintf(stderr, "%s\n", amgsolve_error(solver));
 *     amgsolve_destroy(solver);
 *
 * Calls return 0 or, with a text in amgsolve_error(), AMGSOLVE_FAILED; solving also AMGSOLVE_NOT_CONVERGED. Nothing is
 * printed, no call ends the process, no C++ exception leaves one. Different solvers may be used by different threads at
 * the same time; calls with one solver must not overlap. All calls come back when their work is done.
 */
#ifndef TAIHU_ABI_AMGSOLVE_H
#define TAIHU_ABI_AMGSOLVE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks what libamgsolve.so offers. */
#define AMGSOLVE_PUBLIC __attribute__((visibility("default")))

/** A solver: options, threads, and after a set-up a matrix with its levels. */
typedef struct amgsolve amgsolve;

/** What calls return. */
enum amgsolve_status {
    AMGSOLVE_DONE = 0,          /**< success */
    AMGSOLVE_FAILED = -1,       /**< see amgsolve_error() */
    AMGSOLVE_NOT_CONVERGED = 1  /**< the tolerance was not reached; x is as near as it came */
};

/** What a solution tells. */
struct amgsolve_result {
    int converged;        /**< 1: the tolerance was reached, or all that rounding of x allows */
    int iterations;       /**< of the method; of all methods and levels that were tried */
    double residual;      /**< 2-norm of b - A x over that of b, computed from x itself */
    double setup_seconds; /**< of the last set-up or update */
    double solve_seconds; /**< of the last amgsolve_solve() */
};

/** A solver with the default options.
 * @param threads of its own, which sleep between calls; 0: OMP_NUM_THREADS, else all CPUs of the process
 * @returns null when there is no memory or `threads` is negative or above 4096 */
AMGSOLVE_PUBLIC amgsolve *amgsolve_create(int threads);

/** Ends a solver and gives its memory back; null is allowed. */
AMGSOLVE_PUBLIC void amgsolve_destroy(amgsolve *solver);

/** Sets an option of the command amgsolve, without the dashes: "family", "smoother", "tol", "solver", ... What belongs
 * to the levels counts from the next set-up on, the rest from the next solution on. */
AMGSOLVE_PUBLIC int amgsolve_set(amgsolve *solver, const char *name, const char *value);

/** Sets up for a square matrix: row i has the entries starts[i] to starts[i+1], without the last, of columns and values;
 * all count from 0. `starts` has rows + 1 numbers that begin with 0 and never fall; it is copied. `columns` and `values`
 * are not: they stay the caller's, and must stay there unchanged until the solver is destroyed or set up for other
 * arrays; where the columns of a row do not ascend or repeat, they are copied. A set-up that failed leaves no matrix. */
AMGSOLVE_PUBLIC int amgsolve_setup32(amgsolve *solver, int64_t rows, const int32_t *starts, const int32_t *columns,
                                     const double *values);
/** The same with indices of 64 bits; these are copied, and so are the values. */
AMGSOLVE_PUBLIC int amgsolve_setup64(amgsolve *solver, int64_t rows, const int64_t *starts, const int64_t *columns,
                                     const double *values);

/** Sets up for other values in the pattern of the last set-up, which must have succeeded; its columns must still be
 * there. `values` may be the array given there with new contents. With the option reuse=interpolation the levels and the
 * transfers between them stay as they are and only their matrices are computed: faster, and good as long as the matrix
 * has not changed much. */
AMGSOLVE_PUBLIC int amgsolve_update(amgsolve *solver, const double *values);

/** Solves A x = b; x holds a first guess (such as zeros) and receives the solution. Both have as many elements as the
 * matrix has rows and may not overlap. */
AMGSOLVE_PUBLIC int amgsolve_solve(amgsolve *solver, const double *b, double *x);

/** z = one multigrid cycle for the right-hand side r: a preconditioner for a method of the caller's. */
AMGSOLVE_PUBLIC int amgsolve_precondition(amgsolve *solver, const double *r, double *z);

/** About the last solution; zeros before there was one. */
AMGSOLVE_PUBLIC struct amgsolve_result amgsolve_last(const amgsolve *solver);

/** Relative residuals of the last solution, the first guess's first.
 * @returns `*count` numbers, valid until the next solution */
AMGSOLVE_PUBLIC const double *amgsolve_history(const amgsolve *solver, int *count);

/** Levels, memory and, after a solution, its course as text of several lines; null, with an error, before a set-up.
 * Valid until the next call with this solver. */
AMGSOLVE_PUBLIC const char *amgsolve_report(amgsolve *solver);

/** Why the last call that failed did, in one line; "" when none did. Valid until the next call with this solver. */
AMGSOLVE_PUBLIC const char *amgsolve_error(const amgsolve *solver);

/** Options as lines of name, tab, values, tab, help. Valid until the program ends. */
AMGSOLVE_PUBLIC const char *amgsolve_options(void);

#ifdef __cplusplus
}
#endif

#endif

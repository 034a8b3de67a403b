/* SPDX-License-Identifier: Apache-2.0
 *
 * Solves a Laplace problem on n x n x n points, divided among the ranks, with the conjugate gradients and
 * BoomerAMG of an installed hypre, then asks the kernel where the pages of all matrices A and interpolations
 * P of all levels are, and compares with the nodes of the threads that read them in hypre's products: each
 * thread of a rank has the rows of about equally many entries.
 *
 * hypre_laplace [n [seconds]]. With seconds, the threads of this program then multiply with all A and P,
 * until so much processor time is used, each thread with its rows: what is left to the program when hypre
 * itself was built without threads, as Debian's. The first rank prints iterations and residual, the nodes of
 * all ranks, "A and P pages: LOCAL of KNOWN local" of all ranks, "hypre_laplace: passed". Built with or
 * without -fopenmp, as hypre itself was; hypre's own names of MPI work in a hypre without it, too. */
#define _GNU_SOURCE
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <_hypre_parcsr_ls.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef _OPENMP
#include <omp.h>
#endif

#include "page_nodes.h"

enum { most_threads = 1024, least_bytes = 64 << 10 };

static int threads = 1, node_of[most_threads];
static HYPRE_Int rank, ranks;

static void find_threads(void) {
#ifdef _OPENMP
#pragma omp parallel
  {
    node_of[omp_get_thread_num()] = node_here();
#pragma omp single
    threads = omp_get_num_threads();
  }
#else
  node_of[0] = node_here();
#endif
}

/* The first row of a thread as hypre's balanced product divides them. */
static int first_row(const HYPRE_Int* start, int rows, int thread) {
  const long share = ((long)start[rows] + threads - 1) / threads, wanted = share * thread;
  int low = 0, high = rows;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (start[middle] < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static double row_times(const hypre_CSRMatrix* rows, int row, const double* x) {
  const HYPRE_Int *start = hypre_CSRMatrixI(rows), *column = hypre_CSRMatrixJ(rows);
  double sum = 0;
  for (HYPRE_Int k = start[row]; k < start[row + 1]; k++) sum += hypre_CSRMatrixData(rows)[k] * x[column[k]];
  return sum;
}

/* y = rows * x by all threads. */
static void multiply(const hypre_CSRMatrix* rows, const double* x, double* y) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1)
#endif
  for (int thread = 0; thread < threads; thread++) {
    const HYPRE_Int* start = hypre_CSRMatrixI(rows);
    const int n = hypre_CSRMatrixNumRows(rows), last = first_row(start, n, thread + 1);
    for (int row = first_row(start, n, thread); row < last; row++) y[row] = row_times(rows, row, x);
  }
}

static const hypre_CSRMatrix* matrix_of(const hypre_ParAMGData* amg, int level, int kind) {
  return hypre_ParCSRMatrixDiag(kind == 0 ? hypre_ParAMGDataAArray(amg)[level]
                                          : hypre_ParAMGDataPArray(amg)[level]);
}

static int is_product(const hypre_CSRMatrix* rows, const double* x, const double* y) {
  int right = 1;
  for (int row = 0; row < hypre_CSRMatrixNumRows(rows); row++) right &= y[row] == row_times(rows, row, x);
  return right;
}

/* All threads multiply with every A and P again and again for a time; false when a result of the last round
 * is wrong. */
static int multiply_all(const hypre_ParAMGData* amg, double seconds) {
  const HYPRE_Int most = hypre_CSRMatrixNumRows(matrix_of(amg, 0, 0));
  double *x = malloc((size_t)most * sizeof *x), *y = malloc((size_t)most * sizeof *y);
  for (HYPRE_Int i = 0; i < most; i++) x[i] = i % 7 - 3;
  const clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
  int right = 1;
  for (int last = 0; !last;) {
    last = clock() >= end;
    for (int level = 0; level < hypre_ParAMGDataNumLevels(amg); level++)
      for (int kind = 0; kind < (level + 1 < hypre_ParAMGDataNumLevels(amg) ? 2 : 1); kind++) {
        multiply(matrix_of(amg, level, kind), x, y);
        if (last) right &= is_product(matrix_of(amg, level, kind), x, y);
      }
  }
  free(x);
  free(y);
  return right;
}

static void count_rows(const hypre_CSRMatrix* rows, long* local, long* known) {
  const HYPRE_Int* start = hypre_CSRMatrixI(rows);
  const int n = hypre_CSRMatrixNumRows(rows);
  for (int thread = 0; thread < threads; thread++) {
    const int first = first_row(start, n, thread), last = first_row(start, n, thread + 1);
    const char *columns = (const char*)hypre_CSRMatrixJ(rows),
               *values = (const char*)hypre_CSRMatrixData(rows);
    const size_t from = (size_t)start[first], to = (size_t)start[last], all = (size_t)start[n];
    if (all * sizeof(HYPRE_Int) >= least_bytes)
      count_pages(columns + from * sizeof(HYPRE_Int), columns + to * sizeof(HYPRE_Int), node_of[thread],
                  local, known);
    if (all * sizeof(HYPRE_Complex) >= least_bytes)
      count_pages(values + from * sizeof(HYPRE_Complex), values + to * sizeof(HYPRE_Complex), node_of[thread],
                  local, known);
  }
}

/* Columns of the rank's own, and those of other ranks. */
static void count_matrix(hypre_ParCSRMatrix* matrix, long* local, long* known) {
  count_rows(hypre_ParCSRMatrixDiag(matrix), local, known);
  if (hypre_CSRMatrixNumCols(hypre_ParCSRMatrixOffd(matrix)) > 0)
    count_rows(hypre_ParCSRMatrixOffd(matrix), local, known);
}

static double sum_of_ranks(double mine) {
  double sum = 0;
  hypre_MPI_Allreduce(&mine, &sum, 1, hypre_MPI_DOUBLE, hypre_MPI_SUM, hypre_MPI_COMM_WORLD);
  return sum;
}

static void count_all(HYPRE_Solver preconditioner) {
  hypre_ParAMGData* amg = (hypre_ParAMGData*)preconditioner;
  long local = 0, known = 0;
  for (int level = 0; level < hypre_ParAMGDataNumLevels(amg); level++) {
    count_matrix(hypre_ParAMGDataAArray(amg)[level], &local, &known);
    if (level + 1 < hypre_ParAMGDataNumLevels(amg))
      count_matrix(hypre_ParAMGDataPArray(amg)[level], &local, &known);
  }
  const double all_local = sum_of_ranks((double)local), all_known = sum_of_ranks((double)known);
  if (rank == 0) printf("A and P pages: %.0f of %.0f local\n", all_local, all_known);
}

/* The first row of a rank. */
static int first_row_of(int rank, int n) {
  return (int)((long)n * n * n * rank / ranks);
}

static HYPRE_IJMatrix build_matrix(int n) {
  const int first = first_row_of(rank, n), end = first_row_of(rank + 1, n);
  HYPRE_IJMatrix matrix;
  HYPRE_IJMatrixCreate(hypre_MPI_COMM_WORLD, first, end - 1, first, end - 1, &matrix);
  HYPRE_IJMatrixSetObjectType(matrix, HYPRE_PARCSR);
  HYPRE_IJMatrixInitialize(matrix);
  for (int row = first; row < end; row++) {
    const int i = row / (n * n), j = row / n % n, k = row % n;
    HYPRE_BigInt columns[7], here = row;
    double values[7];
    HYPRE_Int count = 0;
    const struct {
      int inside, offset;
    } near[7] = {{i > 0, -n * n}, {j > 0, -n},    {k > 0, -1},       {1, 0},
                 {k < n - 1, 1},  {j < n - 1, n}, {i < n - 1, n * n}};
    for (int side = 0; side < 7; side++) {
      if (!near[side].inside) continue;
      columns[count] = row + near[side].offset;
      values[count++] = near[side].offset == 0 ? 6.0 : -1.0;
    }
    HYPRE_IJMatrixSetValues(matrix, 1, &count, &here, columns, values);
  }
  HYPRE_IJMatrixAssemble(matrix);
  return matrix;
}

static HYPRE_IJVector build_vector(int n, double value) {
  const int first = first_row_of(rank, n), end = first_row_of(rank + 1, n);
  HYPRE_IJVector vector;
  HYPRE_IJVectorCreate(hypre_MPI_COMM_WORLD, first, end - 1, &vector);
  HYPRE_IJVectorSetObjectType(vector, HYPRE_PARCSR);
  HYPRE_IJVectorInitialize(vector);
  for (HYPRE_BigInt row = first; row < end; row++) HYPRE_IJVectorSetValues(vector, 1, &row, &value);
  HYPRE_IJVectorAssemble(vector);
  return vector;
}

int main(int argc, char** argv) {
  hypre_MPI_Init(&argc, &argv);
  hypre_MPI_Comm_rank(hypre_MPI_COMM_WORLD, &rank);
  hypre_MPI_Comm_size(hypre_MPI_COMM_WORLD, &ranks);
  const int n = argc > 1 ? atoi(argv[1]) : 40;
  find_threads();
  HYPRE_Init();
  HYPRE_IJMatrix matrix = build_matrix(n);
  HYPRE_IJVector right = build_vector(n, 1.0), left = build_vector(n, 0.0);
  HYPRE_ParCSRMatrix a;
  HYPRE_ParVector b, x;
  HYPRE_IJMatrixGetObject(matrix, (void**)&a);
  HYPRE_IJVectorGetObject(right, (void**)&b);
  HYPRE_IJVectorGetObject(left, (void**)&x);

  HYPRE_Solver solver, preconditioner;
  HYPRE_ParCSRPCGCreate(hypre_MPI_COMM_WORLD, &solver);
  HYPRE_PCGSetTol(solver, 1e-8);
  HYPRE_PCGSetMaxIter(solver, 100);
  HYPRE_BoomerAMGCreate(&preconditioner);
  HYPRE_BoomerAMGSetTol(preconditioner, 0.0);
  HYPRE_BoomerAMGSetMaxIter(preconditioner, 1);
  HYPRE_PCGSetPrecond(solver, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve,
                      (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSetup, preconditioner);
  HYPRE_ParCSRPCGSetup(solver, a, b, x);
  HYPRE_ParCSRPCGSolve(solver, a, b, x);

  HYPRE_Int iterations;
  double residual;
  HYPRE_PCGGetNumIterations(solver, &iterations);
  HYPRE_PCGGetFinalRelativeResidualNorm(solver, &residual);
  const double nodes = sum_of_ranks((double)(1 << node_of[0]));
  if (rank == 0)
    printf("%d ranks of %d threads (nodes %#lx), %d iterations, residual %.2e\n", (int)ranks, threads,
           (unsigned long)nodes, (int)iterations, residual);
  const double seconds = argc > 2 ? atof(argv[2]) : 0;
  const int agrees = seconds <= 0 || multiply_all((hypre_ParAMGData*)preconditioner, seconds);
  count_all(preconditioner);

  HYPRE_BoomerAMGDestroy(preconditioner);
  HYPRE_ParCSRPCGDestroy(solver);
  HYPRE_IJMatrixDestroy(matrix);
  HYPRE_IJVectorDestroy(right);
  HYPRE_IJVectorDestroy(left);
  HYPRE_Finalize();
  hypre_MPI_Finalize();
  if (rank == 0 && residual < 1e-8 && agrees) printf("hypre_laplace: passed\n");
  return residual < 1e-8 && agrees ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// hypre's BoomerAMG under conjugate gradients, with the matrix that `amg_matrix` writes: what hypre's own
// driver cannot make. Built with an MPI compiler where hypre's headers are installed. Distributions build
// hypre without threads, so it gets as many MPI processes as the others have threads, each with a part of the
// rows.
//
//   hypre_peer MATRIX [aggressive]     aggressive: one level of aggressive coarsening, the setting found best
//
// Prints one JSON object: times between barriers, the residual of x itself, and the peaks of all processes
// together.
#include <HYPRE.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static int rank, ranks;

static void require(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "hypre_peer: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void* read_at(FILE* file, long long place, size_t count, size_t bytes) {
  void* values = malloc(count * bytes + 1);
  require(values && fseek(file, (long)place, SEEK_SET) == 0 && fread(values, bytes, count, file) == count,
          "the matrix file cannot be read");
  return values;
}

/// The rows [first, last) of the file: two numbers of 64 bits (rows, entries), starts and columns of 32 bits,
/// values.
static HYPRE_IJMatrix read_matrix(const char* path, HYPRE_BigInt* first, HYPRE_BigInt* last) {
  FILE* file = fopen(path, "rb");
  int64_t size[2];
  require(file && fread(size, sizeof *size, 2, file) == 2, "the matrix file cannot be opened");
  *first = (HYPRE_BigInt)(size[0] * rank / ranks);
  *last = (HYPRE_BigInt)(size[0] * (rank + 1) / ranks);
  const size_t rows = (size_t)(*last - *first);
  const long long starts_at = 16, columns_at = starts_at + 4 * (size[0] + 1),
                  values_at = columns_at + 4 * size[1];
  int32_t* starts = read_at(file, starts_at + 4LL * *first, rows + 1, 4);
  const size_t entries = (size_t)(starts[rows] - starts[0]);
  int32_t* columns = read_at(file, columns_at + 4LL * starts[0], entries, 4);
  double* values = read_at(file, values_at + 8LL * starts[0], entries, 8);
  fclose(file);
  HYPRE_IJMatrix matrix;
  HYPRE_IJMatrixCreate(MPI_COMM_WORLD, *first, *last - 1, *first, *last - 1, &matrix);
  HYPRE_IJMatrixSetObjectType(matrix, HYPRE_PARCSR);
  HYPRE_Int* lengths = malloc(rows * sizeof *lengths);
  for (size_t i = 0; i < rows; i++) lengths[i] = starts[i + 1] - starts[i];
  HYPRE_IJMatrixSetRowSizes(matrix, lengths);
  HYPRE_IJMatrixInitialize(matrix);
  for (size_t i = 0; i < rows; i++) {
    HYPRE_BigInt row = *first + (HYPRE_BigInt)i, wide[128];
    require(lengths[i] <= 128, "a row has more than 128 entries");
    for (HYPRE_Int k = 0; k < lengths[i]; k++) wide[k] = columns[starts[i] - starts[0] + k];
    HYPRE_IJMatrixSetValues(matrix, 1, &lengths[i], &row, wide, values + (starts[i] - starts[0]));
  }
  HYPRE_IJMatrixAssemble(matrix);
  free(starts), free(columns), free(values), free(lengths);
  return matrix;
}

static HYPRE_ParVector make_vector(HYPRE_BigInt first, HYPRE_BigInt last, double value) {
  HYPRE_IJVector vector;
  HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, last - 1, &vector);
  HYPRE_IJVectorSetObjectType(vector, HYPRE_PARCSR);
  HYPRE_IJVectorInitialize(vector);
  for (HYPRE_BigInt row = first; row < last; row++) HYPRE_IJVectorSetValues(vector, 1, &row, &value);
  HYPRE_IJVectorAssemble(vector);
  void* object;
  HYPRE_IJVectorGetObject(vector, &object);
  return object;
}

static double seconds(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int aggressive = argc == 3 && strcmp(argv[2], "aggressive") == 0;
  require(argc == 2 || aggressive, "usage: hypre_peer MATRIX [aggressive]");
  HYPRE_Init();
  HYPRE_BigInt first, last;
  HYPRE_IJMatrix matrix = read_matrix(argv[1], &first, &last);
  void* object;
  HYPRE_IJMatrixGetObject(matrix, &object);
  HYPRE_ParCSRMatrix a = object;
  HYPRE_ParVector b = make_vector(first, last, 1), x = make_vector(first, last, 0),
                  r = make_vector(first, last, 1);

  const double start = seconds();
  HYPRE_Solver solver, cycle;
  HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &solver);
  HYPRE_PCGSetTol(solver, 1e-8);
  HYPRE_PCGSetMaxIter(solver, 500);
  HYPRE_PCGSetTwoNorm(solver, 1);
  HYPRE_BoomerAMGCreate(&cycle);
  HYPRE_BoomerAMGSetMaxIter(cycle, 1);
  HYPRE_BoomerAMGSetTol(cycle, 0);
  if (aggressive) {
    HYPRE_BoomerAMGSetAggNumLevels(cycle, 1);
    HYPRE_BoomerAMGSetModuleRAP2(cycle, 1);
    HYPRE_BoomerAMGSetKeepTranspose(cycle, 1);
  }
  HYPRE_PCGSetPrecond(solver, (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSolve,
                      (HYPRE_PtrToSolverFcn)HYPRE_BoomerAMGSetup, cycle);
  HYPRE_ParCSRPCGSetup(solver, a, b, x);
  const double ready = seconds();
  HYPRE_ParCSRPCGSolve(solver, a, b, x);
  const double end = seconds();

  HYPRE_Int iterations;
  HYPRE_PCGGetNumIterations(solver, &iterations);
  double square, whole;
  HYPRE_ParVectorInnerProd(b, b, &whole);
  HYPRE_ParCSRMatrixMatvec(-1, a, x, 1, r);
  HYPRE_ParVectorInnerProd(r, r, &square);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  double mine = (double)usage.ru_maxrss / 1024, peak = 0;
  MPI_Reduce(&mine, &peak, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("{\"setup\":%.4f,\"solve\":%.4f,\"iterations\":%d,\"residual\":%.3e,\"peak_mb\":%.0f}\n",
           ready - start, end - ready, (int)iterations, sqrt(square / whole), peak);
  HYPRE_Finalize();
  MPI_Finalize();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Messages whose data do not lie in one piece: columns, faces, structures; from one layout into another.
#include <stddef.h>

#include "check.h"

enum { rows = 40, columns = 30 };
struct particle {
  char kind;
  double place[3];
  int number;
};

static void column_to_row(int to, int from) {
  static double matrix[rows][columns], row[rows];
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) matrix[i][j] = rank * 10000 + i * 100 + j;
  }
  MPI_Datatype column;
  MPI_Type_vector(rows, 1, columns, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int j = 0; j < columns; j += 7) {
    MPI_Sendrecv(&matrix[0][j], 1, column, to, 1, row, rows, MPI_DOUBLE, from, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < rows; ++i) CHECK(row[i] == from * 10000 + i * 100 + j);
  }
  MPI_Type_free(&column);
}

static void transpose(int to, int from) {
  static int original[rows][columns], turned[columns][rows];
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) original[i][j] = rank + i * 1000 + j;
  }
  MPI_Datatype column, by_columns;
  MPI_Type_vector(columns, 1, rows, MPI_INT, &column);
  MPI_Type_create_resized(column, 0, sizeof(int), &by_columns);
  MPI_Type_commit(&by_columns);
  MPI_Sendrecv(original, rows * columns, MPI_INT, to, 2, turned, rows, by_columns, from, 2, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) CHECK(turned[j][i] == from + i * 1000 + j);
  }
  MPI_Type_free(&column);
  MPI_Type_free(&by_columns);
}

static void structures(int to, int from) {
  static struct particle out[100], in[100];
  memset(in, 0, sizeof in);
  for (int i = 0; i < 100; ++i) out[i] = (struct particle){(char)('a' + i % 26), {rank, i, rank * i}, i};
  const count_type lengths[] = {1, 3, 1};
  const MPI_Aint places[] = {offsetof(struct particle, kind), offsetof(struct particle, place),
                             offsetof(struct particle, number)};
  const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT};
  MPI_Datatype packed, particle;
  MPI_Type_create_struct(3, lengths, places, types, &packed);
  MPI_Type_create_resized(packed, 0, sizeof(struct particle), &particle);
  MPI_Type_commit(&particle);
  count_type size;
  MPI_Type_size(particle, &size);
  CHECK(size == 1 + 24 + 4);
  MPI_Sendrecv(out, 100, particle, to, 3, in, 100, particle, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 100; ++i)
    CHECK(in[i].kind == 'a' + i % 26 && in[i].place[0] == from && in[i].place[2] == (double)from * i &&
          in[i].number == i);
  char buffer[4000];
  count_type position = 0;
  MPI_Pack(out, 100, particle, buffer, sizeof buffer, &position, MPI_COMM_WORLD);
  CHECK(position == 2900);
  MPI_Request sent;
  MPI_Isend(buffer, position, MPI_PACKED, rank, 4, MPI_COMM_WORLD, &sent);
  memset(in, 0, sizeof in);
  MPI_Recv(in, 100, particle, rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  CHECK(in[99].number == 99 && in[99].place[0] == rank);
  MPI_Type_free(&packed);
  MPI_Type_free(&particle);
}

static void faces(int to, int from) {
  static float cube[20][20][20];
  for (int i = 0; i < 8000; ++i) ((float*)cube)[i] = (float)(rank * 8000 + i);
  const count_type sizes[] = {20, 20, 20}, part[] = {18, 18, 2}, source[] = {1, 1, 17}, target[] = {1, 1, 0};
  MPI_Datatype out, in;
  MPI_Type_create_subarray(3, sizes, part, source, MPI_ORDER_C, MPI_FLOAT, &out);
  MPI_Type_create_subarray(3, sizes, part, target, MPI_ORDER_C, MPI_FLOAT, &in);
  MPI_Type_commit(&out);
  MPI_Type_commit(&in);
  MPI_Sendrecv(cube, 1, out, to, 5, cube, 1, in, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 20; ++j) {
      for (int k = 0; k < 20; ++k) {
        const int inside = i > 0 && i < 19 && j > 0 && j < 19 && k < 2;
        const int place = i * 400 + j * 20 + k;
        CHECK(cube[i][j][k] == (float)(inside ? from * 8000 + place + 17 : rank * 8000 + place));
      }
    }
  }
  MPI_Type_free(&out);
  MPI_Type_free(&in);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int to = (rank + 1) % ranks, from = (rank + ranks - 1) % ranks;
  column_to_row(to, from);
  transpose(to, from);
  structures(to, from);
  faces(to, from);
  return end("datatypes");
}

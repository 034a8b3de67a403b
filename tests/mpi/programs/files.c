// SPDX-License-Identifier: Apache-2.0
// One file written and read by all ranks: interleaved through views, at offsets, by the shared pointer, in
// order.
#include <unistd.h>

#include "check.h"

enum { blocks = 50, block = 37 };

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char name[256];
  snprintf(name, sizeof name, "%s", argc > 1 ? argv[1] : "files.data");
  MPI_File file;
  CHECK(MPI_File_open(MPI_COMM_WORLD, "/nowhere/at/all", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) !=
        MPI_SUCCESS);
  if (rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
  MPI_Barrier(MPI_COMM_WORLD);

  /* Block k of rank r is block k * ranks + r of the file. */
  CHECK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) ==
        MPI_SUCCESS);
  MPI_Datatype mine;
  MPI_Type_vector(blocks, block, block * ranks, MPI_INT, &mine);
  MPI_Type_commit(&mine);
  int out[blocks * block], in[blocks * block];
  for (int i = 0; i < blocks * block; ++i) out[i] = rank * 1000000 + i;
  MPI_File_set_view(file, (MPI_Offset)rank * block * (MPI_Offset)sizeof(int), MPI_INT, mine, "native",
                    MPI_INFO_NULL);
  MPI_File_write_all(file, out, blocks * block, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Offset size;
  MPI_File_get_size(file, &size);
  CHECK(size == (MPI_Offset)sizeof(int) * blocks * block * ranks);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_Status status;
  count_type count;
  int one[block];
  for (int k = 0; k < blocks; ++k) {
    const int of = (rank + 1) % ranks;
    MPI_File_read_at(file, (MPI_Offset)(k * ranks + of) * block, one, block, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == block);
    for (int i = 0; i < block; ++i) CHECK(one[i] == of * 1000000 + k * block + i);
  }
  MPI_File_set_view(file, (MPI_Offset)rank * block * (MPI_Offset)sizeof(int), MPI_INT, mine, "native",
                    MPI_INFO_NULL);
  MPI_File_read_all(file, in, blocks * block, MPI_INT, MPI_STATUS_IGNORE);
  CHECK(memcmp(in, out, sizeof in) == 0);
  MPI_Type_free(&mine);
  MPI_File_close(&file);

  /* Everybody appends by the shared pointer, then in the order of ranks. */
  CHECK(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &file) == MPI_SUCCESS);
  MPI_File_set_size(file, 0);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  for (int k = 0; k < 10; ++k) {
    const int pair[2] = {rank, k};
    MPI_File_write_shared(file, pair, 2, MPI_INT, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_write_ordered(file, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    int *all = malloc(sizeof(int) * (size_t)(ranks * 21)), *next = calloc((size_t)ranks, sizeof *next);
    MPI_File_read_at(file, 0, all, ranks * 21, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == ranks * 21);
    for (int k = 0; k < 10 * ranks; ++k) CHECK(all[2 * k + 1] == next[all[2 * k]]++);
    for (int k = 0; k < ranks; ++k) CHECK(all[20 * ranks + k] == k);
    free(next);
    free(all);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_close(&file);
  CHECK(access(name, F_OK) != 0);
  return end("files");
}

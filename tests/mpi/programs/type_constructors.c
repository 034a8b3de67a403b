/* SPDX-License-Identifier: Apache-2.0
 * Every constructor of datatypes, those removed in MPI-3.0 too: what a message of the type carries, element
 * by element, against places computed here. */
#include "check.h"

#define ROOM 64

static int out[ROOM], in[ROOM];

/* Sends one element of `type` to this rank itself as plain integers: they are out[place[0]], out[place[1]]
 * ... */
static void check_places(MPI_Datatype type, int count, const int* places) {
  MPI_Type_commit(&type);
  MPI_Count bytes;
  MPI_Type_size_x(type, &bytes);
  CHECK(bytes == (MPI_Count)(count * sizeof(int)));
  for (int k = 0; k < ROOM; ++k) in[k] = -1;
  MPI_Sendrecv(out, 1, type, rank, 0, in, count, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int k = 0; k < count; ++k) CHECK(in[k] == out[places[k]]);
  /* And back into the places: nothing else is written. */
  int packed[ROOM], expected[ROOM];
  for (int k = 0; k < ROOM; ++k) in[k] = expected[k] = -1;
  for (int k = 0; k < count; ++k) expected[places[k]] = packed[k] = 1000 + k;
  MPI_Sendrecv(packed, count, MPI_INT, rank, 0, in, 1, type, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(!memcmp(in, expected, sizeof in));
  int largest = 0, smallest = ROOM;
  for (int k = 0; k < count; ++k) {
    if (places[k] > largest) largest = places[k];
    if (places[k] < smallest) smallest = places[k];
  }
  MPI_Count low, extent;
  MPI_Type_get_true_extent_x(type, &low, &extent);
  CHECK(low == (MPI_Count)(smallest * sizeof(int)));
  CHECK(extent == (MPI_Count)((largest + 1 - smallest) * sizeof(int)));
  MPI_Type_get_extent_x(type, &low, &extent);
  CHECK(low <= (MPI_Count)(smallest * sizeof(int)) &&
        low + extent >= (MPI_Count)((largest + 1) * sizeof(int)));
  MPI_Type_free(&type);
}

#define AT(place) ((MPI_Aint)((place) * sizeof(int)))

static void blocks(void) {
  MPI_Datatype type;
  count_type lengths[] = {2, 0, 1}, starts[] = {9, 4, 3};
  MPI_Aint byte_starts[] = {AT(9), AT(4), AT(3)};
  const int places[] = {9, 10, 3};
  MPI_Type_create_hindexed(3, lengths, byte_starts, MPI_INT, &type);
  check_places(type, 3, places);
  int int_lengths[] = {2, 0, 1};
  MPI_Type_hindexed(3, int_lengths, byte_starts, MPI_INT, &type);
  check_places(type, 3, places);
  MPI_Type_indexed(3, lengths, starts, MPI_INT, &type);
  check_places(type, 3, places);

  const int pairs[] = {9, 10, 4, 5, 13, 14};
  count_type pair_starts[] = {9, 4, 13};
  MPI_Aint pair_byte_starts[] = {AT(9), AT(4), AT(13)};
  MPI_Type_create_indexed_block(3, 2, pair_starts, MPI_INT, &type);
  check_places(type, 6, pairs);
  MPI_Type_create_hindexed_block(3, 2, pair_byte_starts, MPI_INT, &type);
  check_places(type, 6, pairs);

  const int steps[] = {0, 1, 5, 6, 10, 11};
  MPI_Type_create_hvector(3, 2, AT(5), MPI_INT, &type);
  check_places(type, 6, steps);
  MPI_Type_hvector(3, 2, AT(5), MPI_INT, &type);
  check_places(type, 6, steps);

  MPI_Datatype kinds[] = {MPI_INT, MPI_FLOAT, MPI_INT};
  MPI_Type_struct(3, int_lengths, byte_starts, kinds, &type);
  check_places(type, 3, places);

  MPI_Aint address, extent;
  MPI_Address(&out[3], &address);
  MPI_Aint exact;
  MPI_Get_address(&out[3], &exact);
  CHECK(address == exact);
  MPI_Type_extent(MPI_DOUBLE, &extent);
  CHECK(extent == sizeof(double));
}

/* The owner of an index under block or cyclic distribution, by the words of the standard. */
static int owner(int index, int extent, int distribution, int argument, int processes) {
  if (distribution == MPI_DISTRIBUTE_NONE) return 0;
  int block = argument != MPI_DISTRIBUTE_DFLT_DARG   ? argument
              : distribution == MPI_DISTRIBUTE_BLOCK ? (extent + processes - 1) / processes
                                                     : 1;
  return distribution == MPI_DISTRIBUTE_BLOCK ? index / block : index / block % processes;
}

static void distributed_array(int order, const int* distribution, const int* argument) {
  enum { ROWS = 7, COLUMNS = 8 };
  const count_type extents[] = {ROWS, COLUMNS};
  const int processes[] = {2, 3};
  int seen[ROOM] = {0};
  for (int process = 0; process < 6; ++process) {
    const int coordinates[] = {process / 3, process % 3};
    int places[ROOM], count = 0;
    const int inner = order == MPI_ORDER_C ? 1 : 0;
    for (int slow = 0; slow < extents[1 - inner]; ++slow)
      for (int fast = 0; fast < extents[inner]; ++fast) {
        const int index[] = {inner ? slow : fast, inner ? fast : slow};
        int mine = 1;
        for (int d = 0; d < 2; ++d)
          mine &= owner(index[d], extents[d], distribution[d], argument[d], processes[d]) == coordinates[d];
        if (!mine) continue;
        places[count++] = slow * extents[inner] + fast;
        ++seen[slow * extents[inner] + fast];
      }
    MPI_Datatype type;
    MPI_Type_create_darray(6, process, 2, extents, distribution, argument, processes, order, MPI_INT, &type);
    if (count > 0)
      check_places(type, count, places);
    else
      MPI_Type_free(&type);
  }
  for (int k = 0; k < ROWS * COLUMNS; ++k) CHECK(seen[k] == 1);
}

static void fortran_kinds(void) {
  MPI_Datatype type;
  count_type size;
  MPI_Type_create_f90_integer(9, &type);
  MPI_Type_size(type, &size);
  CHECK(size == 4);
  MPI_Type_create_f90_integer(18, &type);
  MPI_Type_size(type, &size);
  CHECK(size == 8);
  MPI_Type_create_f90_real(6, MPI_UNDEFINED, &type);
  MPI_Type_size(type, &size);
  CHECK(size == 4);
  MPI_Type_create_f90_complex(15, 307, &type);
  MPI_Type_size(type, &size);
  CHECK(size == 16);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int k = 0; k < ROOM; ++k) out[k] = rank * 100 + k;
  blocks();
  const int block[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK};
  const int cyclic[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC};
  const int mixed[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const int usual[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, given[] = {5, 2};
  for (int order = 0; order < 2; ++order) {
    const int kind = order == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    distributed_array(kind, block, usual);
    distributed_array(kind, cyclic, usual);
    distributed_array(kind, cyclic, given);
    distributed_array(kind, mixed, given);
  }
  fortran_kinds();
  return end("type_constructors");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "taihu/mpi/bindings/fortran/support.h"

#include <stdio.h>
#include <string.h>

/* The definitions that programs without these common blocks use, aligned as Fortran compilers align such
 * blocks. */
#define COMMON __attribute__((aligned(32)))
COMMON MPI_Fint mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_buffer_automatic_,
    mpi_fortran_status_ignore_[8], mpi_fortran_statuses_ignore_[8], mpi_fortran_errcodes_ignore_[1],
    mpi_fortran_unweighted_[1], mpi_fortran_weights_empty_[1];
COMMON char mpi_fortran_argv_null_[1], mpi_fortran_argvs_null_[1];
MPI_Fint mpi_f08_status_ignore_[8], mpi_f08_statuses_ignore_[8];

void* taihu_array(MPI_Aint count, size_t element_bytes) {
  void* const memory = calloc(count > 0 ? (size_t)count : 1, element_bytes);
  if (memory == NULL) {
    fprintf(stderr, "taihu: no memory for the arguments of a Fortran call\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

char* taihu_text(const char* text, size_t length, int leading_too) {
  while (length > 0 && text[length - 1] == ' ') --length;
  while (leading_too && length > 0 && *text == ' ') ++text, --length;
  char* const copy = taihu_array((MPI_Aint)length + 1, 1);
  memcpy(copy, text, length);
  return copy;
}

void taihu_store_text(char* text, size_t length, const char* value) {
  size_t used = strlen(value);
  if (used > length) used = length;
  memcpy(text, value, used);
  memset(text + used, ' ', length - used);
}

int taihu_partners(MPI_Fint comm) {
  int inter = 0, size = 0;
  PMPI_Comm_test_inter(taihu_Comm(comm), &inter);
  if (inter) {
    PMPI_Comm_remote_size(taihu_Comm(comm), &size);
  } else {
    PMPI_Comm_size(taihu_Comm(comm), &size);
  }
  return size;
}

int taihu_neighbours(MPI_Fint comm, int outgoing) {
  int kind = MPI_UNDEFINED, in = 0, out = 0, weighted, rank;
  const MPI_Comm on = taihu_Comm(comm);
  PMPI_Topo_test(on, &kind);
  if (kind == MPI_CART) {
    PMPI_Cartdim_get(on, &in);
    return 2 * in;
  }
  if (kind == MPI_GRAPH) {
    PMPI_Comm_rank(on, &rank);
    PMPI_Graph_neighbors_count(on, rank, &in);
    return in;
  }
  if (kind == MPI_DIST_GRAPH) PMPI_Dist_graph_neighbors_count(on, &in, &out, &weighted);
  return outgoing ? out : in;
}

/* CFI_is_contiguous, which flang keeps in a static library. */
static int is_contiguous(const CFI_cdesc_t* array) {
  size_t stride = array->elem_len;
  for (int d = 0; d < array->rank; ++d) {
    if (array->dim[d].extent == -1) return 1; /* an assumed-size array */
    if (array->dim[d].extent > 1 && (size_t)array->dim[d].sm != stride) return 0;
    stride *= (size_t)array->dim[d].extent;
  }
  return 1;
}

/* The first `count` elements of an array section, in array element order, as one datatype. The datatype of
   the call must have the size of the array's elements; a section that does not lie in one piece has no other
   meaning. */
struct taihu_section taihu_section_of(const CFI_cdesc_t* array, MPI_Count count, MPI_Datatype datatype) {
  struct taihu_section section = {taihu_described(array), count, datatype, 0};
  if (section.address != array->base_addr || array->rank == 0 || count <= 0 || is_contiguous(array))
    return section;
  MPI_Count size = 0;
  PMPI_Type_size_c(datatype, &size);
  MPI_Aint elements = 1;
  for (int i = 0; i < array->rank; ++i) elements *= array->dim[i].extent;
  if ((size_t)size != array->elem_len || count > elements) return section;
  MPI_Aint* const places = taihu_array(count, sizeof *places);
  CFI_index_t at[CFI_MAX_RANK] = {0};
  for (MPI_Count i = 0; i < count; ++i) {
    MPI_Aint place = 0;
    for (int d = 0; d < array->rank; ++d) place += at[d] * array->dim[d].sm;
    places[i] = place;
    for (int d = 0; d < array->rank && ++at[d] == array->dim[d].extent; ++d) at[d] = 0;
  }
  if (PMPI_Type_create_hindexed_block_c(count, 1, places, datatype, &section.datatype) == MPI_SUCCESS &&
      PMPI_Type_commit(&section.datatype) == MPI_SUCCESS) {
    section.count = 1;
    section.made = 1;
  }
  free(places);
  return section;
}

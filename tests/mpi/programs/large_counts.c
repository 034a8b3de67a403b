// SPDX-License-Identifier: Apache-2.0
// The calls with large counts. Numbers beyond 2^31 are displacements in a piece of address space of which few
// pages are touched; with the argument "huge", ranks also send a message of 2^31 + 8 bytes to each other; any
// other argument is a file to use.
#define _GNU_SOURCE
#include <sys/mman.h>

#include "check.h"

enum { words = 3 };
static const MPI_Count beyond = (MPI_Count)1 << 32;  // bytes
static const MPI_Count huge_bytes = ((MPI_Count)1 << 31) + 8;

static char* reserve(MPI_Count bytes) {
  void* space =
      mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(space != MAP_FAILED);
  return space;
}

static void types_remember_large_counts(void) {
  MPI_Datatype row, box, vector, records, resized, part, old[2] = {MPI_INT, MPI_DOUBLE};
  MPI_Count size, lower, extent, integers, addresses, large, types, numbers[8] = {0};
  int few[4] = {0}, combiner, small_size, small_integers, small_addresses, small_types;
  MPI_Aint no_address;

  MPI_Type_contiguous_c(beyond, MPI_INT, &row);
  MPI_Type_commit(&row);
  MPI_Type_size_c(row, &size);
  CHECK(size == 4 * beyond);
  MPI_Type_size(row, &small_size);
  CHECK(small_size == MPI_UNDEFINED);
  MPI_Type_get_envelope_c(row, &integers, &addresses, &large, &types, &combiner);
  CHECK(integers == 0 && addresses == 0 && large == 1 && types == 1 && combiner == MPI_COMBINER_CONTIGUOUS);
  MPI_Type_get_contents_c(row, 0, 0, 1, 1, few, &no_address, numbers, &part);
  CHECK(numbers[0] == beyond && part == MPI_INT);

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPI_Type_get_envelope(row, &small_integers, &small_addresses, &small_types, &combiner) ==
        MPI_ERR_TYPE);
  CHECK(MPI_Type_get_contents_c(row, 0, 0, 0, 1, few, &no_address, numbers, &part) == MPI_ERR_ARG);
  CHECK(MPI_Pack_size(2, row, MPI_COMM_WORLD, &small_size) == MPI_ERR_VALUE_TOO_LARGE);
  CHECK(MPI_Type_contiguous_c(-1, MPI_INT, &vector) == MPI_ERR_COUNT);
  CHECK(MPI_Send_c(few, -1, MPI_INT, rank, 0, MPI_COMM_WORLD) == MPI_ERR_COUNT);
  CHECK(MPI_Send_c(few, (MPI_Count)1 << 62, MPI_INT, rank, 0, MPI_COMM_WORLD) == MPI_ERR_COUNT);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Pack_size_c(2, row, MPI_COMM_WORLD, &size);
  CHECK(size == 8 * beyond);

  MPI_Type_vector_c(2, 1, beyond / 4, MPI_INT, &vector);
  MPI_Type_get_extent_c(vector, &lower, &extent);
  CHECK(lower == 0 && extent == beyond + 4);
  MPI_Type_get_envelope_c(vector, &integers, &addresses, &large, &types, &combiner);
  CHECK(integers == 0 && large == 3 && combiner == MPI_COMBINER_VECTOR);

  const MPI_Count lengths[2] = {1, 2}, places[2] = {0, beyond};
  MPI_Type_create_struct_c(2, lengths, places, old, &records);
  MPI_Type_get_true_extent_c(records, &lower, &extent);
  CHECK(lower == 0 && extent == beyond + 16);
  MPI_Type_get_envelope_c(records, &integers, &addresses, &large, &types, &combiner);
  CHECK(integers == 0 && addresses == 0 && large == 5 && types == 2);

  const MPI_Count sizes[2] = {4, beyond}, parts[2] = {1, 3}, starts[2] = {0, beyond - 3};
  MPI_Type_create_subarray_c(2, sizes, parts, starts, MPI_ORDER_C, MPI_BYTE, &box);
  MPI_Type_get_envelope_c(box, &integers, &addresses, &large, &types, &combiner);
  CHECK(integers == 2 && large == 6 && combiner == MPI_COMBINER_SUBARRAY);
  MPI_Type_get_contents_c(box, 2, 0, 6, 1, few, &no_address, numbers, &part);
  CHECK(few[0] == 2 && few[1] == MPI_ORDER_C && numbers[1] == beyond && numbers[5] == beyond - 3);

  MPI_Type_create_resized_c(MPI_INT, -8, beyond, &resized);
  MPI_Type_get_extent_c(resized, &lower, &extent);
  CHECK(lower == -8 && extent == beyond);
  MPI_Type_free(&row), MPI_Type_free(&vector), MPI_Type_free(&records), MPI_Type_free(&box),
      MPI_Type_free(&resized);

  MPI_Status status;
  MPI_Status_set_elements_c(&status, MPI_INT, beyond);
  MPI_Get_elements_c(&status, MPI_INT, &size);
  CHECK(size == beyond);
  MPI_Get_count_c(&status, MPI_DOUBLE, &size);
  CHECK(size == beyond / 2);
  MPI_Get_count(&status, MPI_INT, &small_size);
  CHECK(small_size == MPI_UNDEFINED);
}

// Two pieces, 4 GiB apart: from rank to rank, packed and unpacked, in a window.
static void far_places(void) {
  char* const space = reserve(2 * beyond);
  const MPI_Count lengths[2] = {words, words}, places[2] = {16, beyond};
  MPI_Datatype far;
  MPI_Type_create_hindexed_c(2, lengths, places, MPI_INT, &far);
  MPI_Type_commit(&far);
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  int* const near_words = (int*)(space + 16);
  int* const far_words = (int*)(space + beyond);
  for (int k = 0; k < words; ++k) near_words[k] = 10 * rank + k, far_words[k] = 1000 * rank + k;
  int got[2 * words];
  MPI_Status status;
  MPI_Count count;
  MPI_Sendrecv_c(space, 1, far, right, 1, got, 2 * words, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
  MPI_Get_count_c(&status, far, &count);
  CHECK(count == 1);
  for (int k = 0; k < words; ++k) CHECK(got[k] == 10 * left + k && got[words + k] == 1000 * left + k);

  char packed[64];
  MPI_Count position = 0;
  MPI_Pack_c(space, 1, far, packed, sizeof packed, &position, MPI_COMM_WORLD);
  CHECK(position == 2 * words * 4);
  far_words[0] = -1;
  position = 0;
  MPI_Unpack_c(packed, sizeof packed, &position, space, 1, far, MPI_COMM_WORLD);
  CHECK(far_words[0] == 1000 * rank);

  // Every member's block 2 GiB and more behind the one before.
  const MPI_Count counts[2] = {1, 1};
  const MPI_Aint apart[2] = {0, beyond / 2 + 64};
  MPI_Comm pair;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  int me, members;
  MPI_Comm_rank(pair, &me);
  MPI_Comm_size(pair, &members);
  const int mine = rank + 77;
  MPI_Datatype byte_int;  // displacements count bytes
  MPI_Type_create_resized_c(MPI_INT, 0, 1, &byte_int);
  MPI_Type_commit(&byte_int);
  MPI_Allgatherv_c(&mine, 1, MPI_INT, space, counts, apart, byte_int, pair);
  for (int k = 0; k < members; ++k) CHECK(*(int*)(space + apart[k]) == rank - me + k + 77);
  MPI_Request request;
  for (int k = 0; k < members; ++k) *(int*)(space + apart[k]) = 0;
  MPI_Iallgatherv_c(&mine, 1, MPI_INT, space, counts, apart, byte_int, pair, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int k = 0; k < members; ++k) CHECK(*(int*)(space + apart[k]) == rank - me + k + 77);
  const MPI_Datatype all_ints[2] = {MPI_INT, MPI_INT};
  const MPI_Aint back[2] = {128, beyond + 128};
  MPI_Alltoallw_c(space, counts, apart, all_ints, space, counts, back, all_ints, pair);
  for (int k = 0; k < members; ++k) CHECK(*(int*)(space + back[k]) == rank - me + me + 77);
  MPI_Comm_free(&pair);
  MPI_Type_free(&byte_int);

  MPI_Win window;
  MPI_Aint size, unit;
  MPI_Win_create_c(space, 2 * beyond, beyond, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  MPI_Put_c(&mine, 1, MPI_INT, right, 1, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  CHECK(far_words[0] == left + 77);
  MPI_Win_free(&window);
  void* base;
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Win_allocate_shared_c(64, beyond, MPI_INFO_NULL, node, &base, &window);
  MPI_Win_shared_query_c(window, 0, &size, &unit, &base);
  CHECK(size == 64 && unit == beyond);
  MPI_Win_free(&window);
  MPI_Comm_free(&node);
  MPI_Type_free(&far);
  munmap(space, (size_t)(2 * beyond));
}

static void add_and_count(void* in, void* inout, MPI_Count* length, MPI_Datatype* type) {
  CHECK(*type == MPI_LONG);
  for (MPI_Count k = 0; k < *length; ++k) ((long*)inout)[k] += ((long*)in)[k];
}

static void large_operations(void) {
  MPI_Op sum;
  MPI_Op_create_c(add_and_count, 1, &sum);
  enum { elements = 1000 };
  long mine[elements], all[elements];
  for (int k = 0; k < elements; ++k) mine[k] = rank + k;
  const long expected = (long)ranks * (ranks - 1) / 2;
  MPI_Allreduce_c(mine, all, elements, MPI_LONG, sum, MPI_COMM_WORLD);
  for (int k = 0; k < elements; ++k) CHECK(all[k] == expected + (long)ranks * k);
  MPI_Reduce_local_c(mine, all, elements, MPI_LONG, sum);
  CHECK(all[1] == expected + ranks + rank + 1);
  MPI_Scan_c(mine, all, elements, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK(all[0] == (long)rank * (rank + 1) / 2);
  MPI_Request request;
  MPI_Bcast_init_c(all, 2, MPI_LONG, ranks - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  CHECK(all[0] == expected);
  MPI_Op_free(&sum);
}

// Accesses that no other program makes with large counts.
static void windows_and_packing(void) {
  int base[8] = {0}, got[2] = {-1, -1}, one[2] = {1, 2};
  const int right = (rank + 1) % ranks;
  MPI_Win window;
  MPI_Request request;
  MPI_Win_create_c(base, sizeof base, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock_all(0, window);
  MPI_Accumulate_c(one, 2, MPI_INT, right, 0, 2, MPI_INT, MPI_SUM, window);
  MPI_Raccumulate_c(one, 2, MPI_INT, right, 0, 2, MPI_INT, MPI_SUM, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush(right, window);
  MPI_Get_accumulate_c(one, 2, MPI_INT, got, 2, MPI_INT, right, 0, 2, MPI_INT, MPI_SUM, window);
  MPI_Win_flush(right, window);
  CHECK(got[0] == 2 && got[1] == 4);
  MPI_Rget_accumulate_c(one, 2, MPI_INT, got, 2, MPI_INT, right, 0, 2, MPI_INT, MPI_NO_OP, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(got[0] == 3 && got[1] == 6);
  MPI_Rput_c(one, 2, MPI_INT, right, 4, 2, MPI_INT, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_flush(right, window);
  MPI_Rget_c(got, 2, MPI_INT, right, 4, 2, MPI_INT, window, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(got[0] == 1 && got[1] == 2);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);

  char external[16];
  MPI_Count size, position = 0;
  MPI_Pack_external_size_c("external32", 2, MPI_INT, &size);
  CHECK(size == 8);
  MPI_Pack_external_c("external32", one, 2, MPI_INT, external, sizeof external, &position);
  CHECK(position == 8 && external[3] == 1 && external[7] == 2);
  position = 0;
  got[0] = got[1] = -1;
  MPI_Unpack_external_c("external32", external, sizeof external, &position, got, 2, MPI_INT);
  CHECK(got[0] == 1 && got[1] == 2);
}

static int there[words], back[words];
static void check_back(void) {
  CHECK(memcmp(there, back, sizeof there) == 0);
  memset(back, 0, sizeof back);
}

static void files(const char* path) {
  const MPI_Offset mine = rank * (MPI_Offset)sizeof there;
  MPI_File file;
  MPI_Request request;
  MPI_Count extent;
  MPI_Status status;
  for (int k = 0; k < words; ++k) there[k] = 100 * rank + k;
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_get_type_extent_c(file, MPI_INT, &extent);
  CHECK(extent == sizeof(int));
  const MPI_Count count = words;
  MPI_File_write_at_c(file, mine, there, count, MPI_INT, &status);
  MPI_File_read_at_c(file, mine, back, count, MPI_INT, &status), check_back();
  there[0] += 1000;
  MPI_File_write_at_all_c(file, mine, there, count, MPI_INT, &status);
  MPI_File_read_at_all_c(file, mine, back, count, MPI_INT, &status), check_back();
  there[0] += 1000;
  MPI_File_iwrite_at_c(file, mine, there, count, MPI_INT, &request), MPI_Wait(&request, &status);
  MPI_File_iread_at_c(file, mine, back, count, MPI_INT, &request), MPI_Wait(&request, &status), check_back();
  there[0] += 1000;
  MPI_File_iwrite_at_all_c(file, mine, there, count, MPI_INT, &request), MPI_Wait(&request, &status);
  MPI_File_iread_at_all_c(file, mine, back, count, MPI_INT, &request), MPI_Wait(&request, &status),
      check_back();
  there[0] += 1000;
  MPI_File_write_at_all_begin_c(file, mine, there, count, MPI_INT),
      MPI_File_write_at_all_end(file, there, &status);
  MPI_File_read_at_all_begin_c(file, mine, back, count, MPI_INT),
      MPI_File_read_at_all_end(file, back, &status);
  check_back();
  there[0] += 1000;
#define AT_MINE(call) MPI_File_seek(file, mine, MPI_SEEK_SET), call
  AT_MINE(MPI_File_write_c(file, there, count, MPI_INT, &status));
  AT_MINE(MPI_File_read_c(file, back, count, MPI_INT, &status)), check_back();
  there[0] += 1000;
  AT_MINE(MPI_File_write_all_c(file, there, count, MPI_INT, &status));
  AT_MINE(MPI_File_read_all_c(file, back, count, MPI_INT, &status)), check_back();
  there[0] += 1000;
  AT_MINE(MPI_File_iwrite_c(file, there, count, MPI_INT, &request)), MPI_Wait(&request, &status);
  AT_MINE(MPI_File_iread_c(file, back, count, MPI_INT, &request)), MPI_Wait(&request, &status), check_back();
  there[0] += 1000;
  AT_MINE(MPI_File_iwrite_all_c(file, there, count, MPI_INT, &request)), MPI_Wait(&request, &status);
  AT_MINE(MPI_File_iread_all_c(file, back, count, MPI_INT, &request)), MPI_Wait(&request, &status),
      check_back();
  there[0] += 1000;
  AT_MINE(MPI_File_write_all_begin_c(file, there, count, MPI_INT)),
      MPI_File_write_all_end(file, there, &status);
  AT_MINE(MPI_File_read_all_begin_c(file, back, count, MPI_INT)), MPI_File_read_all_end(file, back, &status);
  check_back();
  there[0] += 1000;
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_write_ordered_c(file, there, count, MPI_INT, &status);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_ordered_c(file, back, count, MPI_INT, &status), check_back();
  there[0] += 1000;
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_write_ordered_begin_c(file, there, count, MPI_INT),
      MPI_File_write_ordered_end(file, there, &status);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_ordered_begin_c(file, back, count, MPI_INT), MPI_File_read_ordered_end(file, back, &status);
  check_back();
  // Who comes first gets the first place: all write the same.
  for (int k = 0; k < words; ++k) there[k] = 7 + k;
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_write_shared_c(file, there, count, MPI_INT, &status);
  MPI_File_iwrite_shared_c(file, there, count, MPI_INT, &request), MPI_Wait(&request, &status);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  MPI_File_read_shared_c(file, back, count, MPI_INT, &status), check_back();
  MPI_File_iread_shared_c(file, back, count, MPI_INT, &request), MPI_Wait(&request, &status), check_back();
  MPI_File_close(&file);
  CHECK(MPI_Register_datarep_c("large", MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C, NULL, NULL) !=
        MPI_SUCCESS);
}

// Ranks 0 and 1; alone, to itself. What is sent are pages that nobody has written to, except for the last
// ones.
static void huge_message(void) {
  const int other = ranks > 1 ? 1 - rank : 0;
  if (rank > 1) return;
  char* const space = reserve(huge_bytes);
  MPI_Request request;
  MPI_Count count;
  MPI_Status status;
  if (rank == 0) {
    char* const data = reserve(huge_bytes);
    memcpy(data + huge_bytes - 8, "the end", 8);
    data[0] = 'a';
    MPI_Isend_c(data, huge_bytes, MPI_BYTE, other, 5, MPI_COMM_WORLD, &request);
    if (ranks > 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank == 1 || ranks == 1) {
    MPI_Recv_c(space, huge_bytes, MPI_BYTE, ranks > 1 ? 0 : rank, 5, MPI_COMM_WORLD, &status);
    MPI_Get_count_c(&status, MPI_BYTE, &count);
    CHECK(count == huge_bytes && space[0] == 'a' && space[1] == 0 &&
          strcmp(space + huge_bytes - 8, "the end") == 0);
    int small;
    MPI_Get_count(&status, MPI_BYTE, &small);
    CHECK(small == MPI_UNDEFINED);
    if (ranks == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  munmap(space, (size_t)huge_bytes);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  types_remember_large_counts();
  far_places();
  large_operations();
  windows_and_packing();
  if (argc > 1 && strcmp(argv[1], "huge") == 0)
    huge_message();
  else if (argc > 1)
    files(argv[1]);
  return end("large_counts");
}

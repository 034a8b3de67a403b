// SPDX-License-Identifier: Apache-2.0
// Ranks that allocate as programs with lists, maps and strings do: each keeps many blocks of mixed sizes,
// replaces one after the other, and lets an array grow now and then. The argument is the number of
// replacements. Prints the time of the slowest rank in us; a block that has lost its contents ends the job.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kept = 20000 };

struct Block {
  uint32_t number;
  uint32_t bytes;
};

static uint64_t state;

static uint32_t next_number(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 32);
}

/// Most are short: 16 bytes to 4 KiB, as many of each doubling.
static struct Block* new_block(uint32_t number) {
  const uint32_t shift = next_number() % 8;
  const uint32_t bytes = (16u << shift) + next_number() % (16u << shift);
  struct Block* block = malloc(bytes);
  if (block == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  *block = (struct Block){number, bytes};
  ((unsigned char*)block)[bytes - 1] = (unsigned char)number;
  return block;
}

static void end_block(struct Block* block, uint32_t number) {
  const int damaged =
      block->number != number ||
      (block->bytes > sizeof *block && ((unsigned char*)block)[block->bytes - 1] != (unsigned char)number);
  if (damaged) {
    fprintf(stderr, "allocating_ranks: a block has lost its contents\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  free(block);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
  state = 88172645463325252u + (uint64_t)rank * 7919;
  static struct Block* blocks[kept];
  for (uint32_t i = 0; i < kept; ++i) blocks[i] = new_block(i);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (long round = 0; round < rounds; ++round) {
    const uint32_t which = next_number() % kept;
    end_block(blocks[which], which);
    blocks[which] = new_block(which);
    if (round % 20000 == 0) {
      double* array = NULL;
      for (size_t length = 16; length <= 65536; length *= 2) {
        array = realloc(array, length * sizeof *array);
        array[length - 1] = (double)length;
      }
      free(array);
    }
  }
  double mine = (MPI_Wtime() - start) * 1e6, longest = 0;
  MPI_Reduce(&mine, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  for (uint32_t i = 0; i < kept; ++i) end_block(blocks[i], i);
  if (rank == 0) printf("%.0f\n", longest);
  MPI_Finalize();
  return 0;
}

/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks <naalloc.h> against the kernel: allocates blocks in many shapes, lets the first thread touch all of
 * them, and asks the kernel itself with move_pages(2) where each page is. Owners of pages are computed here,
 * byte by byte at boundaries, not by naalloc. Also compares the counts of naalloc_where() and of the report
 * with those of the kernel.
 *
 * placement [huge | limit]: with huge, blocks come in huge pages that were set aside; with limit, blocks of
 * several sizes come and go where a control group allows one of them at a time. Prints "placement: passed".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <naalloc.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "page_nodes.h"

enum { most_parts = 64, most_nodes = 64, huge_page = 2 << 20 };

static int failures, threads, several_nodes;
static size_t boundary_bytes = page;

static void check(int holds, const char* what) {
  if (holds) return;
  failures++;
  printf("check failed: %s\n", what);
}

/* Node that owns most bytes of the boundary unit (page, or huge page) that holds `byte`. */
static int owner_of(size_t byte, size_t bytes, const size_t* part_end, int parts) {
  size_t votes[most_nodes] = {0}, begin = byte / boundary_bytes * boundary_bytes, previous = 0;
  const size_t end = begin + boundary_bytes < bytes ? begin + boundary_bytes : bytes;
  int first = -1;
  for (int part = 0; part < parts; previous = part_end[part++]) {
    const size_t from = previous > begin ? previous : begin, to = part_end[part] < end ? part_end[part] : end;
    if (to <= from) continue;
    const int node = naalloc_node_of_thread((int)((long)part * threads / parts));
    votes[node] += to - from;
    if (first < 0) first = node;
  }
  int best = first;
  for (int node = 0; node < most_nodes; node++)
    if (votes[node] > votes[best]) best = node;
  return best;
}

/* Every page of a touched block is where its parts say, and naalloc tells the same. Ends are in bytes. */
static void check_block(const char* name, char* block, const size_t* part_end, int parts) {
  const size_t bytes = part_end[parts - 1];
  size_t wrong = 0, pages = 0, local = 0;
  for (size_t byte = 0; byte < bytes; byte += page, pages++) {
    const int node = node_of_page(block + byte);
    const int right = node == owner_of(byte, bytes, part_end, parts);
    local += (size_t)right;
    if (!right && wrong++ < 3)
      printf("%s: page %zu of %zu is on node %d, not %d\n", name, pages, bytes / page, node,
             owner_of(byte, bytes, part_end, parts));
  }
  check(wrong == 0, name);
  struct naalloc_pages told;
  check(naalloc_where(block, &told) == 0, "naalloc_where");
  if (told.local != local || told.remote != pages - local || told.unknown + told.untouched != 0) {
    printf("%s: naalloc tells %zu local %zu remote %zu unknown %zu untouched, the kernel %zu of %zu\n", name,
           told.local, told.remote, told.unknown, told.untouched, local, pages);
    check(0, "naalloc_where tells what the kernel tells");
  }
}

static void touch(char* block, size_t bytes) {
  memset(block, 1, bytes);
}

/* Parts in 8-byte elements, in several sizes, shapes and with reuse. */
static void check_shapes(void) {
  srand(5);
  for (int round = 0; round < 12; round++) {
    size_t part_end[most_parts], ends[most_parts], end = 0;
    const int parts = round % 3 == 2 ? 1 + rand() % (2 * threads) : threads;
    const size_t scale = round % 4 == 0 ? 400 : round % 4 == 1 ? 40000 : round < 6 ? 300000 : 100000;
    for (int part = 0; part < parts; part++) {
      end += rand() % 5 == 0 ? 0 : scale / 2 + (size_t)rand() % scale;
      part_end[part] = end;
      ends[part] = end * 8;
    }
    char* block = naalloc(8, part_end, parts);
    check(block != NULL, "naalloc");
    if (!block || end == 0) continue;
    if (ends[parts - 1] >= (size_t)(2 * threads * page)) { /* smaller ones are packed with others */
      touch(block, ends[parts - 1]);
      check_block(round % 2 ? "shape in pages of a freed block" : "shape", block, ends, parts);
    }
    nafree(block);
  }
}

static void check_moves(void) {
  const size_t bytes = (size_t)6 << 20;
  size_t even[most_parts], ends[most_parts];
  for (int part = 0; part < threads; part++)
    even[part] = ends[part] = bytes * (size_t)(part + 1) / (size_t)threads;
  /* Memory of others, touched by one thread, in ordinary pages and beginning inside of one. */
  char* heap = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(heap, bytes + page, MADV_NOHUGEPAGE);
  char* begin = heap + 2064;
  touch(begin, bytes);
  check(naalloc_rebind(begin, bytes, 1, even, threads) == 0, "naalloc_rebind leaves nothing behind");
  size_t wrong = 0;
  for (size_t byte = page - 2064; byte + page <= bytes; byte += page) {
    size_t votes[most_nodes] = {0};
    for (size_t i = byte; i < byte + page; i += 64) {
      int part = 0;
      while (even[part] <= i) part++;
      votes[naalloc_node_of_thread(part)]++;
    }
    int best = 0;
    for (int node = 1; node < most_nodes; node++)
      if (votes[node] > votes[best]) best = node;
    wrong += node_of_page(begin + byte) != best;
  }
  check(wrong == 0, "rebound pages");
  munmap(heap, bytes + page);

  /* Another partition of a block of our own keeps the contents. */
  char* block = naalloc(1, even, threads);
  for (size_t i = 0; i < bytes; i += 61) block[i] = (char)(i * 31 >> 4);
  for (int part = 0; part + 1 < threads; part++) ends[part] = ends[part] / 3;
  char* moved = narealloc(block, 1, ends, threads);
  check(moved != NULL, "narealloc");
  size_t changed = 0;
  for (size_t i = 0; i < bytes; i += 61) changed += moved[i] != (char)(i * 31 >> 4);
  check(changed == 0, "narealloc keeps the contents");
  check_block("reallocated", moved, ends, threads);
  nafree(moved);
}

static void check_whole_blocks(int nodes_with_memory, const int* nodes) {
  for (int i = 0; i < nodes_with_memory; i++) {
    char* block = naalloc_on_node((size_t)3 << 20, nodes[i]);
    check(block != NULL, "naalloc_on_node");
    touch(block, (size_t)3 << 20);
    size_t wrong = 0;
    for (size_t byte = 0; byte < (size_t)3 << 20; byte += page)
      wrong += node_of_page(block + byte) != nodes[i];
    check(wrong == 0, "pages of naalloc_on_node");
    nafree(block);
  }
  check(naalloc_on_node(page, 63) == NULL && errno == EINVAL, "a node that does not exist is refused");
  const size_t bytes = (size_t)nodes_with_memory * 2 * huge_page;
  char* block = naalloc_interleave(bytes);
  touch(block, bytes);
  size_t pages[most_nodes] = {0};
  for (size_t byte = 0; byte < bytes; byte += page) pages[node_of_page(block + byte)]++;
  for (int i = 0; i < nodes_with_memory; i++)
    check(pages[nodes[i]] == bytes / page / (size_t)nodes_with_memory,
          "pages of naalloc_interleave take turns");
  nafree(block);
}

/* Zeroed blocks in used pages; read in parallel as programs do. */
static void check_zeroed(void) {
  size_t ends[most_parts];
  for (int part = 0; part < threads; part++)
    ends[part] = ((size_t)5 << 20) / 8 * (size_t)(part + 1) / (size_t)threads * 8;
  for (int round = 0; round < 3; round++) {
    unsigned long* block = naalloc_zeroed(1, ends, threads);
    size_t set = 0;
#pragma omp parallel for reduction(+ : set)
    for (size_t i = 0; i < ends[threads - 1] / sizeof *block; i++) {
      set += block[i] != 0;
      block[i] = ~0ul;
    }
    check(set == 0, "zeroed block");
    check_block("zeroed", (char*)block, ends, threads);
    nafree(block);
  }
}

/* What is kept of freed blocks must not count against the limit when others come. */
static void check_limit(void) {
  for (int round = 0; round < 12; round++) {
    const size_t bytes = (size_t)(36 - 2 * (round % 6)) << 20;
    char* block = naalloc_block(bytes, 1);
    check(block != NULL, "naalloc_block within the limit");
    if (block) touch(block, bytes);
    nafree(block);
  }
}

/* Whether the cpuset of this process has the node. */
static int is_allowed(int node) {
  static const char key[] = "Mems_allowed_list:";
  char text[512];
  int allowed = 0;
  FILE* file = fopen("/proc/self/status", "r");
  while (file && fgets(text, sizeof text, file)) {
    if (strncmp(text, key, sizeof key - 1) != 0) continue;
    for (char* word = strtok(text + sizeof key - 1, ", \t\n"); word; word = strtok(NULL, ", \t\n")) {
      int first = 0, last = 0;
      const int found = sscanf(word, "%d-%d", &first, &last);
      allowed |= node >= first && node <= (found == 2 ? last : first);
    }
  }
  if (file) fclose(file);
  return allowed;
}

static int read_nodes(int* nodes) {
  char text[256] = "";
  FILE* file = fopen("/sys/devices/system/node/has_memory", "r");
  if (!file || !fgets(text, sizeof text, file)) text[0] = 0;
  if (file) fclose(file);
  int count = 0;
  for (char* word = strtok(text, ",\n"); word; word = strtok(NULL, ",\n")) {
    int first = 0, last = 0;
    const int found = sscanf(word, "%d-%d", &first, &last);
    for (int node = first; node <= (found == 2 ? last : first); node++) nodes[count++] = node;
  }
  int kept = 0;
  for (int i = 0; i < count; i++)
    if (is_allowed(nodes[i])) nodes[kept++] = nodes[i];
  return kept;
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "huge") == 0) boundary_bytes = huge_page;
  threads = naalloc_init();
  check(threads == omp_get_max_threads(), "all threads of OpenMP are known");
  printf("threads on nodes:");
  for (int thread = 0; thread < threads; thread++) {
    printf(" %d", naalloc_node_of_thread(thread));
    several_nodes |= naalloc_node_of_thread(thread) != naalloc_node_of_thread(0);
  }
  printf("\n");
  int nodes[most_nodes];
  const int nodes_with_memory = read_nodes(nodes);
  check(several_nodes || nodes_with_memory < 2, "threads are on several nodes");
  if (argc > 1 && strcmp(argv[1], "limit") == 0) {
    check_limit();
  } else if (boundary_bytes == page) {
    check_shapes();
    check_moves();
    check_whole_blocks(nodes_with_memory, nodes);
    check_zeroed();
  } else {
    size_t ends[most_parts];
    for (int part = 0; part < threads; part++)
      ends[part] = (size_t)huge_page * (size_t)(part + 1) + (size_t)(part % 2) * 4096;
    char* block = naalloc(1, ends, threads);
    touch(block, ends[threads - 1]);
    check_block("huge pages", block, ends, threads);
    nafree(block);
  }
  if (failures == 0) printf("placement: passed\n");
  return failures != 0;
}

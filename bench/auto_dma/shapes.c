// SPDX-License-Identifier: Apache-2.0
// The five shapes of figure 19 of He et al. (Journal of Software 28(4), 2017), each as a plain loop and with
// DMA written by hand; both must give the same bits. Built with --spm-model; one accelerator thread. With
// -DBY_COMPILER and --auto-dma the plain loops are the compiler's, and process code, where none is moved,
// gives the results to compare with.
#include <parallelc.h>
#include <stdio.h>
#include <string.h>

enum {
  few = 1024,
  hot = 512,
  many = 131072,
  tile = 512,
  rounds = 50
};  // many doubles are 16 scratchpads of 64 KB

static double small_x[few], small_y[few], coefficients[hot];
static double in[many], also_in[many], out[many], expected[many];
static int index_of[many];
static struct node {
  struct node* next;
  double value;
} nodes[many];
static double list_sum;

#ifdef BY_COMPILER
#define OTHERWISE(name) name##_plain(NULL)
#else
#define OTHERWISE(name) m_run(name##_by_hand, NULL)
__thread_local double near_x[few], near_y[few], near_hot[hot];
__thread_local double near_in[2][tile], near_also[2][tile], near_out[2][tile];
__thread_local int near_index[2][tile];
__thread_local int got[2], put[2];
#endif

// 1: all data fit.
__kernel void fits_plain(void* argument) {
  for (int r = 0; r < rounds; r++)
    for (int i = 0; i < few; i++) small_y[i] = 0.5 * small_y[i] + small_x[i];
  (void)argument;
}
#ifndef BY_COMPILER
__kernel void fits_by_hand(void* argument) {
  dma_get(near_x, small_x, sizeof near_x);
  dma_get(near_y, small_y, sizeof near_y);
  for (int r = 0; r < rounds; r++)
    for (int i = 0; i < few; i++) near_y[i] = 0.5 * near_y[i] + near_x[i];
  dma_put(small_y, near_y, sizeof near_y);
  (void)argument;
}

// Gets tile t into the buffers of its half; `second` and `indices` may be NULL.
static void get_tile(long t, const double* first, const double* second, const int* indices) {
  const long half = t % 2;
  got[half] = 0;
  if (first) dma_iget(near_in[half], first + t * tile, sizeof near_in[half], &got[half]);
  if (second) dma_iget(near_also[half], second + t * tile, sizeof near_also[half], &got[half]);
  if (indices) dma_iget(near_index[half], indices + t * tile, sizeof near_index[half], &got[half]);
}

// Before tile t is worked on: the next one is fetched, this one is here, its output buffer is free.
static void turn(long t, const double* first, const double* second, const int* indices) {
  const int transfers = (first != NULL) + (second != NULL) + (indices != NULL);
  if (t == 0) get_tile(0, first, second, indices);
  if (t + 1 < many / tile) get_tile(t + 1, first, second, indices);
  dma_wait(&got[t % 2], transfers);
  if (t >= 2) dma_wait(&put[t % 2], 1);
  put[t % 2] = 0;
}
static void put_tile(long t) {
  dma_iput(out + t * tile, near_out[t % 2], sizeof near_out[0], &put[t % 2]);
  if (t + 1 == many / tile) {
    dma_wait(&put[0], 1);
    dma_wait(&put[1], 1);
  }
}
#endif

// 2: what is accessed most fits, the rest streams.
__kernel void hot_plain(void* argument) {
  for (long i = 0; i < many; i++) {
    double sum = 0;
    for (long k = 0; k < 8; k++) sum += coefficients[(i + 37 * k) % hot];
    out[i] = in[i] * sum;
  }
  (void)argument;
}
#ifndef BY_COMPILER
__kernel void hot_by_hand(void* argument) {
  dma_get(near_hot, coefficients, sizeof near_hot);
  for (long t = 0; t < many / tile; t++) {
    turn(t, in, NULL, NULL);
    for (long i = 0; i < tile; i++) {
      double sum = 0;
      for (long k = 0; k < 8; k++) sum += near_hot[(t * tile + i + 37 * k) % hot];
      near_out[t % 2][i] = near_in[t % 2][i] * sum;
    }
    put_tile(t);
  }
  (void)argument;
}
#endif

// 3: everything streams.
__kernel void streams_plain(void* argument) {
  for (long i = 0; i < many; i++) out[i] = in[i] + 3 * also_in[i];
  (void)argument;
}
#ifndef BY_COMPILER
__kernel void streams_by_hand(void* argument) {
  for (long t = 0; t < many / tile; t++) {
    turn(t, in, also_in, NULL);
    for (long i = 0; i < tile; i++) near_out[t % 2][i] = near_in[t % 2][i] + 3 * near_also[t % 2][i];
    put_tile(t);
  }
  (void)argument;
}
#endif

// 4: most accesses are discrete.
__kernel void gathers_plain(void* argument) {
  for (long i = 0; i < many; i++) out[i] = in[index_of[i]] + also_in[index_of[i]];
  (void)argument;
}
#ifndef BY_COMPILER
__kernel void gathers_by_hand(void* argument) {
  for (long t = 0; t < many / tile; t++) {
    turn(t, NULL, NULL, index_of);
    for (long i = 0; i < tile; i++)
      near_out[t % 2][i] = in[near_index[t % 2][i]] + also_in[near_index[t % 2][i]];
    put_tile(t);
  }
  (void)argument;
}
#endif

// 5: each address comes from the element before; there is nothing to write by hand.
__kernel void chases_plain(void* argument) {
  double sum = 0;
  for (const struct node* node = nodes; node != NULL; node = node->next) sum += node->value;
  list_sum = sum;
  (void)argument;
}

static void keep(void) {
  memcpy(expected, out, sizeof out);
  memset(out, 0, sizeof out);
}
#define SAME(name) \
  (m_run(name##_plain, NULL), keep(), OTHERWISE(name), memcmp(expected, out, sizeof out) == 0)

int main(void) {
  static double start[few], plain[few];
  for (int i = 0; i < few; i++) small_x[i] = i, start[i] = small_y[i] = 1.0 / (i + 1);
  for (int i = 0; i < hot; i++) coefficients[i] = 1.0 / (i + 3);
  for (int i = 0; i < many; i++) {
    in[i] = i % 1000, also_in[i] = i % 77, index_of[i] = (int)((i * 7919L) % many);
    nodes[i].next = i + 1 < many ? &nodes[i + 1] : NULL;
    nodes[i].value = i;
  }
  m_run(fits_plain, NULL);
  memcpy(plain, small_y, sizeof plain);
  memcpy(small_y, start, sizeof start);
  OTHERWISE(fits);
  m_run(chases_plain, NULL);
  const int right = memcmp(plain, small_y, sizeof plain) == 0 && SAME(hot) && SAME(streams) &&
                    SAME(gathers) && list_sum == (many - 1.0) * many / 2;
  puts(right ? "shapes: all results equal" : "shapes: results differ");
  return !right;
}

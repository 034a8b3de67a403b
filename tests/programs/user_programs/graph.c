/* SPDX-License-Identifier: Apache-2.0
 * Distances in a graph from one node, by queue and by levels, and shortest paths with a heap. */
#include <limits.h>
#include <stdbool.h>

#include "user.h"

enum { nodes = 700, edges = 2900 };
static int first_edge[nodes + 1], to[edges];
static unsigned short weight[edges];
static int queue[nodes], distance[nodes], by_levels[nodes];
static long cost[nodes];
static bool is_seen[nodes];
static struct {
    long key;
    int node;
} heap[edges + 1];
static int heap_size;

KERNEL void by_queue(void *argument) {
    const int start = *(const int *)argument;
    ONE_THREAD;
    for (int i = 0; i < nodes; i++) distance[i] = -1;
    int head = 0, tail = 0;
    queue[tail++] = start;
    distance[start] = 0;
    while (head < tail) {
        const int node = queue[head++];
        for (int e = first_edge[node]; e < first_edge[node + 1]; e++) {
            if (distance[to[e]] >= 0) continue;
            distance[to[e]] = distance[node] + 1;
            queue[tail++] = to[e];
        }
    }
}

KERNEL void level_by_level(void *argument) {
    const int start = *(const int *)argument;
    ONE_THREAD;
    for (int i = 0; i < nodes; i++) by_levels[i] = i == start ? 0 : INT_MAX;
    bool is_changed = true;
    for (int level = 0; is_changed; level++) {
        is_changed = false;
        for (int i = 0; i < nodes; i++) {
            if (by_levels[i] != level) continue;
            for (int e = first_edge[i]; e < first_edge[i + 1]; e++)
                if (by_levels[to[e]] > level + 1) by_levels[to[e]] = level + 1, is_changed = true;
        }
    }
}

static void push(long key, int node) {
    int i = ++heap_size;
    for (; i > 1 && heap[i / 2].key > key; i /= 2) heap[i] = heap[i / 2];
    heap[i].key = key, heap[i].node = node;
}
static int pop(void) {
    const int node = heap[1].node;
    const long key = heap[heap_size].key;
    const int last = heap[heap_size--].node;
    int i = 1;
    while (2 * i <= heap_size) {
        int child = 2 * i;
        if (child < heap_size && heap[child + 1].key < heap[child].key) child++;
        if (heap[child].key >= key) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i].key = key, heap[i].node = last;
    return node;
}
KERNEL void cheapest(void *argument) {
    const int start = *(const int *)argument;
    ONE_THREAD;
    for (int i = 0; i < nodes; i++) cost[i] = LONG_MAX, is_seen[i] = false;
    heap_size = 0;
    cost[start] = 0;
    push(0, start);
    while (heap_size > 0) {
        const int node = pop();
        if (is_seen[node]) continue;
        is_seen[node] = true;
        for (int e = first_edge[node]; e < first_edge[node + 1]; e++) {
            const long sum = cost[node] + weight[e];
            if (sum < cost[to[e]]) cost[to[e]] = sum, push(sum, to[e]);
        }
    }
}

int main(void) {
    for (int e = 0; e < edges; e++) {
        first_edge[next_random() % nodes + 1]++;
        to[e] = (int)(next_random() % nodes);
        weight[e] = (unsigned short)(next_random() % 1000);
    }
    for (int i = 0; i < nodes; i++) first_edge[i + 1] += first_edge[i];
    for (int start = 0; start < nodes; start += 233) {
        RUN(by_queue, &start);
        RUN(level_by_level, &start);
        RUN(cheapest, &start);
        SHOW(distance), SHOW(by_levels), SHOW(cost), SHOW(is_seen);
    }
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Random programs of all kinds of messages against a sequential reference: every rank draws the same operations, and carries
// all of them out one behind the other in a model of everybody's memory.
//
// In a round data move from `old` of one rank to `cells` of another, no two of them to the same bytes; then `cells` become
// `old`. Each of the two is twice there, as a variable and as memory of m_malloc, and a stream of operations has both. In some
// rounds the accelerator threads of a rank carry its operations out, each of them in order.
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { most_bytes = 1 << 18, counters = 8, most_operations = 400 };
enum area { variable, heap, areas };
enum kind {
    put,
    put_reply,
    put_stride,
    get,
    get_stride,
    send_message,
    send_stride,
    aggregated_put,
    aggregated_get,
    add,
    locked_add,
    kinds
};

struct operation {
    enum kind kind;
    int from, to, tag;
    enum area source_area, target_area, reply_area;
    long size, source, target;
    long block, source_stride, target_stride;  // of strided ones, whose target is packed in two-sided ones
};

static unsigned char old_variable[most_bytes], cells_variable[most_bytes];
static long count_variable[counters];
static int replies_variable;
static unsigned char *old[areas] = {old_variable}, *cells[areas] = {cells_variable};
static long *count[areas] = {count_variable};
static int *replies[areas] = {&replies_variable};

static int rank, ranks;
static long bytes;  // of each rank that are used
static unsigned long long state;
static struct operation operations[most_operations];
static int drawn;
static long reserved[areas][1024];  // of each rank's cells, in this round

static unsigned long below(unsigned long limit) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned long)(state >> 33) % limit;
}

static long draw_size(void) {
    switch (below(6)) {
        case 0:
            return 0;
        case 1:
            return 1;
        case 2:
            return 2 * (long)below(500) + 1;
        case 3:
            return (long)below(5000);
        case 4:
            return 16384 - 2 + (long)below(5);
        default:
            return (long)below(90000);
    }
}

static int has_strides(const struct operation *o) {
    return o->kind == put_stride || o->kind == get_stride || o->kind == send_stride;
}

static void draw(void) {
    memset(reserved, 0, sizeof reserved);
    drawn = 0;
    const int wanted = 4 * ranks + (int)below(100);
    for (int k = 0; k < wanted && drawn < most_operations; k++) {
        struct operation *o = &operations[drawn];
        memset(o, 0, sizeof *o);
        o->kind = (enum kind)below(kinds);
        o->from = (int)below(ranks);
        o->to = (int)below(ranks);
        o->source_area = (enum area)below(areas);
        o->target_area = (enum area)below(areas);
        o->reply_area = (enum area)below(areas);
        o->size = draw_size();
        if (o->kind == add || o->kind == locked_add) {
            o->size = 1 + (long)below(1000);  // what is added
            o->target = (long)below(counters / 2) + (o->kind == add ? 0 : counters / 2);
            drawn++;
            continue;
        }
        long source_span = o->size, target_span = o->size;
        if (has_strides(o)) {
            o->block = 1 + (long)below(o->size / 3 + 40);
            const long blocks = (o->size + o->block - 1) / o->block;
            o->source_stride = o->block + (long)below(2 * o->block);
            o->target_stride = o->kind == send_stride ? o->block : o->block + (long)below(9);
            source_span = blocks * o->source_stride;
            target_span = blocks * o->target_stride;
        }
        long *taken = &reserved[o->target_area][o->to];
        const long room = bytes - *taken, gap = (long)below(3);
        if (source_span > bytes || target_span + gap > room) continue;
        o->source = (long)below(bytes - source_span + 1);
        o->target = *taken + gap;
        *taken += gap + target_span;
        o->tag = 1 + drawn;
        drawn++;
    }
}

// Carries it out in the models of all ranks.
static void simulate(const struct operation *o, const unsigned char *all_old, unsigned char *all_cells,
                     long *all_counts) {
    if (o->kind == add || o->kind == locked_add) {
        all_counts[(o->target_area * ranks + o->to) * counters + o->target] += o->size;
        return;
    }
    const unsigned char *source = all_old + (o->source_area * ranks + o->from) * bytes + o->source;
    unsigned char *target = all_cells + (o->target_area * ranks + o->to) * bytes + o->target;
    for (long i = 0; i < o->size; i++) {
        const long block = has_strides(o) ? i / o->block : 0, place = has_strides(o) ? i % o->block : i;
        target[block * o->target_stride + place] = source[block * o->source_stride + place];
    }
}

static void add_under_lock(const struct operation *o) {
    long value = 0;
    CHECK(m_lock(CCC_ALL, o->to) == M_SUCCESS);
    long *number = &count[o->target_area][o->target];
    CHECK(m_msg_get_wait(o->to, number, &value, sizeof value) == M_SUCCESS);
    value += o->size;
    CHECK(m_msg_put_wait(o->to, &value, number, sizeof value, NULL) == M_SUCCESS);
    CHECK(m_unlock(CCC_ALL, o->to) == M_SUCCESS);
}

// What the process, or a thread of its kernel that has nothing else to do, does for its part; NULL: without an aggregator.
static handle_t begin(const struct operation *o, m_aggregator_t aggregator, int is_receiver) {
    unsigned char *source = old[o->source_area] + o->source, *target = cells[o->target_area] + o->target;
    long *number = &count[o->target_area][o->target % counters], former = -1;
    int *reply = replies[o->reply_area];
    switch (o->kind) {
        case put:
            return m_msg_put(o->to, source, target, o->size, NULL);
        case put_reply:
            return m_msg_put(o->to, source, target, o->size, reply);
        case put_stride:
            return m_msg_put_stride(o->to, source, target, o->size, o->block, o->source_stride, o->target_stride,
                                    reply);
        case get:
            return m_msg_get(o->from, source, target, o->size);
        case get_stride:
            return m_msg_get_stride(o->from, source, target, o->size, o->block, o->source_stride, o->target_stride);
        case send_message:
            if (is_receiver) return m_irecv(o->tag % 4 == 0 ? M_ANY_RANK : o->from, target, o->size, o->tag);
            return m_isend(o->to, source, o->size, o->tag);
        case send_stride:
            if (is_receiver) return m_irecv(o->from, target, o->size, o->tag);
            return m_isend_stride(o->to, source, o->size, o->block, o->source_stride, o->tag);
        case aggregated_put:
            if (aggregator == NULL) return m_msg_put(o->to, source, target, o->size, NULL);
            CHECK(m_aggregator_put(aggregator, o->to, source, target, o->size) == M_SUCCESS);
            return M_NO_HANDLE;
        case aggregated_get:
            if (aggregator == NULL) return m_msg_get(o->from, source, target, o->size);
            CHECK(m_aggregator_get(aggregator, o->from, source, target, o->size) == M_SUCCESS);
            return M_NO_HANDLE;
        case add:
            if (aggregator != NULL) {
                CHECK(m_aggregator_add(aggregator, o->to, number, o->size) == M_SUCCESS);
            } else {
                aggregator = m_aggregator_open(256);
                CHECK(m_aggregator_fetch_add(aggregator, o->to, number, o->size, &former) == M_SUCCESS);
                CHECK(m_aggregator_close(aggregator) == M_SUCCESS && former >= 0);
            }
            return M_NO_HANDLE;
        default:
            add_under_lock(o);
            return M_NO_HANDLE;
    }
}

static int is_receivers(const struct operation *o) {
    return o->kind == get || o->kind == get_stride || o->kind == aggregated_get;
}
static int is_two_sided(const struct operation *o) { return o->kind == send_message || o->kind == send_stride; }
static int is_mine(const struct operation *o) { return rank == (is_receivers(o) ? o->to : o->from); }

static void wait_for(handle_t handle) { CHECK(m_wait(&handle, NULL) == M_SUCCESS); }

static void as_process(void) {
    static handle_t open[2 * most_operations];
    int many = 0;
    for (int k = 0; k < drawn; k++)
        if (is_two_sided(&operations[k]) && operations[k].to == rank) open[many++] = begin(&operations[k], NULL, 1);
    m_aggregator_t aggregator = m_aggregator_open(below(2) ? 0 : 1024);
    for (int k = 0; k < drawn; k++)
        if (is_mine(&operations[k])) open[many++] = begin(&operations[k], aggregator, 0);
    CHECK(m_aggregator_flush(aggregator) == M_SUCCESS);
    for (int k = 0; k < many; k++) wait_for(open[k]);
    CHECK(m_aggregator_close(aggregator) == M_SUCCESS);
}

// In order, so that the first operation that is not done can always be done.
__kernel void as_threads(void *argument) {
    (void)argument;
    for (int k = m_rank(CCC_ARRAY); k < drawn; k += m_size(CCC_ARRAY)) {
        const struct operation *o = &operations[k];
        handle_t receive = is_two_sided(o) && o->to == rank ? begin(o, NULL, 1) : M_NO_HANDLE;
        if (is_mine(o)) wait_for(begin(o, NULL, 0));
        wait_for(receive);
    }
}

int main(int argc, char **argv) {
    const int rounds = argc > 2 ? atoi(argv[2]) : 30;
    const unsigned long long seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    rank = m_rank(CCC_ALL), ranks = m_size(CCC_ALL);
    bytes = (1 << 20) / ranks > most_bytes ? most_bytes : (1 << 20) / ranks;
    old[heap] = m_malloc(bytes), cells[heap] = m_malloc(bytes);
    count[heap] = m_malloc(sizeof count_variable), replies[heap] = m_malloc(sizeof(int));
    const long all_bytes = areas * ranks * bytes;
    unsigned char *all_old = malloc(all_bytes), *all_cells = malloc(all_bytes);
    long *all_counts = calloc(areas * ranks * counters, sizeof(long));
    state = seed * 2654435761u + 12345;
    for (long i = 0; i < all_bytes; i++) all_cells[i] = (unsigned char)below(256);
    for (int area = 0; area < areas; area++) memcpy(cells[area], all_cells + (area * ranks + rank) * bytes, bytes);
    int replies_expected[areas] = {0};
    for (int round = 0; round < rounds; round++) {
        for (int area = 0; area < areas; area++) memcpy(old[area], cells[area], bytes);
        memcpy(all_old, all_cells, all_bytes);
        m_barrier(CCC_ALL);
        draw();
        for (int k = 0; k < drawn; k++) {
            simulate(&operations[k], all_old, all_cells, all_counts);
            replies_expected[operations[k].reply_area] +=
                operations[k].to == rank && (operations[k].kind == put_reply || operations[k].kind == put_stride);
        }
        if (round % 3 == 2)
            m_run(as_threads, NULL);
        else
            as_process();
        for (int area = 0; area < areas; area++) m_wait_reply(replies[area], replies_expected[area]);
        m_barrier(CCC_ALL);
        for (int area = 0; area < areas; area++) {
            CHECK(*replies[area] == replies_expected[area]);
            CHECK(memcmp(cells[area], all_cells + (area * ranks + rank) * bytes, bytes) == 0);
            CHECK(memcmp(count[area], all_counts + (area * ranks + rank) * counters, sizeof count_variable) == 0);
        }
        // A collective over any scope, of what all know.
        const m_scope_t scope = (m_scope_t)below(4);
        long mine = rank + round, sum = 0, expected = 0;
        for (int r = 0; r < m_size(scope); r++) expected += m_global_rank(scope, r) + round;
        CHECK(m_allreduce(scope, &mine, &sum, 1, M_LONG, M_SUM) == M_SUCCESS && sum == expected);
    }
    free(all_old), free(all_cells), free(all_counts);
    m_free(replies[heap]), m_free(count[heap]), m_free(cells[heap]), m_free(old[heap]);
    return all_checks_passed("random_messages");
}

// SPDX-License-Identifier: Apache-2.0
// Where variables live: private to a process, shared by a node or big node, private to an accelerator thread.
#include <stdlib.h>
#include <string.h>

#include "check.h"

int counter = 5;
static int hidden[3] = {1, 2, 3};
int *pointer_to_counter = &counter;
static int *const table_of_addresses[2] = {&counter, &hidden[1]};
struct node {
    struct node *next;
    int value;
};
static struct node last = {NULL, 2}, first = {&last, 1};
const int constant = 42;

node_shared int per_node;
extern node_shared int per_node;
node_shared int per_node;
node_shared double initialised_per_node[4] = {1.5, 2.5, 3.5, 4.5};
bnode_shared long per_big_node[1 << 20];
extern node_shared int defined_elsewhere[2];
extern int add_to_other_file(int amount);
extern __thread_local int scratch_elsewhere;

__thread int per_thread = 7;
__thread_local int scratch = 11;
__thread_local struct {
    char name[8];
    double values[5];
} scratch_structure = {"abc", {1, 2, 3, 4, 5}};

static int next_in_function(void) {
    static int calls = 100;
    return ++calls;
}

static int shared_in_function(int add) {
    static node_shared int sum;
    m_lock(CCC_NODE, 1);
    sum += add;
    const int now = sum;
    m_unlock(CCC_NODE, 1);
    return now;
}

static int ok[256];

static int read_scratch(void) { return scratch; }

__kernel void use_thread_variables(void *argument) {
    const int me = m_rank(CCC_ARRAY), rank = *(int *)argument;
    static __thread_local int inside_kernel = 3;
    ok[me] = per_thread == 7 && scratch == 11 && inside_kernel == 3 && scratch_elsewhere == 21 &&
             strcmp(scratch_structure.name, "abc") == 0 && scratch_structure.values[4] == 5;
    per_thread += me + 1;
    scratch += 10 * me + rank;
    inside_kernel += me;
    scratch_elsewhere -= me;
    scratch_structure.values[0] = me;
    int *address = &scratch;
    m_barrier(CCC_ARRAY);
    ok[me] = ok[me] && per_thread == 8 + me && scratch == 11 + 10 * me + rank && inside_kernel == 3 + me &&
             *address == scratch && read_scratch() == scratch && scratch_elsewhere == 21 - me &&
             scratch_structure.values[0] == me;
    per_thread = 7;
    scratch = 11;
    inside_kernel = 3;
    scratch_elsewhere = 21;
}

int main(void) {
    const int rank = m_rank(CCC_ALL);

    counter += rank;
    hidden[1] = 10 * rank;
    first.next->value = rank;
    m_barrier(CCC_ALL);
    CHECK(counter == 5 + rank && *pointer_to_counter == 5 + rank && pointer_to_counter == &counter);
    CHECK(*table_of_addresses[0] == 5 + rank && *table_of_addresses[1] == 10 * rank);
    CHECK(last.value == rank && first.next == &last && constant == 42);
    CHECK(next_in_function() == 101 && next_in_function() == 102);
    CHECK(add_to_other_file(rank) == 1000 + rank);

    CHECK(initialised_per_node[0] == 1.5 && initialised_per_node[3] == 4.5);
    CHECK(per_big_node[0] == 0 && per_big_node[(1 << 20) - 1] == 0);
    m_barrier(CCC_ALL);
    m_lock(CCC_NODE, 0);
    per_node += rank + 1;
    defined_elsewhere[1] += 1;
    m_unlock(CCC_NODE, 0);
    per_big_node[m_rank(CCC_BNODE)] = 1000 + rank;
    m_barrier(CCC_ALL);
    int expected = 0;
    for (int r = 0; r < m_size(CCC_NODE); r++) expected += m_global_rank(CCC_NODE, r) + 1;
    CHECK(per_node == expected && defined_elsewhere[1] == m_size(CCC_NODE) && defined_elsewhere[0] == 77);
    for (int r = 0; r < m_size(CCC_BNODE); r++) CHECK(per_big_node[r] == 1000 + m_global_rank(CCC_BNODE, r));
    shared_in_function(1);
    m_barrier(CCC_ALL);
    CHECK(shared_in_function(0) == m_size(CCC_NODE));

    per_thread = 70 + rank;
    for (int round = 0; round < 3; round++) {
        m_run(use_thread_variables, (void *)&rank);
        for (int t = 0; t < m_size(CCC_ARRAY); t++) CHECK(ok[t] == 1);
        CHECK(per_thread == 70 + rank);
    }
    return all_checks_passed("declarations");
}

// SPDX-License-Identifier: Apache-2.0
// What a checkpoint brings back and what it leaves alone. Saves itself at the first run, checks after a restart.
// usage: checkpoint FILE
#include "check.h"

#include <stdlib.h>
#include <string.h>

struct node {
    int value;
    struct node *next;
};

static int own = 1, *to_own = &own, *to_other;
static struct node loop[3] = {{0, &loop[1]}, {1, &loop[2]}, {2, &loop[0]}};
static int (*print)(const char *) = puts;                    // in a library: another address in each run
static int (*compare)(const char *, const char *) = strcmp;  // changed below
static double empty[3000], numbers[3000] = {1.5};
static const char *text = "before";
static char large[5 << 20];
node_shared int table[5000];
node_shared int start = 7;
bnode_shared int *shared_pointer;
static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
static int (*function)(int) = one;
static int calls;

static int *counter(void) {
    static int count = 100;
    return &count;
}

static int by_length(const char *left, const char *right) { return (int)strlen(left) - (int)strlen(right); }

static char *gone, *kept, *tail;

static void change(int rank) {
    own = 40 + rank;
    to_other = &loop[2].value;
    loop[0].next = &loop[2];
    compare = by_length;
    empty[2999] = rank + 0.25;
    numbers[0] = -rank;
    text = "after";
    memset(large + 1000, rank + 1, 3 << 20);
    function = two;
    (*counter())++;
    gone = m_malloc(1000);
    kept = m_malloc(3000);
    tail = m_malloc(0);
    m_free(gone);
    memset(kept, rank + 9, 3000);
    for (int i = 0; i < 5000; i++)
        if (i % m_size(CCC_NODE) == m_rank(CCC_NODE)) table[i] = i * 3 + 1;
    if (m_rank(CCC_NODE) == 0) start = 8;
    if (m_rank(CCC_BNODE) == 0) shared_pointer = to_own;
    m_barrier(CCC_ALL);
}

static void check_all(int rank) {
    CHECK(own == 40 + rank && to_own == &own && to_other == &loop[2].value);
    CHECK(loop[0].next == &loop[2] && loop[1].next == &loop[2] && loop[2].next == &loop[0]);
    CHECK(print == puts && compare == by_length && compare("a", "bb") == -1);
    CHECK(empty[0] == 0 && empty[2999] == rank + 0.25 && numbers[0] == -rank && numbers[1] == 0);
    CHECK(strcmp(text, "after") == 0);
    CHECK(large[999] == 0 && large[1000] == rank + 1 && large[1000 + (3 << 20) - 1] == rank + 1 &&
          large[(4 << 20)] == 0);
    CHECK(function == two && function(3) == 5 && *counter() == 101);
    for (int i = 0; i < 3000; i++) CHECK(kept[i] == rank + 9);
    for (int i = 0; i < 5000; i++) CHECK(table[i] == i * 3 + 1);
    CHECK(start == 8);
    if (m_rank(CCC_BNODE) == 0) CHECK(shared_pointer == &own);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    const int rank = m_rank(CCC_ALL);
    int local[10] = {0};
    char *const memory = malloc(77777);
    CHECK(m_checkpoint_register(memory, 77777) == M_SUCCESS);
    CHECK(m_checkpoint_register(local, sizeof local) == M_SUCCESS);
    CHECK(m_checkpoint_register(NULL, 0) == M_SUCCESS);
    calls++;
    if (!m_restarted()) {
        CHECK(own == 1 && calls == 1);
        change(rank);
        memset(memory, rank + 3, 77777);
        local[9] = rank;
        printf("text in the buffer of the first run\n");
        CHECK(m_checkpoint(argv[1]) == M_SUCCESS);
        check_all(rank);
        own = -1;  // not saved any more
        return all_checks_passed("saved");
    }
    CHECK(calls == 2 && local[9] == rank);  // the count of the former run was restored before main
    for (int i = 0; i < 77777; i++) CHECK(memory[i] == rank + 3);
    check_all(rank);
    // The heap goes on where it was, the same in all processes.
    char *const again = m_malloc(1000);
    CHECK(again == gone && again[0] == 0);
    m_free(kept);
    CHECK(m_malloc(3000) == kept);
    char again_path[4096];  // a restart saves itself, too, twice under one name
    snprintf(again_path, sizeof again_path, "%s-again", argv[1]);
    for (int i = 0; i < 2; i++) CHECK(m_checkpoint(again_path) == M_SUCCESS);
    return all_checks_passed("restored");
}

// SPDX-License-Identifier: Apache-2.0
// forall over process scopes: each iteration is executed by exactly the member that the language says.
#include "check.h"

enum { most = 200 };
static int executed[most], total[most];

static void begin(void) {
    for (int i = 0; i < most; i++) executed[i] = 0;
}

// Every iteration was executed once in each group of `scope`, by the member that `owner` names.
static void end(m_scope_t scope, int n, int (*owner)(int k, int n, int size)) {
    m_allreduce(scope, executed, total, most, M_INT, M_SUM);
    for (int k = 0; k < most; k++) {
        CHECK(total[k] == (k < n));
        if (k < n && owner) CHECK(executed[k] == (owner(k, n, m_size(scope)) == m_rank(scope)));
    }
}

static int block(int k, int n, int size) {
    const int small = n / size, larger = n % size;
    return k < larger * (small + 1) ? k / (small + 1) : larger + (k - larger * (small + 1)) / small;
}
static int block3(int k, int n, int size) {
    (void)n;
    return k / 3 % size;
}
static int expression(int k, int n, int size) {
    (void)n;
    return (((7 - 3 * k) % size) + size) % size;
}

struct list {
    struct list *next;
    int index;
};

int main(void) {
    const m_scope_t scopes[] = {CCC_ALL, CCC_SNODE, CCC_BNODE, CCC_NODE};
    for (int s = 0; s < 4; s++) {
        const m_scope_t scope = scopes[s];
        for (int n = 0; n <= 100; n += n < 9 ? 1 : 13) {
            begin();
            forall (int i = 0; i < n; i++; BLOCK; scope) executed[i]++;
            end(scope, n, block);
            begin();
            forall (int i = n; i > 0; i--; BLOCK; scope) {
                executed[n - i]++;
            }
            end(scope, n, block);
            begin();
            forall (int i = 0; i < n; ++i; BLOCK(3); scope) {
                if (i < 0) continue;
                executed[i]++;
            }
            end(scope, n, block3);
            begin();
            forall (unsigned long i = 10; i != 10 + 2 * (unsigned long)n; i += 2; BLOCK; scope)
                executed[(i - 10) / 2]++;
            end(scope, n, block);
            begin();
            forall (int i = 0; i < n; i++; 7 - 3 * i; scope) executed[i]++;
            end(scope, n, expression);
            begin();
            forall (int j = 1; j <= n; j++; ANY; scope) executed[j - 1]++;
            end(scope, n, NULL);
        }
    }
    begin();
    int j;
    forall (j = 1; j <= 50; j++; ANY; CCC_NODE) executed[j - 1]++;
    CHECK(j == 51);
    end(CCC_NODE, 50, NULL);
    struct list nodes[10];
    for (int i = 0; i < 10; i++) nodes[i] = (struct list){i < 9 ? &nodes[i + 1] : NULL, i};
    begin();
    forall (struct list *p = nodes; p; p = p->next; p->index; CCC_ALL) executed[p->index]++;
    m_allreduce(CCC_ALL, executed, total, most, M_INT, M_SUM);
    for (int k = 0; k < 10; k++) CHECK(total[k] == 1 && executed[k] == (k % m_size(CCC_ALL) == m_rank(CCC_ALL)));

    begin();
    forall (int i = 0; i < 10; i++; BLOCK; CCC_ALL)
        forall (int k = 0; k < 10; k++; ANY; CCC_ARRAY) executed[10 * i + k]++;
    end(CCC_ALL, 100, NULL);
    return all_checks_passed("forall_scopes");
}

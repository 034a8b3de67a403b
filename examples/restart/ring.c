// SPDX-License-Identifier: Apache-2.0
// Bodies that wander around a ring of processes: a job that saves itself as it goes, and can be ended at any moment.
//
//   parcrun -n 4 ./ring -s 2000 -c ring.save -e 100        saves every 100 steps
//   parcrun -n 4 --restart ring.save ./ring -s 2000 -c ring.save -e 100
//
// Its state is of all kinds that m_checkpoint saves: variables with pointers to each other and to functions, memory of
// m_malloc in a list, a variable that the processes of a node share, and malloc'ed memory that it registers.
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { bodies = 64, history = 1000 };

struct body {
    long number;
    unsigned long state;
    struct body *next;
};

static long twist(unsigned long *state) {
    *state = *state * 6364136223846793005ul + 1442695040888963407ul;
    return (long)(*state >> 60);
}

static long step;                              // that comes next
static struct body *first;                     // in memory of m_malloc
static struct body **last = &first;            // a pointer to an own variable, or into memory of m_malloc
static long (*move)(unsigned long *) = twist;  // a pointer to a function
node_shared long moves[1024];                  // by process of the node
static long *visits;                           // malloc'ed: registered
static struct body incoming[2 * bodies];
static int arrived;

static void append(struct body *body) {
    *last = body;
    last = &body->next;
    body->next = NULL;
}

static void begin(void) {
    const int rank = m_rank(CCC_ALL);
    struct body *all = m_malloc(sizeof(struct body) * bodies);
    for (int i = 0; i < bodies; i++) {
        all[i].number = rank * (long)bodies + i;
        all[i].state = (unsigned long)all[i].number * 2654435761ul;
        append(&all[i]);
    }
}

/* Each body takes a step of its own; what it leaves behind goes to the next process of the ring. */
static void advance(void) {
    const int rank = m_rank(CCC_ALL), size = m_size(CCC_ALL);
    static unsigned long trail;
    for (struct body *body = first; body != NULL; body = body->next) {
        const long distance = move(&body->state);
        trail = trail * 31 + body->state;
        visits[(body->number + distance) % history] += distance;
        moves[m_rank(CCC_NODE) % 1024]++;
    }
    m_msg_put_wait((rank + 1) % size, &trail, &incoming[0].state, sizeof trail, &arrived);
    m_wait_reply(&arrived, (int)(step + 1));
    first->state ^= incoming[0].state;
    m_barrier(CCC_ALL);
}

/* Of all that the job has computed. */
static unsigned long digest(void) {
    unsigned long sum = 0;
    for (struct body *body = first; body != NULL; body = body->next) sum = sum * 1099511628211ul + body->state;
    for (int i = 0; i < history; i++) sum = sum * 1099511628211ul + (unsigned long)visits[i];
    sum = sum * 1099511628211ul + (unsigned long)moves[m_rank(CCC_NODE) % 1024];
    long part = (long)(sum >> 8), whole = 0;
    m_allreduce(CCC_ALL, &part, &whole, 1, M_LONG, M_XOR);
    return (unsigned long)whole;
}

int main(int argc, char **argv) {
    long steps = 1000, every = 100;
    const char *save = "ring.save";
    for (int option; (option = getopt(argc, argv, "s:c:e:")) != -1;) {
        if (option == 's') steps = atol(optarg);
        if (option == 'c') save = optarg;
        if (option == 'e') every = atol(optarg);
        if (option == '?') return 2;
    }
    if (steps < 1 || every < 1)
        return fprintf(stderr, "usage: ring [-s steps] [-c file] [-e steps between checkpoints]\n"), 2;
    visits = calloc(history, sizeof *visits);  // after a restart malloc'ed memory is new, and the pointer to it, too
    if (visits == NULL || m_checkpoint_register(visits, history * sizeof *visits) != M_SUCCESS) return 1;
    if (!m_restarted()) begin();
    if (m_restarted() && m_rank(CCC_ALL) == 0) printf("ring: goes on with step %ld\n", step);
    while (step < steps) {
        advance();
        step++;
        if (step % every == 0) m_checkpoint(save);
    }
    const unsigned long result = digest();
    if (m_rank(CCC_ALL) == 0) printf("ring: %ld steps, result %lx\n", step, result);
    return 0;
}

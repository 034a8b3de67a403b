// SPDX-License-Identifier: Apache-2.0
// Which loops give their core away: in each turn, or in some.
// RUN: %parallelc -O0 -g -S -emit-llvm %s -o - | %check %s
// RUN: %parallelc -O2 -S -emit-llvm %s -o - | %check %s
#include <parallelc.h>
#if defined(__x86_64__)
#define PAUSE() __builtin_ia32_pause()
#else
#define PAUSE() __asm__ volatile("yield")
#endif

int flag, flags[64], limit;
volatile int *word;
extern void told(int *);

// CHECK-LABEL: @plain_pointer(
// CHECK: call void @taihu_yield_while_waiting
void plain_pointer(int *reply, int n) {
    while (*reply < n);
}
// CHECK-LABEL: @one_of_several(
// CHECK: call void @taihu_yield_while_waiting
void one_of_several(int k) {
    while (flags[k] == 0 || flag == 0) {
    }
}
// CHECK-LABEL: @through_a_variable(
// CHECK: call void @taihu_yield_while_waiting
int through_a_variable(int n) {
    for (;;) {
        int seen = __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
        if (seen >= n) return seen;
    }
}
// CHECK-LABEL: @own_reply_word(
// CHECK: call void @taihu_yield_while_waiting
void own_reply_word(void) {
    int reply = 0;
    told(&reply);
    do {
    } while (reply == 0);
}
// CHECK-LABEL: @volatile_word(
// CHECK: call void @taihu_yield_while_waiting
void volatile_word(void) {
    while (!*word);
}
// CHECK-LABEL: @with_pause(
// CHECK: call void @taihu_yield_while_waiting
void with_pause(void) {
    while (*word == 0) __asm__ volatile("pause");
}
// CHECK-LABEL: @with_barrier(
// CHECK: call void @taihu_yield_while_waiting
void with_barrier(int *reply) {
    while (*reply == 0) __asm__ volatile("" ::: "memory");
}
// CHECK-LABEL: @with_built_in_pause(
// CHECK: call void @taihu_yield_while_waiting
void with_built_in_pause(int *reply) {
    while (__atomic_load_n(reply, __ATOMIC_ACQUIRE) == 0) PAUSE();
}
// The inner one of two.
// CHECK-LABEL: @nested(
// CHECK: store i64 0, ptr %[[TURNS:[a-z0-9.]+]]
// CHECK: call void @taihu_yield_while_waiting(ptr {{.*}}%[[TURNS]])
// CHECK-NOT: call void @taihu_yield_while_waiting
void nested(int *reply) {
    for (int i = 0; i < limit; i++) {
        while (reply[i] == 0);
        reply[i] = 0;
    }
}

// CHECK-LABEL: define {{.*}} @takes(
// CHECK: call void @taihu_yield_while_waiting
void takes(int *lock) {
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE));
}
// CHECK-LABEL: define {{.*}} @takes_by_comparison(
// CHECK: call void @taihu_yield_while_waiting
void takes_by_comparison(int *lock) {
    int expected = 0;
    while (!__atomic_compare_exchange_n(lock, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) expected = 0;
}
// CHECK-LABEL: define {{.*}} @adds_by_comparison(
// CHECK: call void @taihu_yield_while_waiting
void adds_by_comparison(int *count) {
    int seen = __atomic_load_n(count, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(count, &seen, seen + 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
}
// CHECK-LABEL: define {{.*}} @with_delay(
// CHECK: call void @taihu_yield_while_waiting
void with_delay(int *reply) {
    while (*reply == 0)
        for (int k = 0; k < 100; k++) PAUSE();
}
// CHECK-LABEL: define {{.*}} @until_all_have_come(
// CHECK: call void @taihu_yield_while_waiting
void until_all_have_come(int n) {
    int all;
    do {
        all = 1;
        for (int i = 0; i < n; i++)
            if (flags[i] == 0) all = 0;
    } while (!all);
}

// Loops that count or call may wait, or compute.
// CHECK-LABEL: define {{.*}} @counts(
// CHECK-NOT: taihu_yield_while_waiting
// CHECK: call void @taihu_yield_to_others
long counts(int *reply) {
    long turns = 0;
    while (*reply == 0) turns++;
    return turns;
}
// CHECK-LABEL: define {{.*}} @gives_up(
// CHECK-NOT: taihu_yield_while_waiting
// CHECK: call void @taihu_yield_to_others
int gives_up(int *reply) {
    for (int i = 0; i < 1000000 && *reply == 0; i++) PAUSE();
    return *reply;
}
// CHECK-LABEL: define {{.*}} @waits_longer_each_turn(
// CHECK-NOT: taihu_yield_while_waiting
// CHECK: call void @taihu_yield_to_others
void waits_longer_each_turn(int *lock) {
    int turns = 1;
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE)) {
        for (int k = 0; k < turns; k++) PAUSE();
        if (turns < 1000) turns *= 2;
    }
}
extern int is_ready(void);
// CHECK-LABEL: define {{.*}} @looks_by_a_function(
// CHECK-NOT: taihu_yield_while_waiting
// CHECK: call void @taihu_yield_to_others
void looks_by_a_function(void) {
    while (!is_ready());
}
// CHECK-LABEL: define {{.*}} @calls(
// CHECK-NOT: taihu_yield_while_waiting
// CHECK: call void @taihu_yield_to_others
void calls(int *reply) {
    while (*reply == 0) told(reply);
}

// Loops that end by their steps, walk or have an effect do not.
// CHECK-LABEL: @sums(
// CHECK-NOT: taihu_yield
double sums(const double *values) {
    double sum = 0;
    for (int i = 0; i < limit; i++) sum += values[i];
    return sum;
}
struct list {
    struct list *next;
};
// CHECK-LABEL: define {{.*}} @walks(
struct list *walks(struct list *last) {
    while (last->next) last = last->next;
    return last;
}
// CHECK-LABEL: define {{.*}} @searches(
int searches(const char *text) {
    int i = 0;
    while (text[i] != 0) i++;
    return i;
}
// CHECK-LABEL: define {{.*}} @chooses(
int chooses(void) {
    int i = 0;
    while (flags[i] != limit) i = flags[i] ? i + 1 : i + 2;
    return i;
}
// CHECK-LABEL: define {{.*}} @stops(
void stops(int *reply) {
    while (*reply == 0) __asm__ volatile("int3");
}
// CHECK-LABEL: define {{.*}} @takes_work(
double takes_work(const double *values, long *next) {
    double sum = 0;
    for (;;) {
        const long i = __atomic_fetch_add(next, 1, __ATOMIC_RELAXED);
        if (i >= limit) return sum;
        sum += values[i];
    }
}
extern int part(int);
// CHECK-LABEL: define {{.*}} @sums_parts(
int sums_parts(void) {
    int sum = 0;
    for (int i = 0; i < limit; i++) sum += part(i);
    return sum;
}
// CHECK-LABEL: define {{.*}} @searches_in_rows(
int searches_in_rows(const int *table) {
    for (int i = 0;; i += 64)
        for (int k = 0; k < 64; k++)
            if (table[i + k] == limit) return i + k;
}
// CHECK-LABEL: define {{.*}} @has_no_end(
void has_no_end(void) {
    for (;;) {
    }
}

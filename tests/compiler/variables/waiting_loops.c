// SPDX-License-Identifier: Apache-2.0
// Which loops give their core away in each turn.
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

// Loops that count, walk, have an effect or call do not.
// CHECK-LABEL: @sums(
// CHECK-NOT: taihu_yield_while_waiting
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
// CHECK-LABEL: define {{.*}} @takes(
void takes(int *lock) {
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE));
}
// CHECK-LABEL: define {{.*}} @stops(
void stops(int *reply) {
    while (*reply == 0) __asm__ volatile("int3");
}
// CHECK-LABEL: define {{.*}} @calls(
void calls(int *reply) {
    while (*reply == 0) told(reply);
}
// CHECK-LABEL: define {{.*}} @has_no_end(
void has_no_end(void) {
    for (;;) {
    }
}

/* SPDX-License-Identifier: Apache-2.0
 * Bit-fields, unions, packed and aligned structures, flexible arrays, assignments of structures, volatile and atomic
 * objects, long double, values behind casts of pointers. */
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "user.h"

enum { n = 300 };
static struct flags {
    unsigned kind : 3, level : 5, rest : 9;
    signed int change : 6;
    bool is_on : 1;
    uint64_t wide : 41;
} flags[n];
static union value {
    double number;
    uint64_t bits;
    struct {
        uint32_t low, high;
    } halves;
    unsigned char bytes[8];
    float pair[2];
} values[n];
static struct __attribute__((packed)) record {
    char tag;
    int32_t number;
    double value;
    short last;
} records[n];
static struct padded {
    alignas(64) float lanes[5];
    char name[3];
} padded[n / 4];
struct list {
    int count;
    short items[];
};
static volatile int changing[16];
static _Atomic long counter;
static long double exact[20];
static struct small {
    int a, b, c;
} smalls[n], copies[n];

KERNEL void set_flags(void *argument) {
    (void)argument;
    ONE_THREAD;
    for (int i = 0; i < n; i++) {
        flags[i].kind = (unsigned)i & 7u;
        flags[i].level += flags[i].kind * 3;
        flags[i].change -= (int)flags[i].level;
        flags[i].is_on = flags[i].change > 3;
        flags[i].wide = flags[i].wide * 5 + flags[i].rest;
        if (flags[i].is_on) flags[i].rest ^= 0x155;
    }
}

KERNEL void reinterpret(void *argument) {
    (void)argument;
    ONE_THREAD;
    for (int i = 0; i < n; i++) {
        values[i].bits ^= 1ull << (i % 52);
        values[i].number += 0.5;
        values[i].halves.low = values[i].halves.low << 3 | values[i].halves.high >> 29;
        values[i].bytes[i % 7] = (unsigned char)i;
        if (i % 5 == 0) values[i].pair[0] = (float)i * 0.25f;
    }
    for (int i = 1; i < n; i++) {
        uint32_t word;
        memcpy(&word, (const char *)values + i, sizeof word);
        values[i].bytes[7] ^= (unsigned char)(word >> 9);
    }
}

KERNEL void change_records(void *argument) {
    const int shift = *(const int *)argument;
    ONE_THREAD;
    for (int i = 0; i < n; i++) {
        records[i].number = records[i].number * 3 + records[(i + shift) % n].tag;
        records[i].value = records[i].value * 0.5 + records[i].number;
        records[i].last = (short)(records[i].last + i);
    }
    for (int i = 0; i < n / 4; i++)
        for (int k = 0; k < 5; k++) padded[i].lanes[k] = padded[(i + 1) % (n / 4)].lanes[4 - k] * 0.5f + (float)k;
    for (int i = 0; i < n; i++) copies[i] = smalls[n - 1 - i];
    for (int i = 0; i + 1 < n; i++) smalls[i] = i % 3 ? smalls[i + 1] : (struct small){i, .c = copies[i].a};
}

KERNEL void change_list(void *argument) {
    struct list *own = argument;
    ONE_THREAD;
    for (int i = 0; i < own->count; i++) own->items[i] = (short)(own->items[own->count - 1 - i] + i);
    for (int i = 0; i < 200; i++) changing[i % 16] = changing[(i + 3) % 16] + i, atomic_fetch_add(&counter, i);
    long double product = 1;
    for (int i = 0; i < 20; i++) exact[i] = product *= 1.5L + (long double)i / 3;
}

int main(void) {
    memset(exact, 0, sizeof exact);
    for (int i = 0; i < n; i++) {
        flags[i].rest = (unsigned)next_random() & 511u, flags[i].wide = next_random() >> 25;
        values[i].number = next_double(), records[i].tag = (char)(i % 100), records[i].value = next_double();
        records[i].number = i, smalls[i].a = i, smalls[i].b = i * i;
    }
    for (int i = 0; i < n / 4; i++)
        for (int k = 0; k < 5; k++) padded[i].lanes[k] = (float)next_double();
    struct list *const list = malloc(sizeof *list + 101 * sizeof *list->items);
    list->count = 101;
    for (int i = 0; i < 101; i++) list->items[i] = (short)(i * 5);
    int shift = 7;
    RUN(set_flags, NULL);
    RUN(reinterpret, NULL);
    RUN(change_records, &shift);
    RUN(change_list, list);
    for (int i = 0; i < n; i += 9)
        printf("%u %u %u %d %d %llu\n", flags[i].kind, flags[i].level, flags[i].rest, flags[i].change, flags[i].is_on,
               (unsigned long long)flags[i].wide);
    SHOW(values), SHOW(records), SHOW(smalls), SHOW(copies);
    for (int i = 0; i < n / 4; i++) SHOW_BYTES("lanes", padded[i].lanes, sizeof padded[i].lanes);
    SHOW_BYTES("list", list->items, 101 * sizeof *list->items);
    for (int i = 0; i < 16; i++) printf("%d ", changing[i]);
    printf("%ld\n", (long)counter);
    for (int i = 0; i < 20; i++) printf("%La\n", exact[i]);
    free(list);
    return 0;
}

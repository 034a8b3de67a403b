// SPDX-License-Identifier: Apache-2.0
// parcc --report=layout: patterns, classes, decisions and reasons.
// RUN: %parcc -O2 --report=layout -c %s -o %t.o 2>&1 | %check %s
// RUN: %parcc -O2 --report=layout-json -c %s -o %t.o | python3 -c "import json, sys; [print(k['kernel'].split()[0], o['name'], o['class']) for k in json.load(sys.stdin)['kernels'] for o in k['objects']]" | %check %s --check-prefix=JSON
// RUN: %parcc -O2 --report=layout-json -c %s -o %t.o | python3 -c "import json, sys; found = [a for k in json.load(sys.stdin)['kernels'] for o in k['objects'] for a in o['accesses'] if a['loop_line'] == 0]; print(len(found) > 0, [a for a in found if 'loop_file' in a])" | %check %s --check-prefix=NO-LOOP
// RUN: echo 'int value;' > %t.no_code.c && %parcc -O2 --report=layout -c %t.no_code.c -o %t.o 2>&1 | %check %s --check-prefix=NO-KERNEL
// RUN: %parcc -O2 --model=autonomic --report=layout -c %t.no_code.c -o %t.o 2>&1 | %check %s --check-prefix=NO-CODE
// RUN: %parcc -O2 --report=layout --spm=4K -c %s -o %t.o 2>&1 | %check %s --check-prefix=SMALL
#include <parallelc.h>

enum { n = 4096 };
double small[64], middle[n], other[n], large[100 * n];
int index_of[n];
__thread_local double buffer[64];
extern int outside(int);
struct arguments {
    const double *from;
    double *to;
    long count;
};
struct wide {
    double value[16];
} wides[n];

// CHECK-LABEL: layout: kernel gather
// CHECK: index_of: 16384 bytes, class II
// CHECK-NEXT: contiguous read of 4 bytes {{.*}}layout.c:[[#@LINE+6]] by the loop of line [[#@LINE+6]], 1024 times (assumed)
// CHECK: decision: two buffers
// CHECK: small: 512 bytes, class I
// CHECK-NEXT: discrete read of 8 bytes
// CHECK: decision: scratchpad, as a whole
__kernel void gather(void *argument) {
    forall (int i = 0; i < n; i++; BLOCK; CCC_ARRAY) buffer[0] += small[index_of[i]];
    (void)argument;
}

// CHECK-LABEL: layout: kernel scatter
// CHECK: large: 3276800 bytes, class none
// CHECK: decision: main memory: its address comes from memory at line {{.*}}; its 3276800 bytes do not fit
// CHECK: small: 512 bytes, class I
// CHECK-NEXT: discrete atomic read and write
// CHECK: decision: main memory: others may use it at the same time, as the atomic access at line [[#@LINE+4]] says; as a whole each thread would write a copy of its own
__kernel void scatter(void *argument) {
    forall (int i = 0; i < n; i++; BLOCK; CCC_ARRAY) {
        large[index_of[i]] = i;
        __atomic_fetch_add((long *)small + index_of[i], 1, __ATOMIC_RELAXED);
    }
    (void)argument;
}

// Neighbours are one stream: 1024 x 8 bytes through one pair of buffers.
// CHECK-LABEL: layout: kernel stencil
// CHECK: middle: 32768 bytes, class II
// CHECK-NEXT: contiguous read of 8 bytes {{.*}}; 2 such accesses{{$}}
// CHECK: other: 32768 bytes, class II
// CHECK-NEXT: contiguous write of 8 bytes
// CHECK: decision: two buffers of {{[0-9]+}} bytes{{$}}
// SMALL-LABEL: layout: kernel stencil
// SMALL: middle: 32768 bytes, class III
__kernel void stencil(void *argument) {
    forall (int i = 1; i < n - 1; i++; BLOCK; CCC_ARRAY) other[i] = middle[i - 1] + middle[i + 1];
    (void)argument;
}

// CHECK-LABEL: layout: kernel steps
// CHECK: large: 3276800 bytes, class III
// CHECK-NEXT: interval read of 8 bytes, step 32
// CHECK: wides: 524288 bytes, class none
// CHECK-NEXT: interval read of 8 bytes, step 128
// CHECK: decision: main memory: steps by 128 bytes, more than 64 at line
__kernel void steps(void *argument) {
    forall (long i = 0; i < n; i++; BLOCK; CCC_ARRAY) buffer[1] += large[4 * i] * wides[i].value[3];
    (void)argument;
}

// CHECK-LABEL: layout: kernel bits
// CHECK: decision: main memory: its address is no linear function of the loop that the compiler sees at line
__kernel void bits(void *argument) {
    forall (long i = 0; i < n; i++; BLOCK; CCC_ARRAY) buffer[1] += large[i ^ 5];
    (void)argument;
}

// The loop may write `to`, as far as the compiler sees: its own pointers lie in memory.
// CHECK-LABEL: layout: kernel pointers_in_memory
// CHECK: decision: main memory: its pointer or index is read anew in each iteration, because the loop may write it (copy it to a local variable before) at line [[#@LINE+4]]
struct own_pointers { char *to; };
__kernel void pointers_in_memory(void *argument) {
    struct own_pointers *own = argument;
    for (long i = 0; i < 1000; i++) own->to[i] = 1;
}

// What pointers point to may overlap.
// CHECK-LABEL: layout: kernel pointers
// CHECK: pointer in byte 0 of argument 1 of pointers: unknown size, class III
// CHECK: decision: two buffers of {{[0-9]+}} bytes, when it overlaps no other object (a check at run time)
// CHECK: pointer in byte 8 of argument 1 of pointers: unknown size, class III
// CHECK-NEXT: contiguous write
__kernel void pointers(void *argument) {
    const struct arguments *own = argument;
    const double *from = own->from;
    double *to = own->to;
    const long count = own->count;
    forall (long i = 0; i < count; i++; BLOCK; CCC_ARRAY) to[i] = from[i];
}

// The object of a parameter is found in the callers.
// CHECK-LABEL: layout: kernel calls
// CHECK: middle: 32768 bytes, class II
// CHECK: not seen: accesses of outside at line [[#@LINE+6]]
static __attribute__((noinline)) void twice(double *values, int count) {
    for (int i = 0; i < count; i++) values[i] *= 2;
}
__kernel void calls(void *argument) {
    twice(middle, n / 2);
    *(int *)argument = outside(1);
}

// What others may write meanwhile has no copy, however often it is read.
// CHECK-LABEL: layout: kernel waits
// CHECK: told: 4 bytes, class I
// CHECK-NEXT: single volatile read of 4 bytes
// CHECK: decision: main memory: others may use it at the same time, as the volatile access at line [[#@LINE+7]] says{{$}}
// CHECK: taken: 8 bytes, class I
// CHECK-NEXT: single atomic read and write of 8 bytes
// CHECK: decision: main memory: others may use it at the same time, as the atomic access at line [[#@LINE+6]] says; as a whole
volatile int told;
long taken;
__kernel void waits(void *argument) {
    for (int i = 0; i < n && told == 0; i++) buffer[i & 7] += 1;
    long expected = 0;
    *(int *)argument = __atomic_compare_exchange_n(&taken, &expected, 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

// Four rounds that the compiler has written out.
// CHECK-LABEL: layout: kernel written_out
// CHECK: discrete read of 8 bytes at {{.*}} such accesses
__kernel void written_out(void *argument) {
    double sum = 0;
    for (long i = 0; i < n; i += 2)
        for (int k = 0; k < 2; k++) sum += small[index_of[i + k]];
    *(double *)argument = sum;
}

// CHECK-LABEL: layout: kernel list
// CHECK: pointer: unknown size, class none
// CHECK: size: its pointer may be one of several
// CHECK: decision: main memory: it lies where the one before led, as in a list (an array of them could be moved) at line
struct node { double value; struct node *next; };
__kernel void list(void *argument) {
    for (struct node *one = argument; one != 0; one = one->next) buffer[2] += one->value;
}

// Why a size is unknown, and what can be done.
// CHECK-LABEL: layout: kernel sizes
// CHECK: argument 1 of sizes: unknown size
// CHECK: size: only the run knows what m_run hands over
// CHECK: result of outside_memory at line [[#@LINE+13]]: unknown size
// CHECK: size: only the run knows what outside_memory at line [[#@LINE+12]] returns
// CHECK: endless: unknown size
// CHECK: size: it is declared without one, as in x[] (x[100])
// CHECK: pointer in byte 0 of place: unknown size
// CHECK: size: only the run knows where the pointer leads, which is read from memory
extern double *outside_memory(long), endless[];
static double *place;
void set_place(double *there) {
    place = there;
}
__kernel void sizes(void *argument) {
    double *const values = argument;
    double *const memory = outside_memory(1);
    for (long i = 0; i < n; i++) buffer[3] += values[i] + memory[i] + endless[i] + place[i];
}

// What the callers of a function have on their stacks is in the scratchpad in any case.
// CHECK-LABEL: layout: kernel stacks
// CHECK-NOT: argument {{.*}} of add_up
static __attribute__((noinline)) double add_up(const double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[i] * sum;
    return sum;
}
__kernel void stacks(void *argument) {
    double one[16], other[32];
    for (int i = 0; i < 16; i++) one[i] = other[i] = middle[i], other[i + 16] = *(double *)argument;
    *(double *)argument = add_up(one, 16) + add_up(other, 32);
}

// Nor has it buffers for the accesses that would have them alone: they would not see what others have counted.
// CHECK-LABEL: layout: kernel counts
// CHECK: tallies: 32768 bytes, class II
// CHECK: contiguous read of 8 bytes
// CHECK: decision: main memory: others may use it at the same time, as the atomic access at line [[#@LINE+5]] says
long tallies[n];
__kernel void counts(void *argument) {
    long sum = 0;
    for (int i = 0; i < n; i++) sum += tallies[i];
    for (int i = 0; i < n; i++) __atomic_fetch_add(&tallies[index_of[i]], 1, __ATOMIC_RELAXED);
    *(long *)argument = sum;
}

// A function of this file that others may call may write what they do not know.
// CHECK-LABEL: layout: kernel scaled
// CHECK: scales: 512 bytes
// CHECK: decision: scratchpad, as a whole, {{.*}}unless it is written in a call such as outside at line
// CHECK: fixed: 512 bytes
// CHECK: decision: scratchpad, as a whole{{$}}
static double scales[64];
static const double fixed[64] = {1, 2};
void set_scale(int k, double scale) { scales[k] = scale; }
__kernel void scaled(void *argument) {
    for (long i = 0; i < n; i++) buffer[4] += scales[index_of[i]] * fixed[index_of[i]];
    *(int *)argument = outside(1);
}

// Pointers that one inline function reads from the results of two calls.
// CHECK-LABEL: layout: kernel two_results
// CHECK: contiguous read of 8 bytes
// CHECK: decision: two buffers of {{[0-9]+}} bytes, when it overlaps no other object
// CHECK: contiguous write of 8 bytes
// CHECK: decision: two buffers of {{[0-9]+}} bytes, when it overlaps no other object
struct inner { double *data; };
struct outer { struct inner *inner; };
extern struct outer *outside_outer(void);
static inline double *data_of(const struct outer *one) { return one->inner->data; }
__kernel void two_results(void *argument) {
    const double *const from = data_of(outside_outer());
    double *const to = data_of(outside_outer());
    for (long i = 0; i < n; i++) to[i] = 2 * from[i];
    (void)argument;
}

// A forall with BLOCK is one loop, however long; accesses of functions that are called are those of one call.
// CHECK-LABEL: layout: kernel in_blocks
// CHECK: argument 1 of in_blocks: unknown size, class none
// CHECK: decision: main memory: no loop steps through it; its size is unknown
// CHECK: middle: 32768 bytes, class II
// CHECK-NEXT: contiguous read of 8 bytes {{.*}}by the loop of line [[#@LINE+11]], 1024 times (assumed)
// CHECK: other: 32768 bytes
// CHECK-NEXT: single read of 8 bytes at {{.*}}layout.c:[[#@LINE+5]], 1 time in each call
// CHECK-NEXT: decision: main memory: transfers would cost more than the accesses
static __attribute__((noinline)) double first_of_others(double factor) {
    extern int printf(const char *, ...);
    if (factor > 1e6) printf("large\n");
    return other[0] * factor;
}
__kernel void in_blocks(void *argument) {
    const int count = *(const int *)argument;
    forall (int i = 0; i < count; i++; BLOCK; CCC_ARRAY) buffer[0] += middle[i];
    buffer[1] = first_of_others(buffer[0]);
}

// A forall of process code is a kernel as well.
// CHECK-LABEL: layout: kernel forall
// CHECK: contiguous write
void process_code(void) {
    forall (int i = 0; i < n; i++; BLOCK; CCC_ARRAY) other[i] = 1;
}

// What it uses of its function it gets by one argument.
// CHECK-LABEL: layout: kernel forall
// CHECK: local variables around the forall: unknown size, class none
// CHECK: size: a forall outside of kernels gets them together, as addresses
void process_part(long count, double factor) {
    forall (long i = 0; i < count; i++; BLOCK; CCC_ARRAY) other[i] = factor;
}

// NO-LOOP: True []
// NO-KERNEL: no_code.c: no kernel, and no function with loops that kernels of other files may call; process code is not looked at (with --model=autonomic it is){{$}}
// NO-CODE: no_code.c: no function with code that may run{{$}}
// JSON-DAG: gather index_of II
// JSON-DAG: gather small I
// JSON-DAG: scatter large none
// JSON-DAG: steps large III

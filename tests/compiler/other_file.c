// SPDX-License-Identifier: Apache-2.0
// Functions that kernels of other files may call: their loops are moved, and the report has them; what only process code can call is left.
// RUN: %parcc -O2 --auto-dma --report=layout -c %s -o %t.o 2>&1 | %check %s --implicit-check-not="function main" --implicit-check-not="function nothing"
// RUN: %parcc -O2 --auto-dma --report=layout-json -c %s -o %t.o | python3 -c "import json, sys; [print(k['kernel'].split()[0], k['for_other_files']) for k in json.load(sys.stdin)['kernels']]" | %check %s --check-prefix=JSON
// RUN: %parcc -O1 --auto-dma -S -emit-llvm -o - %s | %check %s --check-prefix=CODE
// RUN: %parcc -O2 --optimise-for-host -S -emit-llvm -o - %s | %check %s --check-prefix=HOST
#include <parallelc.h>

enum { n = 200000, rows = 300, columns = 700 };
double out[n];
static double in[n], kept[n];
int at[n];

// JSON: reads False
// CHECK-LABEL: layout: kernel reads
// CHECK: kept: {{[0-9]+}} bytes
// CHECK: between kernels: a copy that fits as a whole stays until the variable is written
__kernel void reads(void *argument) {
    (void)argument;
    for (long i = 0; i < n; i++) out[i] = kept[i];
}

// JSON: smooth True
// CHECK-LABEL: layout: function smooth (
// CHECK-SAME: for kernels of other files
// CHECK: argument {{[12]}} of smooth: unknown size, class III
// CHECK: size: smooth may be called from other files, so only the run knows what it gets (static, where this file alone calls it)
// CHECK: in tiles of it and of the loop at line [[#@LINE+5]] through the scratchpad: argument {{[12]}} of smooth, argument {{[12]}} of smooth{{$}}
// CODE-LABEL: define {{.*}}@smooth(
// CODE: call i32 @taihu_box_begin
void smooth(double (*restrict to)[columns], const double (*restrict from)[columns]) {
    for (long i = 1; i < rows - 1; i++)
        for (long j = 1; j < columns - 1; j++) to[i][j] = from[i - 1][j] + from[i + 1][j];
}

// Which table it gets, and how large that is, only the run finds.
// CHECK-LABEL: layout: function pick (
// CHECK: argument 2 of pick: unknown size, class III
// CHECK-NEXT: contiguous read of 4 bytes
// CHECK-NEXT: size: pick may be called from other files
// CHECK: decision: two buffers
// CHECK: argument 1 of pick: unknown size, class none
// CHECK-NEXT: discrete read of 8 bytes
// CHECK-NEXT: size: pick may be called from other files, so only the run knows what it gets (static, where this file alone calls it)
// CHECK-NEXT: decision: as a whole, when the run finds that it is small enough, see the loops; done
// CHECK: loop at {{.*}}: through the scratchpad: {{.*}}argument 1 of pick{{.*}}; argument 1 of pick: all of it, when the run finds a variable, or a block of m_malloc, that is small enough
// CODE-LABEL: define {{.*}}@pick(
// CODE: call i32 @taihu_stage_begin
// CODE: call i64 @llvm.usub.sat.i64(i64 {{.*}}, i64 7)
double pick(const double *table, const int *index, long count) {
    double sum = 0;
    for (long i = 0; i < count; i++) sum += table[index[i]];
    return sum;
}

// Of a function that only this file calls it is known.
// CHECK-LABEL: layout: function pick_in (
// CHECK: weights: 512 bytes, class I
// CHECK-NEXT: discrete read of 8 bytes
// CHECK-NEXT: benefit:
// CHECK-NEXT: decision: scratchpad, as a whole
static const double weights[64] = {1, 2, 3};
static __attribute__((noinline)) double pick_here(const double *table, const int *index, long count) {
    double sum = 0;
    for (long i = 0; i < count; i++) sum += table[index[i] & 63];
    return sum;
}
double pick_in(const int *index, long count) {
    return pick_here(weights, index, count);
}

// What it calls in this file belongs to it.
// CHECK-LABEL: layout: function caller
// CHECK: through the scratchpad: in, from
static __attribute__((noinline)) double sum_of(const double *from) {
    double sum = 0;
    for (long i = 0; i < n; i++) sum += from[i];
    return sum;
}
double caller(void) {
    return sum_of(in);
}
void set(long i, double value) {
    in[i] = value;
}

// Its writes are counted, so that kernels find out that their copies are old.
// CHECK-LABEL: layout: function fill
// CHECK: loop at {{.*}}other_file.c:[[#@LINE+2]]: left as it is: its function writes a variable whose copies may stay between kernels
void fill(double value) {
    for (long i = 0; i < n; i++) kept[i] = value * (double)i;
}

// HOST-LABEL: define {{.*}}@look_up(
// HOST: call i64 @taihu_prefetch_ahead
double look_up(void) {
    double sum = 0;
    for (long i = 0; i < n; i++) {
        const double x = out[at[i]];
        if (x > 3)
            sum = sum * x + 1;
        else
            in[i] = x * sum;
    }
    return sum;
}

// Kernels of other files may get its address.
// CHECK-LABEL: layout: function by_pointer (
// CHECK-SAME: for kernels that call it through a pointer
// CHECK: loop at {{.*}}: through the scratchpad: in
static double by_pointer(double factor) {
    double sum = 0;
    for (long i = 0; i < n; i++) sum += in[i] * factor;
    return sum;
}
double (*const work)(double) = by_pointer;

// Nobody can but this file, which has no kernel that does.
static __attribute__((noinline)) void nothing_else(void) {
    for (long i = 0; i < n; i++) out[i] = 0;
}

int nothing(int x) {
    return x + 1;
}

// Those that the loader calls, or that nobody calls, are not for kernels either.
static __attribute__((constructor)) void nothing_at_start(void) {
    for (long i = 0; i < n; i++) out[i] = (double)i;
}
static __attribute__((used)) void nothing_called(void) {
    for (long i = 0; i < n; i++) out[i] = (double)i + 1;
}
static void *nothing_chosen(void) {
    for (long i = 0; i < n; i++) out[i] = (double)i + 2;
    return (void *)nothing;
}
int chosen(int x) __attribute__((ifunc("nothing_chosen")));
int main(void) {
    for (long i = 0; i < n; i++) at[i] = (int)i;
    nothing_else();
    return chosen(-1);
}

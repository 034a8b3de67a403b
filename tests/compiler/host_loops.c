// SPDX-License-Identifier: Apache-2.0
// parcc --optimise-for-host: loops that are changed for processors with caches, and each reason to leave one.
// RUN: %parcc -O2 --optimise-for-host --report=layout -c %s -o %t.o 2>&1 | grep "^host:" | %check %s
// RUN: %parcc -O2 --optimise-for-host --report=layout-json -c %s -o %t.o | python3 -c "import json, sys; [print(l['host_loop']['line'], l['host_loop']['decision']) for l in map(json.loads, sys.stdin) if 'host_loop' in l]" | %check %s --check-prefix=JSON
// RUN: %parcc -O2 --optimise-for-host -S -emit-llvm -o - %s | %check %s --check-prefix=CODE
// RUN: %parcc -O2 --optimise-for-host -Rpass=taihu-host -Rpass-missed=taihu-host -c %s -o %t.o 2>&1 | %check %s --check-prefix=REMARK
// RUN: %parcc -O2 -S -emit-llvm -o - %s | %check %s --check-prefix=PLAIN --implicit-check-not=taihu_prefetch --implicit-check-not=nontemporal
// RUN: %parcc -O2 --optimise-for-host -fsanitize=address --report=layout -c %s -o %t.o 2>&1 | %check %s --check-prefix=SANITIZED --implicit-check-not=host:
// RUN: %parcc -O2 --optimise-for-host --report=layout -c %s -o %t.o 2>&1 | %check %s --check-prefix=OPTNONE
// What was stored in between is not changed twice.
// RUN: %parcc -O1 --optimise-for-host -S -emit-llvm -o %t.ll %s
// RUN: %parcc -O1 --optimise-for-host -S -emit-llvm -o - %t.ll | grep -c "call i64 @taihu_prefetch_ahead" > %t.twice
// RUN: grep -c "call i64 @taihu_prefetch_ahead" %t.ll | diff - %t.twice
#include <parallelc.h>

enum { n = 1 << 24 };
double a[n], b[n], c[n], small[64];
long counts[n];
int at[n];
struct pointers {
    double *to;
    const double *from;
    const int *at;
    long count;
};
extern void outside(double);
#define KERNEL(name) __kernel void name(void *argument)
// More than the processor has on the way at once.
static inline double work(double x) {
    double y = 1;
    for (int k = 0; k < 20; k++) y = y * x + (double)k;
    return y;
}

// PLAIN: define {{.*}}@look_up(
// SANITIZED: layout: kernel look_up
// CHECK-DAG: host: loop at {{.*}}host_loops.c:[[#@LINE+9]]: looks up b: fetched ahead where the run finds them scattered
// REMARK: host_loops.c:[[#@LINE+8]]:5: remark: looks up b: fetched ahead
// JSON-DAG: [[#@LINE+7]] looks up b: fetched ahead
// CODE-LABEL: define {{.*}}@look_up(
// CODE: call i64 @taihu_prefetch_ahead(ptr
// CODE: call void @taihu_next_look_up_turn(ptr
// CODE: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 3, i32 1)
KERNEL(look_up) {
    double sum = 0;
    for (long i = 0; i < n; i++) sum += work(b[at[i]]);
    *(double *)argument = sum;
}

// CHECK-DAG: host_loops.c:[[#@LINE+5]]: looks up counts: fetched ahead
// CODE-LABEL: define {{.*}}@counting(
// CODE: call void @llvm.prefetch.p0(ptr {{.*}}, i32 1, i32 3, i32 1)
KERNEL(counting) {
    (void)argument;
    for (long i = 0; i < n; i++) counts[at[i]] += (long)work(a[i]);
}

// Of pointers the run knows nothing else.
// CHECK-DAG: host_loops.c:[[#@LINE+4]]: looks up pointer in byte 8 of argument 1 of named: fetched ahead
KERNEL(named) {
    const struct pointers *own = argument;
    double sum = 0, *to = own->to; const double *from = own->from; const int *which = own->at;
    for (long i = 0, count = own->count; i < count; i++) sum += work(from[which[i] * 2 + 1]);
    to[0] = sum;
}

// One of neighbours is enough.
// CODE-LABEL: define {{.*}}@neighbours(
// CODE: call void @llvm.prefetch
// CODE-NOT: call void @llvm.prefetch
KERNEL(neighbours) {
    double sum = 0;
    for (long i = 0; i < n; i++) sum += work(b[at[i]] * b[at[i] + 1]);
    *(double *)argument = sum;
}

// CHECK-DAG: host_loops.c:[[#@LINE+7]]: writes c: past the caches where the run finds that it is more than they hold
// CODE-LABEL: define {{.*}}@stores(
// CODE-DAG: call i32 @taihu_stores_pass_caches(i64
// CODE-DAG: store <2 x double> {{.*}}, align 16, {{.*}}!nontemporal
// CODE-DAG: call void @llvm.x86.sse.sfence()
KERNEL(stores) {
    (void)argument;
    for (long i = 0; i < n; i++) c[i] = a[i] + 3 * b[i];
}

// What is read may be in the caches; what is written with gaps is not written as a whole; a loop that reads
// nothing leaves the memory to what it writes.
// CODE-LABEL: define {{.*}}@in_place(
// CODE-NOT: nontemporal
// CODE-LABEL: define {{.*}}@with_gaps(
// CODE-NOT: nontemporal
// CODE-LABEL: define {{.*}}@only_writes(
// CODE-NOT: nontemporal
// CODE: ret void
KERNEL(in_place) {
    (void)argument;
    for (long i = 0; i < n; i++) c[i] = c[i] + 3 * b[i];
}
KERNEL(with_gaps) {
    (void)argument;
    for (long i = 0; i < n / 2; i++) c[2 * i] = a[i] + 3 * b[i];
}
KERNEL(only_writes) {
    (void)argument;
    for (long i = 0; i < n; i++) c[i] = (double)i;
}

// Where a loop around it goes on to another row, none is that long; a loop that is left has the same code.
// CODE-LABEL: define {{.*}}@row_after_row(
// CODE-NOT: nontemporal
// CODE: ret void
KERNEL(row_after_row) {
    const long length = *(long *)argument;
    for (long k = 0; k < 100; k++) for (long i = 0; i < length; i++) c[k * length + i] = a[k * length + i] + 3;
}

// In the caches after the first round, and looked up only sometimes.
// CODE-LABEL: define {{.*}}@few(
// CODE-NOT: llvm.prefetch
// CODE-LABEL: define {{.*}}@sometimes(
// CODE-NOT: llvm.prefetch
// CODE: ret void
KERNEL(few) {
    double sum = 0;
    for (long i = 0; i < n; i++) sum += work(small[at[i] & 63]);
    *(double *)argument = sum;
}
KERNEL(sometimes) {
    double sum = 0;
    for (long i = 0; i < n; i++)
        if (a[i] > 1) sum += work(b[at[i]]) * sum;
    *(double *)argument = sum;
}

// CHECK-DAG: host_loops.c:[[#@LINE+3]]: left as it is: it calls outside at line [[#@LINE+4]]
KERNEL(calls) {
    (void)argument;
    for (long i = 0; i < n; i++)
        outside(b[at[i]]);
}

// CHECK-DAG: host_loops.c:[[#@LINE+3]]: left as it is: it may be left early, or the compiler does not know its end
KERNEL(searches) {
    (void)argument;
    for (long i = 0; i < n; i++)
        if (b[at[i]] > 3) break; else counts[i] = 1;
}

// So short that the processor looks up many of them at once.
// CODE-LABEL: define {{.*}}@short_ones(
// CODE-NOT: llvm.prefetch
// CODE: ret void
KERNEL(short_ones) {
    double sum = 0;
    for (long i = 0; i < n; i++) sum += b[at[i]];
    *(double *)argument = sum;
}

// Each address is read where the one before led.
// CODE-LABEL: define {{.*}}@chases(
// CODE-NOT: llvm.prefetch
// CODE: ret void
KERNEL(chases) {
    long place = 0;
    for (long i = 0; i < n; i++) place = counts[place];
    *(long *)argument = place;
}

// Columns. A strip of them goes along the rows.
double grid[1024][600], other[600][1024], row[600], of_columns[600];
#define COLUMNS for (long j = 0; j < 599; j++)
#define DOWN for (long i = 1; i < 1024; i++)

// CHECK-DAG: host_loops.c:[[#@LINE+6]]: walks columns of grid: in strips of 64 where the run finds that the first cache does not hold a column
// JSON-DAG: [[#@LINE+5]] walks columns of grid: in strips of 64
// CODE-LABEL: define {{.*}}@down(
// CODE: call i64 @llvm.umin.i64(i64 {{.*}}, i64 63)
KERNEL(down) {
    (void)argument;
    COLUMNS DOWN grid[i][j] = 0.5 * (grid[i][j] + grid[i - 1][j]);
}
// CHECK-DAG: host_loops.c:[[#@LINE+5]]: walks columns of grid: in strips of 8
// CODE-LABEL: define {{.*}}@turned(
// CODE: call i32 @taihu_stores_pass_caches(i64
KERNEL(turned) {
    (void)argument;
    for (long i = 0; i < 512; i++) for (long j = 0; j < 1024; j++) other[i][j] = grid[j][i];
}
// CHECK-DAG: host_loops.c:[[#@LINE+3]]: walks columns of grid: in strips of 64
KERNEL(sums) {
    (void)argument;
    COLUMNS {
        double sum = row[j];
        DOWN sum = sum * 0.5 + grid[i][j];
        of_columns[j] = sum;
    }
}

// Nests of few iterations are left without more questions.
// CHECK-DAG: host_loops.c:[[#@LINE+6]]: walks columns of grid: in strips of 64
// CODE-LABEL: define {{.*}}@of_any_size(
// CODE: icmp ugt i64 {{.*}}, 2047
// CODE: br i1 {{.*}}, !prof
KERNEL(of_any_size) {
    const long rows = ((long *)argument)[0], columns = ((long *)argument)[1];
    for (long j = 0; j < columns; j++) for (long i = 1; i < rows; i++) grid[i][j] = 0.5 * grid[i - 1][j];
}

// A branch chooses between what it computes and what the loop around it has.
// CHECK-DAG: host_loops.c:[[#@LINE+3]]: walks columns of grid: in strips of 64
KERNEL(chosen) {
    (void)argument;
    COLUMNS DOWN grid[i][j] = grid[i][j] > 3 ? grid[i - 1][j] / (grid[i][j] * grid[i][j] + 1) / grid[i - 1][j] : (double)j;
}

// Each reason to keep the order.
// CHECK-DAG: host_loops.c:[[#@LINE+3]]: walks columns of grid: left as it is: iterations depend on each other forward in one loop and back in the other at line
KERNEL(skewed) {
    (void)argument;
    COLUMNS DOWN grid[i][j] = grid[i - 1][j + 1] * 0.5;
}
// CHECK-DAG: host_loops.c:[[#@LINE+4]]: walks columns of {{.*}}: left as it is: the access at line [[#@LINE+5]] may lie in what it writes
KERNEL(by_pointers) {
    double **both = argument;
    double (*to)[600] = (double (*)[600])both[0], (*from)[600] = (double (*)[600])both[1];
    COLUMNS DOWN
        to[i][j] = from[i][j] * 0.5;
}
// CHECK-DAG: host_loops.c:[[#@LINE+3]]: walks columns of grid: left as it is: a value goes from iteration to iteration of the outer loop
KERNEL(from_column_to_column) {
    double sum = 0;
    COLUMNS DOWN sum = sum * 0.5 + grid[i][j];
    *(double *)argument = sum;
}
// CHECK-DAG: host_loops.c:[[#@LINE+3]]: walks columns of grid: left as it is: conditions lead to the loop in it, or from it
KERNEL(conditions) {
    (void)argument;
    COLUMNS if (row[j] > 0) DOWN grid[i][j] = 0.5 * grid[i - 1][j];
}
// CHECK-DAG: host_loops.c:[[#@LINE+3]]: walks columns of grid: left as it is: it writes before the loop in it at line
KERNEL(writes_before) {
    (void)argument;
    COLUMNS {
        row[j] = 1;
        DOWN grid[i][j] = 0.5 * grid[i][j];
    }
}
// CHECK-DAG: host_loops.c:[[#@LINE+3]]: walks columns of grid: left as it is: only the run knows what it writes at line
KERNEL(scatters) {
    (void)argument;
    COLUMNS DOWN counts[at[i]] = (long)grid[i][j];
}
// CHECK-DAG: host_loops.c:[[#@LINE+3]]: walks columns of grid: left as it is: the access at line [[#@LINE+4]] may be the same as that at line [[#@LINE+6]]
KERNEL(reads_what_others_write) {
    (void)argument;
    COLUMNS {
        double sum = of_columns[j + 1 < 599 ? j + 1 : 0];
        DOWN sum += grid[i][j];
        of_columns[j] = sum;
    }
}
// Its rounds write what those before have written.
// CHECK-DAG: host_loops.c:[[#@LINE+4]]: walks columns of grid: left as it is: accesses are wider than the step of the only loop that moves them at line
typedef double wide __attribute__((vector_size(32), aligned(8)));
KERNEL(wider_than_steps) {
    (void)argument;
    COLUMNS DOWN *(wide *)(a + i) = *(wide *)(a + i) * 0.5 + grid[i][j];
}
// CHECK-DAG: host_loops.c:[[#@LINE+3]]: walks columns of grid: left as it is: a variable begins or ends in the outer loop
KERNEL(column_of_its_own) {
    (void)argument;
    COLUMNS {
        double column[1024];
        DOWN column[i] = grid[i][j] * 0.5;
        of_columns[j] = column[at[j] & 1023 ? 1 : 2];
    }
}
// Functions that are not to be changed are left, whoever calls them.
// OPTNONE-NOT: host_loops.c:[[#@LINE+2]]:
__attribute__((optnone, noinline)) double not_optimised(long count) {
    double sum = 0; for (long i = 0; i < count; i++) sum += work(b[at[i]]);
    return sum;
}
double calls_not_optimised(long count) { return not_optimised(count) + not_optimised(count / 2); }

// SPDX-License-Identifier: Apache-2.0
// parcc --auto-dma: the code that it makes, and each reason to leave a loop or an object.
// RUN: %parcc -O2 --auto-dma --report=layout -c %s -o %t.o 2>&1 | %check %s
// RUN: %parcc -O2 --auto-dma --report=layout-json -c %s -o %t.o | python3 -c "import json, sys; [print(k['kernel'].split()[0], l['decision']) for k in json.load(sys.stdin)['kernels'] for l in k['loops']]" | %check %s --check-prefix=JSON
// RUN: %parcc -O1 --auto-dma -S -emit-llvm -o - %s | %check %s --check-prefix=CODE
// RUN: %parcc -O1 --auto-dma -S -emit-llvm -o - %s | %check %s --check-prefix=NEST
// RUN: %parcc -O1 --auto-dma -S -emit-llvm -o - %s | %check %s --check-prefix=BROADCAST
// RUN: %parcc -O2 --report=layout -c %s -o %t.o 2>&1 | %check %s --check-prefix=WITHOUT
// RUN: %parcc -O2 -S -emit-llvm -o - %s | %check %s --check-prefix=PLAIN --implicit-check-not=taihu_stage
// RUN: %parcc -O2 --auto-dma --report=layout -fsanitize=address -c %s -o %t.o 2>&1 | %check %s --check-prefix=SANITIZED
// RUN: %parcc -O2 --auto-dma -Rpass=taihu-dma -Rpass-missed=taihu-dma -Rpass-analysis=taihu-dma -c %s -o %t.o 2>&1 | %check %s --check-prefix=REMARK
// What was stored in between is not moved twice.
// RUN: %parcc -O1 --auto-dma -S -emit-llvm -o %t.ll %s
// RUN: %parcc -O1 --auto-dma -S -emit-llvm -o - %t.ll | grep -c "call i32 @taihu_stage_begin" > %t.twice
// RUN: grep -c "call i32 @taihu_stage_begin" %t.ll | diff - %t.twice
#include <math.h>
#include <parallelc.h>

enum { n = 100000 };
double x[n], y[n], z[n], table[64], middle[2000];
int at[n];
struct cell {
    double value;
    long other;
} cells[n];
struct wide {
    double value[16];
} wides[n];
struct pointers {
    double *to;
    const double *from;
    long count;
};
extern double unknown[];
extern void outside(double);

// PLAIN: define {{.*}}@streams
// WITHOUT-LABEL: layout: kernel streams
// WITHOUT: decision: two buffers of {{[0-9]+}} bytes{{$}}
// WITHOUT: nothing is moved without --auto-dma
// CHECK-LABEL: layout: kernel streams
// CHECK: decision: two buffers of {{[0-9]+}} bytes; done
// CHECK: loop at {{.*}}auto_dma.c:[[#@LINE+14]]: through the scratchpad: x, y, z, from {{[0-9]+}} iterations on{{$}}
// JSON: streams through the scratchpad: x, y, z
// SANITIZED: left as it is: its function is checked by a sanitizer
// CODE-LABEL: define {{.*}}@streams(
// CODE: call i32 @taihu_stage_begin
// CODE: call i64 @taihu_stage_turn
// CODE: load double
// CODE: call void @taihu_stage_end
// The loop as it was is still there.
// CODE: @x
// CODE: ret void
// CODE: declare i32 @taihu_stage_begin(ptr)
__kernel void streams(void *argument) {
    (void)argument;
    for (long i = 0; i < n; i++) z[i] = x[i] + y[i];
}

// CHECK-LABEL: layout: kernel neighbours
// CHECK: through the scratchpad: x, y, from
__kernel void neighbours(void *argument) {
    (void)argument;
    for (long i = 1; i < n - 1; i++) y[i] = x[i - 1] + x[i] + x[i + 1];
}

// CHECK-LABEL: layout: kernel rounds
// CHECK: kept in the scratchpad: {{x, y|y, x}}{{$}}
__kernel void rounds(void *argument) {
    (void)argument;
    for (int r = 0; r < 500; r++)
        for (long i = 0; i < 999; i++) y[i] = 0.5 * y[i] + x[i];
}

// CHECK-LABEL: layout: kernel gather
// CHECK: table: 512 bytes
// CHECK: decision: scratchpad, as a whole, by one broadcast for all threads; done
// CHECK: in the scratchpad from begin to end, by broadcast: table{{$}}
// CHECK: through the scratchpad: {{at, y|y, at}}, from
// BROADCAST: call ptr @taihu_place_for_all(ptr {{.*}}@table, i64 512, ptr {{.*}}@gather, i64 0)
__kernel void gather(void *argument) {
    (void)argument;
    for (long i = 0; i < n; i++) y[i] = table[at[i]];
}

// Each thread reads all of it once.
// CHECK-LABEL: layout: kernel all_of_it
// CHECK: middle: 16000 bytes, class II
// CHECK: decision: scratchpad, as a whole, by one broadcast for all threads; done
// CHECK: in the scratchpad from begin to end, by broadcast: middle{{$}}
__kernel void all_of_it(void *argument) {
    double sum = 0;
    for (long i = 0; i < 2000; i++) sum += middle[i];
    z[m_rank(CCC_ARRAY)] = sum;
    (void)argument;
}

// Read so often that streams, whose addresses are cheaper, are better.
// CHECK-LABEL: layout: kernel often
// CHECK-NOT: broadcast
// CHECK: loop at {{.*}} the scratchpad: middle
__kernel void often(void *argument) {
    double sum = 0;
    for (long r = 0; r < 1000; r++)
        for (long i = 0; i < 2000; i++) sum += middle[i] * (double)r;
    z[m_rank(CCC_ARRAY)] = sum;
    (void)argument;
}

// Others may write it between two rounds.
// CHECK-LABEL: layout: kernel waits_in_rows
// CHECK: middle: 16000 bytes
// CHECK: decision: scratchpad, as a whole{{.*}}; left in main memory: others may write it while the kernel calls m_barrier at line [[#@LINE+4]]
__kernel void waits_in_rows(void *argument) {
    double sum = 0;
    for (long r = 0; r < n; r++) {
        m_barrier(CCC_ARRAY);
        sum += middle[(long)sum & 1023] + middle[(long)sum & 511];
    }
    *(double *)argument = sum;
}

// It waits for others, who may write the table before: fetched with the loop, by each thread.
// CHECK-LABEL: layout: kernel waits
// CHECK-NOT: broadcast
// CHECK: through the scratchpad: {{.*}}table
__kernel void waits(void *argument) {
    (void)argument;
    m_barrier(CCC_ARRAY);
    for (long i = 0; i < n; i++) y[i] = table[at[i]];
}

// Each thread reads a part of x only: nothing that one transfer should bring for all.
// CHECK-LABEL: layout: kernel parts
// CHECK-NOT: broadcast
// CHECK: through the scratchpad: x, y, from
__kernel void parts(void *argument) {
    (void)argument;
    forall (long i = 0; i < n; i++; BLOCK; CCC_ARRAY) y[i] = 2 * x[i];
}

// Pointers are compared when it runs.
// CHECK-LABEL: layout: kernel pointers
// CHECK: when it overlaps no other object (a check at run time); done
// CHECK: through the scratchpad: pointer in byte
__kernel void pointers(void *argument) {
    const struct pointers *own = argument;
    double *to = own->to;
    const double *from = own->from;
    for (long i = 0, count = own->count; i < count; i++) to[i] = 2 * from[i];
}

// CHECK-LABEL: layout: kernel early
// CHECK: left as it is: its number of iterations is not known when it begins
// CHECK-LABEL: layout: kernel leaves
// CHECK: left as it is: it may be left early, or the compiler does not know its end
__kernel void early(void *argument) {
    for (long i = 0; i < n; i++) {
        *(double *)argument += x[i];
        if (x[i] > 1e9) break;
    }
}
__kernel void leaves(void *argument) {
    (void)argument;
    for (long i = 0; i < n; i++) {
        if (x[i] > 1e9) break;
        y[i] = x[i];
    }
}

// CHECK-LABEL: layout: kernel calls
// CHECK: left as it is: it calls outside at line [[#@LINE+3]]
__kernel void calls(void *argument) {
    (void)argument;
    for (long i = 0; i < n; i++) outside(x[i]);
}

// CHECK-LABEL: layout: kernel calls_const
// CHECK: through the scratchpad: {{x, y|y, x}}, from
// CHECK-NOT: not seen
// CHECK-LABEL: layout: kernel atomic
extern double computed(double) __attribute__((const));
__kernel void calls_const(void *argument) {
    (void)argument;
    for (long i = 0; i < n; i++) y[i] = computed(x[i]);
}

// CHECK: left as it is: a volatile or atomic access at line [[#@LINE+4]]
__kernel void atomic(void *argument) {
    (void)argument;
    for (long i = 0; i < n; i++)
        __atomic_fetch_add(&at[i], 1, __ATOMIC_RELAXED);
}

// Nor are there boxes of what others may write, in loops without such an access.
// CHECK-LABEL: layout: kernel counted
// CHECK: counts: 32768 bytes
// CHECK: decision: main memory: others may use it at the same time, as the atomic access at line [[#@LINE+8]] says
// CHECK: loop at {{.*}}auto_dma.c:[[#@LINE+4]]: not in tiles: nothing of it can be moved; counts: others may use it
long counts[64][64];
__kernel void counted(void *argument) {
    long sum = 0;
    for (int k = 0; k < 64; k++)
        for (int i = 0; i < 64; i++) sum += counts[i][k] * k;
    for (int i = 0; i < 64; i++)
        __atomic_fetch_add(&counts[0][at[i]], 1, __ATOMIC_RELAXED);
    *(long *)argument = sum;
}

// Another thread may write what lies between.
// CHECK-LABEL: layout: kernel gaps
// CHECK: through the scratchpad: x,
// CHECK-SAME: cells: written with gaps
__kernel void gaps(void *argument) {
    (void)argument;
    for (long i = 0; i < n; i++) cells[i].value = x[i];
}

// CHECK-LABEL: layout: kernel condition
// CHECK: through the scratchpad: x,
// CHECK-SAME: y: written under a condition at line [[#@LINE+4]]
__kernel void condition(void *argument) {
    (void)argument;
    for (long i = 0; i < n; i++)
        if (x[i] > 3) y[i] = x[i];
}

// What each iteration reads no other thread may write: it may be put back.
// CHECK-LABEL: layout: kernel condition_read
// CHECK: through the scratchpad: {{x, y|y, x}}, from {{[0-9]+}} iterations on{{$}}
__kernel void condition_read(void *argument) {
    (void)argument;
    for (long i = 0; i < n; i++)
        if (x[i] > y[i]) y[i] = x[i];
}
// But the loop may write nothing, and then the memory may be one that cannot be written.
// CHECK-LABEL: layout: kernel condition_pointer
// CHECK: written under a condition at line [[#@LINE+4]], so moved when the run finds that it lies inside of a variable that is not const
__kernel void condition_pointer(void *argument) {
    double *restrict to = argument;
    for (long i = 0; i < n; i++)
        if (x[i] > to[i]) to[i] = x[i];
}
// CHECK-LABEL: layout: kernel gaps_read
// CHECK: through the scratchpad: {{x, cells|cells, x}}, from {{[0-9]+}} iterations on{{$}}
__kernel void gaps_read(void *argument) {
    (void)argument;
    for (long i = 0; i < n; i++) cells[i].value = x[i] + (double)cells[i].other;
}

// CHECK-LABEL: layout: kernel end_unknown
// CHECK: through the scratchpad: x, unknown{{.*}}; unknown: read under a condition, so moved when the run finds that it lies inside of a variable
__kernel void end_unknown(void *argument) {
    double sum = 0;
    for (long i = 0; i < n; i++)
        if (x[i] > 3) sum += unknown[i] / x[i];
    *(double *)argument = sum;
}

// CHECK-LABEL: layout: kernel scatter
// CHECK: through the scratchpad: at,
// CHECK-SAME: y: may overlap the access at line [[#@LINE+4]], whose address only the run knows
__kernel void scatter(void *argument) {
    double *to = argument;
    for (long i = 0; i < n; i++)
        to[at[i]] = y[i];
}

// Accesses that do not follow each other do not keep those from buffers that do.
// CHECK-LABEL: layout: kernel rows
// CHECK: wides: {{.*}}class III
// CHECK: decision: two buffers of {{[0-9]+}} bytes{{.*}}; done
// CHECK: through the scratchpad: wides,
__kernel void rows(void *argument) {
    double *sum = argument, *all = wides[0].value;
    for (long i = 0; i < n; i++) sum[0] += wides[i].value[3];
    for (long i = 0; i < 16 * n; i++) sum[1] += all[i];
}

// CHECK-LABEL: layout: kernel far
// CHECK: left as it is{{.*}}wides: the layout has no place for it
__kernel void far(void *argument) {
    double sum = 0;
    for (long i = 0; i < n; i++) sum += wides[i].value[3];
    *(double *)argument = sum;
}

// Nests of loops.
double grid[300][700], other[300][700], turned[700][300];

// CHECK-LABEL: layout: kernel stencil
// CHECK: contiguous read of 8 bytes at {{.*}}, bytes {{[0-9]+}} + 5600 x [0, 298) + 8 x [0, 698) + [0, 8)
// CHECK: in tiles of it and of the loop at line [[#@LINE+10]] through the scratchpad: {{grid, other|other, grid}}{{$}}
// REMARK: auto_dma.c:[[#@LINE+8]]:{{[0-9]+}}: remark: in tiles of it and of the loop at line [[#@LINE+9]] through the scratchpad: {{grid, other|other, grid}} [-Rpass=taihu-dma]
// REMARK: remark: {{grid|other}}: contiguous {{read|write}}, line {{[0-9]+}} [-Rpass-analysis=taihu-dma]
// NEST-LABEL: define {{.*}}@stencil(
// NEST: call i32 @taihu_box_begin
// NEST-DAG: call void @taihu_box_turn
// NEST-DAG: call void @taihu_box_end
__kernel void stencil(void *argument) {
    (void)argument;
    for (int i = 1; i < 299; i++)
        for (int j = 1; j < 699; j++) other[i][j] = grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1];
}

// CHECK-LABEL: layout: kernel sparse
// CHECK: in the scratchpad from begin to end, by broadcast: table
__kernel void sparse(void *argument) {
    (void)argument;
    for (long i = 0; i < n - 9; i++) {
        double sum = 0;
        for (long k = at[i]; k < at[i + 1]; k++) sum += x[k] * table[at[k] & 63];
        y[i] = sum;
    }
}

// SPDX-License-Identifier: Apache-2.0
// parcc --auto-dma: copies that stay in the scratchpad from kernel to kernel, where writes are counted, and each reason why
// a copy does not stay.
// RUN: %parcc -O2 --auto-dma --report=layout -c %s -o %t.o 2>&1 | %check %s
// RUN: %parcc -O2 --auto-dma --report=layout-json -c %s -o %t.o | python3 -c "import json, sys; [print(k['kernel'].split()[0], o['name'], o.get('between_kernels')) for k in json.load(sys.stdin)['kernels'] for o in k['objects']]" | %check %s --check-prefix=JSON
// RUN: %parcc -O1 --auto-dma -S -emit-llvm -o - %s | %check %s --check-prefix=CODE
// RUN: %parcc -O2 -S -emit-llvm -o - %s | %check %s --check-prefix=PLAIN --implicit-check-not=taihu_version
#include <parallelc.h>
#include <string.h>

enum { n = 4000, side = 300 };
double out[n], open_to_all[n];
static double table[64], filled[n], given[n], stored[n], by_kernel[n], named[n], copied[n], never_read[n];
static const double fixed[n] = {1, 2, 3};
static double plane[side][side];
static int at[n];
double *place, *in_table[] = {named};
extern void outside(double *);
// Only reads what it is given.
static __attribute__((noinline)) double inside(const double *from) {
    double sum = 0;
    for (long i = 0; i < n; i++) sum += from[i];
    return sum;
}
#define KERNEL(name) __kernel void name(void *argument)
#define EACH for (long i = 0; i < n; i++)

// PLAIN: define
// CHECK-LABEL: layout: kernel stays
// CHECK: at: 16000 bytes
// CHECK: between kernels: a copy that fits as a whole stays until the variable is written
// CHECK: table: 512 bytes
// CHECK: between kernels: a copy that fits as a whole stays until the variable is written
// JSON: stays at a copy that fits as a whole stays
// JSON: stays out None
// CODE-LABEL: define {{.*}}@stays(
// CODE: call ptr @taihu_place_for_all(ptr {{.*}}@at, i64 16000, ptr {{.*}}@taihu_version.at, ptr {{.*}}@stays, i64 0)
KERNEL(stays) {
    (void)argument;
    EACH out[i] = table[at[i] & 63];
}

// CHECK-LABEL: layout: kernel constant
// CODE-LABEL: define {{.*}}@constant(
// CODE: store ptr @taihu_version.filled
// CHECK: fixed: 32000 bytes
// CHECK: between kernels: a copy that fits as a whole stays
KERNEL(constant) {
    (void)argument;
    EACH out[i] = fixed[i] + filled[i];
}

// CHECK-LABEL: layout: kernel refused
// CHECK-DAG: between kernels: fetched again (other files may write it: declare it static, or const)
// CHECK-DAG: between kernels: fetched again (its address goes to outside at line [[#GIVEN:]])
// CHECK-DAG: between kernels: fetched again (its address goes to memory at line
// CHECK-DAG: between kernels: fetched again (its address is part of another variable's value)
// CHECK-DAG: between kernels: fetched again (a kernel writes it at line
KERNEL(refused) {
    (void)argument;
    EACH out[i] = open_to_all[i] + given[i] + stored[i] + named[i] + by_kernel[i] + copied[i];
}

KERNEL(writer) {
    (void)argument;
    EACH by_kernel[i] = 1;
}

// CHECK-LABEL: layout: kernel by_pointer
// CHECK: between kernels: fetched again (a pointer names it: use an array of the file)
KERNEL(by_pointer) {
    const double *restrict from = argument;
    EACH out[i] = from[i];
}

// CHECK-LABEL: layout: kernel nest
// CHECK: plane: 720000 bytes
// CHECK: between kernels: a copy that fits as a whole stays until the variable is written
KERNEL(nest) {
    (void)argument;
    for (long j = 0; j < side; j++)
        for (long i = 0; i < side; i++) out[j] += plane[i][j];
}

// CHECK-LABEL: layout: kernel part_of_nest
// CHECK: plane: 720000 bytes
// CHECK: between kernels: fetched again (parts that change with an outer loop do not stay)
KERNEL(part_of_nest) {
    double sum = 0;
    for (long i = 0; i < side; i++)
        for (long j = 0; j < at[i]; j++) sum += plane[i][j] * sum;
    *(double *)argument = sum;
}

// Counted once when the loop has ended.
// CODE-LABEL: define {{.*}}@fill(
// CODE: atomicrmw add ptr @taihu_version.filled, i64 1 release
// CODE-NEXT: ret void
// CODE: store double
// CODE-NOT: atomicrmw
// CODE: br i1
void fill(double value) {
    EACH filled[i] = value * (double)i;
}

// The other thread may be told by the call: counted before it.
// CODE-LABEL: define {{.*}}@tell(
// CODE: store double
// CODE-NEXT: atomicrmw add ptr @taihu_version.filled, i64 1 release
// CODE: call {{.*}}@outside
void tell(double *other) {
    EACH {
        filled[i] = 2;
        outside(other);
    }
}

// CODE-LABEL: define {{.*}}@whole(
// CODE: call void @llvm.memcpy
// CODE-NEXT: atomicrmw add ptr @taihu_version.copied, i64 1 release
// CODE: call void @llvm.memset
// CODE-NEXT: atomicrmw add ptr @taihu_version.table, i64 1 release
// CODE: store i32
// CODE-NEXT: atomicrmw add ptr @taihu_version.at, i64 1 release
// CODE: call {{.*}}double @inside
void whole(int which) {
    memcpy(copied, filled, sizeof copied / 2);
    memset(table, 0, sizeof table);
    at[which] = which;
    out[0] = inside(copied);
    outside(&out[(int)copied[5]]);
}

// No kernel reads `never_read`; a nest keeps `plane`.
// CODE-LABEL: define {{.*}}@other_writes(
// CODE-NOT: taihu_version.never_read
// CODE: atomicrmw add ptr @taihu_version.plane, i64 1 release
// CODE-NOT: atomicrmw
// CODE: ret void
void other_writes(long which) {
    never_read[which] = 1;
    plane[which][0] = never_read[which / 2];
    outside(given);
    place = stored;
    outside(*in_table);
}

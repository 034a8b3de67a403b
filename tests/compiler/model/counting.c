// SPDX-License-Identifier: Apache-2.0
// The code that parcc --spm-model adds.
// RUN: %parallelc -O1 -mllvm -taihu-scratchpad-model=default -S -emit-llvm -o - %s | %check %s
// RUN: %parallelc -O0 -mllvm -taihu-scratchpad-model=default -S -emit-llvm -o %t.ll %s && %check %s --check-prefix=O0 < %t.ll
// RUN: %parallelc -O1 -S -emit-llvm -o - %s | %check %s --check-prefix=PLAIN --implicit-check-not=taihu_current_record
// What was stored in between is not made to count twice.
// RUN: %parallelc -O1 -mllvm -taihu-scratchpad-model=default -S -emit-llvm -o %t.1.ll %s
// RUN: %parallelc -O1 -mllvm -taihu-scratchpad-model=default -S -emit-llvm -o - -x ir %t.1.ll | %check %s --check-prefix=TWICE --implicit-check-not=counting.counting
#include <parallelc.h>
#include <stdarg.h>

double table[100];

// CHECK: @taihu_kernel_names = internal constant [1 x { ptr, ptr }] {{.*}}@kernel
// CHECK: @taihu_modelled_module = {{.*}}i64 3
// CHECK: @llvm.global_ctors = {{.*}}@taihu_add_module
// PLAIN: define {{.*}}@kernel
// TWICE: @taihu_add_module
// O0: musttail call void @kernel.counting

// Process code goes on in the body that counts nothing.
// CHECK-LABEL: define {{.*}}void @kernel(
// CHECK: threadlocal.address{{.*}}@taihu_current_record
// CHECK: icmp eq ptr {{.*}}, null
// CHECK: musttail call void @kernel.counting
__kernel void kernel(void *argument) {
    double *value = argument;
    *value += 1;
}

// CHECK-LABEL: define {{.*}}@sum(
// CHECK: musttail call i32 (i32, ...) @sum.counting({{.*}}, ...)
int sum(int count, ...) {
    va_list list;
    va_start(list, count);
    int result = 0;
    for (int i = 0; i < count; i++) result += va_arg(list, int);
    va_end(list);
    return result;
}

// Labels whose address is taken belong to one function.
// CHECK-LABEL: define {{.*}}@jump(
// CHECK-NOT: musttail
// CHECK: indirectbr
int jump(int which) {
    static void *const labels[] = {&&zero, &&one};
    goto *labels[which];
zero:
    return 10;
one:
    return 20;
}

// A place that is known needs no look at the address: main memory is the third.
// CHECK-LABEL: define internal {{.*}}@first.counting(
// CHECK-NOT: ptrtoint
// CHECK: getelementptr {{.*}}i64 48
// CHECK: ret double
double first(void) {
    return table[0];
}

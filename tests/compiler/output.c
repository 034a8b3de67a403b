// SPDX-License-Identifier: Apache-2.0
// Output calls of kernels as requests: what is packed, what is joined, what is left.
// RUN: %parcc -O1 -S -emit-llvm %s -o - | %check %s
// RUN: %parcc -O0 -S -emit-llvm %s -o - | %check %s
// RUN: %parcc -O1 --no-proxy-opt -S -emit-llvm %s -o - | %check %s --check-prefix=PIECES
// RUN: sed -e 's/^__kernel//' %s > %t.plain.c
// RUN: %parcc -O1 -S -emit-llvm %t.plain.c -o - | %check %s --check-prefix=PLAIN
// RUN: %parcc -O1 --model=autonomic -S -emit-llvm %t.plain.c -o - | %check %s --check-prefix=AUTONOMIC
#include <parallelc.h>
#include <stdio.h>
#include <wchar.h>
extern void outside(int);
extern int one, other, count;
extern char text[];

// Two calls become one request, with the constants in its format.
// CHECK: private unnamed_addr constant {{.*}} c"%d and %s\0A100%% of {x}\0A%c.\0A\00"
// PIECES: private unnamed_addr constant {{.*}} c"%d and %s\0A\00"
// PLAIN-NOT: taihu_output
// CHECK-LABEL: @joined(
// PIECES-LABEL: @joined(
// AUTONOMIC-LABEL: @joined(
__kernel void joined(void *argument) {
    // CHECK: call void (ptr, ptr, ...) @taihu_output_call(ptr {{[^,]*}}, ptr null, i32 {{[^,]*}}, ptr {{[^,]*}}text, i32
    // CHECK-NOT: taihu_output_call
    // CHECK: ret void
    // PIECES-COUNT-4: @taihu_output_call
    // PIECES-NOT: @taihu_output_call
    // PIECES: ret void
    // AUTONOMIC: @taihu_output_call
    // AUTONOMIC: ret void
    printf("%d and %s\n", one, text);
    puts("100% of {x}");
    putchar(other);
    puts(".");
    (void)argument;
}

// A call, a store that others see and a result that is used lie between.
// CHECK-LABEL: @separate(
__kernel void separate(void *argument) {
    // CHECK: @taihu_output_call
    // CHECK: @taihu_output_fence
    // CHECK-NEXT: @outside
    // CHECK: @taihu_output_call
    // CHECK: store
    // CHECK: @taihu_output_call
    // CHECK: @taihu_proxied_call
    // CHECK: @printf
    // CHECK: ret void
    printf("first %d\n", one);
    outside(1);
    printf("second %d\n", one);
    one = 2;
    printf("third %d\n", one);
    count = printf("fourth %d\n", one);
    (void)argument;
}

// What a request does not describe stays a call: %n, wide and positional arguments, %m, a format that is not constant.
// CHECK-LABEL: @left(
__kernel void left(void *argument) {
    // CHECK-NOT: @taihu_output_call
    // CHECK: ret void
    printf("%d%n\n", one, &count);
    printf("%ls %lc\n", L"wide", (wint_t)L'w');
    printf("%2$d %1$d\n", one, other);
    printf("%m\n");
    printf((const char *)argument, one);
}

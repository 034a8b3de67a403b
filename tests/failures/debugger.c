// SPDX-License-Identifier: Apache-2.0
// A debugger shows accelerator threads that wait for their turn.
// REQUIRES: gdb
// RUN: %parcc -g -O0 %s -o %t
// RUN: printf 'set breakpoint pending on\nset pagination off\nsource %gdb_script\nbreak here\nrun\naccelerators\naccelerator 0.5 print number\naccelerator 0.5 backtrace\naccelerator 0.0 print number\naccelerator 0.2 print mine\nup\nprint me + 3\ncontinue\naccelerators\n' > %t.commands
// RUN: (%parcrun -n 1 --threads 6 --debugger "gdb -batch -x %t.commands --args" %t || true) 2>&1 | FileCheck-19 %s
// CHECK: hit Breakpoint
// CHECK: accelerator 0.0: thread {{[0-9]+}}, here at {{.*}}debugger.c:[[@LINE+18]]
// CHECK: accelerator 0.1: {{.*}}, all_but_one at {{.*}}debugger.c:3{{[0-9]}}
// CHECK: accelerator 0.5: {{.*}}, all_but_one at {{.*}}debugger.c:3{{[0-9]}}
// CHECK: = 50
// CHECK: all_but_one (argument={{.*}}) at {{.*}}debugger.c:3{{[0-9]}}
// CHECK: = 777
// CHECK: = 20
// CHECK: = 3
// CHECK: debugger: ended with 6
// CHECK: no node process of Parallel C runs here
#include <parallelc.h>
#include <stdio.h>

static int arrived;
__thread int mine;

static void here(int number) {
    (void)number;
}

__kernel void all_but_one(void *argument) {
    (void)argument;
    const int me = m_rank(CCC_ARRAY), number = 10 * me;
    mine = number;
    __atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
    if (me == 0) {
        while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < m_size(CCC_ARRAY));
        here(777);
    }
    m_barrier(CCC_ARRAY);
    (void)number;
}

int main(void) {
    m_run(all_but_one, NULL);
    printf("debugger: ended with %d\n", arrived);
    return 0;
}

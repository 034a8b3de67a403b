// SPDX-License-Identifier: Apache-2.0
// For test programs that are linked with runtime.c.
#ifndef TEST_RUNTIME_H
#define TEST_RUNTIME_H
#ifdef __cplusplus
extern "C" {
#endif
/// What each process rank executes; the test program defines it.
void process_main(void);
/// Rank of the running process, and of the running accelerator thread (-1: process code).
int test_process(void);
int test_thread(void);
#ifdef __cplusplus
}
#endif
#endif

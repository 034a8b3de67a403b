/* SPDX-License-Identifier: Apache-2.0
 *
 * autonomic.h: what `parcc --model=autonomic` makes of main. The programmer's main becomes an internal function; the new
 * main gives the runtime a kernel, and the kernel gives its argument and the programmer's function back to it.
 *
 *     void user_main(void *arguments) { taihu_call_main(arguments, <the programmer's main>); }
 *     int main(int count, char **words, char **environment) {
 *       return taihu_run_autonomic(user_main, count, words, environment);
 *     }
 *
 * That a program refers to taihu_run_autonomic tells the runtime, before it loads it, that it is autonomic.
 */
#ifndef TAIHU_ABI_AUTONOMIC_H
#define TAIHU_ABI_AUTONOMIC_H

#ifdef __cplusplus
extern "C" {
#endif

/** Runs user_main(arguments) on the accelerator thread of the process and ends the rank as its exit code says. Returns
 *  that code only where main calls itself. */
int taihu_run_autonomic(void (*user_main)(void *arguments), int count, char **words, char **environment);

/** Of user_main: calls the programmer's main with its arguments; exit inside of it returns here. */
void taihu_call_main(void *arguments, int (*main)(int count, char **words, char **environment));

#ifdef __cplusplus
}
#endif

#endif

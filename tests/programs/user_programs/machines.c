/* SPDX-License-Identifier: Apache-2.0
 * State machines: switch, computed goto, a table of functions; a small interpreter; setjmp-free error paths; early
 * returns. */
#include "user.h"

enum { length = 3000 };
static char program_text[length + 1];
static int kinds[length], kind_count;
static long stack[64], trace[256];
static int trace_count;
static uint16_t memory[256];
static unsigned visits[8];
enum state { start, number, name, text, comment, slash, end_of_comment, failed };

KERNEL void tokens(void *argument) {
    const char *at = argument;
    ONE_THREAD;
    enum state state = start;
    kind_count = 0;
    for (; *at != '\0'; at++) {
        visits[state]++;
    again:
        switch (state) {
            case start:
                switch (*at) {
                    case '0' ... '9':
                        state = number;
                        break;
                    case 'a' ... 'z':
                    case '_':
                        state = name;
                        break;
                    case '"':
                        state = text;
                        break;
                    case '/':
                        state = slash;
                        break;
                    case ' ':
                    case '\n':
                        break;
                    default:
                        kinds[kind_count++] = *at;
                }
                break;
            case number:
                if (*at >= '0' && *at <= '9') break;
                kinds[kind_count++] = 1, state = start;
                goto again;
            case name:
                if ((*at >= 'a' && *at <= 'z') || *at == '_' || (*at >= '0' && *at <= '9')) break;
                kinds[kind_count++] = 2, state = start;
                goto again;
            case text:
                if (*at == '"') kinds[kind_count++] = 3, state = start;
                break;
            case slash:
                if (*at == '*') {
                    state = comment;
                    break;
                }
                kinds[kind_count++] = '/', state = start;
                goto again;
            case comment:
                state = *at == '*' ? end_of_comment : comment;
                break;
            case end_of_comment:
                state = *at == '/' ? start : *at == '*' ? end_of_comment : comment;
                break;
            case failed:
                return;
        }
    }
}

struct instruction {
    uint8_t code;
    int8_t small;
    uint16_t wide;
};
static struct instruction code[40];
KERNEL void interpret(void *argument) {
    const struct instruction *at = argument;
    ONE_THREAD;
    static const void *const ways[] = {&&halt, &&push, &&add, &&multiply, &&store, &&load, &&jump_unless, &&less};
    long *top = stack;
    int steps = 0;
    trace_count = 0;
    goto *ways[at->code];
next:
    if (++steps > 5000) goto halt;
    at++;
    goto *ways[at->code];
push:
    *top++ = at->small;
    goto next;
add:
    top--, top[-1] += *top;
    goto next;
multiply:
    top--, top[-1] = (uint16_t)(top[-1] * *top);
    goto next;
store:
    memory[at->wide & 255] = (uint16_t)*--top;
    goto next;
load:
    *top++ = memory[at->wide & 255];
    goto next;
less:
    top--, top[-1] = top[-1] < *top;
    goto next;
jump_unless:
    if (trace_count < 256) trace[trace_count++] = top[-1];
    if (*--top == 0) at += at->small;
    goto next;
halt:
    memory[255] = (uint16_t)steps;
}

static long twice(long x) { return 2 * x; }
static long squared(long x) { return x * x % 1009; }
static long lowered(long x) { return x - 7; }
static long (*const steps[])(long) = {twice, squared, lowered};
static long results[100];
KERNEL void call_by_table(void *argument) {
    const unsigned char *which = argument;
    ONE_THREAD;
    for (int i = 0; i < 100; i++) {
        long x = i;
        for (int k = 0; k < 20; k++) x = steps[which[(i * 20 + k) % length] % 3](x);
        results[i] = x;
    }
}

int main(void) {
    for (int i = 0; i < length; i++) program_text[i] = "abc_ 019/**\"+-(\n"[next_random() % 16];
    const struct instruction source[] = {{1, 0, 0},  {4, 0, 1}, {1, 1, 0}, {4, 0, 2}, /* m1 = 0, m2 = 1 */
                                         {5, 0, 2},  {1, 3, 0}, {3, 0, 0}, {5, 0, 1},
                                         {2, 0, 0},  {4, 0, 2},                         /* m2 = m2 * 3 + m1 */
                                         {5, 0, 1},  {1, 1, 0}, {2, 0, 0}, {4, 0, 1},   /* m1++ */
                                         {1, 90, 0}, {5, 0, 1}, {7, 0, 0}, {6, -14, 0}, /* until m1 > 90 */
                                         {0, 0, 0}};
    memcpy(code, source, sizeof source);
    RUN(tokens, program_text);
    RUN(interpret, code);
    RUN(call_by_table, program_text);
    SHOW(kinds), SHOW(visits), SHOW(stack), SHOW(trace), SHOW(memory), SHOW(results);
    printf("%d tokens, %d jumps, %d steps\n", kind_count, trace_count, memory[255]);
    return 0;
}

# SPDX-License-Identifier: Apache-2.0
#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random nests of foralls against plain C.

Each program holds several nests. A nest is written twice: with forall, executed by every process and thread of the test
runtime, and as plain C loops with a counter k of the iterations; there the owner of every iteration follows from the
definition of the affinities (language reference, forall), evaluated here in plain C by division of the counted
iterations. Both sides add to a table indexed by (loop values, process, thread); the tables must be equal. For ANY over
threads or processes only the number of executions per iteration is compared.

Usage: random_forall.py --programs N --seed S --work DIR -- COMPILER-COMMAND RUNTIME-FILES
       random_forall.py --programs N --seed S --work DIR --parcrun PARCRUN -- PARCC
The second form uses the real runtime: the programs are built by parcc and run as jobs of several ranks, which collect
what they execute in a node_shared table.
"""
import argparse
import os
import random
import subprocess
import sys

TYPES = ["int", "long", "unsigned", "short", "long long", "unsigned char", "unsigned long", "signed char"]
SIGNED = {"int", "long", "short", "long long", "signed char"}


def countable(rng, variable):
    """(declaration, condition, step) of a loop that ends, with values in 0..60."""
    kind = rng.choice(TYPES)
    step = rng.choice([1, 1, 1, 2, 3, 7])
    up = rng.random() < 0.6
    low, high = sorted((rng.randrange(1, 40), rng.randrange(1, 40)))
    count = rng.choice([0, 1, (high - low) // step + 1, (high - low) // step + 1])
    start, stop = (low, low + count * step) if up else (low + count * step, low)
    relation = rng.choice(["<", "<=", "!="]) if up else rng.choice([">", ">=", "!="])
    bound = stop
    if relation == "<=":
        bound = stop - 1
    if relation == ">=":
        bound = stop + 1
    literal = f"{bound}{rng.choice(['', 'L', 'U', 'LL'])}" if bound >= 0 else str(bound)
    if bound < 0 and kind not in SIGNED:
        return countable(rng, variable)
    if rng.random() < 0.2:
        mirror = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!="}[relation]
        condition = f"{literal} {mirror} {variable}"
    else:
        condition = f"{variable} {relation} {literal}"
    if step == 1:
        sign = "++" if up else "--"
        advance = rng.choice([f"{variable}{sign}", f"{sign}{variable}"])
    else:
        advance = f"{variable} {'+' if up else '-'}= {rng.choice([str(step), f'({step})', f'step{step}'])}"
    return f"{kind} {variable} = {start}", condition, advance


def affinity(rng, variable):
    choice = rng.randrange(4)
    if choice == 0:
        return "BLOCK", "block_owner(k, n, size)"
    if choice == 1:
        block = rng.choice([1, 2, 3, 5, 100])
        return f"BLOCK({block})", f"(k / {block}) % size"
    if choice == 2:
        return "ANY", None
    expression = rng.choice([variable, f"-(long){variable}", f"(long){variable} * 3 - 20", f"({variable} & 3) | 4", "7u"])
    return expression, f"modulus((long)({expression}), size)"


def nest(rng, number):
    """The two functions of one nest."""
    scopes = ["CCC_ALL", "CCC_NODE", "CCC_BNODE", "CCC_SNODE"]
    depth = rng.randrange(1, 3)
    array = rng.random() < 0.6
    loops = []
    for level in range(depth):
        loops.append([rng.choice(scopes)])
    if array:
        loops[-1] = [rng.choice(["CCC_ARRAY", "array_scope"])]
    kernel = array and rng.random() < 0.5
    if kernel and depth == 1:
        loops[0] = ["CCC_ARRAY"]
    header, test, indices = "", "", []
    plain, close = "", ""
    for level, loop in enumerate(loops):
        variable = f"i{level}"
        declaration, condition, step = countable(rng, variable)
        words, owner = affinity(rng, variable)
        on_array = loop[0] in ("CCC_ARRAY", "array_scope")
        if owner is None and not on_array and depth - array > 1:
            words, owner = "BLOCK", "block_owner(k, n, size)"  # all processes must reach a loop with ANY
        header += f"    forall ({declaration}; {condition}; {step}; {words}; {loop[0]})\n"
        size = "threads" if on_array else "processes"
        who = "thread" if on_array else "process"
        plain += f"  {{ long n = 0, k = 0, size = {size}; (void)k; (void)n; (void)size;\n"
        plain += f"  for ({declaration}; {condition}; {step}) n++;\n"
        plain += f"  for ({declaration}; {condition}; {step}, k++) {{\n"
        if owner is None and not on_array:
            owner = "block_owner(k, n, size)"
            plain += "    any |= ANY_PROCESS;\n"
        if owner is None:
            plain += "    any |= ANY_THREAD;\n"
        else:
            plain += f"    if ({who} != ({owner})) continue;\n"
        close += " } }"
        indices.append(variable)
    indices = (indices + ["0"])[:2]
    body = rng.choice([
        f"    take({indices[0]}, {indices[1]});\n",
        f"    {{ if ({indices[0]} == 5) continue; take({indices[0]}, {indices[1]}); }}\n",
        f"    if ({indices[0]} & 1) take({indices[0]}, {indices[1]}); else {{ take({indices[0]}, {indices[1]}); }}\n",
        f"    switch ({indices[0]} % 3) {{ case 0: break; default: take({indices[0]}, {indices[1]}); }}\n",
        f"    for (int r = 0; r < 2; r++) if (r) take({indices[0]}, {indices[1]});\n",
    ])
    # An array scope spawns when the nest runs in process code, and each thread walks the whole nest in a kernel.
    threads_walk = kernel or array
    forall = f"{'__kernel ' if kernel else ''}static void nest{number}(void *argument) {{\n"
    forall += f"  (void)argument; const m_scope_t array_scope = CCC_ARRAY; (void)array_scope;\n{header}{body}}}\n"
    expected = f"static void plain{number}(void) {{\n  for (int process = 0; process < processes; process++)\n"
    expected += f"  for (int thread = 0; thread < {'threads' if threads_walk else '1'}; thread++) {{ int any = 0;\n"
    expected += plain + "    want(any);" + body.replace("take(", "expect(process, thread, ") + close + "\n  }\n}\n"
    call = f"m_run(nest{number}, NULL)" if kernel else f"nest{number}(NULL)"
    return forall + expected, f"  run({number}, {call}, plain{number}());\n"


PRELUDE = """
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { V = 64, P = 8, T = 8 };
static int processes, threads;
static int step2 = 2, step3 = 3, step7 = 7;
static unsigned char got[V][V][P][T], wanted[V][V][P][T];
enum { ANY_THREAD = 1, ANY_PROCESS = 2 };
static int any_used;
#ifdef REAL_RUNTIME
static node_shared unsigned char tables[16][V][V][P][T];
static int current;
static int test_process(void) { return m_rank(CCC_ALL); }
static void take(long i, long j) {
  __atomic_fetch_add(&tables[current][i][j][m_rank(CCC_ALL)][m_rank(CCC_ARRAY)], 1, __ATOMIC_RELAXED);
}
void process_main(void);
int main(void) { process_main(); }
#else
#include "runtime.h"
static unsigned char tables[16][V][V][P][T];
static void take(long i, long j) {
  __atomic_fetch_add(&got[i][j][test_process()][test_thread() < 0 ? 0 : test_thread()], 1, __ATOMIC_RELAXED);
}
#endif
static void want(int any) { any_used |= any; }
static void expect(int process, int thread, long i, long j) { wanted[i][j][process][thread]++; }
static long block_owner(long k, long n, long size) {
  long share = n / size, rest = n % size;
  for (long m = 0, end = 0; m < size; m++) { end += share + (m < rest); if (k < end) return m; }
  return -1;
}
static long modulus(long e, long size) { long r = e % size; return r < 0 ? r + size : r; }
static void compare(int number) {
  for (int i = 0; i < V; i++) for (int j = 0; j < V; j++) for (int p = 0, all_a = 0, all_b = 0; p < P; p++) {
    int a = 0, b = 0, differ = 0;
    for (int t = 0; t < T; t++) {
      a += got[i][j][p][t];
      /* With ANY every thread may execute it: plain C counts it once for each. */
      if (any_used & ANY_THREAD) b = wanted[i][j][p][t] > b ? wanted[i][j][p][t] : b; else b += wanted[i][j][p][t];
      differ |= got[i][j][p][t] != wanted[i][j][p][t];
    }
    /* Any process may, too: plain C gives it to that of BLOCK. */
    all_a += a, all_b += b;
    if (any_used & ANY_PROCESS) a = all_a, b = all_b;
    if (any_used & ANY_PROCESS ? p == P - 1 && a != b : any_used ? a != b : differ) {
      printf("nest %d: iteration (%d, %d) of process %d: executed %d times, expected %d\\n", number, i, j, p, a, b);
      exit(1);
    }
  }
}
/* A table collects each nest. The processes of the test runtime run one after the other, those of the real one
   together. */
static int total_checked;
#ifdef REAL_RUNTIME
#define COLLECT(number, forall_call) \\
  current = number; forall_call; m_barrier(CCC_ALL); memcpy(got, tables[number], sizeof got)
#else
#define COLLECT(number, forall_call) \\
  memcpy(got, tables[number], sizeof got); forall_call; memcpy(tables[number], got, sizeof got)
#endif
#define run(number, forall_call, plain_call) \\
  do { \\
    COLLECT(number, forall_call); \\
    if (test_process() == processes - 1) { \\
      any_used = 0; memset(wanted, 0, sizeof wanted); plain_call; compare(number); total_checked++; } \\
  } while (0)
"""


def program(seed):
    rng = random.Random(seed)
    nests = [nest(rng, number) for number in range(rng.randrange(3, 7))]
    text = PRELUDE + "".join(functions for functions, _ in nests)
    text += "void process_main(void) {\n  processes = m_size(CCC_ALL); threads = m_size(CCC_ARRAY);\n"
    text += "  (void)step2; (void)step3; (void)step7;\n"
    text += "".join(call for _, call in nests)
    text += f'  if (test_process() == processes - 1) printf("%d of {len(nests)} nests agree\\n", total_checked);\n}}\n'
    return text, len(nests)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", required=True)
    parser.add_argument("--parcrun")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    macros = ["-DREAL_RUNTIME"] if options.parcrun else []
    total = 0
    for seed in range(options.seed, options.seed + options.programs):
        text, count = program(seed)
        source = os.path.join(options.work, f"random{seed}.c")
        with open(source, "w", encoding="ascii") as file:
            file.write(text)
        level = random.Random(seed).choice(["-O0", "-O1", "-O2"])
        subprocess.run([*options.command, *macros, level, "-Wall", "-Wextra", "-Wno-sign-compare", "-Wno-unused-function",
                        "-Wno-tautological-compare", "-Werror",
                        source, "-o", source + ".exe"], check=True, timeout=120)
        for processes, threads in ((1, 1), (3, 4), (5, 2)):
            job = [source + ".exe"]
            if options.parcrun:
                job = [options.parcrun, "--timeout", "50", "-n", str(processes), "--node", str(processes),
                       "--threads", str(threads), *job]
            run = subprocess.run(job, env={**os.environ, "P": str(processes), "T": str(threads)},
                                 stdout=subprocess.PIPE, text=True, timeout=60, check=False)
            if run.returncode != 0 or f"{count} of {count} nests agree" not in run.stdout:
                print(f"seed {seed}, {processes} processes, {threads} threads, {level}: exit {run.returncode}")
                print(run.stdout)
                return 1
            total += count
        os.remove(source + ".exe")
    print(f"{options.programs} programs, {total} nests agree with plain C")
    return 0


if __name__ == "__main__":
    sys.exit(main())

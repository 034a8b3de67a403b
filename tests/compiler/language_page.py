#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples of the section "Optimisation" of the language reference, taken from the page: each is compiled in a kernel of its own
with --auto-dma or --optimise-for-host, and the report must say what EXAMPLES expects. An example of the page that stands not here, or
one here that stands not on the page, is an error."""
import argparse
import pathlib
import re
import subprocess
import sys

PRELUDE = """#include <math.h>
#include <parallelc.h>
#define index place
enum { n = 100000, m = 700, side = 500 };
"""
SMALLER = "enum { n = 1000 };"

# The code of the page: declarations, what comes before it in the kernel, and what the report must say, or must not ("!").
MOVED = (
    ("for (long i = 1; i < n - 1; i++) out[i] = in[i - 1] + in[i + 1];", "double in[n], out[n];", "",
     ["through the scratchpad: (in, out|out, in), from"]),
    ("for (long i = 0; i < n; i++) out[i] = table[index[i]];", "double table[500], out[n]; int index[n];", "",
     ["by broadcast: table$", "through the scratchpad: (place, out|out, place), from"]),
    ("for (int r = 0; r < 50; r++) for (long i = 0; i < 1000; i++) y[i] = 0.5 * y[i] + x[i];", "double x[1000], y[1000];", "",
     ["kept in the scratchpad: (x, y|y, x)$"]),
    ("for (long i = 1; i < n - 1; i++) for (long j = 1; j < m - 1; j++) b[i][j] = a[i - 1][j] + a[i + 1][j];",
     "double a[1000][m], b[1000][m];", SMALLER, ["in tiles of it and of the loop at line [0-9]+ through the scratchpad: (a, b|b, a)$"]),
    ("for (long j = 0; j < m; j++) for (long i = 0; i < n; i++) sum[j] += a[i][j];", "double sum[m], a[1000][m];", SMALLER,
     ["through the scratchpad: (sum, a|a, sum)"]),
    ("for (long i = 0; i < n; i++) if (x[i] > y[i]) y[i] = x[i];", "double x[n], y[n];", "", ["through the scratchpad: (x, y|y, x), from"]),
    ("static double weight[64];", "double out[64]; void set(double x) { for (long i = 0; i < 64; i++) weight[i] = x; }", "for (long i = 0; i < 64; i++) out[i] = weight[i] * weight[i ^ 1];",
     ["between kernels: a copy that fits as a whole stays until the variable is written"]),
    ("for (long i = 0; i < n; i++) if (in[i] > 0) out[i] = in[i];", "double in[n], out[n];", "",
     ["out: written under a condition at line [0-9]+, where putting it back could undo what another thread writes"]),
    ("for (long i = 0; i < n; i++) out[i] = in[i] > 0 ? in[i] : out[i];", "double in[n], out[n];", "",
     ["through the scratchpad: (in, out|out, in), from"]),
    ("for (long i = 0; i < n; i++) cells[i].value = in[i];", "double in[n]; struct cell { double value, other; } cells[n];", "",
     ["through the scratchpad: in,.*; cells: written with gaps, where putting it back could undo"]),
    ("for (long i = 0; i < n; i++) value[i] = in[i];", "double in[n], value[n];", "",
     ["through the scratchpad: (in, value|value, in), from"]),
    ("for (i = 0; i < n; i++) if (in[i] == wanted) break;", "double in[n];", "const double wanted = *(double *)argument; long i = 0;", ["left as it is: it may be left early"]),
    ("for (long i = 0; i < n; i++) found = in[i] == wanted ? i : found;", "double in[n];",
     "const double wanted = *(double *)argument; long found = 0;", ["through the scratchpad: in, from"]),
    ("for (long i = 0; i < part->size; i++) part->data[i] *= 2;", "struct part { long *data, size; };", "struct part *part = argument;",
     ["left as it is: its number of iterations is not known when it begins, because its end is read from memory in each iteration"]),
    ("for (long i = 0, n = part->size; i < n; i++) data[i] *= 2;", "struct part { long *data, size; };",
     "struct part *part = argument; long *data = part->data;", ["through the scratchpad: pointer in byte 0 of argument 1"]),
    ("for (unsigned i = 0; i < n; i++) sum += a[4 * i + k];", "double a[4 * n + 64]; unsigned other;",
     "unsigned k = other, n = *(unsigned *)argument; double sum = 0;",
     ["discrete read of 8 bytes", "decision: main memory: its address is no linear function"]),
    ("for (long i = 0; i < n; i++) sum += a[4 * i + k];", "double a[4 * n + 64]; int other;",
     "long k = other, n = *(long *)argument; double sum = 0;", ["interval read of 8 bytes, step 32", "through the scratchpad: a, from"]),
    ("for (long i = 0; i < n; i++) out[i] = f(in[i]);", "double in[n], out[n]; double f(double);", "",
     ["left as it is: it calls f at line [0-9]+"]),
    ("for (long i = 0; i < n; i++) bins[key[i]]++;", "long bins[n]; int key[n];", "",
     ["bins: 800000 bytes, class none", "main memory: its address comes from memory", "through the scratchpad: key, from"]),
    ("for (long k = 0; k < n; k++) for (long i = 0; i < n; i++) for (long j = 0; j < n; j++) "
     "way[i][j] = fmin(way[i][j], way[i][k] + way[k][j]);", "double way[side][side];", "enum { n = side };",
     ["not in tiles: nothing of it can be moved; way: the access at line [0-9]+ lies in what is written"]),
)
FOR_HOST = (
    ("for (long i = 0; i < n; i++) sum += f(table[index[i]]);",
     "double table[n * 10]; int index[n]; static inline double f(double x) { double y = 1; for (int k = 0; k < 20; k++) y = y * x + k; return y; }",
     "double sum = 0;", ["looks up table: fetched ahead where the run finds them scattered"]),
    ("for (long i = 0; i < n; i++) c[i] = a[i] + b[i];", "enum { long_row = 10000000 }; double a[long_row], b[long_row], c[long_row];",
     "enum { n = long_row };", ["writes c: past the caches where the run finds"]),
    ("for (long j = 0; j < m; j++) for (long i = 0; i < n; i++) sum[j] += a[i][j];", "double sum[m], a[1000][m];", SMALLER,
     ["walks columns of a: in strips of 64 where the run finds that the first cache does not hold a column"]),
)
USES = {"; long i = 0;": "*(long *)argument = i;", "found": "*(long *)argument = found;", "sum = 0": "*(double *)argument = sum;"}


def examples_of(page):
    """Statements of the indented blocks of the section, without comments; lines that are indented further go on with one."""
    section = re.search(r"^## Optimisation$(.*?)^## ", page.read_text(), re.MULTILINE | re.DOTALL)
    if section is None:
        sys.exit(f"{page}: no section '## Optimisation'")
    found = []
    for line in section.group(1).splitlines():
        code = line.split("//")[0].rstrip()
        if not line.startswith("    ") or not code:
            continue
        if line.startswith("     "):
            found[-1] += " " + code.strip()
        else:
            found.append(code.strip())
    return [text for text in found if not text.startswith("m_run(")]


def report(parcc, flag, example, file):
    code, declarations, before, _ = example
    is_declaration = not code.startswith("for ")
    after = "".join(use for name, use in USES.items() if name in before)
    file.write_text(f"{PRELUDE}{code if is_declaration else ''}\n{declarations}\n__kernel void example(void *argument) {{\n(void)argument;\n"
                    f"{before}\n{'' if is_declaration else code}\n{after}\n}}\n")
    job = subprocess.run([parcc, "-O2", flag, "--report=layout", "-c", file, "-o", f"{file}.o"], capture_output=True, text=True, check=False)
    if job.returncode != 0:
        sys.exit(f"{code}\ndoes not compile:\n{job.stderr}")
    return job.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("parcc")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    known = [(flag, example) for flag, examples in (("--auto-dma", MOVED), ("--optimise-for-host", FOR_HOST)) for example in examples]
    on_page = examples_of(options.page)
    if sorted(on_page) != sorted(example[0] for _, example in known):
        missing = "\n".join(text for text in on_page if text not in [example[0] for _, example in known])
        more = "\n".join(example[0] for _, example in known if example[0] not in on_page)
        sys.exit(f"on the page, but not here:\n{missing}\nhere, but not on the page:\n{more}")
    wrong = []
    for number, (flag, example) in enumerate(known):
        text = report(options.parcc, flag, example, options.work / f"example{number}.c")
        wrong += [f"{example[0]}\n{flag} does not say '{line}':\n{text}" for line in example[3] if not re.search(line, text, re.MULTILINE)]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(known)} examples are as the page says")


main()

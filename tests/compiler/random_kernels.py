# SPDX-License-Identifier: Apache-2.0
"""Programs of random kernels for random_auto_dma.py: loops and nests over arrays and grids, along rows and down columns, with conditions,
look-ups, accesses that overlap, stores through pointers, and process code that writes between them."""
import re

ARRAYS = {"a": "double", "b": "double", "c": "double", "f": "float", "k": "int", "h": "short", "y": "signed char"}
SIZE = 4200  # elements; loops keep MARGIN from both ends
MARGIN = 40
FEW = ("table", "table + 30", "looked_up", "looked_up + 16", "block", "block + 20", "m[3]")  # of which 32 are looked up
COUNTS = (0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 255, 256, 257, 505, 511, 512, 513, 1000, 1023, 1024, 1025, 2047, 2049)

PRELUDE = """#include <parallelc.h>
#include <stdio.h>
#include <string.h>
enum { size = %d };
struct pair { double first; int second; float third; } p[size], q[size];
double a[size], b[size], c[size], table[64];
static double looked_up[48], *block;
static float f[size];
static int k[size];
short h[size];
signed char y[size];
double result[64];
double m[40][104], g[40][104], t[104][40];
float e[40][104];
short s[40][104];
static double kept[size], small[64], by_kernels[size];
static const double fixed[80] = {0.5, 4.5, 8.5, 1.5, 5.5, 9.5, 2.5, 6.5, 10.5, 3.5, 7.5, 0.5, 4.5, 8.5, 1.5, 5.5, 9.5, 2.5, 6.5, 10.5, 3.5, 7.5, 0.5, 4.5, 8.5, 1.5, 5.5, 9.5, 2.5, 6.5, 10.5, 3.5, 7.5, 0.5, 4.5, 8.5, 1.5, 5.5, 9.5, 2.5, 6.5, 10.5, 3.5, 7.5, 0.5, 4.5, 8.5, 1.5, 5.5, 9.5, 2.5, 6.5, 10.5, 3.5, 7.5, 0.5, 4.5, 8.5, 1.5, 5.5, 9.5, 2.5, 6.5, 10.5, 3.5, 7.5, 0.5, 4.5, 8.5, 1.5, 5.5, 9.5, 2.5, 6.5, 10.5, 3.5, 7.5, 0.5, 4.5, 8.5};
static int order[size];
__thread_local char filling[%d];
struct call { double *u, *v; const double *w; long count, from, pitch; const double *top, *few; };
static struct call call;
const double top[size] = {[0 ... size - 1] = 1e300};
typedef double wide __attribute__((vector_size(32), aligned(8)));
static unsigned long sum_of(const void *memory, unsigned long bytes, unsigned long sum) {
  for (unsigned long i = 0; i < bytes; i++) sum = (sum ^ ((const unsigned char *)memory)[i]) * 1099511628211UL;
  return sum;
}
static void reset(void) {
  for (int i = 0; i < size; i++) {
    a[i] = i * 0.25, b[i] = 1.0 / (i + 1), c[i] = i %% 17 - 8, f[i] = i %% 23 * 0.5f, k[i] = i * 7919 %% 64, h[i] = i %% 300, y[i] = i %% 100;
    p[i].first = i * 0.5, p[i].second = i %% 40, p[i].third = 1.5f * (i %% 9), q[i] = p[size - 1 - i];
  }
  for (int i = 0; i < 40; i++) for (int j = 0; j < 104; j++) m[i][j] = i * 0.5 - j, g[i][j] = i * j %% 31, e[i][j] = i + j %% 7, s[i][j] = i - j, t[j][i] = j;
  for (int i = 0; i < 64; i++) table[i] = 3.0 / (i + 2), result[i] = 0, small[i] = i * 0.75, block[i] = 5.0 / (i + 1);
  for (int i = 0; i < 48; i++) looked_up[i] = i * 1.5 - 7;
  for (int i = 0; i < size; i++) kept[i] = i %% 31 - 7, by_kernels[i] = i %% 5, order[i] = i * 5077 %% 64;
}
// Writes of what kernels read, in the ways of process code: single ones, loops, nests, copies, under conditions.
static __attribute__((noinline)) void change(int how, long at) {
  switch (how) {
    case 0: kept[at] += 1; break;
    case 1: for (long i = 0; i < at; i++) small[i & 63] += 0.5; break;
    case 2: memset(kept + at / 2, 0, 400); break;
    case 3: memmove(kept, kept + at / 2, sizeof kept / 2); break;
    case 4: for (long i = 0; i < 10; i++) for (long j = 0; j < 10; j++) order[i * 400 + j + at %% 100] = (int)(i ^ j); break;
    case 5: for (long i = 0; i < size; i++) { kept[i] = i * 0.5 - at; if (kept[i] > 100) break; } break;
    case 6: for (long i = 0; i < 64; i++) if (small[i] > 1) { small[i] *= 0.25; memcpy(order + i, order + i + 9, 8); } break;
    case 7: *(at & 1 ? &small[at & 63] : &kept[at]) = 3; break;
    case 8: by_kernels[at] -= 2; break;
    default: break;  // nothing
  }
}
static void print(int number) {
  unsigned long sum = 14695981039346656037UL;
#define add(x) sum = sum_of(&x, sizeof x, sum)
  add(a); add(b); add(c); add(f); add(k); add(h); add(y); add(result); add(table); add(m); add(g); add(t); add(e); add(s); add(kept); add(small); add(order); add(by_kernels);
  for (int i = 0; i < size; i++) { add(p[i].first); add(p[i].second); add(p[i].third); add(q[i].first); add(q[i].second); add(q[i].third); }
  printf("%%d %%016lx\\n", number, sum);
}
"""

# Of a second file, whose functions kernels of the first one call.
SECOND = """#include <parallelc.h>
#include <string.h>
enum { size = %d };
extern struct pair { double first; int second; float third; } p[size], q[size];
extern double a[size], b[size], c[size], table[], result[64], m[40][104], g[40][104], t[104][40];
extern float f[size], e[40][104];
extern int k[size];
extern short h[size], s[40][104];
extern signed char y[size];
struct call { double *u, *v; const double *w; long count, from, pitch; const double *top, *few; };
typedef double wide __attribute__((vector_size(32), aligned(8)));
"""


def element(rng, index, pointers):
    """Something that can be read."""
    kind = rng.randrange(12)
    offset = rng.choice((0, 0, 0, 1, -1, 2, -3, 17))
    place = f"{index} + {offset}" if offset >= 0 else f"{index} - {-offset}"
    if pointers and kind == 4:
        return rng.choice((f"{rng.choice('uvw')}[(k[{place}] & {rng.choice((63, 1023))}) + 40]", f"few[k[{place}] & 31]"))
    if pointers and kind < 4:
        return f"{rng.choice('uvw')}[{place}]"
    if kind == 0:
        return f"table[k[{place}] & 63]"
    if kind == 1:
        return f"{rng.choice('pq')}[{place}].{rng.choice(('first', 'second', 'third'))}"
    if kind == 2:
        return f"{rng.choice('abc')}[k[{place}] & 4095]"
    return f"{rng.choice(list(ARRAYS))}[{place}]"


def expression(rng, index, pointers):
    terms = [element(rng, index, pointers) for _ in range(rng.randrange(1, 4))]
    text = terms[0]
    for term in terms[1:]:
        text = f"({text} {rng.choice('+-*')} {term})" if rng.random() < 0.8 else f"({text} > {term} ? {text} : 1)"
    return text


def raised(rng, index):
    """A store that is made under a condition only, through a pointer that may name what cannot be written: then the condition never holds."""
    return f"{{ double *high = (double *)own->top; if ({rng.choice('hky')}[{index}] > high[{index}]) high[{index}] = {rng.choice('hky')}[{index}]; }}"


def overlapping(rng, index, whole, value):
    """Accesses that are wider than the step of a loop."""
    if rng.random() < 0.5:
        return (f"{{ unsigned long word; memcpy(&word, (char *)k + 4 * ({index}), 8); word = word * 3 + (unsigned long)({whole} & 1023); "
                f"memcpy((char *)k + 4 * ({index}), &word, 8); }}")
    array = rng.choice("abc")
    return f"*(wide *)({array} + {index}) = *(wide *)({array} + {index}) * 0.5 + ({value}) * 0.01;"


def statement(rng, index, pointers, number):
    choice = rng.randrange(13)
    value = expression(rng, index, pointers)
    if choice == 10:
        return raised(rng, index)
    if choice == 11:
        return overlapping(rng, index, f"(long)({value})", value)
    if choice == 12:
        array = rng.choice("uv") if pointers else rng.choice("abc")
        return f"if ({element(rng, index, False)} > {array}[{index}]) {array}[{index}] = {element(rng, index, False)};"
    if choice == 0:
        return f"sum += {value};"
    if choice == 1:
        return f"{rng.choice('pq')}[{index}].{rng.choice(('first', 'second', 'third'))} = (int)(long)({value}) & 1023;"
    if choice == 2:
        return f"if ({expression(rng, index, pointers)} > {rng.randrange(1, 9)}) {rng.choice('abc')}[{index}] = {value} * 0.01;"
    if choice == 3:
        return f"{rng.choice('abc')}[k[{index}] & 4095] = {value} * 0.125;"
    if choice == 4:
        return f"if ({expression(rng, index, pointers)} > 1e7) break;" if rng.random() < 0.4 else f"carried = carried * 0.5 + {value};"
    if choice == 5:
        array = rng.choice("khy")
        return f"{array}[{index}] = (int)((long)({value}) & 63);"
    if choice == 6 and pointers:
        return f"{rng.choice('uv')}[{index}] = {value} * 0.25;"
    if choice == 7:
        offset = rng.choice((-2, -1, 1, 5))
        array = rng.choice("abc")
        return f"{array}[{index}] = {array}[{index} + {offset}] * 0.5 + {value} * 0.001;"
    return f"{rng.choice('abcf')}[{index}] = {value} * 0.01;"


GRIDS = {"m": "double", "g": "double", "e": "float", "s": "short"}  # [ROWS][COLUMNS]
ROWS, COLUMNS = 40, 104


def place_in_grid(rng, rows, columns):
    """Subscripts near those of the loops, which keep two from the ends."""
    def shifted(index):
        offset = rng.choice((0, 0, 0, 1, -1, 2, -2))
        return f"{index} + {offset}" if offset >= 0 else f"{index} - {-offset}"
    return f"[{shifted(rows)}][{shifted(columns)}]"


def nest(rng, number):
    """Two or three loops over grids: stencils, transposed and in-place, sums, products, conditions; along rows or down columns."""
    by_columns = rng.random() < 0.4
    down, along = ("j", "i") if by_columns else ("i", "j")  # the indices of rows and of columns
    lines = [f"__kernel void kernel{number}(void *argument) {{", "  const struct call *own = argument;", "  (void)own; filling[0] = 1;",
             "  if (m_rank(CCC_ARRAY) != 0) return;", "  double sum = 0;"]
    # Lengths that the compiler knows, or not; of rows that lie in memory that a pointer names.
    is_known = rng.random() < 0.5
    rows = str(rng.choice((1, 2, 7, 8, 30, ROWS - 4))) if is_known else "own->count % (40 - 3)"
    columns = str(rng.choice((1, 3, 16, 63, 64, COLUMNS - 4))) if is_known else "own->from % (104 - 3)"
    lines.append(f"  const long rows = {rows}, columns = {columns};")
    flat = rng.random() < 0.25
    if flat:
        lines.append("  const long pitch = own->pitch; double *u = own->u, *v = own->v; (void)u; (void)v;")
    outer_length, inner_length = ("columns", "rows") if by_columns else ("rows", "columns")
    i_down, j_down = rng.random() < 0.15, rng.random() < 0.15
    outer = f"for (long i = {outer_length} + 1; i >= 2; i--)" if i_down else f"for ({rng.choice(('long', 'int'))} i = 2; i < {outer_length} + 2; i{rng.choice(('++', '++', ' += 2'))})"
    inner = f"for (long j = {inner_length} + 1; j >= 2; j--)" if j_down else f"for ({rng.choice(('long', 'int'))} j = 2; j < {rng.choice((inner_length, inner_length, inner_length, 'i % 36'))} + 2; j{rng.choice(('++', '++', ' += 3'))})"

    def value():
        kind = rng.randrange(9)
        if flat and kind < 4:
            return f"{rng.choice('uv')}[({down} + {rng.choice((-1, 0, 0, 1))}) * pitch + {along} + {rng.choice((-1, 0, 1))}]"
        if kind == 0:
            return f"m[{rng.choice('ij')} % {ROWS}][{rng.choice('ij')}]"
        if kind == 1:
            return "table[(i + j) & 63]" if rng.random() < 0.5 else "table[k[i + j] & 63]"
        if kind == 2:
            return f"p[{rng.choice(('i', 'j', 'i + j'))}].{rng.choice(('first', 'second', 'third'))}"
        if kind == 3:
            return f"{rng.choice('abc')}[{rng.choice(('i', 'j', 'i + j', 'i * 40 + j', 'j * 40 + i'))}]"
        return rng.choice(list(GRIDS)) + place_in_grid(rng, down, along)

    def several():
        return f" {rng.choice('+-*')} ".join(value() for _ in range(rng.randrange(1, 5)))

    def store():
        choice = rng.randrange(13)
        grid = rng.choice("mge")
        place = f"{grid}[{down}][{along}]"
        if choice == 10:
            return raised(rng, rng.choice(("i * 40 + j", "j * 40 + i")))
        if choice == 11:
            return overlapping(rng, rng.choice(("i", "j", "j")), f"(long)({value()})", value())
        if choice == 12:
            return f"if ({value()} > {place}) {place} = {value()};"
        if choice == 0:
            return f"sum += {several()};"
        if choice == 1:
            return f"if ({several()} > {rng.randrange(1, 9)}) {place} = ({several()}) * 0.01;"
        if choice == 2:
            return f"if ({place} < ({several()})) {place} = {rng.randrange(9)};"
        if choice == 3:
            return f"g[j % {ROWS}][i] = ({several()}) * 0.5;" if rng.random() < 0.3 else f"t[{along}][{down}] = ({several()}) * 0.5;"
        if choice == 4:
            return f"{rng.choice('abc')}[{rng.choice(('i', 'j', 'i + j'))}] += ({several()}) * 0.01;"
        if choice == 5:
            return f"{place} = 0.25 * ({grid}{place_in_grid(rng, down, along)} + {grid}{place_in_grid(rng, down, along)}) + {value()} * 0.01;"
        if choice == 6:
            return f"p[i * 20 + j].{rng.choice(('first', 'third'))} = (int)(long)({several()}) & 255;"
        if choice == 7:
            return f"for (int l = 0; l < {rng.choice((3, 16, 38))}; l++) {place} += m[{down}][l] * g[l][{along}] * 0.001;"
        if choice == 8 and flat:
            return f"{rng.choice('uv')}[{down} * pitch + {along}] = ({several()}) * 0.25;"
        return f"{place} = ({several()}) * 0.125;"

    body = [store() for _ in range(rng.randrange(1, 3))]
    if rng.random() < 0.15:
        lines.append(f"  for (int round = 0; round < {rng.choice((2, 4))}; round++)")
    lines.append(f"  {outer} {{")
    if rng.random() < 0.15:
        lines.append(f"    b[i] = {'e[2][i]' if by_columns else 'e[i][2]'} * 0.5;")
    if rng.random() < 0.25:
        lines.append(f"    double part = {rng.choice(('0', '0', 'c[i]', 'b[i]', 'm[2][i]'))};")
        lines += [f"    {inner} {{ part {rng.choice(('+=', '+=', '= part * 0.5 +'))} {several()}; }}",
                  f"    {rng.choice(('c[i] = part', 'c[i] = part', 'c[i] += part', 'g[2][i] = part'))};"]
    elif rng.random() < 0.1:
        array = rng.choice("abc")
        lines += [f"    const double first = {array}[i];", f"    {inner} {{ if ({several()} > 3) {array}[i] = first + {several()}; }}"]
    else:
        lines += [f"    {inner} {{", *("      " + line for line in body), "    }"]
    if rng.random() < 0.1:
        lines.append(f"    if (sum > 1e{rng.randrange(3, 9)}) break;")
    lines += ["  }", f"  result[{number}] = sum;", "}"]
    return "\n".join(lines) + "\n"


def columns(rng, number):
    """Two loops down the columns of a grid, most of which may go along its rows: each column from others, sums, transposed, in place."""
    target, *sources = rng.sample(sorted(GRIDS), 4)
    if target == "s":
        target, sources[0] = sources[0], target
    is_known = rng.random() < 0.5
    lines = [f"__kernel void kernel{number}(void *argument) {{", "  const struct call *own = argument;", "  (void)own; filling[0] = 1;",
             "  if (m_rank(CCC_ARRAY) != 0) return;",
             f"  const long rows = {rng.choice((1, 2, 9, ROWS - 4)) if is_known else 'own->count % (40 - 3)'}, "
             f"columns = {rng.choice((1, 7, 8, 9, 63, 64, 65, COLUMNS - 4)) if is_known else 'own->from % (104 - 3)'};"]

    def loop(index, length):
        if rng.random() < 0.15:
            return f"for (long {index} = {length} + 1; {index} >= 2; {index}--)"
        return f"for (long {index} = 2; {index} < {length} + 2; {index}{rng.choice(('++', '++', '++', ' += 2'))})"

    def value():
        kind = rng.randrange(10)
        if kind == 0:
            return rng.choice(("a[i]", "b[j]", "table[k[i] & 63]", "table[k[j] & 63]", "t[i][j]", "p[i].first"))
        if kind == 1:
            return f"{target}[j{rng.choice(('', ' - 1', ' + 1', ' - 2'))}][i{rng.choice(('', '', ' - 1', ' + 1'))}]"
        return rng.choice(sources) + place_in_grid(rng, "j", "i")

    def several():
        return f" {rng.choice('+-*')} ".join(value() for _ in range(rng.randrange(1, 4)))

    lines.append(f"  {loop('i', 'columns')} {{")
    form = rng.randrange(10)
    inner = loop("j", "rows")
    # What a branch chooses, which is computed for the column: kept in the loop around it, or the number of the column.
    chosen = rng.choice(("a[i] * 0.5", "table[k[i] & 63]", f"{sources[0]}[2][i] - 1", "(double)i", "(double)(i * 3)", "b[i + 1] + c[i]"))
    quotient = f"{several()} / ({value()} * {value()} + 1e3)"
    if form == 0:
        lines += [f"    double part = {rng.choice(('0', 'c[i]', 'a[i]', f'{sources[0]}[2][i]', f'{target}[1][i]'))};",
                  f"    {inner} {{ part {rng.choice(('+=', '= part * 0.5 +', '= part > 90 ? 1 :'))} {several()}; }}",
                  f"    {rng.choice(('c[i] = part', 'c[i] += part', f'{target}[1][i] = part', 'c[i] = part; a[i + 1] = part * 0.5'))};"]
    elif form == 1:
        lines += ["    double above = g[1][i], last = 0;" if target != "g" else "    double above = 1, last = 0;",
                  f"    {inner} {{ above = above * 0.25 + {several()}; {target}[j][i] = above * 0.125 + last; last = b[j] * 0.5; }}"]
    elif form == 6:
        lines += [f"    const double before = {chosen};", f"    {inner} {{", "      double one = before;",
                  f"      if ({several()} > {rng.randrange(-5, 9)}) {{ one = {quotient}; {rng.choice(('', 't[i][j] = one;'))} }}",
                  f"      {target}[j][i] = one * 0.5;", "    }"]
    elif form == 7:
        lines.append(f"    {inner} {target}[j][i] = {several()} > {rng.randrange(-5, 9)} ? {quotient} : {chosen};")
    elif form == 8:
        lines += [f"    const double before = {chosen};", f"    double part = c[i], factor = {rng.choice(('b[i]', '2'))};",
                  f"    {inner} {{ if ({several()} > {rng.randrange(9)}) part = part / ({value()} * 0.01 + 99) + factor; else part = before; factor = {rng.choice(('before', 'part', '1'))}; }}",
                  "    c[i] = part;"]
    elif form == 9:
        lines.append(f"    {inner} {{ {overlapping(rng, rng.choice('ji'), f'(long)({value()})', value())} }}")
    elif form == 2:
        lines.append(f"    {inner} t[i][j] = {several()};")
    elif form == 3:
        lines.append(f"    {inner} if ({several()} > {rng.randrange(9)}) {target}[j][i] = ({several()}) * 0.01;")
    else:
        lines.append(f"    {inner} {{ {target}[j][i] = ({several()}) * 0.125; {'b[j] += a[i] * 0.01;' if rng.random() < 0.2 else ''} }}")
    return "\n".join([*lines, "  }", "}"]) + "\n"


def kernel(rng, number):
    if rng.random() < 0.2:
        return columns(rng, number)
    if rng.random() < 0.5:
        return nest(rng, number)
    pointers = rng.random() < 0.4
    shared = not pointers and rng.random() < 0.2  # the array's threads divide the loop
    lines = [f"__kernel void kernel{number}(void *argument) {{", "  const struct call *own = argument;", "  (void)own; filling[0] = 1;"]
    lines += ["  double sum = 0, carried = 1;", "  const long count = own->count, from = own->from;"]
    if pointers:
        lines += [f"  double *u = own->u, *v = own->v; const double *w = own->w, *few = own->few; (void)u; (void)v; (void)w; (void)few;"]
    form = rng.randrange(6)
    index = "i"
    if form == 0:
        head = "for (long i = from + count - 1; i >= from; i--)"
    elif form == 1:
        head, index = "for (int i = 0; i < (int)count; i++)", "from + i"
    elif form == 2:
        step = rng.choice((2, 3, 4, 8))
        head = f"for (long i = from; i < from + count; i += {step})"
    else:
        head = "for (long i = from; i < from + count; i++)"
    if shared:
        head = "forall (long i = from; i < from + count; i++; BLOCK; CCC_ARRAY)"
        body = [f"a[i] = {rng.choice(('b[i] + b[i + 1]', 'c[i - 1] * f[i]', 'table[k[i] & 63]', 'b[i] * p[i].first'))};",
                f"if (h[i] > {rng.randrange(300)}) q[i].{rng.choice(('first', 'third'))} = {rng.choice(('b[i]', 'c[i + 2]'))};"]
        body = body[:rng.randrange(1, 3)]
    else:
        lines.append("  if (m_rank(CCC_ARRAY) != 0) return;")
        body = [statement(rng, index, pointers, number) for _ in range(rng.randrange(1, 4))]
    if not shared and rng.random() < 0.3:
        lines.append(f"  for (int round = 0; round < {rng.choice((1, 2, 5))}; round++)")
    lines.append(f"  {head} {{")
    lines += ["    " + line for line in body]
    lines += ["  }", f"  if (m_rank(CCC_ARRAY) == 0) result[{number}] = sum + carried;", "}"]
    return "\n".join(lines) + "\n"


def reader(rng, number):
    """A kernel that reads what may stay in the scratchpad: by all threads, by parts of a forall, again and again."""
    def value():
        kind = rng.randrange(8)
        shift = rng.choice(("", "", " + 1", " - 2", " + 30"))
        if kind < 3:
            return f"kept[i{shift}]"
        if kind == 3:
            return f"small[order[i{shift}] & 63]"
        if kind == 4:
            return f"fixed[order[i{shift}] & 63]"
        if kind == 5:
            return f"by_kernels[i{shift}]"
        return rng.choice(("b[i]", "order[i]", "kept[order[i] & 63]", "fixed[i & 63]", "small[i & 63]"))

    values = " + ".join(value() for _ in range(rng.randrange(1, 4)))
    lines = [f"__kernel void kernel{number}(void *argument) {{", "  const struct call *own = argument; filling[0] = 1;",
             "  const long from = own->from, count = own->count; (void)from; (void)count;"]
    form = rng.randrange(4)
    head = "for (long i = from; i < from + count; i++)"
    if form == 0:
        lines += [f"  double sum = 0;", f"  {head} sum += {values};", f"  if (m_rank(CCC_ARRAY) == 0) result[{number}] = sum;"]
    elif form == 1:
        lines += ["  for (int round = 0; round < 3; round++) {", "    if (m_rank(CCC_ARRAY) != 0) break;", f"    {head} a[i] = a[i] * 0.5 + {values};", "  }"]
    else:
        target = rng.choice(("a", "a", "a", "by_kernels"))
        if target == "by_kernels":
            values = values.replace("by_kernels", "kept")
        lines.append(f"  forall (long i = from; i < from + count; i++; {rng.choice(('BLOCK', 'BLOCK', 'BLOCK(64)'))}; CCC_ARRAY) {target}[i] = {values};")
    return "\n".join(lines) + "\n}\n"


def row(rng, numbers):
    """Statements that run several of the kernels one after the other, some of them queued behind others, and change what they read."""
    count = rng.choice(COUNTS[3:])
    start = rng.randrange(MARGIN, SIZE - MARGIN - count + 1)
    lines = ["reset();", f"call = (struct call){{a, b, c, {count}, {start}, 3, top, table}};"]
    for _ in range(rng.randrange(3, 9)):
        number = rng.choice(numbers)
        if rng.random() < 0.3:
            queued = [rng.choice(numbers) for _ in range(rng.randrange(2, 4))]
            lines.append("{ m_spawn_t all[] = {" + ", ".join(f"m_spawn(kernel{one}, &call)" for one in queued) +
                         "}; for (unsigned i = 0; i < sizeof all / sizeof *all; i++) m_join(all[i]); }")
        else:
            lines.append(f"m_run(kernel{number}, &call);")
        lines.append(f"print({number});")
        for _ in range(rng.randrange(3)):
            lines.append(f"change({rng.randrange(12)}, {rng.randrange(64, 2000)});")
    return "  " + "\n  ".join(lines)


def in_other_file(text, number):
    """A kernel as one that calls a function, and that function for the second file."""
    caller = (f"void body{number}(void *argument);\n__kernel void kernel{number}(void *argument) {{\n  filling[0] = 1;\n"
              f"  body{number}(argument);\n}}\n")
    return caller, text.replace(f"__kernel void kernel{number}(", f"void body{number}(").replace("filling[0] = 1;", "")


def program(rng, kernels, filling):
    """Its file, and a second one."""
    text, second = PRELUDE % (SIZE, filling), SECOND % SIZE
    text = text.replace("static float f[", "float f[").replace("static int k[", "int k[")
    calls = []
    for number in range(kernels):
        one = kernel(rng, number)
        if "forall" not in one and rng.random() < 0.3:
            one, other = in_other_file(one, number)
            second += other
        text += one
        for count in [*rng.sample(COUNTS, 4), rng.randrange(SIZE - 2 * MARGIN)]:
            start = rng.randrange(MARGIN, SIZE - MARGIN - count + 1)
            u, v, w = (f"{rng.choice('abc')} + {rng.randrange(-20, 20)}" if rng.random() < 0.5 else name for name in "abc")
            pitch = rng.choice((104, 104, 100, 60, 3))
            if pitch == 3:  # short rows begin near the start of the array, before which nothing may be read
                u, v = u.replace("-", ""), v.replace("-", "")
            calls.append(f"  reset(); call = (struct call){{{u}, {v}, {w}, {count}, {start}, {pitch}, {rng.choice(('top', 'top', 'a', 'b + 7', 'c - 11'))}, {rng.choice(FEW)}}}; m_run(kernel{number}, &call); print({number});")
    readers = range(kernels, kernels + 5)
    for number in readers:
        text += reader(rng, number)
    calls += [row(rng, readers) for _ in range(6)]
    return text + "int main(void) {\n  block = m_malloc(64 * sizeof *block);\n" + "\n".join(calls) + "\n  return 0;\n}\n", second


def as_processes(text):
    """The same program for --model=autonomic: kernels are functions that main calls, one after the other."""
    text = re.sub(r"forall \(([^;]*;[^;]*;[^;]*); [^;]*; CCC_ARRAY\)", r"for (\1)", text)
    text = re.sub(r"\{ m_spawn_t all\[\] = \{(.*?)\}; for .*? m_join\(all\[i\]\); \}",
                  lambda queued: " ".join(call + ";" for call in re.findall(r"m_spawn\(.*?\)", queued[1])), text)
    text = re.sub(r"m_(?:run|spawn)\((kernel\d+), &call\)", r"\1(&call)", text)
    return text.replace("__kernel ", "").replace("m_rank(CCC_ARRAY)", "0").replace("__thread_local char", "static char")

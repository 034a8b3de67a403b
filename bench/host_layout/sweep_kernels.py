# SPDX-License-Identifier: Apache-2.0
"""Random kernels of the forms that users write, for `sweep`: streams and steps, reductions, guards, look-ups and scattered
writes, lists, nests of two and three loops, short loops in long ones, rows of sparse matrices; of arrays, of pointers that may
be the same, and of restrict pointers."""
TYPES = {"signed char": 1, "short": 2, "int": 4, "long": 8, "float": 4, "double": 8, "float _Complex": 8, "double _Complex": 16,
         "struct pair": 16, "struct cell": 32, "struct wide": 72, "struct point": 12}
MEMBERS = {"struct pair": ("double", ".second"), "struct cell": ("double", ".value"), "struct wide": ("double", ".value"),
           "struct point": ("float", ".y")}
STEPS = (*range(1, 34), 64, 128, 256, 512, 1024)
PATTERNS = ("anywhere", "anywhere", "anywhere", "upwards", "downwards", "nearby", "few", "one")
HEAD = """#include <parallelc.h>
#include <math.h>
#include <stddef.h>
#include "sweep.h"
struct pair { double first, second; };
struct cell { double value, rest[3]; };
struct wide { long kind; double value, rest[7]; };
struct point { float x, y, z; };
extern int ats[most_indices], nexts[most_indices];
"""


class Kernel:
    """One kernel's text: of a body, with the names x, y, z, at, next and n, the elements of an array."""

    def __init__(self, rng, number):
        self.rng, self.name = rng, f"k{number}"
        self.type = rng.choice(list(TYPES))
        self.scalar, self.member = MEMBERS.get(self.type, (self.type, ""))
        self.pattern = rng.choice(PATTERNS)
        self.kind = rng.choice(("arrays", "arrays", "pointers", "restrict"))
        self.is_complex = "Complex" in self.type
        self.body = rng.choice(FORMS)(self)

    def of(self, array, index):
        return f"{array}[{index}]{self.member}"

    def constant(self):
        return self.rng.choice(("3", "5", "7"))

    def term(self, *values):
        """A cheap expression that stays small."""
        value = " + ".join(values)
        return f"({self.scalar})(({value}) * {'0.25' if self.is_floating() else '3'})"

    def is_floating(self):
        return self.scalar not in ("signed char", "short", "int", "long")

    def long_work(self, value):
        """Statements that compute `w` of a value, of a random length."""
        times = self.rng.choice((0, 0, 2, 4, 8, 16, 30))
        how = "w * 0.5 + v" if self.is_floating() else "w * 3 + v"
        return f"{self.scalar} v = {value}, w = v; for (int t = 0; t < {times}; t++) w = ({self.scalar})({how});"

    def condition(self, value):
        value = f"__real__ {value}" if self.is_complex else value
        return self.rng.choice((f"{value} > 48", f"{value} > 90", f"(long){value} % 3 == 0"))

    def text(self):
        arrays = f"{self.type} *{{0}}x, *{{0}}y, *{{0}}z; int *{{0}}at, *{{0}}next;"
        size = f"const long n = part->bytes / (long)sizeof({self.type}), m = n < most_indices ? n : most_indices; (void)n, (void)m;"
        of_arrays = "".join(f'extern {self.type} {array}_{self.name}[most_bytes / sizeof({self.type})] __asm__("{array}s");\n' for array in "xyz")
        unused = "(void)x, (void)y, (void)z, (void)at, (void)next;"
        if self.kind == "restrict":
            parameters = arrays.format("restrict ").replace(";", ",").rstrip(",").replace(", *", f", {self.type} *", 2)
            parameters = ", ".join((*(f"{self.type} *restrict {one}" for one in "xyz"), "const int *restrict at", "const int *restrict next"))
            return (f"static __attribute__((noinline)) void {self.name}_of({parameters}, const struct part *part) {{\n"
                    f"  {size} {unused}\n{self.body}}}\n"
                    f"static __kernel void {self.name}(void *argument) {{ const struct part *part = argument; "
                    f"{self.name}_of(part->x, part->y, part->z, part->at, part->next, part); }}\n")
        if self.kind == "arrays":
            names = [f"*const {one} = {one}_{self.name}" for one in "xyz"]
            indices = "int *const at = ats, *const next = nexts;"
        else:
            of_arrays = ""
            names = [f"*{one} = part->{one}" for one in "xyz"]
            indices = "const int *at = part->at, *next = part->next;"
        return (f"{of_arrays}static __kernel void {self.name}(void *argument) {{\n  const struct part *part = argument;\n"
                f"  {size}\n  {self.type} {', '.join(names)}; {indices} {unused}\n{self.body}}}\n")

    def entry(self):
        return f'{{"{self.name}", {self.name}, {TYPES[self.type]}, {int(self.is_floating())}, {self.pattern}}}'

    def title(self):
        return f"{self.type}, {self.kind}, at {self.pattern}: " + " ".join(self.body.split())


def stream(k):
    to, one, other = (k.rng.choice(STEPS) if k.rng.random() < 0.5 else 1 for _ in range(3))
    far = max(to, one, other)
    values = [k.of("x", f"i * {one}"), k.of("y", f"i * {other}")][:k.rng.randint(1, 2)]
    more = f" {k.of('x' if k.rng.random() < 0.3 else 'z', f'i * {to} + {k.rng.randint(0, 3)}')} = ({k.scalar})i;" if k.rng.random() < 0.2 else ""
    return f"  for (long i = 0; i < n / {far} - 4; i++) {{ {k.of('z', f'i * {to}')} = {k.term(*values)};{more} }}\n"


def fill(k):
    return f"  for (long i = 0; i < n; i++) {k.of('z', 'i')} = ({k.scalar}){k.rng.choice(('i', '3', '0'))};\n"


def in_place(k):
    distance = k.rng.choice((-8, -1, 0, 0, 1, 2, 16))
    array = k.rng.choice("zx")
    return f"  for (long i = 16; i < n - 16; i++) {k.of('z', 'i')} = {k.term(k.of(array, f'i + {distance}'), k.of('y', 'i'))};\n"


def stencil(k):
    return f"  for (long i = 1; i < n - 1; i++) {k.of('z', 'i')} = {k.term(k.of('x', 'i - 1'), k.of('x', 'i'), k.of('x', 'i + 1'))};\n"


def reduction(k):
    step = k.rng.choice(STEPS)
    how = k.rng.choice(("s += {0};", "s += {0} * {0};", "if ({1}) s += {0};", "s = s * 0.5 + {0};")).format(
        k.of("x", f"i * {step}"), k.condition(k.of("x", f"i * {step}")))
    if not k.is_floating():
        how = how.replace("s * 0.5", "s / 2")
    return f"  {k.scalar} s = 0; for (long i = 0; i < n / {step}; i++) {{ {how} }} {k.of('z', '1')} = s;\n"


def index(k):
    return k.rng.choice(("at[i]", "at[i]", "at[i]", "at[at[i] % m]", "(at[i] * 7L + 3) % n", "at[m - 1 - i]", "(at[i] & ~7)", "next[i] % n"))


def look_up(k):
    place = index(k)
    to = k.rng.choice((k.of("z", "i") + " = w;", "s += w;", f"if ({k.condition('w')}) s += w; else t_ = t_ * {'0.5' if k.is_floating() else '3'} + s;",
                       f"s += w + {k.of('x', 'at[i] + 0')};", f"if ({k.condition(k.of('y', 'i'))}) s += w;"))
    guard = f"if ({k.condition(k.of('y', 'i'))}) " if k.rng.random() < 0.25 else ""
    return (f"  {k.scalar} s = 0, t_ = 1;\n  for (long i = 0; i < m; i++) {guard}{{ {k.long_work(k.of('x', place))} {to} }}\n"
            f"  {k.of('z', '0')} = s + t_;\n")


def scatter(k):
    place = index(k)
    how = k.rng.choice(("{0} = {1};", "{0} += {1};", "{0} += 1;", "if ({2}) {0} = {1};", "{0} = {0} + {1} * 2;"))
    work = k.rng.random() < 0.3
    value = "w" if work else k.of("x", "i")
    how = how.format(k.of("z", place), value, k.condition(k.of("y", "i")))
    return f"  for (long i = 0; i < m; i++) {{ {k.long_work(k.of('x', 'i')) if work else ''} {how} }}\n"


def chase(k):
    return f"  long p = 0; {k.scalar} s = 0; for (long i = 0; i < m; i++) {{ s += {k.of('x', 'p')}; p = next[p]; }} {k.of('z', '0')} = s;\n"


def guarded(k):
    how = k.rng.choice((f"if ({k.condition(k.of('x', 'i'))}) {k.of('z', 'i')} = {k.term(k.of('y', 'i'))};",
                        f"{k.of('z', 'i')} = {k.condition(k.of('x', 'i'))} ? {k.of('x', 'i')} : {k.of('y', 'i')};",
                        f"if ({k.condition(k.of('x', 'i'))}) {k.of('z', 'p++')} = {k.of('x', 'i')};"))
    return f"  long p = 0; for (long i = 0; i < n; i++) {{ {how} }} (void)p;\n"


def sizes(k):
    """Of nests: rows, columns and the distance of rows."""
    kind = k.rng.choice(("square", "square", "power", "odd", "flat", "tall"))
    if kind == "flat":
        return f"  const long c = {k.rng.randint(1, 64)}, p = c, r = n / p; (void)r;\n"
    if kind == "tall":
        return f"  const long r = {k.rng.randint(1, 64)}, c = n / r, p = c; (void)c;\n"
    more = {"square": "p = c", "power": "p = 1L << (63 - __builtin_clzl((unsigned long)c + 1))", "odd": "p = (c - 1) | 1"}[kind]
    return f"  const long q = (long)sqrt((double)n), {more.replace('c', 'q')}, c = p < q ? p : q, r = n / p < q ? n / p : q;\n".replace("qlzl", "clzl")


def nest(k):
    x, z, up, left, turned = k.of("x", "i * p + j"), k.of("z", "i * p + j"), k.of("z", "(i - 1) * p + j"), k.of("z", "i * p + j - 1"), k.of("x", "j * p + i")
    body = k.rng.choice((f"{z} = {k.term(x, k.of('y', 'j'))};", f"{z} = {k.term(z, up)};", f"{z} = {k.term(x, left)};", f"{z} = {k.term(x)};",
                         f"{k.of('z', 'i')} += {x};", f"{k.of('z', 'j')} += {x};", f"if ({k.condition(x)}) {z} = {k.term(up)};",
                         f"{z} = {turned};", f"{z} = {k.term(turned, x)};"))
    loops = ["for (long i = 1; i < r; i++)", "for (long j = 1; j < c; j++)"]
    if turned in body:
        loops = ["for (long i = 1; i < (r < c ? r : c); i++)", "for (long j = 1; j < (r < c ? r : c); j++)"]
    if k.rng.random() < 0.5:
        loops.reverse()
    return sizes(k) + f"  {' '.join(loops)} {body}\n"


def sums_of_nests(k):
    x = k.of("x", "i * p + j")
    outer, inner = k.rng.choice((("i", "j"), ("j", "i")))
    ends = {"i": "r", "j": "c"}
    how = k.rng.choice(("s += {0};", "if ({1}) s += {0};", "s = s / 2 + {0};")).format(x, k.condition(x))
    return sizes(k) + (f"  for (long {outer} = 0; {outer} < {ends[outer]}; {outer}++) {{ {k.scalar} s = 0; "
                       f"for (long {inner} = 0; {inner} < {ends[inner]}; {inner}++) {{ {how} }} {k.of('z', outer)} = s; }}\n")


def batches(k):
    """Small nests, again and again."""
    r, c = k.rng.randint(0, 64), k.rng.randint(0, 64)
    known = k.rng.random() < 0.5
    ends = f"  const long r = {r}, c = {c};\n" if known else f"  const long r = {r} + part->bytes % 2, c = {c} + part->bytes % 2;\n"
    loops = ["for (long i = 0; i < r; i++)", "for (long j = 0; j < c; j++)"]
    body = k.rng.choice((f"{k.of('z', 'b + i * c + j')} = {k.term(k.of('x', 'b + i * c + j'))};", f"{k.of('z', 'b + i * c + j')} = {k.of('x', 'b + j * r + i')};",
                         f"{k.of('z', 'b + i')} += {k.of('x', 'b + i * c + j')};", f"{k.of('z', 'b + j')} += {k.of('x', 'b + i * c + j')};",
                         f"{k.of('z', 'b + i * c + j')} += {k.of('x', 'at[b + j]')};"))
    if k.rng.random() < 0.5:
        loops.reverse()
    return ends + f"  for (long b = 0; b + (r + 1) * (c + 1) < m; b += r * c + 1) {' '.join(loops)} {body}\n"


def matrices(k):
    loops = [f"for (long {one} = 0; {one} < q; {one}++)" for one in "ijk"]
    k.rng.shuffle(loops)
    x, y = k.of("x", "i * q + k"), k.of("y", k.rng.choice(("k * q + j", "j * q + k")))
    least = k.rng.choice((40, 64, 96, 128, 200))
    product = f"{x} * {y}" if k.is_floating() else f"{x} ^ {y}"
    return (f"  const long all = (long)sqrt((double)n), q = all < {least} ? all : {least};\n"
            f"  {' '.join(loops)} {k.of('z', 'i * q + j')} += ({k.scalar})({product});\n")


def blocks(k):
    """Three dimensions, in some order."""
    loops = [f"for (long {one} = 1; {one} < q - 1; {one}++)" for one in "ijk"]
    k.rng.shuffle(loops)
    here = "(i * q + j) * q + k"
    near = k.rng.sample((f"{here} - 1", f"{here} + 1", f"{here} - q", f"{here} + q", f"{here} - q * q", f"{here} + q * q", here), k.rng.randint(1, 4))
    array = k.rng.choice("xxz")
    return f"  const long q = (long)cbrt((double)n);\n  {' '.join(loops)} {k.of('z', here)} = {k.term(*(k.of(array, one) for one in near))};\n"


def sparse(k):
    row = k.rng.choice((0, 1, 3, 5, 7, 27, 64))
    varies = k.rng.choice(("", " - at[i] % 3"))
    end = f"i * {row} + {row}{varies if row > 3 else ''}"
    return (f"  for (long i = 0; i < m / {max(row, 1)}; i++) {{ {k.scalar} s = 0; for (long e = i * {row}; e < {end}; e++) "
            f"s += {k.of('y', 'e')} * {k.of('x', 'at[e]')}; {k.of('z', 'i')} = s; }}\n")


FORMS = (stream, stream, fill, in_place, stencil, reduction, reduction, look_up, look_up, look_up, look_up, scatter, scatter, chase, guarded, nest, nest,
         nest, sums_of_nests, sums_of_nests, batches, batches, matrices, blocks, blocks, sparse, sparse)


def source(kernels, rng):
    """The text of a file with all of them, in any order; its table, which is in theirs, has the name TABLE."""
    texts = [kernel.text() + f'__asm__(".text; .skip {rng.randrange(64)}");\n' for kernel in kernels]
    rng.shuffle(texts)
    entries = "".join(f"    {kernel.entry()},\n" for kernel in kernels)
    return HEAD + "\n".join(texts) + f"\nconst struct kernel TABLE[] = {{\n{entries}    {{NULL, NULL, 0, 0, anywhere}}}};\n"

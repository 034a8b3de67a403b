#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random output calls of kernels, packed and in pieces, and of programs in the autonomic model, compared byte by byte with
the same program as plain C.

usage: random_output.py [--programs N] [--seed S] --work FOLDER --parcrun PARCRUN PARCC"""
import argparse
import pathlib
import random
import subprocess

HEAD = r"""
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef WITH_KERNELS
#include <parallelc.h>
#else
#define __kernel
#endif
static char text[64] = "mutable text", other[40];
static const char *nothing;
static double real = 0.1;
static long double wide = 1.0L / 3;
static volatile int one = 1;
static int written, numbers[8] = {1, -2, 3, -4, 5, -6, 7, -8};
static FILE *file;
__attribute__((noinline)) static const char *pick(int k) { return k % 3 ? text : "constant"; }
__attribute__((noinline)) static int step(void) { text[one % 7]++; return one++; }
"""


def conversion(choose):
    """A conversion and its argument."""
    flags = "".join(sorted(set(choose.choices("-+ 0#", k=choose.randrange(3)))))
    width = choose.choice(["", "", "3", "12", "*", "200" if choose.random() < 0.1 else ""])
    before = [str(choose.randint(-20, 20))] if width == "*" else []
    kind = choose.randrange(9)
    if kind < 4:
        length, cast = choose.choice([("", "int"), ("hh", "int"), ("h", "int"), ("l", "long"), ("ll", "long long"), ("z", "size_t"),
                                      ("j", "intmax_t"), ("t", "ptrdiff_t")])
        value = choose.choice(["numbers[k & 7]", "k", "-k", "one", "k * 1000003", "INT64_MIN", "0", "step()"])
        letter = choose.choice("diouxX")
        precision = choose.choice(["", "", ".", ".0", ".7"])
        flags = flags.replace("0", "") if precision else flags
        flags = flags.replace("#", "") if letter in "diu" else flags
        flags = flags.replace("+", "").replace(" ", "") if letter not in "di" else flags
        return f"%{flags}{width}{precision}{length}{letter}", before + [f"({cast})({value})"]
    if kind < 6:
        precision = choose.choice(["", ".3", ".0", ".20", ".*"])
        count = [str(choose.randint(-3, 12))] if precision == ".*" else []
        letter = choose.choice("eEfFgGaA")
        if choose.random() < 0.3:
            return f"%{flags}{width}{precision}L{letter}", before + count + [choose.choice(["wide", "wide * k", "-wide"])]
        value = choose.choice(["real", "real * k", "-1e300 * k", "1.0 / (k - 3)", "(float)real", "0.0 * -k"])
        return f"%{flags}{width}{precision}{letter}", before + count + [value]
    if kind < 8:
        precision = choose.choice(["", ".2", ".0", ".*", ".500"])
        count = [str(choose.randint(-2, 9))] if precision == ".*" else []
        # Not terminated: only a precision makes it a string.
        values = ["text", "text + (k & 3)", "pick(k)", '"literal"', "nothing ? nothing : \"-\"", "other", "(char *)nothing"]
        if precision == ".2":
            values.append("(const char[2]){'a', 'b'}")
        flags = flags if set(flags) <= {"-"} else ""
        return f"%{flags}{width}{precision}s", before + count + [choose.choice(values)]
    return choose.choice([("%%", []), ("%c", ["'a' + k"]), ("%c", ["k - 1"]), ("%p", ["(void *)(intptr_t)(k * 4096)"]),
                          ("%2$d %1$s", ["text", "k"]), ("%n", ["&written"])])


def literal(choose):
    return choose.choice(["", " ", "a b", "\\n", ", ", "100%%", "\\t|", "x\\n\\n", "\\303\\251", "l" * 300 if choose.random() < 0.05 else "z"])


def print_call(choose):
    parts, arguments = [literal(choose)], []
    for _ in range(choose.randrange(5)):
        format_, values = conversion(choose)
        if "$" in format_ and (parts != [""] or arguments):
            continue  # positional ones do not mix with others
        parts += [format_] if "$" in format_ else [format_, literal(choose)]
        arguments += values
        if "$" in format_:
            break
    format_ = "".join(parts) + choose.choice(["\\n", "\\n", ""])
    to = choose.choice(["printf(", "printf(", "fprintf(stdout, ", "fprintf(file, "])
    call = to + ", ".join([f'"{format_}"'] + arguments) + ")"
    return choose.choice([call, call, call, f"(void){call}", f"written += {call}"])


def statement(choose):
    other = ["puts(text)", 'puts("line")', 'puts("50%")', "putchar('c')", "putchar('%')", "putchar('a' + (k & 15))", "putchar(0)",
             "fputs(pick(k), stdout)", 'fputs("fixed ", stdout)', "fputc('\\n', file)", "fwrite(text, 1, 5, stdout)",
             'fwrite("four", 2, 2, stdout)', "fwrite(numbers, sizeof *numbers, k & 3, stdout)", "fflush(stdout)", "putc('p', stdout)",
             "text[k & 7]++", "strcpy(other, pick(k))", "snprintf(other, sizeof other, \"%d\", k)", "step()", "real += 0.37", "k++",
             "if (k & 1) printf(\"odd %d\\n\", k)", "fputs(text, k & 1 ? stdout : file)", "vary(stdout, k)", "nothing = k & 4 ? text : NULL"]
    return "    " + (print_call(choose) if choose.random() < 0.6 else choose.choice(other)) + ";"


def program(choose):
    functions = []
    for number in range(3):
        body = "\n".join(statement(choose) for _ in range(choose.randrange(4, 14)))
        functions.append(f"__attribute__((noinline)) static void part{number}(int k) {{\n{body}\n}}")
    return (HEAD + "__attribute__((noinline)) static void vary(FILE *to, int k) { fprintf(to, \"to %d \", k), fprintf(to, \"again %s\\n\", text); }\n"
            + "\n".join(functions) + """
__kernel void all(void *argument) {
    const int count = *(const int *)argument;
    for (int k = 0; k < count; k++) part0(k), part1(k + 1), part2(2 * k);
    printf("written %d\\n", written);
}
int main(int argc, char **argv) {
    int count = argc > 2 ? atoi(argv[2]) : 5;
    file = fopen(argv[1], "w");
    if (!file) return 3;
    printf("before\\n");
#ifdef WITH_KERNELS
    m_run(all, &count);
#else
    all(&count);
#endif
    printf("after\\n");
    if (fclose(file)) return 4;
    return 0;
}
""")


def output_of(command, file):
    done = subprocess.run(list(map(str, command)) + [str(file), "7"], capture_output=True, timeout=120)
    if done.returncode != 0:
        raise SystemExit(f"{command}: exit code {done.returncode}: {done.stderr[-2000:].decode(errors='replace')}")
    return done.stdout, file.read_bytes()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--parcrun", required=True)
    parser.add_argument("parcc")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    builds = {"packed": ["-O2", "-DWITH_KERNELS"], "packed0": ["-O0", "-DWITH_KERNELS"], "checked": ["-O2", "-D_FORTIFY_SOURCE=2", "-DWITH_KERNELS"],
              "pieces": ["-O1", "-DWITH_KERNELS", "--no-proxy-opt"], "autonomic": ["-O2", "--model=autonomic"]}
    compared = 0
    for number in range(options.programs):
        choose = random.Random(options.seed * 1000 + number)
        source = options.work / f"output{number}.c"
        source.write_text(program(choose))
        plain = options.work / f"plain{number}"
        subprocess.run(["clang-19", "-w", "-O1", source, "-o", plain], check=True)
        expected = output_of([plain], options.work / "file")
        for name, flags in builds.items():
            built = options.work / f"{name}{number}"
            subprocess.run([options.parcc, "-w", *flags, source, "-o", built], check=True)
            result = output_of([options.parcrun, "--timeout", "100", "-n", "1", "--threads", "1", built], options.work / "file")
            if result != expected:
                where = next((i for i, (a, b) in enumerate(zip(result[0], expected[0])) if a != b), min(len(result[0]), len(expected[0])))
                raise SystemExit(f"{source}: {name} prints something else at byte {where}: "
                                 f"{result[0][max(0, where - 60):where + 60]!r}, not {expected[0][max(0, where - 60):where + 60]!r}")
            compared += 1
    print(f"{options.programs} programs, {compared} builds print the same bytes as plain C")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damages the headers of foralls, token by token, and gives them to the compiler.

Each program is one source of this folder whose forall headers were changed at random: words left out, doubled, swapped,
or replaced by words of other headers and of the language. Clang reads the tokens, so the whole compiler is run. It has to
end with code 0 or 1 within 30 seconds; with code 1 it has to say at least one error, and no message may be the compiler's
own failure. A program that breaks this is kept in the folder --work.

Usage: mutated_clauses.py [--programs N | --seconds N] [--seed S] --work DIR -- COMPILER-COMMAND
"""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TOKEN = re.compile(r'[A-Za-z_]\w*|\d\w*|"(?:[^"\\\n]|\\.)*"|\+\+|--|->|[-+*/<>=!&|]=|<<|>>|&&|\|\||\S')
WORDS = """( ) [ ] { } ; : , . -> ... # ## \\ ? = += -= *= ++ -- < <= > >= == != && || ! ~ + - * / % & | ^ << >>
int long unsigned double struct const static auto void sizeof for forall if else return do while switch case break goto
__kernel scratchpad node_shared BLOCK BLOCK(n) BLOCK(0) BLOCK() ANY CCC_ALL CCC_NODE CCC_ARRAY CCC_WHAT _Pragma("omp") __attribute__((unused))
_Generic({}) ({0;}) (int){0} 0 1 -1 0.5 1e400 'x' "text" 99999999999999999999 i j n taihu_forall_begin __LINE__ @ $ \x01""".split(" ")


def headers(text):
    """(begin, end) of what is between the parentheses of each forall."""
    found = []
    for match in re.finditer(r"\bforall\s*\(", text):
        depth, at = 1, match.end()
        while at < len(text) and depth > 0:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        if depth == 0:
            found.append((match.end(), at - 1))
    return found


def mutated(rng, tokens, others):
    tokens = list(tokens)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 8])):
        at = rng.randrange(len(tokens) + 1)
        kind = rng.randrange(6)
        if kind == 0 and tokens:
            del tokens[min(at, len(tokens) - 1)]
        elif kind == 1 and tokens:
            tokens.insert(at, rng.choice(tokens))
        elif kind == 2 and tokens:
            other = rng.randrange(len(tokens))
            at = min(at, len(tokens) - 1)
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif kind == 3:
            begin, end = sorted((rng.randrange(len(tokens) + 1), rng.randrange(len(tokens) + 1)))
            tokens[begin:end] = rng.choice(others)
        else:
            word = rng.choice(WORDS)
            tokens[at:at + rng.randrange(2)] = [word] * rng.choice([1, 1, 1, 2, 200])
    return tokens


def program(rng, texts, all_headers):
    text = rng.choice(texts)
    places = headers(text)
    chosen = {rng.randrange(len(places)) for _ in range(rng.choice([1, 1, 2]))}
    for number in sorted(chosen, reverse=True):
        begin, end = places[number]
        tokens = mutated(rng, TOKEN.findall(text[begin:end]), all_headers)
        text = text[:begin] + " ".join(tokens) + text[end:]
    return text


def problem_of(command, source):
    try:
        done = subprocess.run([*command, "-fsyntax-only", source], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=30, check=False)
    except subprocess.TimeoutExpired:
        return "took more than 30 seconds"
    said = done.stdout.decode(errors="replace")
    if done.returncode not in (0, 1) or "PLEASE submit a bug report" in said:
        return f"exit code {done.returncode}:\n{said[-3000:]}"
    if (done.returncode == 1) != ("error: " in said):
        return f"exit code {done.returncode}, but:\n{said[-3000:]}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=sys.maxsize)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, help="without it other programs each time")
    parser.add_argument("--work", required=True)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    rng = random.Random(options.seed)
    sources = sorted(path for folder in ("forall", "errors", "variables") for path in (HERE / folder).glob("*.c"))
    texts = [text for text in (path.read_text(encoding="utf-8") for path in sources) if headers(text)]
    all_headers = [TOKEN.findall(text[begin:end]) for text in texts for begin, end in headers(text)]
    end = time.monotonic() + options.seconds
    count = 0
    while count < options.programs and time.monotonic() < end:
        count += 1
        source = os.path.join(options.work, f"mutated{count}.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(program(rng, texts, all_headers))
        problem = problem_of(options.command, source)
        if problem:
            print(f"{source}: {problem}")
            return 1
        os.remove(source)
    print(f"{count} programs with damaged foralls: each was compiled or refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())

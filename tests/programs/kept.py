#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What kept.c transfers on the modelled machine: a kernel fetches only what no kernel before it has left.

usage: kept.py PARCRUN PROGRAM
"""
import re
import subprocess
import sys

N = 240


def kernels(parcrun, program, threads):
    run = subprocess.run([parcrun, "--timeout", "60", "-n", "1", "--threads", str(threads), program], capture_output=True, text=True,
                         check=False)
    if run.returncode != 0 or "kept: passed" not in run.stdout:
        sys.exit(f"{threads} threads: exit code {run.returncode}\n{run.stdout}{run.stderr}")
    found = {}
    for block in re.split(r"^scratchpad model: rank 0: kernel ", run.stderr, flags=re.MULTILINE)[1:]:
        numbers = dict.fromkeys(("transfers", "bytes", "reused", "reused_bytes"), 0)
        numbers["transfers"], numbers["bytes"] = map(int, re.search(r"transfers +(\d+), (\d+) bytes", block).groups())
        reused = re.search(r"copies still there +(\d+), (\d+) bytes", block)
        if reused is not None:
            numbers["reused"], numbers["reused_bytes"] = map(int, reused.groups())
        numbers["cycles"] = int(re.search(r"cycles +(\d+)", block).group(1))
        found[block.split()[0]] = numbers
    return run.stderr, found


def check(condition, text):
    if not condition:
        sys.exit("check failed: " + text)


def main():
    parcrun, program = sys.argv[1:]
    for threads in (1, 2, 3):
        texts = [kernels(parcrun, program, threads) for _ in range(3)]
        check(len({text for text, _ in texts}) == 1, f"{threads} threads: reports of several runs differ")
        _, of = texts[0]
        first, again, written = of["first"], of["again"], of["after_write"]
        text = f"{threads} threads: {of}"
        # Each thread puts its part of out; of first it fetches all else, of again nothing.
        check(again["transfers"] == threads and again["bytes"] == 8 * N, text)
        check(first["transfers"] - first["reused"] > again["transfers"], text)
        check(first["transfers"] - again["transfers"] >= again["reused"] - first["reused"] > 0, text)
        check(first["bytes"] == again["bytes"] + again["reused_bytes"] - first["reused_bytes"], text)
        check(again["cycles"] < first["cycles"], text)
        # Only the table of 512 bytes is fetched again.
        check(again["bytes"] < written["bytes"] <= again["bytes"] + 512 * threads and written["reused"] > 0, text)
        check(of["changing"]["reused"] > 0 and of["changing"]["transfers"] > 3 * 40 * threads, text)
        check(of["without_room"]["bytes"] == first["bytes"] and of["without_room"]["reused"] == first["reused"], text)
        # Of a nest: the matrix that all its tiles need, and the rows, which all lie in one tile.
        nest, nest_again, nest_written = of["product_first"], of["product_again"], of["product_after_write"]
        matrix, rows = 24 * 24 * 8, 40 * 24 * 8
        check(nest["bytes"] == nest_again["bytes"] + matrix + rows, text)
        check(nest_again["reused_bytes"] - nest["reused_bytes"] == matrix + rows, text)
        check(nest_written["bytes"] == nest_again["bytes"] + matrix, text)
    print("kept: transfers as expected")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The report of a program built with --spm-model: counts that follow from its source, the same bytes on every run.

usage: modelled.py PARCRUN PROGRAM
"""
import re
import subprocess
import sys

N, TILE = 4096, 64
RUNS = 4


def report(parcrun, program, ranks, threads):
    run = subprocess.run([parcrun, "--timeout", "60", "-n", str(ranks), "--threads", str(threads), program], capture_output=True,
                         text=True, check=False)
    if run.returncode != 0 or "modelled: passed" not in run.stdout:
        sys.exit(f"{ranks} ranks x {threads} threads: exit code {run.returncode}\n{run.stdout}{run.stderr}")
    return run.stderr


def kernels(text):
    """(rank, name) -> dictionary of its numbers."""
    found = {}
    for block in re.split(r"^scratchpad model: ", text, flags=re.MULTILINE)[1:]:
        head = re.match(r"rank (\d+): kernel (\w+) \(.*?\): (\d+) runs? on (\d+) threads", block)
        if head is None:
            continue
        loads, stores = map(int, re.search(r"discrete accesses +(\d+) loads, (\d+) stores", block).groups())
        together = int(re.search(r"threads together (\d+)", block).group(1))
        transfers, transfer_bytes = map(int, re.search(r"transfers +(\d+), (\d+) bytes", block).groups())
        near, stack = map(int, re.search(r"scratchpad accesses +(\d+), stack (\d+)", block).groups())
        foreign = re.search(r"calls not timed +(\d+)", block)
        found[int(head.group(1)), head.group(2)] = {
            "threads": int(head.group(4)), "cycles": int(re.search(r"cycles +(\d+)", block).group(1)), "loads": loads,
            "stores": stores, "transfers": transfers, "bytes": transfer_bytes, "near": near, "stack": stack, "together": together,
            "foreign": int(foreign.group(1)) if foreign else 0}
    return found


def check(condition, text):
    if not condition:
        sys.exit("check failed: " + text)


COLUMNS = ("together", "loads", "stores", "transfers", "bytes", "near", "stack")


def check_lines(text, all_kernels, ranks):
    """Each line of the source has its part: together they are what the kernels did, and the longest come first."""
    lines = {}
    for numbers, place in re.findall(r"^ ((?: +\d+){7})  (.+)$", text[text.index("all threads by source line"):], re.MULTILINE):
        lines[place] = dict(zip(COLUMNS, map(int, numbers.split())))
    all_lines = lines.pop("all lines")
    for column in COLUMNS:
        check(sum(line[column] for line in lines.values()) == all_lines[column], f"{column} of the lines do not add up:\n{text}")
        of_kernels = sum(kernel[column] for kernel in all_kernels.values())
        rounded = len(all_kernels) / 2 + 1 if column == "together" else 0
        check(abs(of_kernels - all_lines[column]) <= rounded, f"{column} of lines {all_lines[column]}, of kernels {of_kernels}:\n{text}")
    cycles = [line["together"] for line in lines.values()]
    check(all(one + 1 >= other for one, other in zip(cycles, cycles[1:])), "lines are sorted by cycles:\n" + text)
    in_source = {(place.split()[1], line["loads"], line["stores"]) for place, line in lines.items() if ":" in place}
    check(("discrete", ranks * N, ranks * N) in in_source, text)
    moved = [(line["transfers"], line["bytes"]) for place, line in lines.items() if place.endswith(" staged") and line["transfers"]]
    check(moved == [(ranks * N // TILE, ranks * 8 * N)] * 2, f"transfers of two lines: {moved}\n{text}")
    check(all(re.match(r"\S*modelled.c:\d+ |begin of kernels|\S*\.h:\d+ ", place) for place in lines), text)


def check_counts(parcrun, program, ranks, threads):
    texts = [report(parcrun, program, ranks, threads) for _ in range(RUNS)]
    check(len(set(texts)) == 1, f"{threads} threads: reports of several runs differ:\n" + "\n".join(sorted(set(texts))))
    all_kernels = kernels(texts[0])
    check({name for _, name in all_kernels} == {"discrete", "staged", "together", "outside", "forall"}, texts[0])
    for rank in range(ranks):
        one = {name: numbers for (of, name), numbers in all_kernels.items() if of == rank}
        # Each thread loads the factor, too.
        check(one["discrete"]["loads"] == N + threads and one["discrete"]["stores"] == N, "discrete: " + str(one))
        check(one["staged"]["transfers"] == 2 * N // TILE and one["staged"]["bytes"] == 16 * N, "staged: " + str(one))
        check(one["staged"]["loads"] == one["staged"]["stores"] == 0, "staged has no discrete access: " + str(one))
        check(one["staged"]["near"] == 2 * N, "staged: " + str(one))
        # done[i] is read and written, from[i] read; the sum is read and written under the lock.
        check(one["together"]["loads"] == 2 * N + threads and one["together"]["stores"] == N + threads, "together: " + str(one))
        check(one["outside"]["foreign"] <= 1, "outside: " + str(one))
        check(one["forall"]["stores"] == N, "forall: " + str(one))
        check(one["discrete"]["cycles"] > 3 * one["staged"]["cycles"], "DMA is faster: " + str(one))
    check_lines(texts[0], all_kernels, ranks)


def main():
    parcrun, program = sys.argv[1:]
    for ranks, threads in ((1, 1), (1, 3), (2, 2), (1, 64)):
        check_counts(parcrun, program, ranks, threads)
    print("modelled: reports as expected")


main()

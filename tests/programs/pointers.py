#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What pointers.c transfers on the modelled machine: variables of the other file, and no byte beyond their ends.

usage: pointers.py PARCRUN PROGRAM
"""
import re
import subprocess
import sys

N = 1000


def main():
    parcrun, program = sys.argv[1:]
    run = subprocess.run([parcrun, "--timeout", "60", "-n", "1", "--threads", "2", program], capture_output=True, text=True, check=False)
    if run.returncode != 0 or "pointers: passed" not in run.stdout:
        sys.exit(f"exit code {run.returncode}\n{run.stdout}{run.stderr}")
    moved = {}
    for name, body in re.findall(r"kernel (\w+) \(.*?\n((?:  .*\n)+)", run.stderr):
        moved[name] = int(re.search(r"transfers +\d+, (\d+) bytes", body).group(1))
    # Each thread fetches all of `from` (8 bytes) and `which` (4 bytes).
    if moved["in_program"] != 2 * 12 * N or moved["in_file"] != 2 * 12 * (N + 64) or moved["in_block"] != 2 * 12 * N:
        sys.exit(f"variables of another file, or blocks of m_malloc, were not moved: {moved}\n{run.stderr}")
    if moved["in_grid"] != 2 * 12 * 24 * 40:
        sys.exit(f"a nest in a function of another file was not moved: {moved}\n{run.stderr}")
    if any(moved[name] != 0 for name in ("over_end", "in_memory", "over_block", "freed_block")) or moved["few_only"] not in (0, 2 * 12 * 8):
        sys.exit(f"moved what lies in no variable: {moved}\n{run.stderr}")
    # Each thread fetches all of the table, and the places in it; of one that is large, or is no variable, the places alone.
    if any(moved[name] != 2 * 12 * N for name in ("by_table", "by_half_table", "by_declared")):
        sys.exit(f"tables of another file were not moved: {moved}\n{run.stderr}")
    if any(moved[name] != 2 * 4 * N for name in ("by_large_table", "by_memory")):
        sys.exit(f"moved a table that is too large, or no variable: {moved}\n{run.stderr}")
    # One thread works; where it writes to the table's own end, the table stays in main memory.
    if moved["beside_table"] != (8 + 4 + 8) * N or moved["within_table"] != (4 + 8) * N // 2:
        sys.exit(f"tables beside what is written: {moved}\n{run.stderr}")
    # One thread fetches both arrays, and puts one back.
    if any(moved[name] != 3 * 8 * N for name in ("raise_program", "raise_block")) or moved["raise_grid"] != 3 * 8 * 24 * 40:
        sys.exit(f"what may be written was not moved: {moved}\n{run.stderr}")
    if any(moved[name] != 0 for name in ("raise_constant", "raise_memory", "raise_constant_grid")):
        sys.exit(f"moved what could not be put back: {moved}\n{run.stderr}")
    print("pointers: transfers as expected")


main()

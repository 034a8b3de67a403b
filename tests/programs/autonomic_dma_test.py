# SPDX-License-Identifier: Apache-2.0
"""A plain program in the autonomic model on the modelled machine, without and with transfers: the same output; most accesses of
main memory become transfers. Usage: autonomic_dma_test.py PARCRUN FOLDER"""
import re
import subprocess
import sys

parcrun, folder = sys.argv[1:]
results = []
for program in ("autonomic_plain", "autonomic_staged"):
    done = subprocess.run([parcrun, "--timeout", "60", "-n", "1", "--threads", "4", f"{folder}/{program}"], capture_output=True, text=True)
    assert done.returncode == 0, done
    loads, stores = map(int, re.search(r"discrete accesses +(\d+) loads, (\d+) stores", done.stderr).groups())
    transfers = int(re.search(r"transfers +(\d+)", done.stderr).group(1))
    assert "kernel user_main: 1 run on 1 thread" in done.stderr, done.stderr
    results.append((done.stdout, loads + stores, transfers))
(plain, before, none), (staged, after, transfers) = results
assert plain == staged and plain.startswith("sum "), results
assert none == 0 and before > 70000 and transfers > 10 and after < before / 20, results
print(f"{before} accesses of main memory became {after}: the same result")

# SPDX-License-Identifier: Apache-2.0
"""check_replay.py MARUN NOCSIM PROGRAM TRACE: runs the program with four ranks and --trace-collectives and replays the trace."""
import pathlib
import re
import subprocess
import sys

marun, nocsim, program, trace = sys.argv[1:]
pathlib.Path(trace).unlink(missing_ok=True)
subprocess.run([marun, "--timeout", "100", "-n", "4", "--trace-collectives", trace, program], check=True)


def replayed(*options):
    done = subprocess.run([nocsim, "replay", trace, *options], check=True, capture_output=True, text=True)
    print(done.stdout)
    fair = done.stdout[done.stdout.index("parameters fair"):]
    ranks, length, share = re.match(r"parameters fair: (\d+) ranks, (\d+) us, ([0-9.]+)% of it in collectives", fair).groups()
    assert int(ranks) == 4, ranks
    assert float(share) <= 100, share
    on_chip = [float(each) for each in re.search(r"takes ([0-9.]+) us .* software, ([0-9.]+) us", fair).groups()]
    # Ten pauses of 2 ms lie between the calls, whoever does them.
    assert all(18000 < each < 2 * float(length) for each in on_chip), on_chip
    calls = {row.split()[0]: int(row.split()[1]) for row in fair.splitlines() if row.startswith("MPI_")}
    assert calls == {"MPI_Allreduce": 21, "MPI_Bcast": 1, "MPI_Barrier": 1}, calls
    return float(re.search(r"^MPI_Barrier .*", fair, re.M)[0].split()[4])


near = replayed()
far = replayed("--width", "8", "--height", "8", "--places", "0,7,56,63")
assert near < far, (near, far)
for places in ("columns", "snake", "random"):
    replayed("--places", places)
refused = subprocess.run([nocsim, "replay", trace, "--places", "0,1,1,2"], capture_output=True, text=True)
assert refused.returncode == 2 and "places: node 1 is there twice" in refused.stderr, refused

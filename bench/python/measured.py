# SPDX-License-Identifier: Apache-2.0
"""measured.py PACKAGE PACKAGES.PY: a rank uses the package as the tests do, and rank 0 prints "RESULT\tBYTES": the line of all ranks,
which must be one, and the memory of all processes of the job (proportional set size) while all ranks still have their modules, a
while after the last one was done: then freed memory that goes back to the system has gone."""

import importlib.util
import os
import sys
import time

from mpi4py import MPI

PAUSE_SECONDS = 1.0


def memory():
    """Of this process; what several processes share counts for each in its part."""
    with open("/proc/self/smaps_rollup", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("Pss:"))


def main():
    name, path = sys.argv[1:]
    spec = importlib.util.spec_from_file_location("packages", path)
    packages = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(packages)
    result = packages.USES[name]("") if name != "interpreter" else "-"
    world = MPI.COMM_WORLD
    world.Barrier()
    time.sleep(PAUSE_SECONDS)
    processes = world.allgather(os.getpid())
    first = processes.index(os.getpid()) == world.rank  # of ranks that share a process one looks at it
    total = world.allreduce(memory() if first else 0)
    results = world.gather(result)
    if world.rank == 0:
        if len(set(results)) != 1:
            sys.exit(f"ranks disagree: {set(results)}")
        print(f"{result}\t{total}", flush=True)


if __name__ == "__main__":
    main()

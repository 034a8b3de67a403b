# SPDX-License-Identifier: Apache-2.0
"""A Python program whose ranks exchange NumPy arrays and end as the first argument says."""

import subprocess
import sys

import numpy
from mpi4py import MPI

COMM = MPI.COMM_WORLD


def arrays():
    """Sums, messages round the ring and a gathered array."""
    count = 10_000
    mine = numpy.arange(count, dtype=float) + COMM.rank
    total = numpy.empty_like(mine)
    COMM.Allreduce(mine, total)
    ranks = COMM.size
    assert numpy.array_equal(total, numpy.arange(count) * ranks + ranks * (ranks - 1) / 2)
    left, right = (COMM.rank - 1) % ranks, (COMM.rank + 1) % ranks
    received = numpy.empty_like(mine)
    COMM.Sendrecv(mine, right, 0, received, left, 0)
    assert numpy.array_equal(received, numpy.arange(count) + left)
    parts = COMM.gather({"rank": COMM.rank, "sum": float(mine.sum())}, root=0)
    if COMM.rank == 0:
        assert [part["rank"] for part in parts] == list(range(ranks))


def separate():
    """What one rank changes in a module no other sees."""
    sys.rank_of_this_interpreter = COMM.rank
    COMM.Barrier()
    assert sys.rank_of_this_interpreter == COMM.rank
    assert sys.argv[1:] == ["arrays"]


def children():
    """A program that a rank starts, with the rank's number on its command line."""
    code = f"print({COMM.rank} * 7)"
    interpreter = "python3"
    told = subprocess.run([interpreter, "-c", code], capture_output=True, text=True, check=True)
    assert int(told.stdout) == COMM.rank * 7


def main():
    way = sys.argv[1]
    arrays()
    if way == "arrays":
        separate()
        children()
    elif way == "exception" and COMM.rank == COMM.size - 1:
        raise ValueError("the last rank has had enough")
    elif way == "exit":
        sys.exit(3 if COMM.rank == 0 else 0)
    # More than once: the end of a rank is no barrier, nor two of them.
    for _ in range(3):
        COMM.Barrier()
    COMM.Dup().Free()
    if COMM.rank == 0:
        print(f"python ranks: passed on {COMM.size} ranks", flush=True)


main()

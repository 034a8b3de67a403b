# SPDX-License-Identifier: Apache-2.0
"""Runs trace_arrows with --trace: every message has its arrow, between ends of the same length. Then with room for few calls, and with
a number of calls that is none. Arguments: the file, the number of ranks, the command of marun with --trace FILE."""
import os
import subprocess
import sys

from trace_events import arrows_of, read_events

path, ranks, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]


def run(calls=None):
    environment = dict(os.environ)
    if calls is not None:
        environment["TAIHU_TRACE_CALLS"] = calls
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def lengths_fit(arrows):
    for begin, end in arrows:
        assert begin["args"]["bytes"] == end["args"]["bytes"], (begin, end)
    return arrows


done = run()
assert done.returncode == 0 and "left out" not in done.stderr, done
events = read_events(path)
arrows = lengths_fit(arrows_of(events))
# backwards: 5 of each rank; from_anywhere: 2 of each but rank 0; again_and_again: 5 and 1.
assert len(arrows) == 11 * ranks + 2 * (ranks - 1), len(arrows)
names = {event["name"] for event in events if event["ph"] == "X"}
assert {"MPI_Isend", "MPI_Wait", "MPI_Recv", "MPI_Mprobe", "MPI_Mrecv", "MPI_Ssend", "MPI_Startall", "MPI_Bcast"} <= names, names
assert "MPI_Comm_rank" not in names and "MPI_Get_count" not in names, names
assert all("rank" in event["args"] and "tag" in event["args"] for event in events if event["name"] == "MPI_Ssend")

# What there is no room for is left out, and no arrow goes astray.
done = run(str(12 * ranks))
assert done.returncode == 0 and "calls were left out" in done.stderr, done
events = read_events(path)
few = lengths_fit(arrows_of(events))
assert 0 < len(few) < len(arrows), len(few)
for line in range(ranks):
    kept = [event for event in events if event["ph"] == "X" and event["tid"] == line]
    assert len(kept) == 12, (line, len(kept))
    assert [event for event in events if event["ph"] == "i" and event["tid"] == line and event["args"]["calls"] > 0], line

# A failed job leaves the file as it was.
before = open(path).read()
done = run("many")
assert done.returncode == 1 and "TAIHU_TRACE_CALLS=many is not a number of calls" in done.stderr, done
assert open(path).read() == before

# SPDX-License-Identifier: Apache-2.0
"""Runs a program with --trace-collectives and checks the file: every line is JSON, every collective has all members of its
communicator, and nobody leaves a barrier before everybody has come. The same with room for few calls, and with --trace."""
import json
import os
import re
import subprocess
import sys

from trace_events import read_events

path = sys.argv[sys.argv.index("--trace-collectives") + 1]
subprocess.run(sys.argv[1:], check=True)
lines = [json.loads(line) for line in open(path)]
assert len(lines) > 100, f"only {len(lines)} lines"
names = {line["operation"] for line in lines}
assert {"MPI_Bcast", "MPI_Alltoall", "MPI_Iallgather"} <= names, names
assert any(line["communicator"] == "MPI_COMM_WORLD" and line["size"] == 3 for line in lines)
for line in lines:
    assert "mismatch" not in line, line
    assert line["size"] == len(line["ranks"]) == len(set(line["job_ranks"])), line
    assert line.get("sides") is None or len(set(zip(line["sides"], line["ranks"]))) == line["size"], line
    if line["operation"] == "MPI_Alltoall" and line["bytes"][0] > 0:
        assert max(line["begin_us"]) <= min(line["end_us"]) + 1, line

# With room for few calls: those that came first, of all members or of none, and a line that tells how many are not there.
few_calls = 150
few = subprocess.run(sys.argv[1:], env=dict(os.environ, TAIHU_TRACE_CALLS=str(few_calls)), capture_output=True, text=True)
assert few.returncode == 0, few
left_out = int(re.search(r"taihu: trace of collectives: (\d+) calls were left out", few.stderr)[1])
kept = [json.loads(line) for line in open(path)]
calls_of = [sum(line["size"] for line in each) for each in (kept, lines)]
assert few_calls / 2 < calls_of[0] <= few_calls and calls_of[0] + left_out == calls_of[1], (calls_of, left_out)
for line in kept:
    assert line["size"] == len(line["ranks"]) == len(set(line["job_ranks"])), line
called = [[(line["operation"], line["size"], line["number"]) for line in each] for each in (kept, lines)]
assert set(called[0]) <= set(called[1]), called[0]

# The same for trace viewers: one event for each collective call of each rank, on the rank's own line.
viewed = path + ".viewed"
words = [word for word in sys.argv[1:]]
words[words.index("--trace-collectives")] = "--trace"
subprocess.run([viewed if word == path else word for word in words], check=True)
events = read_events(viewed)
calls = [event for event in events if event["ph"] == "X" and event["cat"] == "collective"]
assert len(calls) == sum(line["size"] for line in lines), (len(calls), len(lines))
assert {event["tid"] for event in calls} == {0, 1, 2}
assert {event["args"]["name"] for event in events if event["name"] == "thread_name"} == {"rank 0", "rank 1", "rank 2"}

# A file that cannot be written costs no result of the program; the exit code tells.
link = path + ".full"
if not os.path.islink(link):
    os.symlink("/dev/full", link)
for arguments, what in ((sys.argv[1:], "trace of collectives"), (words, "trace")):
    lost = subprocess.run([link if word == path else word for word in arguments], capture_output=True, text=True)
    assert lost.returncode == 1, lost
    assert f"{what}: cannot write {link} (No space left on device)" in lost.stderr, lost.stderr
assert os.path.islink(link), "a device is not replaced"

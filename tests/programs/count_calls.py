# SPDX-License-Identifier: Apache-2.0
"""Runs the program `counted` with --stats and --trace and checks both: what is counted, who waited, and that the file is
JSON with every call in it. Usage: count_calls.py FILE RANKS THREADS PARCRUN WORDS"""
import json
import re
import subprocess
import sys

path, ranks, threads, command = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
command = command[:1] + ["--stats", "--trace", path, "-n", str(ranks), "--threads", str(threads)] + command[1:]
done = subprocess.run(command, capture_output=True, text=True)
assert done.returncode == 0, done
rows = [line.split() for line in done.stderr.splitlines()]

calls = {row[0]: row for row in rows if row and re.match("(m_|get_task)", row[0])}
expected = {
    "m_run": (3, 0), "m_barrier": (3 * threads, 0), "m_lock": (3 * threads, 0), "m_unlock": (3 * threads, 0),
    "m_msg_put": (5, 20000), "m_wait_msg": (5, 0), "m_wait_reply": (1, 0), "m_allreduce": (2, 4004),
    "m_isend": (1, 8), "m_irecv": (1, 0), "m_waitall": (1, 0)}
for name, (count, size) in expected.items():
    assert int(calls[name][1]) == ranks * count, (name, done.stderr)
    assert abs(float(calls[name][5]) - ranks * size / 1e6) < 0.001, (name, done.stderr)
assert int(calls["get_task_id"][1]) == 10 + ranks, done.stderr
assert set(calls) == set(expected) | {"get_task_id"}, "nested calls count once: " + done.stderr

first = next(i for i, row in enumerate(rows) if row[:2] == ["rank", "s"])
for rank in range(ranks):
    row = rows[first + 1 + rank]
    assert int(row[0]) == rank and int(row[2]) + int(row[4]) == 6, done.stderr
waits = next(i for i, row in enumerate(rows) if row[:2] == ["rank", "collectives"])
for rank in range(ranks):
    # The threads without work wait at the barrier for the one that has all of it.
    collectives, kernels = float(rows[waits + 1 + rank][1]), float(rows[waits + 1 + rank][6])
    assert collectives > 0 and kernels > 0, done.stderr
kernel = next(row for row in rows if row and row[0].startswith("uneven:counted.c:"))
assert int(kernel[1]) == 3 * ranks, done.stderr
assert threads / 2 < float(kernel[3]) <= threads * 1.01, "imbalance leaves waiting out: " + done.stderr

events = json.load(open(path))
spans = [event for event in events if event["ph"] == "X"]
assert len(spans) == sum(int(row[1]) for row in calls.values()) + 3 * ranks * threads, len(spans)
assert {event["pid"] for event in spans} == set(range(ranks))
assert all(event["dur"] >= 0 for event in spans)
names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["name"] == "thread_name"}
for rank in range(ranks):
    assert names[rank, 0] == "process code" and names[rank, threads] == f"accelerator thread {threads - 1}", names
    parts = [event for event in spans if event["pid"] == rank and event["name"].startswith("uneven:")]
    barriers = [event for event in spans if event["pid"] == rank and event["name"] == "m_barrier"]
    assert {event["tid"] for event in parts} == {event["tid"] for event in barriers} == set(range(1, threads + 1))
puts = [event for event in spans if event["name"] == "m_msg_put"]
assert all(event["args"] == {"bytes": 4000, "rank": (event["pid"] + 1) % ranks} for event in puts), puts

# A file that cannot be written costs no result of the program; the exit code tells.
lost = subprocess.run([word if word != path else "/dev/full" for word in command], capture_output=True, text=True)
assert lost.returncode == 1 and "counted: passed" in lost.stdout and "No space left on device" in lost.stderr, lost
print("counted and traced")

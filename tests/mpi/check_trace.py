# SPDX-License-Identifier: Apache-2.0
"""Runs a program with --trace-collectives and checks the file: every line is JSON, every collective has all members of its
communicator, and nobody leaves a barrier before everybody has come."""
import json
import subprocess
import sys

path = sys.argv[sys.argv.index("--trace-collectives") + 1]
subprocess.run(sys.argv[1:], check=True)
lines = [json.loads(line) for line in open(path)]
assert len(lines) > 100, f"only {len(lines)} lines"
names = {line["operation"] for line in lines}
assert {"MPI_Bcast", "MPI_Alltoall", "MPI_Iallgather"} <= names, names
assert any(line["communicator"] == "MPI_COMM_WORLD" and line["size"] == 3 for line in lines)
for line in lines:
    assert "mismatch" not in line, line
    assert line["size"] == len(set(line["ranks"])) or "inter" in line["communicator"] or line["size"] < len(line["ranks"]), line
    if line["operation"] == "MPI_Alltoall" and line["bytes"][0] > 0:
        assert max(line["begin_us"]) <= min(line["end_us"]) + 1, line

# SPDX-License-Identifier: Apache-2.0
"""check_spawned_trace.py FILE COMMAND...: runs a program that spawns ranks with --trace-collectives FILE, with room for all calls
and for few. Spawned ranks have no calls in the file, and that is no reason to leave out those of the others."""
import json
import os
import re
import subprocess
import sys

path, command = sys.argv[1], sys.argv[2:]


def run(calls):
    done = subprocess.run(command, env=dict(os.environ, TAIHU_TRACE_CALLS=str(calls)), capture_output=True, text=True)
    assert done.returncode == 0, done
    left_out = re.search(r"trace of collectives: (\d+) calls were left out", done.stderr)
    lines = [json.loads(line) for line in open(path)]
    return lines, sum(len(line["job_ranks"]) for line in lines), int(left_out[1]) if left_out else 0


lines, calls, left_out = run(1000000)
assert left_out == 0 and {rank for line in lines for rank in line["job_ranks"]} == {0, 1}, lines
few_calls = 40
assert sum(line["size"] > len(line["ranks"]) for line in lines) > few_calls, lines
few_lines, kept, left_out = run(few_calls)
# Rank 1 has room for fewer turns than rank 0: what it could not keep is missing for both, so that every line is whole.
whole = {(line["operation"], line["communicator"], line["number"], line["size"], *line["job_ranks"]) for line in lines}
for line in few_lines:
    assert (line["operation"], line["communicator"], line["number"], line["size"], *line["job_ranks"]) in whole, line
assert few_calls / 2 < kept < few_calls and kept + left_out == calls, (kept, left_out, calls)
assert any(line["size"] > len(line["ranks"]) for line in few_lines), few_lines

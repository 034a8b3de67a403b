# SPDX-License-Identifier: Apache-2.0
"""The program `autonomic` in both models, with each way to end: the same lines, the same exit code.
Usage: autonomic_test.py FOLDER PARCRUN WORDS"""
import re
import subprocess
import sys

folder, command = sys.argv[1], sys.argv[2:]
ranks = int(command[command.index("-n") + 1])
codes = {"return": 0, "exit": 0, "_exit": 0, "pthread_exit": 0, "code": 41, "abort": 134, "crash": 139}
processes = int(command[command.index("--processes-per-node") + 1])
for end, code in codes.items():
    if processes > 1 and end in ("_exit", "pthread_exit"):
        continue
    results = []
    for program in ("as_processes", "autonomic"):
        done = subprocess.run(command + [f"{folder}/{program}", "a b", "", end], input="first line\n3 -4\n", capture_output=True, text=True)
        assert done.returncode == code, (end, program, done)
        assert done.stdout.count("autonomic: passed") == 1, (end, program, done)
        if code >= 128:
            name = {134: "SIGABRT", 139: "SIGSEGV"}[code]
            assert re.search(rf"rank 0 on \S+: .*\({name}\)", done.stderr), done
        results.append(sorted(done.stdout.splitlines()))
    if code == 0:  # else the end of one rank ends others where they are
        assert results[0] == results[1], (end, results)
        # Two lines of each rank, two of its child, its exit handler's; one of all.
        assert len(results[1]) == (4 if end == "_exit" else 5) * ranks + 1, (end, results)
print(f"{len(codes)} ways to end: the same")

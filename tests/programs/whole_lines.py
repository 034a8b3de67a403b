# SPDX-License-Identifier: Apache-2.0
"""Runs the program `proxy` and checks that each line of its kernels is whole, there once, and in order within its thread; and
what --stats says of proxied calls. Usage: whole_lines.py FILE LENGTH RANKS THREADS PARCRUN WORDS"""
import re
import subprocess
import sys

path, length, ranks, threads, command = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:]
words = ["--stats", "-n", str(ranks), "--threads", str(threads)]
done = subprocess.run(command[:1] + words + command[1:] + [str(length), path], capture_output=True, text=True)
assert done.returncode == 0, (done.returncode, done.stderr[-3000:])
seen = {}
for line in done.stdout.splitlines()[:-1]:
    match = re.fullmatch(r"line (\d+) (\d+) (\d+) (\d+) ([\d.]+) (.) (.*)", line)
    assert match, f"a line is broken: {line[:200]}"
    rank, thread, i = map(int, match.groups()[:3])
    letter = chr(ord("a") + thread % 26)
    assert match.groups()[3:] == (str(i * i), f"{i / 2:g}", letter, letter * length), line[:200]
    assert seen.get((rank, thread), -1) == i - 1, "lines of one thread are in order"
    seen[rank, thread] = i
assert len(seen) == ranks * threads and set(seen.values()) == {19}, len(seen)

proxied = dict(re.findall(r"^(\w+|proxied calls from kernels) +(\d+)$", done.stderr, re.MULTILINE))
per_thread = {"printf": 20, "fopen": 1, "fprintf": 100, "rewind": 1, "fgets": 100, "fclose": 1, "remove": 1, "m_isend": 1,
              "m_recv": 1, "m_wait": 1, "m_msg_put_wait": 1}
expected = {name: count * ranks * threads for name, count in per_thread.items()}
expected |= {"get_task_id": 500 + ranks * threads, "write": ranks}
expected |= {"read": ranks} if threads > 1 else {}
total = int(proxied.pop("proxied calls from kernels"))
assert {name: int(count) for name, count in proxied.items()} == expected, (proxied, expected)
assert total == sum(expected.values()), total
print("whole lines")

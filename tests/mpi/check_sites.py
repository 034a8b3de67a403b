# SPDX-License-Identifier: Apache-2.0
"""Runs call_sites with --stats and looks at the table of places: what was called where, how often, with how many bytes, by how many
ranks. Arguments: the program's folder of sources, the number of ranks, the command of marun up to its options."""
import pathlib
import re
import subprocess
import sys

sources, ranks, command = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]


def line_of(file, mark):
    lines = (sources / file).read_text().splitlines()
    return next(number for number, text in enumerate(lines, 1) if text.endswith(f"// place: {mark}"))


def places(arguments):
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=True)
    found, in_table = {}, False
    for line in done.stderr.splitlines():
        words = line.split()
        if in_table and re.match(r"(MPI_\w+|\(others\)) ", line):
            calls, of_ranks = int(words[1]), int(words[2])
            megabytes, total, longest, least, mean, most = map(float, words[3:9])
            assert longest <= most <= total + 1e-6 and least <= mean + 1e-6 and mean <= most + 1e-6, line
            found[words[0], " ".join(words[9:])] = (calls, of_ranks, round(megabytes * 1e6))
        in_table = in_table or line.endswith("  place")
    return found, done.stderr


found, text = places([])
for call, place, calls, megabytes in (
        ("MPI_Send", f"send_round at call_sites.c:{line_of('call_sites.c', 'send')}", 7, 7 * 400),
        ("MPI_Recv", f"receive_round at call_sites.c:{line_of('call_sites.c', 'receive')}", 7, 7 * 400),
        ("MPI_Isend", f"exchange at call_sites.c:{line_of('call_sites.c', 'start')}", 7, 7 * 400),
        ("MPI_Waitall", f"exchange at call_sites.c:{line_of('call_sites.c', 'wait')}", 7, 7 * 400),
        ("MPI_Allreduce", f"sum_in_library at call_sites_library.c:{line_of('call_sites_library.c', 'library')}", 1, 4)):
    got = found.get((call, place))
    # Bytes are printed as kilobytes with a fraction of three digits of MB.
    assert got is not None, f"no {call} {place} in\n{text}"
    assert got[:2] == (calls * ranks, ranks) and abs(got[2] - megabytes * ranks) <= 500, (call, place, got, text)

# Beyond the places that are kept apart nothing is lost, and the table stays short.
found, text = places(["many"])
of_line = found["MPI_Comm_size", f"many_places at call_sites.c:{line_of('call_sites.c', 'many')}"][0]
others = found["(others)", "other places"][0]
assert 1000 * ranks < of_line < 2048 * ranks, text
by_name = int(re.search(r"^MPI_Comm_size +(\d+) ", text, re.M)[1])
all_calls = sum(int(line.split()[1]) for line in text.split("place\n")[0].splitlines() if re.match(r"MPI_\w+ ", line))
assert by_name == 4096 * ranks + ranks, text
assert sum(calls for calls, _, _ in found.values()) == all_calls, (found, text)
assert of_line < by_name <= of_line + others, text

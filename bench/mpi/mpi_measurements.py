# SPDX-License-Identifier: Apache-2.0
"""Times that bench/mpi/run has measured, by the distance of the cores."""
import json
import statistics
import subprocess
import sys

from mpi_contenders import BARE

NEAR_NS = 90  # a cache line between cores that are near takes 20 to 40 ns, between far ones 160 to 190 ns


def distance(probe):
    return float(subprocess.run([str(probe)], capture_output=True, text=True, check=True).stdout)


class Measurements:
    """(state, test, bytes, contender) -> times in microseconds."""

    def __init__(self):
        self.times, self.dropped, self.late = {}, 0, {}

    def run(self, contender, ranks, arguments, probe, limit):
        before = distance(probe)
        try:
            done = subprocess.run(contender.command(ranks, arguments), capture_output=True, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            self.late[contender.name] = self.late.get(contender.name, 0) + 1
            return
        if done.returncode != 0:
            sys.exit(f"bench: {' '.join(contender.command(ranks, arguments))} failed:\n{done.stderr}")
        after = distance(probe)
        if (before < NEAR_NS) != (after < NEAR_NS):
            self.dropped += 1
            return
        state = "near" if before < NEAR_NS else "far"
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                row = json.loads(line)
                self.times.setdefault((state, row["test"], row["bytes"]), {}).setdefault(contender.name, []).append(row["us"])

    def medians(self, state, test):
        return {bytes_: {name: statistics.median(times) for name, times in found.items()}
                for (s, t, bytes_), found in sorted(self.times.items(), key=lambda item: item[0][2]) if (s, t) == (state, test)}

    def sizes(self, state, test):
        return sorted({b for (s, t, b) in self.times if (s, t) == (state, test)})

    def ratio(self, state, test, bytes_):
        """The best library's time divided by Taihu's; None where one was not measured."""
        found = self.times.get((state, test, bytes_), {})
        peers = [statistics.median(times) for name, times in found.items() if name not in ("taihu", BARE)]
        return min(peers) / statistics.median(found["taihu"]) if peers and "taihu" in found else None

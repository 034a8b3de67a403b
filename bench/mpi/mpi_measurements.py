# SPDX-License-Identifier: Apache-2.0
"""Times that bench/mpi/run measures, by the distance of the cores, and the order in which it does."""
import json
import statistics
import subprocess
import sys
import time

import jobs
from mpi_contenders import BARE, BARE_LAYER

NEAR_NS = 90  # a cache line between cores that are near takes 20 to 70 ns, between far ones 160 to 400 ns
ALIKE = 1.2  # within a state only times at distances that differ by less than the square of this are compared
CLOSE = 1.15  # rows whose ratio is lower are measured again: a few rounds do not tell who is faster
SLOW = 1.5  # not those that took so many times the time of the best other library


def distance(probe):
    return float(subprocess.run([str(probe)], capture_output=True, text=True, check=True).stdout)


def output_within(command, limit):
    """What it prints, and whether it ended before `limit` seconds were over."""
    process = jobs.start(command)
    try:
        said, problems = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        return jobs.end(process), False
    if process.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} failed:\n{problems}")
    return said, True


def at_like_distance(found):
    """Of {contender: [(time, nanoseconds of a line)]}, the times at the distance that most contenders have had, most often: two
    threads of one core, its neighbours and, among far cores, another socket are all there on one machine within minutes."""
    def within(center):
        return {name: near for name, pairs in found.items()
                if (near := [us for us, ns in pairs if center / ALIKE < ns < center * ALIKE])}

    centers = {ns for pairs in found.values() for _, ns in pairs}
    return max(map(within, sorted(centers)), key=lambda near: (len(near), sum(map(len, near.values()))))


class Measurements:
    """(state, test, bytes) -> contender -> times in microseconds, each with the nanoseconds of a cache line; of ranks that share cores,
    to which the distance is little beside changes of threads, with the same number."""

    def __init__(self):
        self.times, self.dropped = {}, 0

    def run(self, contender, ranks, arguments, probe, limit):
        """Of which tests it has printed times, and whether it ended in time. `probe` measures the distance where ranks do not: those that share cores."""
        before = None if probe is None else distance(probe)
        said, in_time = output_within(contender.command(ranks, arguments), limit)
        outside = None if probe is None else [before, distance(probe)]
        tests = []
        for line in said.splitlines():
            if not line.startswith("{") or not line.endswith("}"):
                continue
            row = json.loads(line)
            tests.append(row["test"])
            lines = row.get("line_ns", outside)
            near = {ns < NEAR_NS for ns in lines}
            if len(near) == 1:
                state = "near" if near.pop() else "far"
                self.times.setdefault((state, row["test"], row["bytes"]), {}).setdefault(contender.name, []).append(
                    (row["us"], statistics.mean(lines) if probe is None else 1))
            else:
                self.dropped += 1
        return tests, in_time

    def steady(self, key):
        """Times of each contender, at one distance. One time is a median only of who has no more: not where the distance changed for a moment."""
        state, test, bytes_ = key
        other = self.times.get(("far" if state == "near" else "near", test, bytes_), {})
        found = {name: times for name, times in self.times.get(key, {}).items() if len(times) > 1 or name not in other}
        return at_like_distance(found) if found else {}

    def medians(self, state, test):
        return {key[2]: {name: statistics.median(times) for name, times in self.steady(key).items()}
                for key in sorted(self.times, key=lambda key: key[2]) if key[:2] == (state, test)}

    def sizes(self, state, test):
        return sorted({b for (s, t, b) in self.times if (s, t) == (state, test)})

    def ratio(self, state, test, bytes_):
        """The best library's time divided by Taihu's; None where one was not measured."""
        found = self.steady((state, test, bytes_))
        peers = [statistics.median(times) for name, times in found.items() if name not in ("taihu", BARE)]
        return min(peers) / statistics.median(found["taihu"]) if peers and "taihu" in found else None


class Part:
    """A chapter of the page: its tests by its contenders."""

    def __init__(self, title, ranks, tests, arguments, contenders, rounds, pairs=None):
        self.title, self.ranks, self.tests, self.arguments, self.contenders = title, ranks, tests, arguments, contenders
        self.rounds, self.pairs = rounds, pairs  # pairs: (ours, the plain library), each compared with its own
        self.found, self.late = Measurements(), {}

    def jobs(self, round_, tests_together):
        """Of one round: in turns, and another contender first in each."""
        for first in range(0, len(self.tests), tests_together):
            for turn in range(len(self.contenders)):
                yield Job(self, self.tests[first:first + tests_together],
                          self.contenders[(turn + round_ + first // tests_together) % len(self.contenders)])

    def comparisons(self):
        """Each: ours, the others, and the bound that stands beside them."""
        if not self.pairs:
            return [("taihu", [one.name for one in self.contenders if one.name not in ("taihu", BARE)], BARE)]
        names = [one.name for one in self.contenders]
        layer = {plain: f"{BARE_LAYER} on {plain}" for _, plain in self.pairs}
        return [(ours, [plain], layer[plain] if layer[plain] in names else BARE) for ours, plain in self.pairs]

    def close_rows(self):
        """(test, bytes, contenders): where Taihu is not clearly faster, with the libraries that are not far behind the best."""
        rows = {}
        for test in self.tests:
            for found, bytes_ in ((found, bytes_) for state in ("near", "far")
                                  for bytes_, found in self.found.medians(state, test).items()):
                for ours, others, bound in self.comparisons():
                    best = min((found[name] for name in others if name in found), default=None)
                    if ours in found and best is not None and best < CLOSE * found[ours]:
                        rows.setdefault((test, bytes_), set()).update(
                            [ours, bound], (name for name in others if found.get(name, SLOW * best) < SLOW * best))
        return [(*row, [one for one in self.contenders if one.name in names]) for row, names in rows.items()]

    def jobs_again(self, round_):
        """Of one more round of the rows that are close: each on its own, in turns as before."""
        for test, bytes_, contenders in self.close_rows():
            for turn in range(len(contenders)):
                yield Job(self, [test], contenders[(turn + round_) % len(contenders)],
                          ["--min", str(bytes_), "--max", str(bytes_)])


class Job:
    """One start of a program."""

    def __init__(self, part, tests, contender, sizes=()):
        self.part, self.tests, self.contender, self.sizes = part, tests, contender, list(sizes)
        self.key = (part.title, " ".join([tests[0], *self.sizes]), contender.name)

    def hopeful_tests(self):
        """Those that did not take too long before, and would again."""
        late = self.part.late.get(self.contender.name, [])
        return [test for test in self.tests if test not in late]

    def is_hopeless(self):
        return not self.hopeful_tests()

    def run(self, probe, limit):
        """One that is ended was in the last test of which it has printed a time, or before the first."""
        part, tests = self.part, self.hopeful_tests()
        printed, in_time = part.found.run(self.contender, part.ranks, tests + part.arguments + self.sizes, probe, limit * len(tests))
        if not in_time:
            part.late.setdefault(self.contender.name, []).append(printed[-1] if printed else tests[0])


class Progress:
    """Says what comes next and how long all will take: a job as long as in an earlier round, or as others of its contender."""

    def __init__(self, jobs):
        self.left, self.all, self.seconds = list(jobs), len(jobs), {}

    def expected(self, job):
        title, _, contender = job.key
        for wanted in (job.key, (title, None, contender), (None, None, contender), (None, None, None)):
            alike = [seconds for key, seconds in self.seconds.items() if all(w in (None, k) for w, k in zip(wanted, key))]
            if alike:
                return statistics.mean(alike)
        return 5

    def begin(self, job):
        minutes = sum(0 if one.is_hopeless() else self.expected(one) for one in self.left) / 60
        print(f"bench: {self.all - len(self.left) + 1} of {self.all}, about {minutes:.0f} minutes left: {job.part.title}: "
              f"{', '.join(job.tests)}: {job.contender.name}", file=sys.stderr, flush=True)
        self.start = time.monotonic()

    def end(self, job):
        self.seconds[job.key] = time.monotonic() - self.start
        self.left.remove(job)

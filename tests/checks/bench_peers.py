#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Benchmarks on a machine without any other library: each says what it does not compare with, and goes on alone. And what
they read of each other's pages."""
import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import sys
import tempfile
import types
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"


def load(script):
    """The functions of a script without its main()."""
    loader = importlib.machinery.SourceFileLoader(script.replace("/", "_"), str(BENCH / script))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class WithoutPeers(unittest.TestCase):
    def setUp(self):
        self.kept = dict(os.environ)
        self.folder = tempfile.TemporaryDirectory()
        self.build = pathlib.Path(self.folder.name)
        (self.build / "bin").mkdir()
        for name in ("macc", "marun"):
            (self.build / "bin" / name).write_text("")
            (self.build / "bin" / name).chmod(0o755)
        os.environ.update(PATH="", HYPRE_ROOT=self.folder.name)
        for name in ("AMGCL_INCLUDE", "HYPRE_IJ"):
            os.environ.pop(name, None)

    def tearDown(self):
        os.environ.clear()
        os.environ.update(self.kept)
        self.folder.cleanup()

    def found(self, function, *arguments):
        """The names that `function` gives, and the lines about what is missing."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            names = [getattr(one, "name", one) for one in function(*arguments)]
        return names, said.getvalue()

    def test_mpi(self):
        names, said = self.found(load("mpi/run").contenders, self.build, 2)
        self.assertEqual(names, ["taihu"])
        for name in ("openmpi", "mpich"):
            self.assertIn(f"*** SKIPPED: {name} is NOT compared with: there is no mpicc.{name}", said)
        self.assertEqual(self.found(load("mpi/run").between_node_processes, self.build, False)[0], [])

    def test_newer_libraries_have_folders_of_their_own(self):
        folder = self.build / "venv"
        (folder / "bin").mkdir(parents=True)
        launcher = folder / "bin/mpiexec"
        launcher.write_text("#!/bin/sh\necho 'mpiexec (Open MPI) 5.0.11'\n")
        launcher.chmod(0o755)
        sys.path.insert(0, str(BENCH))
        import peers
        found = peers.other_mpi(f"newest={folder}")
        self.assertEqual((found.name, found.version), ("newest", "newest: mpiexec (Open MPI) 5.0.11"))
        self.assertEqual(found.launcher(True), [str(launcher), "--allow-run-as-root", "--oversubscribe", "--bind-to", "core", "-n"])
        names, _ = self.found(load("mpi/run").contenders, self.build, 2, [found])
        self.assertEqual(names, ["taihu", "newest"])
        for text in ("newest", "=x", "newest=/nonexistent", f"openmpi={folder}", f"a/b={folder}"):
            with self.assertRaises(argparse.ArgumentTypeError):
                peers.other_mpi(text)

    def test_amg(self):
        options = types.SimpleNamespace(amgcl=None, hypre_ij=None)
        amg = load("amg/run")
        names, said = self.found(amg.contenders, self.build, options, self.build)
        self.assertIn("taihu", names)
        self.assertNotIn("hypre default", names)
        self.assertIn("*** SKIPPED: hypre is NOT compared with: ", said)
        if "amgcl" not in names:  # it is looked for in the system's folders, too
            self.assertIn("*** SKIPPED: AMGCL is NOT compared with: ", said)

    def test_kernels(self):
        kernels = load("peers/run")
        peer = kernels.KERNELS["stencil"][1][0]
        for folder, reason in ((None, "there is no --peers FOLDER"), (self.build, f"there is no {self.build / peer.program}")):
            there, said = self.found(lambda: [peer.present(types.SimpleNamespace(peers=folder), "stencil")])
            self.assertEqual(there, [False])
            self.assertIn(f"*** SKIPPED: MPI's stencil is NOT compared with: {reason}", said)
        there, said = self.found(lambda: [kernels.KERNELS["stream"][1][0].present(types.SimpleNamespace(peers=self.build), "stream")])
        self.assertEqual(there, [False])
        self.assertIn("HPC Challenge's stream is NOT compared with: there is no hpcc", said)
        source = self.build / "lines.c"
        source.write_text('/* one\n */ int a; // "\n\n// b\nconst char* c = "/*";\nint d; /* */\n')
        self.assertEqual(kernels.lines_of_code([source]), 3)
        with self.assertRaises(SystemExit) as wrong:  # a program whose results are wrong, and exit code 0
            kernels.measure("stencil", ["/bin/echo", "stencil: 1.0 s, (WRONG)"], r"\(correct\)", r": ([0-9.]+) s,")
        self.assertIn("its results are wrong", str(wrong.exception))

    def test_the_line_about_the_machine(self):
        sys.path.insert(0, str(BENCH))
        from describe_machine import describe_machine
        self.assertIn("no other MPI library", describe_machine())

    def test_the_command_as_it_is_typed_in_the_project(self):
        sys.path.insert(0, str(BENCH))
        from describe_machine import this_command
        kept = sys.argv
        for words, text in (([f"{BENCH}/put/run", "build", "--output", "docs/results/put.md"], "bench/put/run build --output docs/results/put.md"),
                            ([f"{BENCH}/put/run", f"{BENCH.parent}/build", "--peer", "/opt/peer/bin/peer"], "bench/put/run build --peer peer"),
                            ([f"{BENCH}/mpi/run", "build", "--peer", "new=/opt/new"], "bench/mpi/run build --peer new=new"),
                            ([f"{BENCH}/amg/run", "build", "--problems", "27pt 100"], "bench/amg/run build --problems '27pt 100'")):
            sys.argv = words
            self.assertEqual(text, this_command())
        sys.argv = kept


class FakeContender:
    """Prints lines as a program of bench/mpi does."""

    def __init__(self, name, lines, after=""):
        self.name, self.script = name, "".join(f"echo '{line}'\n" for line in lines) + after

    def command(self, ranks, arguments):
        return ["sh", "-c", self.script]


def time_line(bytes_, us, before, after):
    return f'{{"test": "bcast", "bytes": {bytes_}, "us": {us}, "line_ns": [{before}, {after}]}}'


class TimesOfMpiCalls(unittest.TestCase):
    """bench/mpi/run, with programs that only print."""

    def measured(self, *contenders, rounds=1, limit=60):
        bench = load("mpi/run")
        part = bench.Part("Buffers left alone", 2, ["bcast"], [], contenders, rounds)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            bench.measure([part], rounds, None, limit)
        return bench, part, said.getvalue()

    def test_each_size_counts_for_the_distance_that_it_was_measured_at(self):
        _, part, _ = self.measured(FakeContender("taihu", [time_line(4, 1, 30, 31), time_line(8, 2, 31, 160), time_line(16, 3, 160, 162)]))
        self.assertEqual(part.found.times, {("near", "bcast", 4): {"taihu": [(1, 30.5)]}, ("far", "bcast", 16): {"taihu": [(3, 161)]}})
        self.assertEqual(part.found.dropped, 1)

    def test_losses_stand_first_with_what_a_bare_exchange_needs(self):
        bench, part, said = self.measured(FakeContender("taihu", [time_line(4, 1, 30, 30), time_line(8, 2, 30, 30)]),
                                          FakeContender("openmpi", [time_line(4, 0.5, 30, 30), time_line(8, 3, 30, 30)]),
                                          FakeContender("bare exchange", [time_line(4, 0.625, 30, 30)]))
        lines = bench.slower([part])
        self.assertIn("**1 of 2 rows are below 1.00.**", lines[0])
        self.assertIn("| bcast | Buffers left alone | near | 4 | 1.000 | openmpi 0.500 | 0.50 | 0.80 |", lines)
        self.assertIn("bench: 3 of 3, about ", said)

    def test_a_program_that_takes_too_long_counts_up_to_there_and_is_not_begun_again(self):
        _, part, _ = self.measured(FakeContender("mpich", [time_line(4, 1, 30, 30)], "exec sleep 60"), rounds=2, limit=3)
        self.assertEqual(part.found.times, {("near", "bcast", 4): {"mpich": [(1, 30)]}})
        self.assertEqual(part.late, {"mpich": ["bcast"]})

    def test_only_the_test_that_takes_too_long_is_left_out_later(self):
        slow = FakeContender("mpich", [time_line(4, 1, 30, 30)], "case $* in *scan*) exec sleep 60;; esac")
        slow.command = lambda ranks, arguments: ["sh", "-c", slow.script, *arguments]
        bench = load("mpi/run")
        part = bench.Part("Buffers left alone", 2, ["bcast", "scan"], [], [slow], 3)
        slow.script = slow.script.replace("exec sleep", "echo '{\"test\": \"scan\", \"bytes\": 4, \"us\": 9, \"line_ns\": [30, 30]}'; exec sleep")
        with contextlib.redirect_stderr(io.StringIO()):
            bench.measure([part], 3, None, 1)
        self.assertEqual(part.late, {"mpich": ["scan"]})
        self.assertEqual(part.found.times[("near", "bcast", 4)], {"mpich": [(1, 30)] * 3})
        self.assertEqual(part.found.times[("near", "scan", 4)], {"mpich": [(9, 30)]})

    def test_rows_that_are_close_are_measured_again_with_those_that_are_near_the_best(self):
        bench = load("mpi/run")
        sizes = {4: {"taihu": 10, "openmpi": 11, "mpich": 20}, 8: {"taihu": 10, "openmpi": 12, "mpich": 13}}
        again = []

        class Timed(FakeContender):
            def command(self, ranks, arguments):
                if "--min" in arguments:
                    again.append((self.name, *arguments))
                return super().command(ranks, arguments)

        contenders = [Timed(name, [time_line(size, times[name], 30, 30) for size, times in sizes.items()]) for name in sizes[4]]
        part = bench.Part("Buffers left alone", 2, ["bcast"], [], contenders, 1)
        with contextlib.redirect_stderr(io.StringIO()):
            bench.measure([part], 1, None, 60, rounds_again=2)
        self.assertEqual([name for name, *_ in again], ["taihu", "openmpi", "openmpi", "taihu"])
        self.assertEqual({tuple(arguments) for _, *arguments in again}, {("bcast", "--distance", "--min", "4", "--max", "4")})

    def test_one_time_of_another_distance_is_no_median(self):
        near, far = [time_line(4, 1, 30, 30)], [time_line(4, 5, 160, 160)]
        part = self.measured(FakeContender("taihu", near + near + far), FakeContender("openmpi", far + far))[1]
        self.assertEqual(part.found.medians("far", "bcast"), {4: {"openmpi": 5}})
        self.assertEqual(part.found.medians("near", "bcast"), {4: {"taihu": 1}})

    def test_a_row_has_times_at_one_distance(self):
        own = FakeContender("taihu", [time_line(4, 5, 33, 33), time_line(4, 7, 64, 66), time_line(4, 8, 70, 70)])
        other = FakeContender("openmpi", [time_line(4, 9, 68, 68), time_line(4, 1, 33, 33)])
        third = FakeContender("mpich", [time_line(4, 6, 69, 69)])
        self.assertEqual(self.measured(own, other, third)[1].found.medians("near", "bcast"),
                         {4: {"taihu": 7.5, "openmpi": 9, "mpich": 6}})


class TablesThatOthersRead(unittest.TestCase):
    """A page is made from the numbers of another one: by the heading of their column."""

    def seconds(self, table):
        return load("turbulence/scale").measured_seconds("# Turbulence\n\n" + table)

    def refusal(self, table):
        with self.assertRaises(SystemExit) as wrong:
            self.seconds(table)
        return str(wrong.exception)

    def test_a_column_may_lie_anywhere(self):
        for table in ("| points | FFTW over Open MPI | examples/turbulence |\n|---|---|---|\n| 64^3 | 9 s | 8 s |\n| 256^3 | 3.5 s | 1.25 s |\n",
                      "| points | examples/turbulence | equal | FFTW |\n|---|---|---|---|\n| 256^3 | 1.25 s | yes | 3.5 s |\n"):
            self.assertEqual(self.seconds(table), 1.25)

    def test_what_is_missing_is_told(self):
        self.assertIn("no line of 256^3", self.refusal("| points | examples/turbulence |\n|---|---|\n| 64^3 | 1 s |\n"))
        self.assertIn("no column 'examples/turbulence'", self.refusal("| points | time |\n|---|---|\n| 256^3 | 1 s |\n"))
        self.assertIn("tells no seconds", self.refusal("| points | examples/turbulence |\n|---|---|\n| 256^3 | - |\n"))


if __name__ == "__main__":
    unittest.main(verbosity=2)

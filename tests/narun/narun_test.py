#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs under narun. narun_test.py BUILD_FOLDER GROUP, where GROUP is one of the classes below."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv[1]).resolve()
NARUN = BUILD / "bin/narun"
PROGRAMS = BUILD / "tests/narun"


def run(*words, **environment):
    """Runs narun with the words; its exit code and its two outputs."""
    environment = {"OMP_WAIT_POLICY": "passive", **environment}
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "NAALLOC_", "NARUN_"))}
    return subprocess.run([NARUN, *map(str, words)], capture_output=True, text=True, timeout=100,
                          env={**clean, **environment}, check=False)


def expect_passed(test, name):
    """Runs a program of ours without narun."""
    done = subprocess.run([PROGRAMS / name], capture_output=True, text=True, timeout=60, check=False)
    test.assertEqual((done.returncode, done.stdout.strip()), (0, f"{name}: passed"), done.stdout + done.stderr)


class Options(unittest.TestCase):
    def wrong(self, *words):
        done = run(*words)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_wrong_use_is_one_line(self):
        self.assertIn("no program is given", self.wrong())
        self.assertIn("did you mean --place?", self.wrong("--plase", "none", "true"))
        self.assertIn("--place", self.wrong("--place", "somewhere", "true"))
        self.assertIn("needs to know when", self.wrong("--place", "rebind", "true"))
        self.assertIn("at least 64K", self.wrong("--min", "1K", "true"))
        self.assertIn("needs to know when", self.wrong("--place", "observe", "true"))
        self.assertIn("goes with --place observe", self.wrong("--observe", "3", "true"))
        for wrong in ("0", "x", "nan", "-1", "1e9"):
            self.assertIn("number of seconds", self.wrong("--place", "observe", "--after", "f", f"--observe={wrong}", "true"))

    def test_help_names_the_program_behind_the_options(self):
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("\nUsage: narun [OPTIONS] program [arguments]\n", done.stdout)
        self.assertIn("--place HOW", done.stdout)

    def test_programs_that_cannot_run(self):
        for program, words in ((PROGRAMS / "heap_calls_static", "statically linked"), ("/nonexistent", "cannot run"),
                               ("/etc/passwd", "cannot run"), ("no-such-program-anywhere", "cannot run")):
            done = run(program)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)

    def test_a_folder_that_the_loader_cannot_name_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, "with space")
            for part in "bin/narun", "lib/libnarun.so":
                (place / part).parent.mkdir(parents=True)
                shutil.copy(BUILD / part, place / part)
            done = subprocess.run([place / "bin/narun", "true"], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
            self.assertIn("libnarun.so cannot be preloaded (its path has a space or a colon)", done.stderr)

    def test_sizes_that_are_none_are_wrong_use(self):
        for option in "--min", "--after-bytes":
            done = run(option, "much", "true")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertTrue(done.stderr.startswith(f"narun: {option}: 'much' is not a size"), done.stderr)

    def test_a_report_without_large_blocks_says_so(self):
        text = r"narun: process \d+ has allocated no block of 1 MiB or more; nothing was placed \(--min names another size\)\n"
        for asked in (["--report"], ["--after", "set_up"]):
            self.assertRegex(run(*asked, "--min", "1M", "true").stderr, f"^{text}$")
        self.assertEqual(run("true").stderr, "")
        self.assertEqual(run("--report", "sh", "-c", "/bin/true; :").stderr, "")  # a child; sh ends by _exit
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "report")
            run(f"--report={file}", "--json", f"{file}.json", "--min", "1M", "true")
            self.assertRegex(file.read_text(), f"^{text}$")
            self.assertEqual(json.loads(pathlib.Path(f"{file}.json").read_text())["total"]["local"], 0)

    def test_a_report_reaches_the_standard_error_that_the_program_has_closed(self):
        self.assertIn("nothing was placed", run("--report", "echo").stderr)  # as all of coreutils, at exit

    def test_a_log_that_cannot_be_written_is_told_once(self):
        text = "naalloc: cannot write the log (No space left on device); lines of it are missing\n"
        done = run("--log=/dev/full", "--min", "64K", PROGRAMS / "heap_calls")
        self.assertEqual((done.returncode, done.stderr), (0, text))

    def test_words_behind_the_program_are_its_own(self):
        done = run("echo", "--report", "--help", "-n")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "--report --help -n\n", ""))

    def test_exit_code_is_the_programs(self):
        self.assertEqual(run("sh", "-c", "exit 7").returncode, 7)

    def test_wrong_variables_are_told_in_the_log(self):
        done = run("--log", "true", NAALLOC_POLL="1M", NAALLOC_POOL="much")
        self.assertIn("NAALLOC_POLL is not a variable of naalloc", done.stderr)
        self.assertIn("NAALLOC_POOL=much is not understood", done.stderr)


class Heap(unittest.TestCase):
    def test_every_way_of_placing(self):
        for place, pages in (("partition", "transparent"), ("partition", "small"), ("none", "transparent")):
            done = run("--place", place, "--min", "64K", "--pages", pages, "--threads", "3", PROGRAMS / "heap_calls")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("heap_calls: passed", done.stdout)

    def test_reports_count_every_page(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "report.json")
            done = run("--json", file, "--min", "64K", PROGRAMS / "heap_calls")
            self.assertEqual(done.returncode, 0, done.stdout)
            report = json.loads(file.read_text())
        total = report["total"]
        self.assertGreater(total["local"], 10000)
        self.assertEqual(total["local"] + total["remote"] + total["unknown"] + total["untouched"],
                         sum(total["pages_on_node"].values()))

    def test_other_programs_are_not_harmed(self):
        script = "import hashlib; print(hashlib.sha256(bytearray(50000000)).hexdigest()[:8])"
        plain = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
        self.assertEqual(run(sys.executable, "-c", script).stdout, plain)
        self.assertEqual(run("sort", "/etc/passwd").stdout,
                         subprocess.run(["sort", "/etc/passwd"], capture_output=True, text=True, check=True).stdout)


class OpenMP(unittest.TestCase):
    def test_matrix_of_a_serial_reader(self):
        done = run("--report", PROGRAMS / "matrix_openmp", 500, "uneven", OMP_NUM_THREADS="4")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("matrix_openmp: passed with 4 threads", done.stdout)
        self.assertIn("4 threads (OpenMP team)", done.stderr)
        local, known = map(int, re.search(r"matrix pages: (\d+) of (\d+) local", done.stdout).groups())
        self.assertGreater(known, 5000)
        self.assertGreaterEqual(local, 0.99 * known)

    def test_openmp_is_not_pulled_into_other_programs(self):
        # A launcher with OMP_PROC_BIND set must leave all cpus to its children.
        done = run("sh", "-c", "grep Cpus_allowed_list /proc/self/status", OMP_PROC_BIND="true", OMP_NUM_THREADS="1")
        status = pathlib.Path("/proc/self/status").read_text()
        self.assertEqual(done.stdout.split()[1], re.search(r"Cpus_allowed_list:\s*(\S+)", status).group(1))
        for library in ("libnarun.so", "libnaalloc.so"):
            needed = subprocess.run(["readelf", "-d", BUILD / "lib" / library], capture_output=True, text=True, check=True)
            names = re.findall(r"NEEDED.*\[(.*)\]", needed.stdout)
            self.assertTrue(all(name.startswith(("libc.so", "ld-linux", "libm.so")) for name in names), names)

    def test_threads_are_bound_on_request(self):
        done = run("--bind", "close", "--log", PROGRAMS / "matrix_openmp", 300, OMP_NUM_THREADS="2")
        self.assertEqual(done.returncode, 0)
        self.assertNotIn("not bound", done.stderr)


class Trigger(unittest.TestCase):
    def test_use_is_observed(self):
        done = run("--place", "observe", "--after", "GOMP_parallel", "--observe", "0.5", "--report", "--json", "/dev/null",
                   PROGRAMS / "matrix_openmp", 400, "uneven", 1.5, OMP_NUM_THREADS="2")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        moments = re.findall(r"narun: process \d+, (.*)", done.stderr)
        self.assertEqual([moment.split()[0] for moment in moments], ["before", "after", "at"], done.stderr)
        blocks, uses = map(int, re.search(r"users of (\d+) blocks \((\d+) uses", moments[1]).groups())
        self.assertGreater(uses, 50)
        self.assertGreaterEqual(blocks, 2)  # values and columns

    def test_use_is_not_observed_long_enough(self):
        done = run("--place", "observe", "--after", "GOMP_parallel", "--observe", "1000", PROGRAMS / "matrix_openmp", 200)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("ended before its use was looked at", done.stderr)

    def test_bytes(self):
        done = run("--place", "rebind", "--after-bytes", "4M", "--report", PROGRAMS / "matrix_openmp", 500)
        self.assertEqual(done.returncode, 0, done.stdout)
        moments = re.findall(r"narun: process \d+, (.*)", done.stderr)
        self.assertEqual(moments, ["before rebinding at more than 4 MiB in large blocks",
                                   "after rebinding at more than 4 MiB in large blocks", "at the end"])

    def test_function_of_a_library(self):
        done = run("--after", "set_up", "--report", PROGRAMS / "calls_library")
        self.assertIn("calls_library: passed", done.stdout)
        self.assertEqual(done.stderr.count("at return of set_up"), 2, done.stderr)
        self.assertIn("3 MiB partitioned", done.stderr)

    def test_immediate_and_late_binding(self):
        for bind in ({}, {"LD_BIND_NOW": "1"}):
            done = run("--after", "set_up", "--place", "rebind", "--report", PROGRAMS / "calls_library", **bind)
            self.assertIn("calls_library: passed", done.stdout)
            self.assertEqual(done.stderr.count("after rebinding at return of set_up"), 2)

    def test_function_that_is_not_there(self):
        done = run("--after", "no_such_function", PROGRAMS / "calls_library")
        self.assertEqual(done.returncode, 0)
        self.assertIn("function no_such_function has never returned", done.stderr)


class Library(unittest.TestCase):
    """Programs that call naalloc themselves, in each language."""

    def test_program_of_naalloc_has_one_allocator(self):
        placement = BUILD / "tests/numa_kernel/placement"
        done = run("--report", placement, OMP_NUM_THREADS="3")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("placement: passed", done.stdout)

    def test_threads_of_a_pool_and_containers(self):
        expect_passed(self, "pool_threads")


class Fortran(unittest.TestCase):
    def test_calls(self):
        expect_passed(self, "fortran_calls")


class Hypre(unittest.TestCase):
    def test_report_after_setup(self):
        done = run("--threads", 1, "--after", "HYPRE_BoomerAMGSetup", "--report", PROGRAMS / "hypre_laplace", 30,
                   OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("hypre_laplace: passed", done.stdout)
        self.assertIn("at return of HYPRE_BoomerAMGSetup", done.stderr)
        local, known = map(int, re.search(r"A and P pages: (\d+) of (\d+) local", done.stdout).groups())
        self.assertGreater(known, 1000)
        self.assertGreaterEqual(local, 0.99 * known)

    def test_same_iterations_as_without(self):
        first = re.compile(r"\d+ iterations, residual \S+")
        plain = subprocess.run([PROGRAMS / "hypre_laplace", "20"], capture_output=True, text=True, check=True).stdout
        for words in (["--place", "rebind", "--after", "HYPRE_BoomerAMGSetup"], []):
            done = run(*words, PROGRAMS / "hypre_laplace", 20)
            self.assertEqual(first.search(done.stdout).group(), first.search(plain).group())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], sys.argv[2]], verbosity=2)

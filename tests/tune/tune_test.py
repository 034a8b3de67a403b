#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tune_test.py BUILD-DIRECTORY: taihu-tune writes a table that the launchers take, and all refuse what is damaged."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv[1])
TUNE, MARUN, PROGRAM = BUILD / "bin/taihu-tune", BUILD / "bin/marun", BUILD / "libexec/taihu/tune-ranks"


class Tune(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("TAIHU_")}
        self.environment["XDG_CONFIG_HOME"] = folder.name

    def run_words(self, *words, **more):
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=250, check=False,
                              env={**self.environment, **more})

    def tune(self, *words):
        return self.run_words(TUNE, "--rounds", 3, *words)

    def verbose_job(self, **more):
        return self.run_words(MARUN, "-v", "-n", 2, "--timeout", 60, PROGRAM, "send", 100, **more)

    def test_a_table_is_written_where_launchers_look_for_it(self):
        done = self.tune("--only", "TAIHU_EAGER_BYTES", "--crowded")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stdout, r"TAIHU_EAGER_BYTES .*default 1024\n  2048 against 1024: [+-][0-9.]+ % of the time, faster in "
                                      r"[0-9]+ % of 3 pairs: (not )?taken\n")
        self.assertRegex(done.stdout, r"\n  (stays|becomes) [0-9]+\n")
        table = self.folder / "taihu/tuning"
        self.assertTrue(table.read_text().startswith("taihu tuning 1\n# written by taihu-tune "))
        job = self.verbose_job()
        self.assertEqual(0, job.returncode, job.stderr)
        self.assertIn(f"sizes of {table}", job.stderr)
        self.assertNotIn("sizes of", self.verbose_job(TAIHU_TUNING="off").stderr)

    def test_a_damaged_table_is_refused_in_one_line(self):
        table = self.folder / "table"
        table.write_text("taihu tuning 1\nTAIHU_EAGER_BYTES 2048\n")
        job = self.verbose_job(TAIHU_TUNING=str(table))
        self.assertEqual(1, job.returncode)
        self.assertEqual(f"marun: {table}: not a whole table of taihu-tune, or changed by hand; run taihu-tune again or remove it\n", job.stderr)
        job = self.verbose_job(TAIHU_TUNING=str(self.folder / "nothing"))
        self.assertEqual(1, job.returncode)
        self.assertRegex(job.stderr, r"^marun: cannot read the tuning table .*/nothing \(No such file or directory\)\n$")

    def test_a_dry_run_writes_nothing(self):
        done = self.tune("--only", "TAIHU_LONG_BCAST_BYTES", "--dry-run", "--processes", 1000)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("left at its default: 1000 ranks need a core each", done.stdout)
        self.assertFalse((self.folder / "taihu").exists())

    def test_what_the_processor_has_not_is_not_measured(self):
        source = pathlib.Path(__file__).resolve().parents[2]
        program = self.folder / "tune-ranks"
        made = self.run_words(BUILD / "bin/macc", "-O1", "-U__SSE2__", "-Wall", "-Wextra", "-Werror", f"-I{source}",
                              source / "commands/tune_ranks.c", "-o", program)
        self.assertEqual(0, made.returncode, made.stderr)
        for kind, code in (("look_up", 0), ("store", 2)):
            job = self.run_words(MARUN, "-n", 1, "--timeout", 60, program, kind, 1000)
            self.assertEqual(code, job.returncode, job.stderr)

    def test_values_of_the_environment_are_not_taken_for_the_defaults(self):
        done = self.run_words(TUNE, "--rounds", 3, "--only", "TAIHU_EAGER_BYTES", "--crowded", "--dry-run", TAIHU_EAGER_BYTES="many")
        self.assertEqual(0, done.returncode, done.stderr)

    def test_wrong_use_is_told_before_anything_runs(self):
        self.assertEqual(2, self.tune("--only", "TAIHU_MPI").returncode)
        self.assertEqual(2, self.tune("--system", "--output", "x").returncode)
        for words in ["TAIHU_EAGER_BYTES"], ["--dry-run", "word"], ["--dry-run", "--", "word"]:
            done = self.tune(*words)
            self.assertEqual((2, "", 1), (done.returncode, done.stdout, done.stderr.count("\n")), done.stderr)
            self.assertIn(words[-1], done.stderr)
        done = self.tune("--output", self.folder / "no/folder" / ("x" * 300))
        self.assertEqual(1, done.returncode)
        self.assertEqual(1, done.stderr.count("\n"), done.stderr)

    def test_a_length_that_is_none_is_refused(self):
        job = self.verbose_job(TAIHU_LONG_BCAST_BYTES="many")
        self.assertNotEqual(0, job.returncode)
        self.assertIn("TAIHU_LONG_BCAST_BYTES", job.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

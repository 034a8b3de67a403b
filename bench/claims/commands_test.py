#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the commands of pages are run: which, in which order, what is told of those that fail, and what a run that goes on leaves out."""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import subprocess
import sys
import time
import unittest

sys.dont_write_bytecode = True
import answers
import commands
from claims_test import Folder


def load_rerun():
    path = pathlib.Path(answers.HERE / "rerun")
    loader = importlib.machinery.SourceFileLoader("rerun", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("rerun", loader))
    loader.exec_module(module)
    return module


class Commands(Folder):
    def setUp(self):
        super().setUp()
        self.rerun = load_rerun()
        self.output = io.StringIO()

    def run_all(self, pages, **more):
        with contextlib.redirect_stdout(self.output):
            return commands.run_all(list(pages), pages, self.root / "b", **more)

    def test_one_that_fails_is_told_and_the_rest_goes_on(self):
        failed = self.run_all({"bad": {"command": "sh -c 'echo why it failed; exit 3'", "minutes": 1},
                               "good": {"command": "sh -c 'echo $1 > made' x build", "minutes": 1}})
        self.assertEqual(1, failed)
        self.assertIn("  | why it failed", self.output.getvalue())
        self.assertRegex(self.output.getvalue(), r"\nbad +FAILED: ended with exit code 3, see .*bad\.log; its page stays as it was")
        self.assertEqual(f"{self.root}/b\n", (self.root / "made").read_text())

    def test_one_whose_peer_is_missing_is_left_out(self):
        os.environ.pop("NO_SUCH_PEER", None)
        failed = self.run_all({"a": {"command": "touch ran", "minutes": 1, "needs": ["no-such-program", "$NO_SUCH_PEER"]}})
        self.assertEqual(0, failed)
        self.assertIn("left out: there is no no-such-program, the variable NO_SUCH_PEER is not set", self.output.getvalue())
        self.assertFalse((self.root / "ran").exists())

    def test_one_for_which_no_time_is_left_is_left_out(self):
        pages = {"quick": {"command": "touch quick", "minutes": 0.1}, "slow": {"command": "touch slow", "minutes": 3}}
        self.assertEqual(0, self.run_all(pages, limit=120))
        self.assertTrue((self.root / "quick").exists())
        self.assertFalse((self.root / "slow").exists())
        self.assertRegex(self.output.getvalue(), r"slow +left out: it takes 3 min, and 2 are left of --limit; its page stays as it is")

    def test_no_command_goes_on_when_the_time_of_all_is_over(self):
        self.assertEqual(1, self.run_all({"a": {"command": "sleep 1000", "minutes": 0.01}}, limit=1))
        self.assertRegex(self.output.getvalue(), r"was ended after 0:0[01] min")

    def test_one_that_does_not_end_is_ended_with_all_that_it_started(self):
        command = commands.Running("a", f"sleep 1000 & echo $! > {self.root}/pid; wait", self.root / "log", 2)
        while (problem := command.ended()) is None:
            time.sleep(0.05)
        self.assertEqual("was ended after 0:02 min", problem)
        self.assert_has_ended("pid")

    def assert_has_ended(self, file):
        state = pathlib.Path(f"/proc/{(self.root / file).read_text().strip()}/stat")
        for _ in range(100):
            try:
                if state.read_text().split()[2] == "Z":
                    return
            except OSError:
                return
            time.sleep(0.05)
        self.fail("what it started goes on")

    # Each command waits until the other one runs.
    def test_what_is_not_timed_runs_two_at_a_time(self):
        meet = "sh -c 'touch {0}; for turn in $(seq 600); do [ -e {1} ] && exit 0; sleep 0.05; done; exit 1'"
        pages = {name: {"command": meet.format(name, other), "minutes": 1, "timed": False} for name, other in (("a", "b"), ("b", "a"))}
        self.assertEqual(0, self.run_all(pages))

    def test_what_is_timed_runs_alone_and_first(self):
        alone = "sh -c 'mkdir busy && sleep 0.3 && rmdir busy && echo {0} >> order'"
        pages = {"model": {"command": "sh -c '[ ! -e busy ] && echo model >> order'", "minutes": 0.1, "timed": False},
                 "long": {"command": alone.format("long"), "minutes": 2}, "short": {"command": alone.format("short"), "minutes": 1}}
        self.assertEqual(0, self.run_all(pages))
        self.assertEqual("short\nlong\nmodel\n", (self.root / "order").read_text())

    def test_a_run_goes_on_with_what_is_not_done(self):
        count = "sh -c 'echo {0} >> ran; echo page > docs/results/{0}.md; [ -e {0}.fits ]'"
        pages = {name: {"command": count.format(name), "minutes": 1} for name in ("a", "b", "c")}
        for name in ("a", "c"):
            self.write(f"{name}.fits", "")
        self.assertEqual(1, self.run_all(pages))
        self.write("b.fits", "")
        self.write("docs/results/c.md", "another page")
        self.assertEqual(0, self.run_all(pages, resume=True))
        self.assertEqual("a\nb\nc\nb\nc\n", (self.root / "ran").read_text())
        self.assertRegex(self.output.getvalue(), r"\na +done before\n")
        self.assertEqual(0, self.run_all(pages, resume=True), "all is done")
        self.assertEqual(0, self.run_all(pages))
        self.assertEqual(8, len((self.root / "ran").read_text().split()), "a new run begins at the beginning")

    def test_a_run_of_some_keeps_what_the_others_have_done(self):
        pages = {name: {"command": f"sh -c 'echo {name} >> ran'", "minutes": 1} for name in ("a", "b")}
        self.assertEqual(0, self.run_all(pages))
        self.assertEqual(0, self.run_all({"a": pages["a"]}))
        self.assertEqual("a\nb\na\n", (self.root / "ran").read_text(), "without resume it is run again")
        self.assertEqual(0, self.run_all(pages, resume=True))
        self.assertEqual("a\nb\na\n", (self.root / "ran").read_text())

    def test_what_reads_a_page_that_has_changed_is_not_done(self):
        pages = {"tasks": {"command": "sh -c 'echo tasks >> ran; cp cost docs/results/tasks.md'", "minutes": 1},
                 "model": {"command": "sh -c 'echo model >> ran; cp docs/results/tasks.md docs/results/model.md'", "minutes": 1,
                           "timed": False, "inputs": ["tasks"]}}
        self.write("cost", "9")
        self.assertEqual(0, self.run_all(pages))
        self.assertEqual(0, self.run_all(pages, resume=True))
        self.assertEqual("tasks\nmodel\n", (self.root / "ran").read_text())
        self.write("cost", "8")
        self.assertEqual(0, self.run_all({"tasks": pages["tasks"]}))
        self.assertEqual(0, self.run_all(pages, resume=True))
        self.assertEqual("tasks\nmodel\ntasks\nmodel\n", (self.root / "ran").read_text())
        self.assertEqual("8", (self.root / "docs/results/model.md").read_text())

    def test_a_cut_list_of_what_is_done_is_no_obstacle(self):
        (self.root / "b/claims").mkdir(parents=True)
        self.write("b/claims/finished.json", '{"a": ["touch r')
        self.assertEqual(0, self.run_all({"a": {"command": "touch ran", "minutes": 1}}, resume=True))
        self.assertTrue((self.root / "ran").exists())

    def test_an_interrupt_ends_all_that_runs(self):
        line = "sh -c 'echo $$ > {0}.pid; sleep 1000; true'"
        pages = {name: {"command": line.format(name), "minutes": 0.1, "timed": False} for name in ("a", "b")}
        run = commands.Run(list(pages), pages, self.root / "b", 60, False)
        sleep, commands.time.sleep = time.sleep, lambda _: self.interrupt_when_both_run(sleep)
        try:
            with contextlib.redirect_stdout(self.output), self.assertRaises(KeyboardInterrupt):
                run.all()
        finally:
            commands.time.sleep = sleep
        self.assert_has_ended("a.pid")
        self.assert_has_ended("b.pid")

    def interrupt_when_both_run(self, sleep):
        sleep(0.05)
        if all((self.root / f"{name}.pid").exists() and (self.root / f"{name}.pid").read_text() for name in ("a", "b")):
            raise KeyboardInterrupt

    def test_a_page_that_is_not_up_to_date_is_told(self):
        self.write("docs/claims.md", "a\nb\n")
        self.assertIsNone(self.rerun.checked("a\nb\n"))
        self.assertEqual("docs/claims.md:2: not what the claims and the pages of results give", self.rerun.checked("a\nc\n"))
        (self.root / "docs/claims.md").unlink()
        self.assertEqual("docs/claims.md is missing", self.rerun.checked("a\n"))

    def test_quick_commands_come_first(self):
        pages = {"long": {"minutes": 9}, "short": {"minutes": 1}, "other": {"minutes": 5}}
        claims = [{"id": "P1", "value": [{"page": "long"}, {"page": ["short", "other"]}]}, {"id": "P2", "value": [{"page": "other"}]}]
        found = answers.Answers(pages, self.root)
        self.assertEqual(["short", "long"], self.rerun.wanted_pages(claims, pages, ["P1"], found))
        self.assertEqual("there is no bench/none/run", commands.missing_needs({"command": "bench/none/run build"}))

    def test_a_reader_of_the_list_may_leave_early(self):
        rerun = pathlib.Path(__file__).parent / "rerun"
        reader, writer = os.pipe()
        os.close(reader)
        try:
            listing = subprocess.run([sys.executable, "-B", rerun, "build", "--list"], stdout=writer, stderr=subprocess.PIPE, check=False)
        finally:
            os.close(writer)
        self.assertEqual(b"", listing.stderr)


if __name__ == "__main__":
    unittest.main()

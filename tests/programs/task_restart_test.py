#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills a job that takes tasks with a checkpoint file, again and again, and starts it with other numbers of processes and
threads: every task is done, and none again that the file has as complete.

usage: task_restart_test.py PARCRUN PROGRAM FOLDER [--kills N] [--seed N]"""
import argparse
import collections
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import time

JOBS = [  # options of parcrun, what takes the tasks
    (["-n", "1", "--threads", "1"], "process"),
    (["-n", "3", "--threads", "2"], "process"),
    (["-n", "2", "--threads", "5"], "kernel"),
    (["-n", "4", "--threads", "2", "--processes-per-node", "2", "--mpi", "openmpi"], "kernel"),
    (["-n", "3", "--threads", "1", "--processes-per-node", "3", "--mpi", "mpich"], "process"),
    (["-n", "7", "--threads", "1"], "process"),
]


def complete_tasks(path):
    """The ids that the file has as complete; a record that is not whole counts for nothing, as in the program."""
    content = path.read_bytes() if path.exists() else b""
    ids = collections.Counter()
    for at in range(24, len(content) - 23, 24):
        first, end = struct.unpack_from("=qq", content, at)
        ids.update(range(first, end))
    return ids


def events(path):
    """(ids that were begun in order, done ids)."""
    begun, done = [], set()
    for line in path.read_text().split("\n")[:-1] if path.exists() else []:
        what, _, number = line.partition(" ")
        begun.append(int(number)) if what == "begin" else done.add(int(number))
    return begun, done


def node_processes(program):
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"parallelc-node") and os.fsencode(program) in words:
            found.append(int(process.name))
    return found


def fail(text):
    print("check failed:", text)
    sys.exit(1)


def end_all(job, program):
    """Kills every part of the job and waits until the file is nobody's."""
    for process in node_processes(program):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass
    job.kill()
    job.wait()
    for _ in range(200):
        if not node_processes(program):
            return
        time.sleep(0.05)
    fail("a killed node process is still there")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("parcrun")
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--total", type=int, default=60000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    file, log = options.folder / "tasks.ckpt", options.folder / "tasks.log"
    for path in file, log:
        path.unlink(missing_ok=True)
    # The kernel has one name for a program: this one is the test's own, so that only its processes are killed.
    program = options.folder / "task_restart"
    program.unlink(missing_ok=True)
    os.link(options.program, program)
    chance = random.Random(options.seed)
    kills = finished = 0
    while kills < options.kills:
        words, how = chance.choice(JOBS)
        before = complete_tasks(file)
        job = subprocess.Popen([options.parcrun, "--timeout", "100", *words, program, str(options.total), file, log, how],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        old_lines = len(events(log)[0])
        old_bytes = log.stat().st_size if log.exists() else 0
        # From before the file is open until after some of the work; some jobs come to their end.
        if chance.random() < 0.8:
            for _ in range(400):
                if job.poll() is not None or (log.exists() and log.stat().st_size > old_bytes):
                    break
                time.sleep(0.01)
            time.sleep(chance.random() ** 3 * 0.6)
        else:
            time.sleep(chance.random() * 0.3)
        ended = job.poll()
        if ended is None:
            end_all(job, program)
            kills += 1
        elif ended != 0:
            fail(f"{words} {how}: exit code {ended}: {job.stdout.read()}")
        begun, done = events(log)
        again = set(begun[old_lines:]) & set(before)
        if again:
            fail(f"{words} {how}: tasks are handed out again although the file had them as complete: {sorted(again)[:10]}")
        now = complete_tasks(file)
        twice = [task for task, times in now.items() if times > 1]
        if twice:
            fail(f"recorded twice: {twice[:10]}")
        if set(now) - done:
            fail(f"recorded before they were done: {sorted(set(now) - done)[:10]}")
        if ended == 0:
            if len(now) != options.total:
                fail(f"the job has ended with {len(now)} of {options.total} tasks in the file")
            finished += 1
            file.unlink()
            log.unlink()
    final = subprocess.run([options.parcrun, "--timeout", "100", "-n", "2", program, str(options.total), file, log, "process"],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    begun, done = events(log)
    if final.returncode != 0 or done != set(range(options.total)):
        fail(f"at the end {len(done)} of {options.total} tasks are done, exit code {final.returncode}: {final.stdout}")
    print(f"{kills} kills, {finished + 1} rounds to the end, {len(begun) - options.total} tasks of the last one done again: passed")


if __name__ == "__main__":
    main()

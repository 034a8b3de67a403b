#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of whole jobs: what comes back, what is refused, and that a job that is killed at random moments, also while it
saves itself, goes on from a whole checkpoint and comes to the same end.

usage: checkpoint_test.py state|refusals|kills PARCRUN PROGRAM FOLDER [--kills N] [--seed N]"""
import argparse
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

SHAPES = [["-n", "1"], ["-n", "5", "--threads", "2"], ["-n", "4", "--node", "2"],
          ["-n", "4", "--processes-per-node", "2", "--mpi", "openmpi"],
          ["-n", "5", "--processes-per-node", "3", "--mpi", "mpich"]]


def fail(text):
    print("check failed:", text)
    sys.exit(1)


def run(options, *words):
    return subprocess.run([options.parcrun, "--timeout", "100", *map(str, words)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)


def expect(result, code, pattern):
    if result.returncode != code or not re.search(pattern, result.stdout):
        fail(f"{result.args}: exit code {result.returncode}, not {code}, or no '{pattern}' in:\n{result.stdout}")


def test_state(options):
    for index, shape in enumerate(SHAPES):
        save = options.folder / f"state{index}"
        expect(run(options, *shape, options.program, save), 0, "saved: passed")
        for _ in range(3):
            result = run(options, *shape, "--restart", save, options.program, save)
            expect(result, 0, "restored: passed")
            if "buffer of the first run" in result.stdout:
                fail("the restarted job prints what was in a buffer of the former one")
        processes = int(shape[shape.index("--processes-per-node") + 1]) if "--processes-per-node" in shape else 1
        for name in f"state{index}", f"state{index}-again":
            left = [path.name for path in options.folder.glob(f"{name}.*")]
            if len(left) != processes or not (options.folder / name).exists():
                fail(f"files of {name}: {left}")
    print("all state came back: passed")


def test_refusals(options):
    save = options.folder / "save"
    shape = SHAPES[3]
    expect(run(options, *shape, options.program, save), 0, "saved: passed")
    restart = ["--restart", save]
    expect(run(options, "-n", "3", *shape[2:], *restart, options.program, save), 1, "is of 4 ranks, not of 3; give -n 4")
    expect(run(options, "-n", "4", *restart, options.program, save), 1, "is of 2 node processes, not of 1")
    expect(run(options, *shape, "--node", "1", *restart, options.program, save), 1, "give the same")
    other = options.folder / "another_build"
    shutil.copy(options.program, other)
    with other.open("ab") as file:
        file.write(b"x")
    expect(run(options, *shape, *restart, other, save), 1, "another program, or of another build")
    expect(run(options, *shape, "--restart", options.folder / "none", options.program, save), 1, "cannot read checkpoint")
    data = sorted(options.folder.glob("save.*.1"))[0]
    whole, manifest = data.read_bytes(), save.read_bytes()
    for damaged in whole[:-1], whole + b"\0", b"", whole[:100] + bytes([whole[100] ^ 1]) + whole[101:], \
            whole[:-300] + bytes([whole[-300] ^ 128]) + whole[-299:]:
        data.write_bytes(damaged)
        expect(run(options, *shape, *restart, options.program, save), 1, "is not what the checkpoint had")
    data.write_bytes(whole)
    for damaged in b"", b"x" * 1000, manifest[:-1], manifest.replace(b"processes 2", b"processes 3"), bytes(5000):
        save.write_bytes(damaged)
        expect(run(options, *shape, *restart, options.program, save), 1, "not a checkpoint of m_checkpoint, or damaged")
    save.write_bytes(manifest)
    expect(run(options, *shape, *restart, options.program, save), 0, "restored: passed")
    print("refusals: passed")


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


def test_kills(options):
    program = options.folder / "ring"  # the test's own name, so that only its processes are killed
    program.unlink(missing_ok=True)
    shutil.copy(options.program, program)
    chance = random.Random(options.seed)
    kills = restarts = 0
    for shape in SHAPES[1], SHAPES[3]:
        save = options.folder / f"ring{len(shape)}.save"
        words = [program, "-s", "100000", "-e", "3", "-c", save]
        deadline = kills + options.kills // 2
        step = 0
        while kills < deadline:
            restart = ["--restart", save] if save.exists() else []
            restarts += len(restart) // 2
            job = subprocess.Popen([options.parcrun, "--timeout", "100", *map(str, [*shape, *restart, *words])],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            before = save.stat().st_mtime_ns if restart else 0
            for _ in range(500):  # the job has begun to save itself
                if job.poll() is not None or (save.exists() and save.stat().st_mtime_ns != before):
                    break
                time.sleep(0.005)
            time.sleep(chance.random() * 0.05)
            processes = node_processes(program)
            chance.shuffle(processes)
            for process in processes[:chance.choice([1, len(processes)])]:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            output = job.communicate()[0]
            while node_processes(program):
                time.sleep(0.02)
            if job.returncode == 0:
                fail(f"the job was not killed: {output}")
            if restart:
                found = re.search(r"goes on with step (\d+)", output)
                if "cannot" in output or "damaged" in output:
                    fail(f"a restart is refused: {output}")
                if found and int(found.group(1)) < step:
                    fail(f"went back from step {step} to {found.group(1)}")
                step = int(found.group(1)) if found else step
            kills += 1
        steps = step + 500
        expect(run(options, *shape, "--restart", save, program, "-s", steps, "-e", 1000000, "-c", save), 0, "result")
        broken = run(options, *shape, "--restart", save, program, "-s", steps, "-e", 1000000, "-c", save).stdout
        whole = run(options, *shape, program, "-s", steps, "-e", 1000000, "-c", save).stdout
        results = [re.search(r"steps, result (\w+)", text).group(1) for text in (broken, whole)]
        if results[0] != results[1]:
            fail(f"{shape}: after {steps} steps the result is {results[0]}, without an interruption {results[1]}")
    print(f"{kills} kills, {restarts} restarts, the same results: passed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("test", choices=["state", "refusals", "kills"])
    parser.add_argument("parcrun")
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    {"state": test_state, "refusals": test_refusals, "kills": test_kills}[options.test](options)


if __name__ == "__main__":
    main()

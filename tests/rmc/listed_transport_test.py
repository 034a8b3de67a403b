#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""listed_transport of bench/rmc_paper: the k of rmc on the same model, the same bits for any threads, schedule and vectors, and
restart files that are the same whoever writes them. Usage: listed_transport_test.py RMC BENCH_FOLDER MODEL_FOLDER WORK_FOLDER"""
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

rmc, bench, model, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
shutil.rmtree(work, ignore_errors=True)
work.mkdir(parents=True)
SIZE = ["--particles", "1000", "--batches", "20", "--inactive", "8"]
ENVIRONMENT = dict(os.environ, OMP_WAIT_POLICY="passive", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def expect(holds, text):
    if not holds:
        sys.exit(f"listed_transport_test: {text}")


def run(*words, code=0):
    child = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=ENVIRONMENT, cwd=work)
    expect(child.returncode == code, f"{words}: ended with {child.returncode}\n{child.stdout}{child.stderr}")
    return child


def listed(*words, program="listed_transport", launch=()):
    return run(*launch, bench / program, model, model / "c5g7.json", *SIZE, *words).stdout


def line(name, text):
    found = re.search(f"(?m)^{name} (.*)$", text)
    expect(found, f"no line {name} in\n{text}")
    return found[1]


first = listed("--threads", 1, "--restart", "one.h5")
k, deviation = map(float, line("k", first).split())
theirs = run(rmc, "run", model, *SIZE, "--threads", 2, "-o", "results").stdout
found = re.search(r"k \(collision\) +([\d.]+) \+/- ([\d.]+)", theirs)
expect(found, f"rmc printed no k:\n{theirs}")
expect(deviation > 0 and abs(k - float(found[1])) < 4 * math.hypot(deviation, float(found[2])),
       f"k is {k} +/- {deviation}, rmc has {found[0]}")
expect(float(line("blocks", first)) > 100, f"histories allocate nothing:\n{first}")

# A thread's bins are added up in another order, so only one thread gives the file's bits.
expect(line("contents", listed("--restart", "root.h5", "--way", "root")) == line("contents", first), "the root writes another file")
expect(line("k", listed("--seed", 2)) != line("k", first), "the seed changes nothing")
for words in ("--threads", 2, "--schedule", "guided,500"), ("--threads", 3, "--schedule", "static"), \
        ("--threads", 2, "--schedule", "dynamic,1"):
    expect(line("k", listed(*words)) == line("k", first), f"{words} change k")
expect(line("k", listed(program="listed_transport_aligned")) == line("k", first), "aligned vectors change k")

if shutil.which("mpirun.openmpi") and (bench / "listed_transport-openmpi").exists():
    launch = "mpirun.openmpi", "--bind-to", "none", "--oversubscribe", "-n", 3
    parts = [listed("--restart", f"{way}.h5", "--way", way, program="listed_transport-openmpi", launch=launch)
             for way in ("parallel", "root")]
    for text in parts:
        expect(line("k", text) == line("k", first), f"three ranks have another k:\n{text}")
    expect(line("contents", parts[0]) == line("contents", parts[1]), "three ranks write other files than the root of three")

wrong = run(bench / "listed_transport", model, model / "c5g7.json", "--batches", 3, "--inactive", 3, code=2)
expect(wrong.stderr == "listed_transport: --inactive has to be less than the number of batches\n", wrong.stderr)
wrong = run(bench / "listed_transport", model, model / "c5g7.json", "--schedule", "often", code=2)
expect("schedule \"often\" is not one" in wrong.stderr, wrong.stderr)
wrong = run(bench / "listed_transport", model, "nowhere.json", code=1)
expect(wrong.stderr.count("\n") == 1 and "nowhere.json" in wrong.stderr, wrong.stderr)

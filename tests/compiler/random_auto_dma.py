#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels compiled plain and with --auto-dma must leave the same bits, also rows of kernels of which later ones find what
earlier ones have left in the scratchpad, while process code writes between them. The machine of the second build starts a transfer
within a nanosecond, so that short loops are moved as well; at least one transfer per program must have happened, and none outside of
the scratchpad. Some kernels have their loops in functions of a second file.
A third build, with --optimise-for-host, takes each of its changed loops whatever their length."""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import xml.etree.ElementTree

from random_kernels import program

HOST_ALWAYS = {"TAIHU_LOOKED_UP_BYTES": "0", "TAIHU_STORED_BYTES": "0"}


def run(command, variables=None):
    job = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=os.environ | (variables or {}))
    if job.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {job.returncode}\n{job.stdout[-2000:]}{job.stderr[-4000:]}")
    return job


def check_pictures(folder, capacity, seed):
    """Each picture is XML, and no transfer in it leaves the scratchpad."""
    for picture in folder.glob("kernel*.svg"):
        for title in xml.etree.ElementTree.parse(picture).iter("{http://www.w3.org/2000/svg}title"):
            size, place = map(int, re.match(r"\w+ (\d+) bytes at byte (\d+), ", title.text).groups())
            if place + size > capacity:
                sys.exit(f"seed {seed}: {picture}: '{title.text}', but the scratchpad has {capacity} bytes")
        picture.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=10)
    parser.add_argument("--kernels", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--machine", type=pathlib.Path, required=True, help="sw26010.json")
    parser.add_argument("--parcrun", required=True)
    parser.add_argument("parcc")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    machine = options.work / "machine.json"
    machine.write_text(json.dumps(json.loads(options.machine.read_text()) | {"transfer_start_ns": 1, "transfer_gb_s": 2000}))
    moved = compared = reused = looked_up = stored = in_strips = 0
    for seed in range(options.seed, options.seed + options.programs):
        rng = random.Random(seed)
        capacity = rng.choice((2, 4, 16, 64)) * 1024
        filling = rng.choice((8, 8, capacity // 2, capacity - 700, capacity - 8))
        source = options.work / f"random{seed}.c"
        other = options.work / f"random{seed}_other.c"
        for file, text in zip((source, other), program(rng, options.kernels, filling)):
            file.write_text(text)
        level = rng.choice(("-O1", "-O2", "-O3"))
        common = [options.parcc, level, "-ffp-contract=off", f"--spm={capacity}", source, other, "-o"]
        run([*common, f"{source}.plain"])
        run([*common, f"{source}.moved", "--auto-dma", f"--spm-model={machine}", f"--spm-model-pictures={options.work}"])
        changed = run([*common, f"{source}.host", "--optimise-for-host", "--report=layout", "-mllvm", "-taihu-host-least=0"]).stderr
        looked_up += changed.count(": looks up ")
        stored += changed.count(": writes ")
        in_strips += changed.count(": in strips of ")
        outputs = []
        for kind in ("plain", "moved", "host"):
            outputs.append(run([options.parcrun, "--timeout", "100", "-n", "1", "--threads", "3", f"{source}.{kind}"], HOST_ALWAYS))
        plain, *others = (output.stdout.splitlines() for output in outputs)
        for kind, lines in zip(("moved", "for this processor"), others):
            if plain != lines or not plain:
                different = [number for number, (one, other) in enumerate(zip(plain, lines)) if one != other]
                sys.exit(f"seed {seed}, {level}, scratchpad {capacity}, filled {filling}: kernels differ when {kind}, "
                         f"{[plain[number].split()[0] for number in different]}")
        transfers = sum(int(number) for number in re.findall(r"transfers +(\d+),", outputs[1].stderr))
        if transfers == 0 and filling < capacity - 700:
            sys.exit(f"seed {seed}: nothing was moved\n{outputs[1].stderr}")
        check_pictures(options.work, capacity, seed)
        moved += transfers
        reused += sum(int(number) for number in re.findall(r"copies still there +(\d+),", outputs[1].stderr))
        compared += len(plain)
        for kind in ("plain", "moved", "host"):
            os.remove(f"{source}.{kind}")
    if reused == 0:
        sys.exit("no kernel found what another one had left")
    if 0 in (looked_up, stored, in_strips):
        sys.exit(f"{looked_up} loops with look-ups, {stored} with long stores and {in_strips} nests were changed for this processor")
    print(f"{options.programs} programs, {compared} runs of kernels with {moved} transfers, {reused} copies found again, {looked_up} loops with "
          f"look-ups, {stored} with stores and {in_strips} in strips changed: the same bits")


main()

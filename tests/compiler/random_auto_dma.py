#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels compiled plain and with --auto-dma must leave the same bits, also rows of kernels of which later ones find what
earlier ones have left in the scratchpad, while process code writes between them. The machine of the second build starts a transfer
within a nanosecond, so that short loops are moved as well; at least one transfer per program must have happened, and none outside of
the scratchpad. Some kernels have their loops in functions of a second file.
A third build, with --optimise-for-host, takes each of its changed loops whatever their length. --joined also compiles the files of some
programs one by one and links them with --whole-program; compiled by one command they are the same program. --autonomic also compiles
some of the programs as processes alone, with --model=autonomic, in the same ways."""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import xml.etree.ElementTree

from random_kernels import as_processes, program

LEVELS = ("-O1", "-O2", "-O3")
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


class Comparison:
    """Of what builds of one program print, and how much was changed in all."""

    def __init__(self, options, machine):
        self.options, self.machine = options, machine
        self.moved = self.compared = self.reused = self.tables = self.looked_up = self.stored = self.in_strips = self.seen = 0

    def build(self, sources, flags, capacity, joined):
        """A program for each kind; also that of files joined at the end if `joined`."""
        host = ["--optimise-for-host", "--report=layout", "-mllvm", "-taihu-host-least=0"]
        model = [f"--spm-model={self.machine}"]
        if "--model=autonomic" not in flags:
            model.append(f"--spm-model-pictures={self.options.work}")
        programs = {}
        for kind, more in (("plain", []), ("moved", ["--auto-dma", "--report=layout", *model]), ("host", host)):
            programs[kind] = f"{sources[0]}.{kind}"
            said = run([self.options.parcc, *flags, "-ffp-contract=off", f"--spm={capacity}", *sources, *more, "-o", programs[kind]]).stderr
            self.tables += said.count(": all of it, when the run finds ")
            self.looked_up += said.count(": looks up ")
            self.stored += said.count(": writes ")
            self.in_strips += said.count(": in strips of ")
        if joined:
            programs["joined"] = self.build_together(sources, [*flags, "-ffp-contract=off", f"--spm={capacity}", "--auto-dma",
                                                               "--whole-program", f"--spm-model={self.machine}"])
        return programs

    def build_together(self, sources, flags):
        """The program of files that are compiled one by one, after one of the same bytes made by one command."""
        name, objects = f"{sources[0]}.joined", [f"{source}.o" for source in sources]
        report = [self.options.parcc, *flags, "--report=layout", "-o", name]
        said = run([*report, *sources]).stderr
        program = pathlib.Path(name).read_bytes()
        for source, made in zip(sources, objects):
            run([self.options.parcc, *flags, "-c", source, "-o", made])
        if run([*report, *objects]).stderr != said:
            sys.exit(f"{sources[0]}: the report of both files says something else where they are compiled one by one")
        if pathlib.Path(name).read_bytes() != program:
            sys.exit(f"{sources[0]}: compiled one by one, both files are another program")
        self.seen += re.search(rf" at \S*{re.escape(sources[1].name)}:", said) is not None
        return name

    def compare(self, title, programs, expected=None):
        """What the plain one prints, or `expected`, is what all print. Returns it, and the number of transfers with what the run said of them."""
        transfers, said = 0, ""
        for kind, name in programs.items():
            job = run([self.options.parcrun, "--timeout", "100", "-n", "1", "--threads", "3", name], HOST_ALWAYS)
            lines = job.stdout.splitlines()
            expected = expected or lines
            if lines != expected or not lines:
                different = [one.split()[0] for one, other in zip(expected, lines) if one != other]
                sys.exit(f"{title}: kernels differ when {kind}, {different}")
            if kind == "moved":
                said = job.stderr
                transfers = sum(int(number) for number in re.findall(r"transfers +(\d+),", job.stderr))
                self.reused += sum(int(number) for number in re.findall(r"copies still there +(\d+),", job.stderr))
                self.moved += transfers
            os.remove(name)
        self.compared += len(expected)
        return expected, transfers, said


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=10)
    parser.add_argument("--kernels", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all-levels", action="store_true", help="each program at each level of optimisation, not at one")
    parser.add_argument("--autonomic", type=int, default=0, help="every so many programs also as processes alone; 0: none")
    parser.add_argument("--joined", type=int, default=1, help="every so many programs also joined by --whole-program")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--machine", type=pathlib.Path, required=True, help="sw26010.json")
    parser.add_argument("--parcrun", required=True)
    parser.add_argument("parcc")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    machine = options.work / "machine.json"
    machine.write_text(json.dumps(json.loads(options.machine.read_text()) | {"transfer_start_ns": 1, "transfer_gb_s": 2000}))
    all_of = Comparison(options, machine)
    as_processes_alone = 0
    for seed in range(options.seed, options.seed + options.programs):
        rng = random.Random(seed)
        capacity = rng.choice((2, 4, 16, 64, 256)) * 1024
        filling = rng.choice((8, 8, capacity // 2, capacity - 700, capacity - 8))
        sources = [options.work / f"random{seed}.c", options.work / f"random{seed}_other.c"]
        texts = program(rng, options.kernels, filling)
        chosen = rng.choice(LEVELS)
        joined = seed % options.joined == 0
        for level in LEVELS if options.all_levels else (chosen,):
            for file, text in zip(sources, texts):
                file.write_text(text)
            title = f"seed {seed}, {level}, scratchpad {capacity}, filled {filling}"
            expected, transfers, said = all_of.compare(title, all_of.build(sources, [level], capacity, joined))
            if transfers == 0 and filling < capacity - 700:
                sys.exit(f"{title}: nothing was moved\n{said}")
            check_pictures(options.work, capacity, seed)
            if options.autonomic == 0 or seed % options.autonomic != 0:
                continue
            for file, text in zip(sources, texts):
                file.write_text(as_processes(text))
            all_of.compare(f"{title}, processes alone", all_of.build(sources, [level, "--model=autonomic"], capacity, joined), expected)
            as_processes_alone += 1
    if all_of.reused == 0:
        sys.exit("no kernel found what another one had left")
    if all_of.seen == 0:
        sys.exit("no kernel has accesses in the other file")
    if all_of.tables == 0:
        sys.exit("no loop may look up a table of the other file")
    changed = (all_of.looked_up, all_of.stored, all_of.in_strips)
    if 0 in changed:
        sys.exit("{} loops with look-ups, {} with long stores and {} nests were changed for this processor".format(*changed))
    print(f"{options.programs} programs, {all_of.compared} runs of kernels with {all_of.moved} transfers, {all_of.reused} copies found again, "
          f"{changed[0]} loops with look-ups, {changed[1]} with stores and {changed[2]} in strips changed, {as_processes_alone} builds of "
          "processes alone: the same bits")


main()

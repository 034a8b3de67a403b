#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""C programs as users write them (user_programs/), in all ways that parcc compiles them: as they are, with --model=autonomic, with their
loops in kernels (-DKERNELS), each plain, moved to the scratchpad, and changed for this processor. What they print is what they print
with clang -O2. The machine of the builds that move starts a transfer within a nanosecond, so that short loops are moved as well; over
all programs something must have been moved in each way. Each program is built at one level of optimisation and for one size of the scratchpad, --all-levels: at and for all."""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

LEVELS = ("-O2", "-O1", "-O3", "-Os", "-O0")
CAPACITIES = ("64K", "6K")
HOST = ["--optimise-for-host", "--report=layout", "-mllvm", "-taihu-host-least=0"]
HOST_ALWAYS = {"TAIHU_LOOKED_UP_BYTES": "0", "TAIHU_STORED_BYTES": "0"}


def run(command, title):
    try:
        job = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=os.environ | HOST_ALWAYS)
    except subprocess.TimeoutExpired:
        sys.exit(f"{title}: not ready after 120 seconds: {' '.join(map(str, command))}")
    if job.returncode != 0:
        sys.exit(f"{title}: {' '.join(map(str, command))}: exit code {job.returncode}\n{job.stdout[-2000:]}{job.stderr[-4000:]}")
    return job


def ways(machine, capacities):
    """(name, options)"""
    for name, options in (("as it is", []), ("autonomic", ["--model=autonomic"]), ("kernels", ["-DKERNELS"])):
        yield name, options
        if not options:
            continue
        for capacity in capacities:
            yield f"{name}, moved, {capacity}", [*options, "--auto-dma", f"--spm={capacity}", f"--spm-model={machine}"]
        yield f"{name}, for this processor", [*options, *HOST]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all-levels", action="store_true")
    parser.add_argument("--only", help="one program, without .c")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--machine", type=pathlib.Path, required=True, help="sw26010.json")
    parser.add_argument("--clang", required=True)
    parser.add_argument("--parcrun", required=True)
    parser.add_argument("parcc")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    machine = options.work / "machine.json"
    machine.write_text(json.dumps(json.loads(options.machine.read_text()) | {"transfer_start_ns": 1, "transfer_gb_s": 2000}))
    sources = sorted((pathlib.Path(__file__).resolve().parent / "user_programs").glob("*.c"))
    if options.only:
        sources = [source for source in sources if source.stem == options.only]
    if not sources:
        sys.exit("no programs found")
    builds, transfers, changed = 0, {}, {}
    for number, source in enumerate(sources):
        program = options.work / source.stem
        run([options.clang, "-O2", "-ffp-contract=off", source, "-o", program, "-lm"], source.stem)
        expected = run([program], source.stem).stdout
        for level in LEVELS if options.all_levels else (LEVELS[number % len(LEVELS)],):
            for way, flags in ways(machine, CAPACITIES if options.all_levels else CAPACITIES[number % 2:][:1]):
                if level == "-O0" and len(flags) > 1:
                    continue  # which parcc refuses: it changes optimised code
                title = f"{source.stem}, {level}, {way}"
                said = run([options.parcc, level, "-Wall", "-Werror", "-ffp-contract=off", *flags, source, "-o", program, "-lm"], title).stderr
                job = run([options.parcrun, "--timeout", "100", "-n", "1", "--threads", "2", program], title)
                if job.stdout != expected:
                    pairs = zip(expected.splitlines(), job.stdout.splitlines())
                    first = next((f"'{one}' became '{other}'" for one, other in pairs if one != other), "more or fewer lines")
                    sys.exit(f"{title}: {first}")
                builds += 1
                if "moved" in way:
                    transfers[way] = transfers.get(way, 0) + sum(map(int, re.findall(r"transfers +(\d+),", job.stderr)))
                if "processor" in way:
                    changed[way] = changed.get(way, 0) + len(re.findall(r": looks up |: writes |: in strips of ", said))
    if not options.only:
        for what, counts in (("moved", transfers), ("changed", changed)):
            for way, count in counts.items():
                if count == 0:
                    sys.exit(f"{way}: nothing was {what}")
    print(f"{len(sources)} programs, {builds} builds print the same; {sum(transfers.values())} transfers, {sum(changed.values())} loops changed "
          "for this processor")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An example compiled plain, with --auto-dma for the scratchpad model, and so with --whole-program from files compiled one by one, run by
several threads: the same output, but for the times in it.

usage: examples_auto_dma.py --parcc PARCC --parcrun PARCRUN --work FOLDER --sources FILE... [--link LIBRARY...] [--transfers]
                            [--flags FLAG...] -- ARGUMENT...
"""
import argparse
import pathlib
import re
import subprocess
import sys


def run(command):
    job = subprocess.run(command, capture_output=True, text=True, timeout=250, check=False)
    if job.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {job.returncode}\n{job.stdout[-2000:]}{job.stderr[-2000:]}")
    return job


def compiled_alone(command, sources, folder):
    """Objects of all sources, each compiled by a command of its own."""
    objects = [folder / (pathlib.Path(source).name + ".o") for source in sources]
    for source, made in zip(sources, objects):
        run([*command, "-c", source, "-o", made])
    return objects


def without_times(text):
    """Seconds, rates, and what is computed from them."""
    lines = [line for line in text.splitlines() if not re.search(r"\d(\.\d+)? (s|ms|us|seconds)\b|per second", line)]
    return "\n".join(sorted(lines))  # lines of several ranks come in any order


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parcc", required=True)
    parser.add_argument("--parcrun", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--sources", nargs="+", required=True)
    parser.add_argument("--link", nargs="*", default=[])
    parser.add_argument("--flags", nargs="*", default=[])
    parser.add_argument("--transfers", action="store_true", help="at least one of its kernels must have gained transfers")
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    outputs, transfers = [], []
    for name, flags in (("plain", []), ("moved", ["--auto-dma"]), ("together", ["--auto-dma", "--whole-program"])):
        program = options.work / name
        command = [options.parcc, "-O2", "-ffp-contract=off", "--spm-model", *options.flags, *flags]
        files = compiled_alone(command, options.sources, options.work) if name == "together" else options.sources
        run([*command, *files, "-o", program, *(f"-l{library}" for library in options.link)])
        job = run([options.parcrun, "--timeout", "200", "-n", "2", "--threads", "3", program, *options.arguments])
        outputs.append(without_times(job.stdout))
        transfers.append(sum(int(number) for number in re.findall(r"transfers +(\d+),", job.stderr)))
    for output, text in zip(outputs[1:], ("--auto-dma", "--auto-dma --whole-program")):
        if outputs[0] != output or not output:
            sys.exit(f"outputs differ:\n{outputs[0]}\n--- with {text}:\n{output}")
    if options.transfers and min(transfers[1:]) <= transfers[0]:
        sys.exit(f"{transfers[0]} transfers plain, {transfers[1]} with --auto-dma, {transfers[2]} of the whole program: nothing was moved")
    print(f"the same {len(outputs[0].splitlines())} lines, {transfers[0]} transfers became {transfers[1]}, of the whole program {transfers[2]}")


main()

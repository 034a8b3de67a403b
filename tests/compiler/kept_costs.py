#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kernels of bench/auto_dma, each of which runs once and finds nothing that an earlier one has left: leaving copies in the scratchpad
must cost them nothing. Simulated cycles, the same on every run, of several machines, with copies that stay and without.

usage: kept_costs.py --bench bench/auto_dma --machine sw26010.json --work FOLDER --parcrun PARCRUN PARCC
"""
import argparse
import json
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
# Of a look for a copy in each kernel; in a loop it would be many times that.
LARGEST_PART = 0.001


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bench", type=pathlib.Path, required=True)
    parser.add_argument("--machine", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--parcrun", required=True)
    parser.add_argument("parcc")
    options = parser.parse_args()
    sys.path.insert(0, str(options.bench))
    import kernels
    options.work.mkdir(parents=True, exist_ok=True)
    compared, slower = 0, []
    for number, change in enumerate(({"cores": 1}, {})):
        machine, program = options.work / f"machine{number}.json", options.work / "kernels"
        machine.write_text(json.dumps(json.loads(options.machine.read_text()) | change))
        found, outputs = [], []
        for flags in (["-mllvm", "-taihu-keep-copies=false"], []):
            subprocess.run([options.parcc, "-O2", "-ffp-contract=off", f"--spm-model={machine}", "--auto-dma", *flags, options.bench / "kernels.c", "-o",
                            program, "-lm"], check=True)
            job = subprocess.run([options.parcrun, "--timeout", "200", "-n", "1", "--threads", "1", program], capture_output=True, text=True, check=False)
            if job.returncode != 0:
                sys.exit(f"{flags}: exit code {job.returncode}\n{job.stdout}{job.stderr}")
            found.append({name: counts["cycles"] for name, counts in kernels.kernels(job.stderr).items()})
            outputs.append(job.stdout)
        if outputs[0] != outputs[1] or not found[0]:
            sys.exit(f"results differ:\n{outputs[0]}\n{outputs[1]}")
        for name, without in found[0].items():
            compared += 1
            if found[1][name] > without * (1 + LARGEST_PART):
                slower.append(f"{name}, machine {number}: {without} cycles became {found[1][name]}")
    if slower:
        sys.exit("copies that stay cost: " + "; ".join(slower))
    print(f"{compared} kernels are as fast when copies stay")


main()

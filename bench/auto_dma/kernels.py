# SPDX-License-Identifier: Apache-2.0
"""Kernels not written for `parcc --auto-dma`, plain and moved: counts, then *simulated* cycles on several machines. The results of both
builds are compared bit by bit in each run."""
import json
import pathlib
import re
import subprocess
import sys


def kernels(text):
    """Counts of each kernel in what a program built with --spm-model prints."""
    found = {}
    for name, body in re.findall(r"kernel (\w+) \(.*?\n((?:  .*\n)+)", text):
        loads, stores = map(int, re.search(r"(\d+) loads, (\d+) stores", body).groups())
        transfers, size = map(int, re.search(r"transfers +(\d+), (\d+) bytes", body).groups())
        found[name] = {"cycles": int(re.search(r"cycles +(\d+)", body).group(1)), "discrete": loads + stores, "transfers": transfers, "bytes": size}
    return found


def run(build, change, folder):
    source = pathlib.Path(__file__).resolve().parent
    machine = json.loads((source.parent.parent / "taihu/scratchpad_model/sw26010.json").read_text())
    file, program = folder / "machine.json", folder / "kernels"
    file.write_text(json.dumps(machine | change))
    found, outputs = [], []
    for flags in ([], ["--auto-dma"]):
        subprocess.run([build / "bin/parcc", "-O2", "-ffp-contract=off", f"--spm-model={file}", *flags, source / "kernels.c", "-o", program, "-lm"],
                       check=True)
        job = subprocess.run([build / "bin/parcrun", "-n", "1", "--threads", "1", program], capture_output=True, text=True, check=False)
        if job.returncode != 0:
            sys.exit(f"kernels {flags}: exit code {job.returncode}\n{job.stdout}{job.stderr}")
        found.append(kernels(job.stderr))
        outputs.append(job.stdout)
    if outputs[0] != outputs[1] or not outputs[0]:
        sys.exit(f"results differ:\n{outputs[0]}\n{outputs[1]}")
    return found


def table(results):
    head = ["kernel", "plain: discrete accesses", "moved: discrete, transfers, bytes", *(name for name, _ in results)]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name in results[0][1][0]:
        plain, moved = (found[name] for found in results[0][1])
        gains = [f"{found[0][name]['cycles'] / found[1][name]['cycles']:.1f}" for _, found in results]
        cells = [name, plain["discrete"], f"{moved['discrete']}, {moved['transfers']}, {moved['bytes']}", *gains]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)

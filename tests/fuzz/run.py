#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs fuzz targets and says what they did: executions per second, edges of the code reached, and crashes.

Each target starts with its inputs of the tree, tests/fuzz/seeds/<target>. With --keep the inputs that reached more are kept
below <programs>/corpus/<target>, where the next run begins. Inputs that made a target fail are kept in
<programs>/crashes/<target>, with the line that runs them again.
Exit code 0: nothing found; 1: a target failed; 2: wrong use.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

SEEDS = pathlib.Path(__file__).resolve().parent / "seeds"
# An input may be 64 kB long; reading it takes far less than this much time and memory.
LIMITS = ["-max_len=65536", "-timeout=30", "-rss_limit_mb=2048", "-malloc_limit_mb=256"]


def numbers_of(log):
    """What libFuzzer's log says of the run; the last line of each kind counts."""
    def last(pattern):
        found = re.findall(pattern, log)
        return int(found[-1]) if found else 0
    return {"rate": last(r"stat::average_exec_per_sec:\s+(\d+)"), "runs": last(r"stat::number_of_executed_units:\s+(\d+)"),
            "edges": last(r"cov: (\d+)"), "features": last(r"ft: (\d+)"), "kept": last(r"corp: (\d+)/")}


def run(program, name, options):
    """Runs one target; true when nothing was found."""
    crashes = options.programs / "crashes" / name
    crashes.mkdir(parents=True, exist_ok=True)
    before = set(crashes.iterdir())
    with tempfile.TemporaryDirectory(prefix="taihu-fuzz-") as scratch:
        corpus = options.programs / "corpus" / name if options.keep else pathlib.Path(scratch) / "corpus"
        corpus.mkdir(parents=True, exist_ok=True)
        command = [program, *LIMITS, f"-max_total_time={options.seconds}", f"-runs={options.runs}", f"-seed={options.seed}",
                   "-print_final_stats=1", f"-artifact_prefix={crashes}/"]
        dictionary = SEEDS / f"{name}.dict"
        if dictionary.exists():
            command.append(f"-dict={dictionary}")
        command += [corpus, *(folder for folder in [SEEDS / name] if folder.exists())]
        folder = pathlib.Path(scratch) / "folder"  # where the target writes its input
        folder.mkdir()
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    log = done.stdout.decode(errors="replace")
    numbers = numbers_of(log)
    # The initial inputs alone may find a fault, or take all of the time.
    problem = done.returncode != 0 or not numbers["runs"] or not numbers["edges"]
    print(f"{name:18} {numbers['runs']:>9,} runs {numbers['rate']:>8,}/s {numbers['edges']:>6,} edges "
          f"{numbers['features']:>6,} features {numbers['kept']:>5,} inputs   {'FAILED' if problem else 'nothing found'}",
          flush=True)
    if problem:
        print(log[-6000:])
        for found in sorted(set(crashes.iterdir()) - before):
            print(f"run it again: cd {tempfile.gettempdir()} && {program} {' '.join(LIMITS[1:])} {found}")
    return not problem


def main():
    parser = argparse.ArgumentParser(description="Runs fuzz targets; without names, all that were built.")
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="folder of the built targets")
    parser.add_argument("--seconds", type=int, default=5, help="for each target")
    parser.add_argument("--runs", type=int, default=-1, help="end after so many; -1: no limit")
    parser.add_argument("--seed", type=int, default=0, help="of the inputs tried; the same seed tries the same ones, 0: others each time")
    parser.add_argument("--keep", action="store_true", help="begin with the inputs that earlier runs found, and keep more")
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    options.programs = options.programs.resolve()
    built = sorted(path.name for path in options.programs.iterdir() if path.is_file()) if options.programs.is_dir() else []
    unknown = [name for name in options.targets if name not in built]
    if unknown or not built:
        print(f"run.py: there is no target {unknown}; built are: {' '.join(built) or 'none'}", file=sys.stderr)
        return 2
    results = [run(options.programs / name, name, options) for name in options.targets or built]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

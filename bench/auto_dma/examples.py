# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/, plain and with `parcc --auto-dma`, on the default machine: counts of all their kernels together, then
*simulated* cycles. What they print must be the same, but for measured times."""
import pathlib
import re
import subprocess
import sys

PICTURE = ["-lpng", "-lm"]
# name, model, libraries, arguments; one accelerator thread, so that tasks are handed out in one order
EXAMPLES = (("folding", ["--model=autonomic"], PICTURE, "-n 300 -l 50 -g 0 -s 20"), ("heat", [], PICTURE, "-n 60 -s 20"),
            ("keysearch", [], ["-lcrypto"], "-l 2 -s abc789 -r 3 -a letter.enc"), ("tour", [], [], ""),
            ("turbulence", [], ["-lfftw3", *PICTURE], "-n 16 -t 0.1 -d 0.05"), ("volume", [], PICTURE, "-n 32 -p 64,32 -f 2"))


def make_archive(folder):
    """letter.enc, whose password is c7; always with the same salt."""
    salt = bytes(range(8))
    (folder / "letter").write_text("a letter\n" * 300)
    tar = subprocess.run(["tar", "c", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "-C", folder, "letter"], check=True,
                         stdout=subprocess.PIPE).stdout
    secret = subprocess.run(["openssl", "enc", "-aes-256-cbc", "-pbkdf2", "-iter", "3", "-md", "sha256", "-S", salt.hex(), "-pass", "pass:c7"],
                            input=tar, check=True, stdout=subprocess.PIPE).stdout
    (folder / "letter.enc").write_bytes(secret if secret.startswith(b"Salted__") else b"Salted__" + salt + secret)


def sources_of(name):
    folder = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / name
    return sorted(file for file in folder.glob("*.c") if name != "keysearch" or file.name != "processes.c")


def without_times(text):
    return [line for line in text.splitlines() if not re.search(r"\d(\.\d+)? (s|ms|us|seconds)\b|per second", line)]


def together(report):
    """Counts of all kernels, some of which have one name."""
    def all_of(pattern):
        return [tuple(map(int, numbers.split())) for numbers in re.sub(r"[^\d\n]+", " ", "\n".join(re.findall(pattern, report))).splitlines()]
    accesses = all_of(r"discrete accesses +\d+ loads, \d+ stores")
    transfers = all_of(r"  transfers +\d+, \d+ bytes")
    return {"cycles": sum(map(int, re.findall(r"  cycles +(\d+)", report))), "discrete": sum(map(sum, accesses)),
            "transfers": sum(one[0] for one in transfers), "bytes": sum(one[1] for one in transfers)}


def run(build, folder):
    """name -> (counts plain, counts moved)"""
    make_archive(folder)
    found = {}
    for name, model, libraries, arguments in EXAMPLES:
        counts, outputs = [], []
        for flags in ([], ["--auto-dma"]):
            program = folder / name
            subprocess.run([build / "bin/parcc", "-O2", "-ffp-contract=off", "--spm-model", *model, *flags, *sources_of(name), "-o", program,
                            *libraries], check=True)
            job = subprocess.run([build / "bin/parcrun", "-n", "1", "--threads", "1", program, *arguments.split()], capture_output=True,
                                 text=True, check=False, cwd=folder)
            if job.returncode != 0:
                sys.exit(f"{name} {flags}: exit code {job.returncode}\n{job.stdout}{job.stderr}")
            counts.append(together(job.stderr))
            outputs.append(without_times(job.stdout))
        if outputs[0] != outputs[1]:
            sys.exit(f"{name}: outputs differ:\n{outputs[0]}\n{outputs[1]}")
        found[name] = counts
    return found


def table(found):
    lines = ["| example | plain: discrete accesses, transfers, bytes | moved: the same | plain divided by moved |", "|---|---|---|---|"]
    for name, (plain, moved) in found.items():
        cells = [", ".join(str(one[key]) for key in ("discrete", "transfers", "bytes")) for one in (plain, moved)]
        lines.append(f"| {name} | {cells[0]} | {cells[1]} | {plain['cycles'] / moved['cycles']:.2f} |")
    return "\n".join(lines)

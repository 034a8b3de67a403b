#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/keysearch for the scratchpad model, plain and with --auto-dma: the same answers, and no more accesses of main memory.

usage: keysearch_moved.py FOLDER WORK PARCRUN WORDS..., with FOLDER/keysearch_{counted,moved}_{kernels,autonomic}
"""
import pathlib
import re
import subprocess
import sys

ROUNDS = 3


def search(command, program, archive, words, code):
    done = subprocess.run([*command, program, *words, archive], capture_output=True, text=True, check=False)
    if done.returncode != code:
        sys.exit(f"{program} {words}: exit code {done.returncode}, not {code}\n{done.stdout}{done.stderr}")
    answers = sorted(re.sub(r" in [\d.]+ s, \d+ in a second", "", line) for line in (done.stdout + done.stderr).splitlines()
                     if line.startswith("keysearch:"))
    loads = sum(int(loads) + int(stores) for loads, stores in re.findall(r"(\d+) loads, (\d+) stores of main memory", done.stderr))
    transfers = sum(map(int, re.findall(r"transfers +(\d+),", done.stderr)))
    return answers, loads, transfers


def main():
    folder, work, command = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    work.mkdir(parents=True, exist_ok=True)
    (work / "letter").write_text("a letter\n" * 300)
    tar = subprocess.run(["tar", "c", "-C", work, "letter"], check=True, stdout=subprocess.PIPE).stdout
    archive = work / "letter.enc"
    subprocess.run(["openssl", "enc", "-aes-256-cbc", "-pbkdf2", "-iter", str(ROUNDS), "-md", "sha256", "-pass", "pass:c7", "-out", archive],
                   input=tar, check=True)
    summary = []
    for model in ("kernels", "autonomic"):
        for words, code in ((("-l", "2", "-s", "abc789", "-r", str(ROUNDS), "-a"), 0), (("-l", "2", "-s", "abc", "-r", str(ROUNDS)), 1)):
            plain, moved = (search(command, folder / f"keysearch_{kind}_{model}", archive, words, code) for kind in ("counted", "moved"))
            if plain[0] != moved[0] or not plain[0]:
                sys.exit(f"{model} {words}: answers differ:\n{plain[0]}\n{moved[0]}")
            if moved[1] > plain[1] or plain[2] != 0:
                sys.exit(f"{model} {words}: accesses of main memory and transfers {plain[1:]} became {moved[1:]}")
            summary.append(f"{plain[1]} accesses became {moved[1]} and {moved[2]} transfers")
    print("keysearch moved: the same answers; " + "; ".join(summary))


main()

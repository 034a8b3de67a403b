#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether `parcc --report=layout` says of the examples what was checked by hand against their sources.

usage: example_reports.py [--update] --examples FOLDER --work FOLDER REPORT PARCC

REPORT has commands, `FOLDER$ parcc OPTION... FILE` with a folder of the examples, and below each what it says. Where parcc names a line,
REPORT has its text, <<text>>, so that it can be read without the source and lines may move; #2 stands behind the second one of the same
text. Cycles and lengths of buffers follow from the machine, and are left out. --update writes what parcc says now: look at the difference."""
import argparse
import difflib
import pathlib
import re
import subprocess
import sys

COMMAND = re.compile(r"^(\w+)\$ parcc (.*) (\w+\.c)$")


class Sources:
    """Texts of lines instead of their numbers."""

    def __init__(self, folder):
        self.folder, self.lines = folder, {}

    def text(self, file, number):
        if file not in self.lines:
            self.lines[file] = [line.strip() for line in (self.folder / file).read_text().splitlines()]
        lines, number = self.lines[file], int(number)
        if not 1 <= number <= len(lines):
            sys.exit(f"the report names line {number} of {file}, which has {len(lines)}")
        text = lines[number - 1]
        occurrence = lines[:number].count(text)
        return f"<<{text}>>" + (f"#{occurrence}" if lines.count(text) > 1 else "")


def readable(report, source, sources):
    """The report without what follows from the machine, with texts for lines."""
    lines, file_of = [], {}
    for line in report.splitlines():
        if line.startswith(("    benefit: ", "  nothing is moved without ")):
            continue
        line = re.sub(r": a scratchpad of .*", "", line)
        line = re.sub(r"two buffers of \d+ bytes", "two buffers", line)
        line = line.replace("__isoc23_", "")  # of the C library since 2.38
        if re.match(r"(layout|  [^ ])", line):
            file_of = {}
        named = re.search(r"([\w.]+\.[ch]):(\d+)", line)
        if named:
            file_of[named[2]] = named[1]
        here = named[1] if named else None
        line = re.sub(r"([\w.]+\.[ch]):(\d+)", lambda found: f"{found[1]}:{sources.text(found[1], found[2])}", line)
        lines.append(re.sub(r"\bline (\d+)\b", lambda found: "line " + sources.text(here or file_of.get(found[1], source), found[1]), line))
    return lines


def report_of(parcc, folder, options, source, work):
    job = subprocess.run([parcc, *options.split(), source, "-o", work / f"{source}.o"], capture_output=True, text=True, check=False,
                         cwd=folder)
    if job.returncode != 0:
        sys.exit(f"{folder}: parcc {options} {source}: exit code {job.returncode}\n{job.stderr}")
    return job.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--examples", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("report", type=pathlib.Path)
    parser.add_argument("parcc", type=pathlib.Path)
    options = parser.parse_args()
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    expected = options.report.read_text().splitlines()
    commands = [line for line in expected if COMMAND.match(line)]
    if not commands:
        sys.exit(f"{options.report} has no commands")
    found = []
    for command in commands:
        name, words, source = COMMAND.match(command).groups()
        folder = options.examples / name
        report = report_of(options.parcc.resolve(), folder, words, source, work)
        found += [command, *readable(report, source, Sources(folder))]
    if options.update:
        options.report.write_text("\n".join(found) + "\n")
    elif found != expected:
        sys.exit("\n".join(difflib.unified_diff(expected, found, "checked by hand", "parcc", lineterm="")))
    print(f"{len(commands)} files, {sum(line.startswith('layout: ') for line in found)} reports are as they were checked")


main()

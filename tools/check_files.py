#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every text file that git knows or would add: licence line, length, no notes to self, no stray white space.

- sources and scripts carry the SPDX line first (after '#!' second)
- no trailing white space, no tab outside of makefiles, no carriage return, exactly one line end at the end
- no marker for unfinished work: what is left to do belongs into an issue
- tests look at the exit code of what they run
- links of Markdown pages to files of this tree lead somewhere
- a source holds one idea: at most 400 lines, a test 500, but for the files of LONGER with their reasons
Exit code 0: none, 1: some, each as file:line: text.
"""
import argparse
import pathlib
import re
import subprocess
import sys

LICENCE = "SPDX-License-Identifier: Apache-2.0"
LICENSED_SUFFIXES = {".h", ".c", ".cc", ".cpp", ".py", ".f90", ".F90", ".sv", ".sh"}
UNFINISHED = re.compile(r"\b(?:" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX"]) + r")\b")
EXIT_CODE_IGNORED = "PASS_REGULAR" + "_EXPRESSION"
LINK = re.compile(r"\]\(([^)#\s]+)")
SOURCE_SUFFIXES = {".h", ".c", ".cc", ".cpp", ".py", ".f90", ".F90", ".sv", ".sh", ".inc"}
MOST_LINES = 400
MOST_LINES_OF_A_TEST = 500
TEST = re.compile(r"(?:^|/)tests/|_test\.[a-z]+$|(?:^|/)test_[^/]*$")
# Files that are longer, and why.
LONGER = {
    "dev": "the front door, which a bare machine can run as one file",
    "taihu/abi/mpi.h": "the interface of MPI, one declaration for each call",
    "taihu/abi/parallelc.h": "the interface of the language, which programs include as one header",
    "taihu/compiler/box_builder.cc": "one class, whose parts share the blocks that they make",
    "taihu/mpi/bindings/fortran/special_f08.inc": "a list of interfaces, one for each call that follows no rule",
    "taihu/noc/validation/booksim_sweep.h": "a table of results that bench/noc/compare writes",
    "tools/mpi_fortran.py": "one generator: a rule for each kind of argument, in each of three interfaces",
}


def project_files(root):
    """Files that git tracks or would add, relative to root; inputs for fuzz targets may hold anything."""
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True)
    names = {name for name in listing.stdout.decode().split("\0") if name and not name.startswith("tests/fuzz/seeds/")}
    return sorted(pathlib.Path(name) for name in names if (root / name).is_file())


def needs_licence(path, text):
    return path.suffix in LICENSED_SUFFIXES or text.startswith("#!")


def check_text(path, text):
    """All problems of one file's text, as lines."""
    problems = []
    lines = text.split("\n")
    head = lines[1] if lines[0].startswith("#!") and len(lines) > 1 else lines[0]
    if needs_licence(path, text) and text and LICENCE not in head:
        problems.append(f"{path}:1: the first line is not the licence ({LICENCE})")
    for number, line in enumerate(lines, 1):
        if line != line.rstrip():
            problems.append(f"{path}:{number}: white space at the end of the line")
        if "\t" in line and path.name not in ("Makefile", "rules", ".gitmodules"):
            problems.append(f"{path}:{number}: tab")
        if EXIT_CODE_IGNORED in line and (path.name == "CMakeLists.txt" or path.suffix == ".cmake"):
            problems.append(f"{path}:{number}: CTest ignores the exit code here; use taihu_expect_test()")
        if UNFINISHED.search(line):
            problems.append(f"{path}:{number}: marker of unfinished work")
    if text and (not text.endswith("\n") or text.endswith("\n\n")):
        problems.append(f"{path}:{len(lines)}: the file does not end with exactly one line end")
    return problems


def check_length(path, text, longer=None):
    """The problem of a source that is too long, or of an exception that is no longer needed, as lines."""
    longer = LONGER if longer is None else longer
    name, lines = path.as_posix(), text.count("\n")
    if path.suffix not in SOURCE_SUFFIXES and not text.startswith("#!"):
        return []
    most = MOST_LINES_OF_A_TEST if TEST.search(name) else MOST_LINES
    if lines > most and name not in longer:
        return [f"{path}:{most}: {lines} lines; split it along its ideas, or give a reason in LONGER of tools/check_files.py"]
    if lines <= most and name in longer:
        return [f"{path}:1: {lines} lines need no exception; take it out of LONGER of tools/check_files.py"]
    return []


def check_links(root, path, text):
    """Links to files that do not exist, as lines; addresses in the net are not looked at."""
    problems = []
    for number, line in enumerate(text.split("\n"), 1):
        for target in LINK.findall(line):
            if "://" not in target and not (root / path.parent / target).exists():
                problems.append(f"{path}:{number}: link to '{target}', which does not exist")
    return problems


def check(root):
    problems = []
    for path in project_files(root):
        data = (root / path).read_bytes()
        if b"\0" in data:
            continue
        text = data.decode(errors="replace")
        problems += check_text(path, text) + check_length(path, text)
        if path.suffix == ".md":
            problems += check_links(root, path, text)
    return problems


def main():
    parser = argparse.ArgumentParser(description="Checks licence lines and white space of all files.")
    parser.add_argument("root", type=pathlib.Path, nargs="?", default=pathlib.Path("."), help="source tree")
    problems = check(parser.parse_args().root)
    print("\n".join(problems) if problems else "files: no problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

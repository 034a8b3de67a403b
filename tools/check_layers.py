#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that includes point down: compares the includes and the CMake USES of taihu/<folder>/ with tools/layers.txt.

The table is read top to bottom; a folder may only name folders above its own line, so the table cannot hold a cycle.
Then every #include "taihu/<folder>/..." and every USES must be in the includer's line. Reported are also folders that
the table does not have and includes by a relative path. Only the C headers in abi/ may name each other directly: user
programs see that folder itself. Exit code 0: none, 1: some, each as file:line: text.
"""
import argparse
import pathlib
import re
import sys

SOURCE_SUFFIXES = {".h", ".c", ".cc"}
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
USES = re.compile(r"\bUSES\b((?:\s+[a-z_]+)*)")


def read_table(path, problems):
    """Returns {folder: set of folders it may use}; lines that are not below all that they name are problems."""
    table = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        folder, colon, uses = line.partition(":")
        if not colon or not folder.strip() or " " in folder.strip():
            problems.append(f"{path}:{number}: not of the form 'folder: folders it may use'")
            continue
        if folder in table:
            problems.append(f"{path}:{number}: '{folder}' has a line already")
        for used in uses.split():
            if used == folder or used not in table:
                problems.append(f"{path}:{number}: '{folder}' names '{used}', which is not above it "
                                "(a cycle, or a folder without a line)")
        table[folder] = set(uses.split())
    return table


def check_source(path, folder, table, problems):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        include = INCLUDE.match(line)
        if not include:
            continue
        kind, name = include.groups()
        if not name.startswith("taihu/"):
            beside = (path.parent / name).is_file()
            from_outside = not beside and "/" in name and not name.startswith(".")
            if kind == '"' and not from_outside and not (folder == "abi" and beside):
                problems.append(f"{path}:{number}: include of \"{name}\" by a relative path; write \"taihu/<folder>/...\"")
            continue
        used = name.split("/")[1]
        if used not in table:
            problems.append(f"{path}:{number}: include of \"{name}\" from a folder that the table does not have")
        elif used != folder and used not in table[folder]:
            problems.append(f"{path}:{number}: '{folder}' includes \"{name}\", but may not use '{used}'")


def check_cmake(path, folder, table, problems):
    text = "\n".join(line.split("#")[0] for line in path.read_text().splitlines())
    for match in USES.finditer(text):
        number = text.count("\n", 0, match.start()) + 1
        for used in match.group(1).split():
            if used != folder and used not in table[folder]:
                problems.append(f"{path}:{number}: '{folder}' USES '{used}', which its line in the table does not name")


def check(root):
    """All problems of the source tree at `root`, as lines."""
    problems = []
    table = read_table(root / "tools/layers.txt", problems)
    for path in sorted((root / "taihu").rglob("*")):
        if path.suffix not in SOURCE_SUFFIXES and path.name != "CMakeLists.txt":
            continue
        parts = path.relative_to(root / "taihu").parts
        folder = parts[0] if len(parts) > 1 else ""
        if folder not in table:
            problems.append(f"{path}:1: the folder taihu/{folder} has no line in tools/layers.txt")
        elif path.name == "CMakeLists.txt":
            check_cmake(path, folder, table, problems)
        else:
            check_source(path, folder, table, problems)
    return problems


def main():
    parser = argparse.ArgumentParser(description="Checks that includes point down (tools/layers.txt).")
    parser.add_argument("root", type=pathlib.Path, nargs="?", default=pathlib.Path("."), help="source tree")
    problems = check(parser.parse_args().root)
    print("\n".join(problems) if problems else "layers: all includes point down")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/reference/environment.md, between its markers, from what `taihu-info --settings --json` prints.

--check only compares, and looks for names of variables in the sources that the table lacks.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

MARKERS = {"user": ("<!-- user: begin -->", "<!-- user: end -->"), "launcher": ("<!-- launcher: begin -->", "<!-- launcher: end -->")}
NAME = re.compile(r"""["']((?:TAIHU|NAALLOC|NARUN|MACC|OPENMC)_[A-Z_]+)["']""")


def rows_of(program):
    """The table as the program has it; its own environment must not matter."""
    return json.loads(subprocess.run([program, "--settings", "--json"], check=True, capture_output=True, text=True).stdout)


def table(rows):
    lines = ["| variable | read by | values | default | meaning |", "|---|---|---|---|---|"]
    lines += [f"| `{row['name']}` | {row['read_by']} | {row['values']} | {row['default']} | {row['meaning']} |" for row in rows]
    return "\n".join(lines)


def read_in(root):
    """Names in the sources, each with one place; words of the C headers are not variables."""
    found = {}
    headers = "".join(path.read_text() for path in (root / "taihu/abi").glob("*.h"))
    for folder in ("taihu", "commands"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cc", ".c", ".h", ".py") and "test" not in path.name:
                for name in NAME.findall(path.read_text(errors="replace")):
                    if not re.search(rf"\b{name}\b", headers):
                        found.setdefault(name, path.relative_to(root))
    return found


def main():
    parser = argparse.ArgumentParser(description="Writes the tables of docs/reference/environment.md.")
    parser.add_argument("--check", action="store_true", help="only say what is wrong")
    parser.add_argument("root", type=pathlib.Path, help="source tree")
    parser.add_argument("program", help="the built taihu-info")
    options = parser.parse_args()
    rows = rows_of(options.program)
    names = {row["name"] for row in rows}
    problems = [f"{place}: reads {name}, which taihu/launch/environment_variables.cc does not name"
                for name, place in sorted(read_in(options.root).items()) if name not in names]
    page = options.root / "docs/reference/environment.md"
    old = new = page.read_text()
    for kind, (begin, end) in MARKERS.items():
        head, found, rest = new.partition(begin)
        _, found_end, tail = rest.partition(end)
        if not found or not found_end:
            problems.append(f"{page}: the markers '{begin}' and '{end}' are missing")
            continue
        new = head + begin + "\n" + table([row for row in rows if row["set_by"] == kind]) + "\n" + end + tail
    if new != old and options.check:
        problems.append(f"{page}: the tables are not those of taihu-info --settings; run tools/environment_page.py . build/bin/taihu-info")
    if new != old and not options.check:
        page.write_text(new)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of packages in docs/how-to/install.md, between its two markers, from tools/packages.txt; --check only compares."""
import argparse
import pathlib
import re
import sys

BEGIN, END = "<!-- packages: begin -->", "<!-- packages: end -->"


def table(text):
    """Markdown rows of all packages: name, group, reason."""
    rows, group = ["| package | for | why |", "|---|---|---|"], ""
    for line in text.splitlines():
        if line.startswith("["):
            group = line.strip("[] ")
        elif line and not line.startswith("#"):
            name, reason = re.split(r"\s+", line, maxsplit=1)
            rows.append(f"| `{name}` | {group} | {reason} |")
    return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(description="Writes the package table of docs/how-to/install.md.")
    parser.add_argument("root", type=pathlib.Path, nargs="?", default=pathlib.Path("."), help="source tree")
    parser.add_argument("--check", action="store_true", help="only say whether the table is current")
    arguments = parser.parse_args()

    page = arguments.root / "docs/how-to/install.md"
    old = page.read_text()
    head, begin, rest = old.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        print(f"{page}: the markers '{BEGIN}' and '{END}' are missing")
        return 1
    new = head + BEGIN + "\n" + table((arguments.root / "tools/packages.txt").read_text()) + "\n" + END + tail
    if new == old:
        return 0
    if arguments.check:
        print(f"{page}: the table of packages is not that of tools/packages.txt; run tools/package_table.py")
        return 1
    page.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())

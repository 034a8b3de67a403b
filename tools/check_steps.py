#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a newcomer finds code and settings in few steps: from README.md by what pages link to or name in backquotes.

A step goes from a page to a file that a line of it names, by a path from the page's own folder or from that of the project. For
each entry of `places` the line that names the file has to say what it is.
Exit code 0: all are found, 1: some are not, each as one line.
"""
import argparse
import pathlib
import re
import sys

MOST_STEPS = 3
NAME = re.compile(r"\]\(([^)#\s]+)|`([\w./-]+)`")

# (what is looked for, a word on the line that leads there, the file)
PLACES = [
    ("which code a smoother runs", "smoother", "taihu/amg/smoother/sweep.cc"),
    ("which algorithm MPI_Iallreduce takes", "MPI_Iallreduce", "taihu/collective/choice.cc"),
    ("switch allocation of the simulated router", "switch allocation", "taihu/noc/network/network_switch.cc"),
    ("a message from send to receive", "send", "taihu/message/endpoint.h"),
    ("how a neutron's history goes on", "histor", "taihu/neutron/transport/history.cc"),
    ("environment variables", "environment variable", "docs/reference/environment.md"),
]


def named_files(root, page):
    """(file, line) for each file that a line of the page names, relative to root."""
    folder = (root / page).parent
    for line in (root / page).read_text().split("\n"):
        for link, name in NAME.findall(line):
            if "://" in link:
                continue
            for base in (folder, root):
                path = (base / (link or name)).resolve()
                if path.is_dir() and (path / "README.md").is_file():
                    path = path / "README.md"
                if path.is_file() and path.is_relative_to(root):
                    yield path.relative_to(root), line
                    break


def lines_to(root, start=pathlib.Path("README.md"), steps=MOST_STEPS):
    """For each file that is reached in so many steps, the lines that name it."""
    found = {}
    pages, seen = [start], {start}
    for _ in range(steps):
        following = []
        for page in pages:
            for path, line in named_files(root, page):
                found.setdefault(path.as_posix(), []).append(line)
                if path.suffix == ".md" and path not in seen:
                    seen.add(path)
                    following.append(path)
        pages = following
    return found


def check(root, places=PLACES):
    found = lines_to(root)
    problems = []
    for what, word, path in places:
        if path not in found:
            problems.append(f"README.md: {what}: {path} is more than {MOST_STEPS} steps away")
        elif not any(word.lower() in line.lower() for line in found[path]):
            problems.append(f"README.md: {what}: no line that leads to {path} says '{word}'")
    return problems


def main():
    parser = argparse.ArgumentParser(description="Checks that code and settings are found in few steps from README.md.")
    parser.add_argument("root", type=pathlib.Path, nargs="?", default=pathlib.Path("."), help="source tree")
    problems = check(parser.parse_args().root.resolve())
    print("\n".join(problems) if problems else "steps: all are found")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

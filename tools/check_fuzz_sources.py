#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the files named in tests/fuzz/CMakeLists.txt exist, and that each file there is built.

The fuzz preset lists by name the sources that its targets need, and only that preset reads the list; a move of a file would
break it unseen by the release build. What is checked: the sources of each taihu_fuzz_library() lie in the folder of its
component, its USES are such libraries above it, each target has its <name>.cc and a component, and each .cc of tests/fuzz
is built.
Exit code 0: all is there, 1: something is not, each as one line.
"""
import argparse
import pathlib
import re
import sys

LIST = pathlib.PurePath("tests/fuzz/CMakeLists.txt")
CALL = re.compile(r"^(taihu_fuzz_library|taihu_fuzz_targets|target_sources)\s*\(([^()]*)\)", re.MULTILINE)
KEYWORDS = ("SOURCES", "USES", "LINK")


def calls(text):
    """(line, function, words) of each call of the list; comments and bodies of functions are left out."""
    plain = re.sub(r"#[^\n]*", "", text)
    for call in CALL.finditer(plain):
        yield plain.count("\n", 0, call.start()) + 1, call[1], call[2].split()


def words_after(words):
    """What follows each keyword of a taihu_fuzz_library() call."""
    parts = {keyword: [] for keyword in KEYWORDS}
    current = None
    for word in words:
        if word in parts:
            current = parts[word]
        elif current is not None:
            current.append(word)
    return parts


def check(root):
    libraries, built, problems = set(), set(), []
    for line, function, words in calls((root / LIST).read_text()):
        where = f"{LIST}:{line}"
        if function == "target_sources":
            built.update(word for word in words if word.endswith(".cc"))
            continue
        component, rest = words[0], words[1:]
        if function == "taihu_fuzz_library":
            parts = words_after(rest)
            for source in parts["SOURCES"]:
                if not (root / "taihu" / component / source).is_file():
                    problems.append(f"{where}: taihu/{component}/{source} does not exist; name the file that has its code now")
            for used in parts["USES"]:
                if used not in libraries:
                    problems.append(f"{where}: {component} uses {used}, which is no taihu_fuzz_library() above it")
            libraries.add(component)
        else:
            if component not in libraries:
                problems.append(f"{where}: {component} is no taihu_fuzz_library() above it")
            built.update(f"{name}.cc" for name in rest)
    folder = root / LIST.parent
    existing = {path.name for path in folder.glob("*.cc")}
    problems += [f"{LIST}: tests/fuzz/{name} does not exist" for name in sorted(built - existing)]
    problems += [f"{LIST}: tests/fuzz/{name} is no target; add it to taihu_fuzz_targets()" for name in sorted(existing - built)]
    if not libraries or not built:
        problems.append(f"{LIST}: no library or no target was found; does tools/check_fuzz_sources.py know its calls?")
    return problems


def main():
    parser = argparse.ArgumentParser(description="Checks that the files named in tests/fuzz/CMakeLists.txt exist.")
    parser.add_argument("root", type=pathlib.Path, nargs="?", default=pathlib.Path("."), help="source tree")
    problems = check(parser.parse_args().root.resolve())
    print("\n".join(problems) if problems else "fuzz sources: all are there")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

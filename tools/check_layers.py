#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the structure of taihu/ against tools/layers.txt.

- The table is read top to bottom; a folder may only name folders above its own line, so the table cannot hold a cycle.
  An indented line is a sub-folder of the folder above it and names sub-folders of the same folder; '.' is the folder
  itself. Where a folder has such lines, each of its sub-folders has one; where one of them is a path such as objects/info,
  so have those further down.
- Every #include "taihu/<folder>/...", every USES of CMake and every name <folder>::... of another library must be in the
  line of its folder; includes inside of a folder must be in the line of the sub-folder. Tests may name more inside of
  their own folder: they stand beside what they test and use the test kits of others.
- A type has one definition in its namespace. Two that never meet in one source file break the one-definition rule without
  a word from the compiler.
- Only the C headers in abi/ may name each other directly: user programs see that folder itself.

Exit code 0: no fault, 1: some, each as file:line: text.
"""
import argparse
import pathlib
import re
import sys

SOURCE_SUFFIXES = {".h", ".c", ".cc"}
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
USES = re.compile(r"\bUSES\b((?:\s+[a-z_]+)*)")
NAME = re.compile(r"(?<![\w:])(?:taihu::)?([a-z_]+)::")
NAMESPACE = re.compile(r"(?:inline )?namespace(?: ([\w:]+))? \{")
TYPE = re.compile(r"(?:struct|class|union|enum(?: class| struct)?)(?: alignas\([^)]*\))?(?: \[\[\w+\]\])? (\w+)(?: final)?(?: :[^:].*)? ?\{")
TEST = re.compile(r"test|fixture|fake_")


def read_table(path, problems):
    """Returns {folder: folders it may use} and {folder: {sub-folder: sub-folders it may use}}."""
    folders, inside, last = {}, {}, None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#")[0].rstrip()
        if not line:
            continue
        name, colon, uses = line.strip().partition(":")
        if not colon or not name or " " in name:
            problems.append(f"{path}:{number}: not of the form 'folder: folders it may use'")
            continue
        if line[0] == " " and last is None:
            problems.append(f"{path}:{number}: the sub-folder '{name}' has no folder above it")
            continue
        table = inside.setdefault(last, {}) if line[0] == " " else folders
        if name in table:
            problems.append(f"{path}:{number}: '{name}' has a line already")
        for used in uses.split():
            if used == name or used not in table:
                problems.append(f"{path}:{number}: '{name}' names '{used}', which is not above it "
                                "(a cycle, or a folder without a line)")
        table[name] = set(uses.split())
        if table is folders:
            last = name
    return folders, inside


def sub_folder(parts, names):
    """Of a path below taihu/<folder>/, as the table's `names` are: '.', the first folder, or all folders."""
    depth = len(parts) - 1 if any("/" in name for name in names) else 1
    return "/".join(parts[:-1][:depth]) or "."


def check_include(place, kind, name, path, folder, tables, problems):
    folders, inside = tables
    if not name.startswith("taihu/"):
        beside = (path.parent / name).is_file()
        from_outside = not beside and "/" in name and not name.startswith(".")
        if kind == '"' and not from_outside and not (folder == "abi" and beside):
            problems.append(f"{place}: include of \"{name}\" by a relative path; write \"taihu/<folder>/...\"")
        return
    used, *rest = name.split("/")[1:]
    if used not in folders:
        problems.append(f"{place}: include of \"{name}\" from a folder that the table does not have")
    elif used != folder and used not in folders[folder]:
        problems.append(f"{place}: '{folder}' includes \"{name}\", but may not use '{used}'")
    elif used == folder and folder in inside and not TEST.search(path.name):
        names = inside[folder]
        own, other = sub_folder(path.parts[path.parts.index("taihu") + 2:], names), sub_folder(rest, names)
        if own in inside[folder] and other != own and other not in inside[folder][own]:
            problems.append(f"{place}: '{folder}/{own}' includes \"{name}\", but may not use '{folder}/{other}'")


def check_source(path, folder, tables, problems):
    folders, _ = tables
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        include = INCLUDE.match(line)
        if include:
            check_include(f"{path}:{number}", *include.groups(), path, folder, tables, problems)
            continue
        for used in NAME.findall(re.sub(r'"(?:[^"\\]|\\.)*"|//.*', "", line)):
            if used in folders and used != folder and used not in folders[folder]:
                problems.append(f"{path}:{number}: '{folder}' names {used}::, but may not use '{used}'")


def check_cmake(path, folder, table, problems):
    text = "\n".join(line.split("#")[0] for line in path.read_text().splitlines())
    for match in USES.finditer(text):
        number = text.count("\n", 0, match.start()) + 1
        for used in match.group(1).split():
            if used != folder and used not in table[folder]:
                problems.append(f"{path}:{number}: '{folder}' USES '{used}', which its line in the table does not name")


def definitions(path):
    """Types defined at the level of a namespace that has a name: (namespace::type, line). The layout of clang-format, where
    only members and bodies are indented, makes that a matter of the first column."""
    spaces = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        opened = NAMESPACE.match(line)
        if opened:
            spaces.append(opened[1])
        elif line.startswith("}  // namespace"):
            spaces = spaces[:-1]
        elif (found := TYPE.match(line)) and spaces and None not in spaces:
            yield "::".join(spaces) + "::" + found[1], number


def check_definitions(root, paths, problems):
    """One definition of each type, in headers and sources together."""
    first = {}
    for path in paths:
        for name, number in definitions(path):
            if name in first:
                problems.append(f"{path}:{number}: {name} is defined in {first[name].relative_to(root)}, too")
            else:
                first[name] = path


def check(root):
    """All problems of the source tree at `root`, as lines."""
    problems = []
    tables = read_table(root / "tools/layers.txt", problems)
    folders, inside = tables
    sources = []
    for path in sorted((root / "taihu").rglob("*")):
        if path.suffix not in SOURCE_SUFFIXES and path.name != "CMakeLists.txt":
            continue
        parts = path.relative_to(root / "taihu").parts
        folder = parts[0] if len(parts) > 1 else ""
        if folder not in folders:
            problems.append(f"{path}:1: the folder taihu/{folder} has no line in tools/layers.txt")
        elif path.name == "CMakeLists.txt":
            check_cmake(path, folder, folders, problems)
        else:
            own = sub_folder(parts[1:], inside.get(folder, ()))
            if folder in inside and own not in inside[folder]:
                problems.append(f"{path}:1: the sub-folder {folder}/{own} has no line in tools/layers.txt")
            check_source(path, folder, tables, problems)
            sources.append(path)
    check_definitions(root, sources, problems)
    return problems


def main():
    parser = argparse.ArgumentParser(description="Checks the structure of taihu/ against tools/layers.txt.")
    parser.add_argument("root", type=pathlib.Path, nargs="?", default=pathlib.Path("."), help="source tree")
    problems = check(parser.parse_args().root)
    print("\n".join(problems) if problems else "layers: all includes point down")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

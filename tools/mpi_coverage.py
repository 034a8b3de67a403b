#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/mpi-coverage.md from the sources: every call of taihu/abi/mpi.h, whether taihu/mpi defines it, and
which tests call it.

usage: mpi_coverage.py [--check]     --check: only say whether the file is up to date"""
import pathlib
import re
import sys

from mpi_calls import read_calls

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/reference/mpi-coverage.md"
HEAD = """# MPI coverage

Made by `tools/mpi_coverage.py` from the sources; do not edit. Every call of `mpi.h`, by chapter of the standard:

- **done**: does what MPI-5.0 says (calls that it has no more: what the last version with them says), inside and between node
  processes;
- **refused**: returns `MPI_ERR_UNSUPPORTED_OPERATION` with a text through the error handler;
- **not yet**: not defined; a program that calls it does not link.

The last column names tests in which the call occurs (up to three; `unit` tests stand beside the code in `taihu/mpi/`,
programs in `tests/mpi/programs/`). All calls exist in C under their `PMPI_` name as well, and in Fortran (`mpif.h`, `use mpi`,
`use mpi_f08`) where the standard has them there.

"""


def definitions():
    """name -> "done" or "refused"."""
    found = {}
    for path in sorted((ROOT / "taihu/mpi").rglob("*.cc")):
        text = path.read_text()
        for match in re.finditer(r"MPI_CALL\(\s*[\w]+,\s*(\w+),", text):
            rest = text[match.end():]
            end = rest.find("MPI_CALL(")
            body = rest[:end if end >= 0 else len(rest)]
            refused = "refused_" in body or "MPI_ERR_UNSUPPORTED_OPERATION" in body
            found[match.group(1)] = "refused" if refused else "done"
        for match in re.finditer(r"#define (\w+)\(.*\n(?:.*\\\n)*.*MPI_CALL\([^)]*##", text):
            found.update(expanded(text, match.group(1)))
    # Calls with counts: each stands for itself and for the one with large counts.
    for path in sorted((ROOT / "taihu/mpi/calls").rglob("*.inc")):
        for name in re.findall(r"^COUNTED_CALL\((\w+),", path.read_text(), re.M):
            found[name] = found[name + "_c"] = "done"
    return found


def is_of_the_abi(call):
    """Among the functions of the standard's application binary interface, which leaves out what was removed and Fortran's
    conversions of handles."""
    return not call.chapter.startswith("Removed") and not re.search(r"_(c2f|f2c|c2f08|f082c|f082f|f2f08)$", call.name)


def expanded(text, macro):
    """Calls that a macro of the file defines: its body is read for the pattern of names."""
    body = re.search(r"#define " + macro + r"\((.*?)\)((?:.*\\\n)*.*\n)", text)
    if not body:
        return {}
    names = [word.strip() for word in body.group(1).split(",")]
    result = {}
    for call in re.finditer(r"^" + macro + r"\((.*?)\)", text, re.M):
        values = dict(zip(names, [word.strip() for word in call.group(1).split(",")]))
        for pattern in re.findall(r"MPI_CALL\(\s*\w+,\s*([\w#]+),", body.group(2)):
            result["".join(values.get(part, part) for part in pattern.split("##"))] = "done"
    return result


def large_programs():
    """Programs that are also built with LARGE_COUNTS: as tests/mpi/CMakeLists.txt lists them."""
    text = (ROOT / "tests/mpi/CMakeLists.txt").read_text()
    names = re.search(r"foreach\(name ([^)]*)\)\n  set\(flags -DLARGE_COUNTS", text).group(1).split()
    return {f"{name}.c" for name in names}


LARGE_PROGRAMS = large_programs()


def uses():
    """name -> files of tests that call it."""
    found = {}
    paths = sorted((ROOT / "taihu/mpi").rglob("*_test.cc")) + sorted((ROOT / "taihu/mpi").rglob("*test*.h")) + \
        sorted((ROOT / "tests").rglob("*.c")) + sorted((ROOT / "tests").rglob("*.cc")) + sorted((ROOT / "tests").rglob("*.f*")) + \
        sorted((ROOT / "taihu/mpi").rglob("test_*.cc"))
    for path in dict.fromkeys(paths):
        text = path.read_text()
        names = re.findall(r"\bP?MPI_(\w+)\b", text, re.I)
        # Macros of a test that put a name together: #define RUN(name, ...) MPI_##name##_init(...)
        for macro, words, body in re.findall(r"#define (\w+)\(([^)]*)\)((?:.*\\\n)*.*\n)", text):
            words = [word.strip() for word in words.split(",")]
            for values in re.findall(rf"\b{macro}\(([^;]*?)\)", text):
                parts = dict(zip(words, [value.strip() for value in values.split(",")]))
                names += ["".join(parts.get(part, part) for part in name.split("##"))
                          for name in re.findall(r"\bMPI_((?:\w|##)+)", body)]
        # With LARGE_COUNTS the same calls under the names that end in _c.
        if path.name in LARGE_PROGRAMS:
            names += [name + "_c" for name in names]
        for name in {name.lower() for name in names}:
            found.setdefault(name, []).append(path.name)
    return found


def main():
    defined, used = definitions(), uses()
    calls = read_calls(ROOT / "taihu/abi/mpi.h")
    lines, chapter, counts = [], None, {}
    for call in calls:
        if call.chapter != chapter:
            chapter = call.chapter
            lines += ["", f"## {chapter}", "", "| call | status | tests |", "|---|---|---|"]
        status = defined.get(call.name, "not yet")
        counts[status] = counts.get(status, 0) + 1
        tests = ", ".join(f"`{name}`" for name in used.get(call.name.lower(), [])[:3])
        lines.append(f"| `MPI_{call.name}` | {status} | {tests} |")
    summary = ", ".join(f"{counts[status]} {status}" for status in ("done", "refused", "not yet") if status in counts)
    tested = sum(1 for call in calls if call.name.lower() in used)
    abi = [call for call in calls if is_of_the_abi(call)]
    there = sum(1 for call in abi if defined.get(call.name) == "done")
    text = HEAD + f"{len(calls)} calls: {summary}; {tested} occur in tests. Of the {len(abi)} functions of the standard's application " \
        f"binary interface (MPI-5.0 chapter 20) {there} are done.\n" + "\n".join(lines) + "\n"
    if "--check" in sys.argv[1:]:
        if PAGE.read_text() != text:
            sys.exit("docs/reference/mpi-coverage.md is out of date; run tools/mpi_coverage.py")
        return
    PAGE.write_text(text)
    print(f"{len(calls)} calls: {summary}; {tested} occur in tests")


if __name__ == "__main__":
    main()

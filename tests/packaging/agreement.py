#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the packages in packaging/ say the same as the project: agreement.py ROOT.

- Debian's build dependencies are the groups demo and build of tools/packages.txt, those of the pages the group docs
- all name the version of CMakeLists.txt
- the recipe for Spack is a Python program"""
import pathlib
import re
import sys

# What a package of Debian is built without, and why.
NOT_NEEDED = {
    "g++": "essential for building", "gcc": "essential for building", "libc6-dev": "essential for building",
    "git": "only for checks", "ca-certificates": "only for git", "libgtest-dev": "only for tests",
    "libglpk-dev": "only for tests",
}
# What only a package needs.
DEBHELPER = {"debhelper-compat", "dh-sequence-python3"}


def groups(text):
    """{group: names} of tools/packages.txt."""
    found, group = {}, ""
    for line in text.splitlines():
        if line.startswith("["):
            group = line.strip("[] ")
        elif line and not line.startswith("#"):
            found.setdefault(group, set()).add(line.split()[0])
    return found


def build_dependencies(control):
    """Names that the packages are built with, and those that only the pages need."""
    body = re.search(r"^Build-Depends:(.*?)^(?=\S)", control + "\nEnd:", re.M | re.S)[1].split("\n\n")[0]
    always, pages = set(), set()
    for entry in filter(None, (part.strip() for part in body.split(","))):
        (pages if "<!nodoc>" in entry else always).add(entry.split()[0])
    return always, pages


def differences(what, has, wanted):
    return ([f"{what}: {name} is missing" for name in sorted(wanted - has)] +
            [f"{what}: {name} is not in tools/packages.txt" for name in sorted(has - wanted)])


def problems(root):
    def read(path):
        return (root / path).read_text()

    wanted = groups(read("tools/packages.txt"))
    always, pages = build_dependencies(read("packaging/debian/control"))
    lines = differences("packaging/debian/control", always - DEBHELPER, (wanted["demo"] | wanted["build"]) - NOT_NEEDED.keys())
    lines += differences("packaging/debian/control, <!nodoc>", pages, wanted["docs"])

    version = re.search(r"project\(Taihu VERSION (\S+)", read("CMakeLists.txt"))[1]
    for path, pattern in {"packaging/debian/changelog": r"^taihu \((.*?)\)", "packaging/spack/package.py": r'version\("(.*?)"'}.items():
        found = re.search(pattern, read(path))
        if not found or found[1] != version:
            lines.append(f"{path}: the version is not {version}")
    compile(read("packaging/spack/package.py"), "packaging/spack/package.py", "exec")
    return lines


if __name__ == "__main__":
    found = problems(pathlib.Path(sys.argv[1]))
    print("\n".join(found) if found else "packaging: no problems")
    sys.exit(1 if found else 0)

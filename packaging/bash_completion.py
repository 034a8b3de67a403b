#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the completion of bash for programs from what they say with --help.

    bash_completion.py OUTPUT TEMPLATE PROGRAM... --same NAME...

NAMEs are programs that differ from another one only behind the last "-" (rmc-mpich, rmc). Read are lines such as "  -n,--np N     number of ranks", choices in braces, between bars or in a text ("core, numa or
auto"), and subcommands, which are asked in turn. The functions that use it are in TEMPLATE."""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys

ENTRY = re.compile(r"^  (-\S+)(?: (\S.*?))?(?:\s{2,}(.*))?$")
SUBCOMMAND = re.compile(r"^  ([a-z][\w-]*)\s{2,}\S")
CHOICES_IN_TEXT = re.compile(r"(?:^|: )((?:[\w-]+, )*[\w-]+ or [\w-]+)(?: \(|; |$)")
CHOICES = re.compile(r"(?:\w+:)?\{?((?:[\w.-]+[,|])+[\w.-]+)\}?")
FILES = {"FILE", "FILE|TEXT", "PATH", "DIR"}


def help_of(words):
    """The text of --help; every program has it and ends with success."""
    done = subprocess.run([*words, "--help"], capture_output=True, text=True, timeout=60)
    if done.returncode != 0 or not done.stdout:
        sys.exit(f"bash_completion.py: {' '.join(words)} --help failed ({done.returncode}): {done.stderr}")
    return done.stdout


def values_of(kind, text):
    """What may follow an option: words, "/" for a file, "-" for what nobody can guess."""
    kind = kind.split("=")[0].removesuffix(" REQUIRED")
    if kind in FILES:
        return "/"
    choices = CHOICES.fullmatch(kind)
    if choices:
        return " ".join(re.split("[,|]", choices[1])) if "N" not in choices[1].split(",") else "-"
    choices = CHOICES_IN_TEXT.search(text)
    if choices:
        return " ".join(re.split(", | or ", choices[1]))
    return "-"


def options_of(text):
    """Names of options, and {name: values} of those with a value."""
    names, values = [], {}
    lines = text.splitlines()
    for line, next_line in zip(lines, [*lines[1:], ""]):
        entry = ENTRY.match(line)
        if not entry:
            continue
        words, kind, meaning = entry[1], entry[2], entry[3] or next_line.strip()
        for word in words.split(","):
            name = re.sub(r"\{.*", "", word)
            if "[=" in name:  # --spm-model[=FILE]: mostly given alone
                name = name[:name.index("[=")]
            elif "=" in name:  # -cc=NAME: the value is part of the word
                name = name[:name.index("=") + 1]
            elif kind and not kind.startswith("["):
                values[name] = values_of(kind, meaning)
            names.append(name)
    return names, values


def describe(words, told, tables):
    """Adds one program or subcommand, and its subcommands, to the tables of the template."""
    text = help_of(words)
    names, values = options_of(text)
    head, _, rest = text.partition("\nSubcommands:\n")
    subcommands = [found[1] for found in map(SUBCOMMAND.match, rest.splitlines()) if found]
    tables["OPTIONS"].append((told, " ".join(names)))
    if subcommands:
        tables["SUBCOMMANDS"].append((told, " ".join(subcommands)))
    tables["VALUES"] += [(f"{told} {name}", words_) for name, words_ in values.items()]
    if re.search(r"^Usage: .* program \[arguments\]", head, re.M):
        tables["LAUNCHERS"].append((told, "yes"))
    for subcommand in subcommands:
        describe([*words, subcommand], f"{told} {subcommand}", tables)


def main():
    parser = argparse.ArgumentParser(description="Writes the completion of bash for programs.")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("template", type=pathlib.Path)
    parser.add_argument("programs", type=pathlib.Path, nargs="+")
    parser.add_argument("--same", nargs="*", default=[], help="programs with the options of another one")
    arguments = parser.parse_args()
    tables = {"OPTIONS": [], "SUBCOMMANDS": [], "VALUES": [], "LAUNCHERS": []}
    for program in sorted(arguments.programs):
        describe([str(program)], program.name, tables)
    text = arguments.template.read_text()
    for name, rows in tables.items():
        lines = [f"    {shlex.quote(key)}) echo {shlex.quote(value)} ;;" for key, value in rows]
        text = text.replace(f"    @{name}@\n", "".join(line + "\n" for line in lines))
    text = text.replace("@PROGRAMS@", " ".join(sorted([program.name for program in arguments.programs] + arguments.same)))
    arguments.output.write_text(text)


if __name__ == "__main__":
    main()

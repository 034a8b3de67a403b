# SPDX-License-Identifier: Apache-2.0
"""The line that stands above every table of results: machine, system, versions of the MPI libraries, day, and the command."""
import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


def this_command():
    """The command that runs, options included, as it is typed in the folder of the project. What lies elsewhere is named without
    its folders: they are those of one machine."""
    words = [sys.argv[0], *sys.argv[1:]]
    for index, word in enumerate(words):
        name, mark, value = word.partition("=")  # such as --peer NAME=FOLDER
        before, path = (name + mark, pathlib.Path(value)) if mark else ("", pathlib.Path(word))
        if index == 0 or path.is_absolute():
            full = path.resolve() if index == 0 else path
            words[index] = before + (str(full.relative_to(ROOT)) if full.is_relative_to(ROOT) else path.name)
    return shlex.join(words)


def processor_model():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "?")


def describe_processor():
    """For what has nothing to do with MPI."""
    return f"Machine: {processor_model()}, {os.cpu_count()} cores, Linux {platform.release()}. {time.strftime('%Y-%m-%d')}."


def describe_machine(others=()):
    """`others`: MPI libraries besides those of the distribution (peers.OtherMpi)."""
    model = processor_model()
    versions = [" ".join(subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0].split())
                for command in (["mpirun.openmpi", "--version"], ["mpichversion"]) if shutil.which(command[0])]
    versions += [other.version for other in others]
    return (f"Machine: {model}, {os.cpu_count()} cores, Linux {platform.release()}; "
            f"{'; '.join(versions) or 'no other MPI library'}. {time.strftime('%Y-%m-%d')}.")

# SPDX-License-Identifier: Apache-2.0
"""The line that stands above every table of results: machine, system, versions of the MPI libraries, day."""
import os
import platform
import shutil
import subprocess
import time


def processor_model():
    return next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")


def describe_processor():
    """For what has nothing to do with MPI."""
    return f"Machine: {processor_model()}, {os.cpu_count()} cores, Linux {platform.release()}. {time.strftime('%Y-%m-%d')}."


def describe_machine():
    model = processor_model()
    versions = [" ".join(subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0].split())
                for command in (["mpirun.openmpi", "--version"], ["mpichversion"]) if shutil.which(command[0])]
    return (f"Machine: {model}, {os.cpu_count()} cores, Linux {platform.release()}; "
            f"{'; '.join(versions) or 'no other MPI library'}. {time.strftime('%Y-%m-%d')}.")

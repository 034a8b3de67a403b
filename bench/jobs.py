# SPDX-License-Identifier: Apache-2.0
"""Jobs of ranks that benchmarks start, and end when they take too long."""
import os
import signal
import subprocess


def start(command):
    """In a process group of its own, with what it prints."""
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


def end(job):
    """What it has printed. A launcher that is asked to end takes its ranks with it; one that does not is killed with those of its
    group."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(job.pid, number)
            return job.communicate(timeout=10)[0]
        except ProcessLookupError:
            return job.communicate()[0]
        except subprocess.TimeoutExpired:
            continue
    return ""

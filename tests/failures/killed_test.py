#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills parts of a running job and looks at what is left: no process, no file in shared memory, the right exit code.

usage: killed_test.py BUILD-DIRECTORY"""
import os
import pathlib
import signal
import subprocess
import sys
import time

SOURCE = """
#include <parallelc.h>
#include <stdio.h>
node_shared int table[1000];
int main(void) {
    table[m_rank(CCC_NODE)] = 1;
    m_barrier(CCC_ALL);
    if (m_rank(CCC_ALL) == 0) {
        puts("running");
        fflush(stdout);
    }
    m_recv(0, table, 4, 77, NULL);  /* never comes */
}
"""


def children(name):
    """Ids of the living node processes that run `name`."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            state = (process / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if state != "Z" and words and words[0].endswith(b"parallelc-node") and name.encode() in words:
            found.append(int(process.name))
    return found


def start(build, program, options):
    job = subprocess.Popen([build / "bin" / "parcrun", "--timeout", "50", "-n", "4", *options, program],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert job.stdout.readline() == "running\n"
    return job


def wait_until_gone(program):
    for _ in range(100):
        if not children(str(program)):
            return
        time.sleep(0.1)
    sys.exit(f"still running: {children(str(program))}")


def check(build, program, options, what, kill, codes):
    files = set(os.listdir("/dev/shm"))
    job = start(build, program, options)
    nodes = children(str(program))
    expected = int(options[1]) if options else 1
    if len(nodes) != expected:
        sys.exit(f"{what}: {len(nodes)} node processes, not {expected}")
    kill(job, nodes)
    output, _ = job.communicate(timeout=40)
    wait_until_gone(program)
    left = {name for name in set(os.listdir("/dev/shm")) - files if "taihu" in name}
    if left or job.returncode not in codes:
        sys.exit(f"{what} {options}: exit code {job.returncode}, files {left}, output:\n{output}")
    print(f"{what} {' '.join(options)}: exit code {job.returncode}, nothing left")


def main():
    build = pathlib.Path(sys.argv[1])
    folder = build / "tests" / "failures"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "killed.c").write_text(SOURCE)
    program = folder / "killed"
    subprocess.run([build / "bin" / "parcc", folder / "killed.c", "-o", program], check=True)
    for options in [], ["--processes-per-node", "2", "--mpi", "openmpi"], ["--processes-per-node", "2", "--mpi", "mpich"]:
        # MPICH's launcher gives the signal's number itself as the exit code of a killed process.
        check(build, program, options, "node process killed", lambda _, nodes: os.kill(nodes[-1], signal.SIGKILL), {137, 9})
        check(build, program, options, "node process terminated", lambda _, nodes: os.kill(nodes[0], signal.SIGTERM), {143, 15})
        check(build, program, options, "parcrun interrupted", lambda job, _: job.send_signal(signal.SIGINT), {130})
        check(build, program, options, "parcrun killed", lambda job, _: job.kill(), {-9})


if __name__ == "__main__":
    main()

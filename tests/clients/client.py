#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds a C code base from its Debian source package, unchanged, with parcc as its C compiler, and runs it as several
ranks at once: every rank must give the result that the program gives alone.

usage: client.py NAME BUILD-DIRECTORY [--autonomic]      (NAME: zlib, lua or sqlite)

With --autonomic it is also compiled for the autonomic model: every rank must give the same result there.

The source is taken from Debian's archive by apt-get into BUILD-DIRECTORY/tests/clients and kept there."""
import os
import pathlib
import subprocess
import sys

RANKS = 6


def run(command, directory, **options):
    print("+", " ".join(map(str, command)), flush=True)
    result = subprocess.run(list(map(str, command)), cwd=directory, stdout=subprocess.PIPE, text=True, timeout=900, **options)
    if result.returncode != 0:
        sys.exit(f"{result.stdout[-3000:]}\n{command[0]} ended with exit code {result.returncode}")
    return result.stdout


def source_of(package, directory, downloads):
    """The unpacked source package in `directory`; fetched into `downloads` when it is not there yet."""
    unpacked = [path for path in directory.glob(f"{package}-[0-9]*") if path.is_dir()]
    if unpacked:
        return unpacked[0]
    if not any(downloads.glob(f"{package}_*.dsc")):
        download(package, downloads)
    run(["dpkg-source", "--skip-patches", "--extract", next(downloads.glob(f"{package}_*.dsc"))], directory)
    return source_of(package, directory, downloads)


def download(package, directory):
    """With lists of our own, so that the system's apt configuration stays as it is."""
    for sub in ("lists/partial", "cache/archives/partial"):
        (directory / sub).mkdir(parents=True, exist_ok=True)
    (directory / "sources.list").write_text("deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
                                            "http://deb.debian.org/debian bookworm main\n")
    apt = ["apt-get", "-q", "-o", f"Dir::Etc::SourceList={directory}/sources.list", "-o", "Dir::Etc::SourceParts=/dev/null",
           "-o", f"Dir::State::Lists={directory}/lists", "-o", f"Dir::Cache={directory}/cache"]
    run(apt + ["update"], directory)
    run(apt + ["source", "--download-only", package], directory)


class Build:
    def __init__(self, build, autonomic):
        self.downloads = build / "tests" / "clients"
        self.parcc = f"{build}/bin/parcc" + (" --model=autonomic" if autonomic else "")
        self.parcrun = build / "bin" / "parcrun"

    def parallel(self, program, *arguments, directory, **options):
        """Output of RANKS ranks of the program."""
        return run([self.parcrun, "--timeout", "120", "-n", RANKS, program, *arguments], directory, **options)


def lua(build, directory):
    source = source_of("lua5.4", directory, build.downloads) / "src"
    run(["make", f"CC={build.parcc} -std=gnu99", "MYCFLAGS=-DLUA_USE_POSIX", "-j2", "lua"], source)
    script = directory / "client.lua"
    script.write_text("""
        math.randomseed(42)
        local t, words = {}, 0
        for i = 1, 20000 do t[i] = string.format("%05d", (i * 7919) % 20011) end
        table.sort(t)
        for word in string.gmatch(table.concat(t, " "), "%d+") do words = words + tonumber(word) % 7 end
        local co = coroutine.wrap(function() for i = 1, 10 do coroutine.yield(i) end end)
        for i = 1, 10 do words = words + co() end
        print(_VERSION, words, #t, math.random(1000000), os.date("!%Y", 0))
    """)
    alone = run([source / "lua", script], directory)
    return [(line, alone.strip()) for line in build.parallel(source / "lua", script, directory=directory).splitlines()]


def sqlite(build, directory):
    source = source_of("sqlite3", directory, build.downloads)
    if not (source / "Makefile").exists():
        run(["./configure", "--disable-tcl", "--disable-readline", "--disable-load-extension", "CFLAGS=-O1",
             f"CC={build.parcc}"], source)
    run(["make", "-j2", "sqlite3"], source)
    program = source / "sqlite3"
    query = """
        create table numbers(value integer primary key, square real, name text);
        with recursive count(x) as (select 1 union all select x + 1 from count where x < 20000)
        insert into numbers select x, x * x * 1.0, printf('%08d', (x * 7919) % 20011) from count;
        create index by_name on numbers(name);
        select count(*), sum(square), min(name), max(name), (select value from numbers where name = '00000042') from numbers;
    """
    alone = run([program, ":memory:", query], directory)
    together = build.parallel(program, ":memory:", query, directory=directory)
    return [(line, alone.strip()) for line in together.splitlines()]


def zlib(build, directory):
    source = source_of("zlib", directory, build.downloads)
    if not (source / "example").exists():
        run(["./configure", "--static"], source, env={**os.environ, "CC": str(build.parcc)})
    run(["make", "-j2", "example"], source)
    for rank in range(RANKS):  # the program writes foo.gz where it runs
        (directory / f"rank-{rank}-of-zlib").mkdir(exist_ok=True)
    alone = run([source / "example"], directory)
    together = run([build.parcrun, "--timeout", "120", "--tag-output", "-n", RANKS, "-wdir", directory / "rank-%r-of-zlib",
                    source / "example"], directory)
    outputs = {rank: [] for rank in range(RANKS)}
    for line in together.splitlines():
        tag, _, text = line.partition("] ")
        outputs[int(tag.lstrip("["))].append(text)
    return [("\n".join(lines), alone.strip()) for lines in outputs.values()]


def main():
    name, build_directory, autonomic = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:] == ["--autonomic"]
    client = {"lua": lua, "sqlite": sqlite, "zlib": zlib}[name]
    directory = build_directory / "tests" / "clients"
    directory.mkdir(parents=True, exist_ok=True)
    results = client(Build(build_directory, False), directory)
    if autonomic:
        expected = results[0][1]
        directory = directory / "autonomic"
        directory.mkdir(exist_ok=True)
        results = [(result, expected) for result, _ in client(Build(build_directory, True), directory)]
    wrong = [result for result, expected in results if result != expected]
    if len(results) != RANKS or wrong:
        sys.exit(f"{name}: {len(results)} results of {RANKS} ranks, {len(wrong)} wrong: {wrong[:1]}")
    print(f"{name}: {RANKS} ranks gave the same result as one process: {results[0][1].splitlines()[-1]}")


if __name__ == "__main__":
    main()

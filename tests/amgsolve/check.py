#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs amgsolve as a user does and looks at exit codes, messages and results; argument: the build folder.

The programs for the ranks of an MPI, where they were built, must give the residuals of the one for a single process."""
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(sys.argv[1]).resolve()
AMGSOLVE = BUILD / "bin/amgsolve"
FAILURES = []


def run(command, threads=1, limit=100):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads),
                       OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment, timeout=limit)
    return done.returncode, done.stdout, done.stderr


def expect(what, found, wanted):
    if found != wanted:
        FAILURES.append(f"{what}: expected {wanted!r}, found {found!r}")


def expect_complaint(arguments, code, text):
    """One line on stderr that contains the text, and the exit code."""
    found, _, errors = run([AMGSOLVE] + arguments)
    name = " ".join(map(str, arguments))
    expect(f"exit code of {name}", found, code)
    lines = errors.splitlines()
    expect(f"lines on stderr of {name}", len(lines), 1)
    if text not in errors:
        FAILURES.append(f"{name}: no '{text}' in '{errors}'")


def solve(command, threads=1):
    code, output, errors = run(command + ["--generate", "laplace3d", "24", "--json"], threads)
    if code != 0:
        FAILURES.append(f"{command[0]} ended with {code}: {errors}")
        return None
    return json.loads(output.splitlines()[-1])


def check_inputs(folder):
    matrix = folder / "small.mtx"
    matrix.write_text("%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 2\n2 1 -1\n2 2 2\n3 2 -1\n3 3 2\n")
    right = folder / "right.mtx"
    right.write_text("%%MatrixMarket matrix array real general\n3 1\n1\n0\n1\n")
    solution = folder / "solution.mtx"
    expect("solving a file", run([AMGSOLVE, matrix, right, "--quiet", "-o", solution]), (0, "", ""))
    for value in solution.read_text().splitlines()[2:]:
        expect("solution", abs(float(value) - 1) < 1e-8, True)

    def bad(name, text):
        (folder / name).write_text("%%MatrixMarket matrix coordinate real general\n" + text)
        return folder / name

    expect_complaint([folder / "none.mtx"], 1, "cannot open")
    expect_complaint([bad("cut.mtx", "2 2 2\n1 1 1\n")], 1, "cut.mtx:4:1: the file ends after 1 of 2 entries")
    expect_complaint([bad("nan.mtx", "1 1 1\n1 1 nan\n")], 1, "nan.mtx:3:5: value is not a finite number")
    expect_complaint([bad("infinite.mtx", "1 1 1\n1 1 1e309\n")], 1,
                     "infinite.mtx:3:5: value 1e309 is too large for double precision")
    expect_complaint(["--generate", "laplace2d", "100000"], 1, "one rank takes fewer than 2^31 rows; use more ranks")
    expect_complaint([bad("wide.mtx", "1 2 1\n1 1 1\n")], 1, "not square (1 rows, 2 columns)")
    expect_complaint([bad("zero.mtx", "2 2 2\n1 1 1\n1 2 1\n")], 1, "row 2 of the matrix has a zero on the diagonal")
    expect_complaint([bad("singular.mtx", "2 2 4\n1 1 1\n1 2 -1\n2 1 -1\n2 2 1\n")], 1, "singular")
    expect_complaint([bad("empty.mtx", "0 0 0\n")], 1, "the matrix has no rows")
    expect_complaint([bad("large.mtx", "1099511627776 1099511627776 1\n1 1 1\n")], 1, "large.mtx:3:1: a matrix of")
    expect_complaint([bad("overflow.mtx", f"1 1 1\n{10 ** 30} 1 1\n")], 1, "is not between 1 and 1")
    expect_complaint([bad("zerobased.mtx", "1 1 1\n0 0 1\n")], 1, "zerobased.mtx:3:1: row 0 is not between 1 and 1")
    expect("solving one row", run([AMGSOLVE, bad("one.mtx", "1 1 1\n1 1 5\n"), "--quiet"]), (0, "", ""))
    for kind, text in (("complex general", "complex matrices are not supported"),
                       ("real skew-symmetric", "zero on the diagonal"), ("quaternion general", "not real, integer or pattern")):
        (folder / "kind.mtx").write_text(f"%%MatrixMarket matrix coordinate {kind}\n2 2 1\n2 1 1\n")
        expect_complaint([folder / "kind.mtx"], 1, text)
    (folder / "unknown").write_text("hello\n")
    expect_complaint([folder / "unknown"], 1, "unknown:1:1: the file is neither Matrix Market")
    for packed, program in ((b"\x1f\x8b\x08", "gunzip"), (b"BZh91AY", "bunzip2"), (b"\xfd7zXZ\0", "unxz")):
        (folder / "packed.mtx").write_bytes(packed)
        expect_complaint([folder / "packed.mtx"], 1, f"packed.mtx: the file is compressed; unpack it first ({program})")
    expect_complaint([folder], 1, "is a directory; name a file in it")
    expect_complaint(["/dev/null"], 1, "/dev/null is not a regular file (a pipe or a device cannot be read twice)")
    (folder / "A.00000").write_text("0 2 0 2\n0 0 2\n0 1 -1\n1 0 -1\n1 1 2\n1 2 -1\n2 1 -1\n2 2 x\n")
    expect_complaint([folder / "A"], 1, "A.00000:8:5: 'x' is not a number (value)")
    rows = range(1, 601)
    indefinite = "600 600 1798\n" + "".join(f"{i} {i} {1 if i % 2 else -1}\n" for i in rows)
    indefinite += "".join(f"{i} {i + 1} 0.5\n{i + 1} {i} 0.5\n" for i in rows if i < 600)
    expect_complaint([bad("indefinite.mtx", indefinite), "--solver", "pcg"], 1, "not positive definite")
    expect("solving an indefinite matrix", run([AMGSOLVE, folder / "indefinite.mtx", "--quiet"]), (0, "", ""))
    code, output, _ = run([AMGSOLVE, folder / "indefinite.mtx"])
    expect("what was chosen", "chosen: solver gmres: the matrix is not positive definite" in output, True)
    expect_complaint([matrix, bad("short.mtx", "2 1 1\n1 1 1\n")], 1, "the right-hand side has 2 rows, the matrix 3")
    expect_complaint([], 2, "give either a matrix file or --generate")
    expect_complaint(["--generate", "laplace4d", "5"], 2, "there is no problem 'laplace4d'")
    expect_complaint(["--generate", "laplace3d", "x"], 2, "not 'x'")
    expect_complaint(["--generate", "laplace3d", "0x10"], 2, "not '0x10'")
    code, output, _ = run([AMGSOLVE, "--generate", "laplace2d", "010", "--json"])
    expect("rows of ten by ten points", json.loads(output)["rows"] if code == 0 else code, 100)
    expect_complaint(["--solver", "magic", matrix], 2, "magic")

    code, output, errors = run([AMGSOLVE, "--generate", "laplace2d", "60", "--max-iterations", "2"])
    expect("exit code without convergence", code, 1)
    expect("history without convergence", "not converged after 2 iterations" in output and "        2  " in output, True)
    expect("message without convergence", "no convergence to 1e-08 in 2 iterations" in errors, True)


def check_trace(folder):
    """A trace that cannot be written costs neither the report nor the solution."""
    solution = folder / "behind_trace.mtx"
    code, output, errors = run([AMGSOLVE, "--generate", "laplace2d", "20", "--trace", "/dev/full", "-o", solution])
    expect("a trace on a full disk", (code, errors.count("\n")), (1, 1))
    expect("message of a trace on a full disk", "/dev/full" in errors, True)
    expect("report before a trace on a full disk", "iteration" in output, True)
    expect("solution before a trace on a full disk", solution.exists() and len(solution.read_text().splitlines()), 402)


def check_documentation():
    """Every option that --help shows stands on the reference page."""
    _, text, _ = run([AMGSOLVE, "--help"])
    expect("usage", "\nUsage: amgsolve [OPTIONS] A [b]\n" in text, True)
    page = (pathlib.Path(__file__).parents[2] / "docs/reference/amgsolve.md").read_text()
    for option in sorted(set(re.findall(r"--[a-z][a-z-]+", text)) - {"--help", "--version"}):
        expect(f"{option} in docs/reference/amgsolve.md", f"`{option}" in page, True)


def check_ranks():
    alone = solve([AMGSOLVE])
    runs = [("threads", [AMGSOLVE], 3, 1)]
    for library, launcher in (("openmpi", ["mpirun.openmpi", "--oversubscribe", "-q", "-n"]), ("mpich", ["mpiexec.hydra", "-n"]),
                              ("taihu", [BUILD / "bin/marun", "-n"])):
        program = BUILD / f"bin/amgsolve-{library}"
        if program.exists():
            runs += [(f"{library}, {ranks} ranks", launcher + [ranks, program], 1, ranks) for ranks in (1, 2, 5)]
        if program.exists():  # the plain name becomes the program of the launcher's library
            runs.append((f"amgsolve by the launcher of {library}", launcher + [3, AMGSOLVE], 1, 3))
    for name, command, threads, ranks in runs:
        found = solve(command, threads)
        if found is not None and alone is not None:
            expect(f"ranks of {name}", found["ranks"], ranks)
            for key in ("iterations", "residual", "operator_complexity"):
                expect(f"{key} of {name}", found[key], alone[key])
    return len(runs)


def check_ranks_without_memory():
    """What one rank alone lacks ends the job: the others would wait for it."""
    limit = 700 << 20
    done = subprocess.run([str(BUILD / "bin/marun"), "-n", "2", "--timeout", "90", str(AMGSOLVE), "--generate", "laplace3d", "200"],
                          capture_output=True, text=True, timeout=100, env=dict(os.environ, OMP_NUM_THREADS="1"),
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
    expect("exit code of ranks without memory", done.returncode, 1)
    if "amgsolve: there is not enough memory\n" not in done.stderr:
        FAILURES.append(f"ranks without memory: {done.stderr!r}")


def check_launcher_without_program(folder):
    """A launcher's library for which no amgsolve was built: one line, and no systems solved one by one."""
    alone = folder / "bin/amgsolve"
    alone.parent.mkdir()
    shutil.copy(AMGSOLVE, alone)
    done = subprocess.run([str(alone), "--generate", "laplace2d", "8"], capture_output=True, text=True, timeout=100,
                          env=dict(os.environ, OMPI_COMM_WORLD_SIZE="2"))
    expect("a launcher without a program for it", (done.returncode, done.stdout, done.stderr),
           (1, "", f"amgsolve: started by a launcher of openmpi, but {alone.resolve()}-openmpi cannot be run; was it built?\n"))


def main():
    with tempfile.TemporaryDirectory() as folder:
        check_inputs(pathlib.Path(folder))
        check_trace(pathlib.Path(folder))
        check_launcher_without_program(pathlib.Path(folder))
    check_documentation()
    runs = check_ranks()
    check_ranks_without_memory()
    code, output, _ = run([AMGSOLVE, "--generate", "27pt", "16", "--report"], 2)
    expect("exit code with --report", code, 0)
    for part in ("iteration   residual   reduction", "grid complexity", "set-up: coarse matrix", "bandwidth:"):
        expect(f"'{part}' in the report", part in output, True)
    print("\n".join(FAILURES) if FAILURES else f"amgsolve: as expected, the same residual in {runs} ways to run it")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())

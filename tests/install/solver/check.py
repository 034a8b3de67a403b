#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the Python module taihu.amg in the folder given; with a loud line and success where SciPy is missing.

Looks for SciPy in this Python, then in the system's."""
import os
import subprocess
import sys
import tempfile
import threading

SYSTEM_PYTHON = "/usr/bin/python3"
try:
    import numpy
    import scipy.sparse
    import scipy.sparse.linalg
except ImportError:
    if "again" in sys.argv or not os.path.exists(SYSTEM_PYTHON):
        print("*** SKIPPED: the Python module taihu.amg is NOT checked: python3-scipy is missing ***")
        sys.exit(0)
    sys.exit(subprocess.run([SYSTEM_PYTHON, "-B", *sys.argv, "again"]).returncode)
sys.path.insert(0, sys.argv[1])
import taihu.amg  # noqa: E402


def laplace(n):
    line = scipy.sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n))
    one = scipy.sparse.identity(n)
    return (scipy.sparse.kron(line, one) + scipy.sparse.kron(one, line)).tocsr()


def residual(A, b, x):
    return numpy.linalg.norm(b - A @ x) / numpy.linalg.norm(b)


def refused(kind, text, call, *arguments, **chosen):
    try:
        call(*arguments, **chosen)
    except kind as error:
        assert text in str(error), f"'{text}' is not in '{error}'"
        return error
    raise AssertionError(f"not refused: {text}")


def check_solutions():
    A = laplace(60)
    b = numpy.random.default_rng(1).standard_normal(A.shape[0])
    x = taihu.amg.solve(A, b)
    assert residual(A, b, x) <= 1e-8
    for other in (A.tocoo(), A.tocsc(), scipy.sparse.csr_array(A), A.astype(numpy.float32)):
        assert numpy.array_equal(taihu.amg.solve(other, b), x), type(other)
    wide = A.copy()
    wide.indices, wide.indptr = wide.indices.astype(numpy.int64), wide.indptr.astype(numpy.int64)
    assert numpy.array_equal(taihu.amg.solve(wide, b), x)
    column = taihu.amg.solve(A, b.reshape(-1, 1))
    assert column.shape == (A.shape[0], 1) and numpy.array_equal(column[:, 0], x)
    solver = taihu.amg.Solver(A, threads=1, family="classical", max_iterations=100, tol=1e-10)
    assert residual(A, b, solver.solve(b)) <= 1e-10 and solver.converged and solver.residual <= 1e-10
    assert len(solver.history) == solver.iterations + 1 and solver.history[0] == 1
    assert "operator complexity" in solver.report() and solver.setup_seconds > 0 and solver.solve_seconds > 0
    steps = solver.iterations
    solver.solve(b, x0=solver.solve(b))
    assert solver.iterations < steps
    assert taihu.amg.options()["tol"][0] == "E"


def check_no_copies():
    A = laplace(30)
    solver = taihu.amg.Solver(A)
    assert solver._arrays[1] is A.indices or solver._arrays[1].ctypes.data == A.indices.ctypes.data
    assert solver._arrays[2].ctypes.data == A.data.ctypes.data


def check_updates():
    A = laplace(50)
    b = numpy.ones(A.shape[0])
    for reuse in ("nothing", "interpolation"):
        solver = taihu.amg.Solver(A, reuse=reuse)
        B = A + 0.01 * scipy.sparse.identity(A.shape[0], format="csr")
        assert residual(B, b, solver.update(B).solve(b)) <= 1e-8
        assert residual(A, b, solver.update(A.data).solve(b)) <= 1e-8
        refused(taihu.amg.Error, "another pattern", solver.update, laplace(50)[::-1])
        refused(taihu.amg.Error, "3 values for", solver.update, numpy.ones(3))


def check_preconditioner():
    A = laplace(80)
    b = numpy.ones(A.shape[0])
    count = []
    M = taihu.amg.Solver(A).aspreconditioner()
    x, status = scipy.sparse.linalg.cg(A, b, M=M, callback=count.append)
    assert status == 0 and len(count) < 25 and residual(A, b, x) < 1e-4


def check_refusals():
    Error = taihu.amg.Error
    A = laplace(20)
    b = numpy.ones(A.shape[0])
    refused(Error, "not square", taihu.amg.solve, A[:, :300], b)
    refused(Error, "complex128", taihu.amg.solve, A.astype(complex), b)
    refused(Error, "not of scipy.sparse", taihu.amg.solve, A.toarray(), b)
    refused(Error, "the matrix has 400 rows", taihu.amg.solve, A, b[:-1])
    refused(Error, "there is no option 'smother'", taihu.amg.Solver, A, smother="jacobi")
    refused(Error, "'X' is not one of", taihu.amg.Solver, A, cycle="X")
    refused(Error, "set the solver up first", taihu.amg.Solver().solve, b)
    refused(Error, "not a finite number", taihu.amg.solve, A, b * numpy.nan)
    refused(Error, "no solver with -1 threads", taihu.amg.Solver, A, threads=-1)
    error = refused(taihu.amg.NotConverged, "no convergence", taihu.amg.solve, laplace(50), numpy.ones(2500),
                    max_iterations=2)
    assert numpy.any(error.x)


def check_threads():
    A = laplace(40)
    b = numpy.ones(A.shape[0])
    expected, solver, found = taihu.amg.solve(A, b), taihu.amg.Solver(A), []
    threads = [threading.Thread(target=lambda: found.append(solver.solve(b))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(numpy.array_equal(x, expected) for x in found)


def check_missing_library():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([sys.executable, "-B", "-c", "import taihu.amg"], capture_output=True, text=True,
                              env=dict(os.environ, PYTHONPATH=sys.argv[1], TAIHU_LIBRARY_FOLDER=folder))
        assert done.returncode != 0 and "set TAIHU_LIBRARY_FOLDER to its folder" in done.stderr, done.stderr


for name, check in list(globals().items()):
    if name.startswith("check_"):
        check()
print("taihu.amg: solves, updates, preconditions and refuses as it should")

# SPDX-License-Identifier: Apache-2.0
"""Algebraic multigrid for sparse matrices of SciPy: libamgsolve through ctypes.

    import taihu.amg
    x = taihu.amg.solve(A, b)                                 # A: scipy.sparse, b: numpy array

    solver = taihu.amg.Solver(A, smoother="l1-jacobi", tol=1e-10)
    x = solver.solve(b); print(solver.report())
    x, info = scipy.sparse.linalg.cg(A, b, M=solver.aspreconditioner())

Options are those of the command amgsolve (options() lists them), with "_" for "-". Matrices in CSR with float64 values
and ascending columns, and float64 vectors, are used where they are, without a copy (32-bit indices); others are
converted. The solver keeps what it uses of A alive; do not change A.data without update(). Threads of Python may use
different solvers at the same time; one solver takes turns.

The library is libamgsolve.so.0 of the folder that TAIHU_LIBRARY_FOLDER names, else of the installation that this file
is in, else where the system finds it."""
import ctypes
import os
import pathlib
import threading

import numpy

__all__ = ["Error", "NotConverged", "Solver", "options", "solve"]

LIBRARY = "libamgsolve.so.0"


class Error(RuntimeError):
    """A matrix, a vector or an option that the solver refuses; the text says why."""


class NotConverged(Error):
    """The tolerance was not reached; x is as near as the method came."""

    def __init__(self, text, x):
        super().__init__(text)
        self.x = x


class _Result(ctypes.Structure):
    _fields_ = [("converged", ctypes.c_int), ("iterations", ctypes.c_int), ("residual", ctypes.c_double),
                ("setup_seconds", ctypes.c_double), ("solve_seconds", ctypes.c_double)]


def _load():
    here = pathlib.Path(__file__).resolve()
    folder = os.environ.get("TAIHU_LIBRARY_FOLDER")
    # In a wheel, in an installation, and by the system's own search.
    places = [pathlib.Path(folder) / LIBRARY] if folder else [here.parent / "installation/lib" / LIBRARY,
                                                              here.parents[3] / LIBRARY, LIBRARY]
    for place in places:
        if isinstance(place, str) or place.exists():
            try:
                library = ctypes.CDLL(str(place))
                break
            except OSError as error:
                raise ImportError(f"taihu.amg cannot load {place}: {error}; set TAIHU_LIBRARY_FOLDER") from None
    else:
        raise ImportError(f"taihu.amg finds no {places[0]}; set TAIHU_LIBRARY_FOLDER to its folder")
    pointer, text, whole = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    for name, result, arguments in (
            ("create", pointer, [whole]), ("destroy", None, [pointer]), ("set", whole, [pointer, text, text]),
            ("setup32", whole, [pointer, ctypes.c_int64, pointer, pointer, pointer]),
            ("setup64", whole, [pointer, ctypes.c_int64, pointer, pointer, pointer]),
            ("update", whole, [pointer, pointer]), ("solve", whole, [pointer, pointer, pointer]),
            ("precondition", whole, [pointer, pointer, pointer]), ("last", _Result, [pointer]),
            ("history", ctypes.POINTER(ctypes.c_double), [pointer, ctypes.POINTER(whole)]),
            ("report", text, [pointer]), ("error", text, [pointer]), ("options", text, [])):
        function = getattr(library, "amgsolve_" + name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()


def options():
    """Names of the options with the values that they take and their meaning: {name: (values, help)}."""
    rows = (line.split("\t") for line in _library.amgsolve_options().decode().splitlines())
    return {name.replace("-", "_"): (values, text) for name, values, text in rows}


def _real(array, what):
    """The array as contiguous float64, itself where it is that."""
    array = numpy.asarray(array)
    if array.dtype.kind not in "fiub":
        raise Error(f"{what} has values of type {array.dtype}, not real numbers")
    return numpy.ascontiguousarray(array, dtype=numpy.float64)


def _address(array):
    return array.ctypes.data_as(ctypes.c_void_p)


class Solver:
    """Set up once for a matrix, solves for any number of right-hand sides."""

    def __init__(self, A=None, threads=0, **chosen):
        """A: scipy.sparse matrix or array; threads: 0 takes OMP_NUM_THREADS, else all CPUs."""
        self._handle = None
        self._lock = threading.Lock()
        self._handle = _library.amgsolve_create(threads)
        if not self._handle:
            raise Error(f"no solver with {threads} threads")
        self._arrays = None
        self.shape = None
        self.dtype = numpy.dtype(numpy.float64)
        for name, value in chosen.items():
            self.set(name, value)
        if A is not None:
            self.setup(A)

    def __del__(self):
        if self._handle:
            _library.amgsolve_destroy(self._handle)

    def _check(self, status):
        if status < 0:
            raise Error(_library.amgsolve_error(self._handle).decode())

    def set(self, name, value):
        """Sets an option; what belongs to the levels counts from the next setup() on."""
        with self._lock:
            self._check(_library.amgsolve_set(self._handle, name.replace("_", "-").encode(), str(value).encode()))

    def setup(self, A):
        """Sets up for a matrix."""
        if not hasattr(A, "tocsr"):
            raise Error(f"the matrix is of type {type(A).__name__}, not of scipy.sparse")
        matrix = A.tocsr()
        if matrix.shape[0] != matrix.shape[1]:
            raise Error(f"the matrix is not square ({matrix.shape[0]} rows, {matrix.shape[1]} columns)")
        values = _real(matrix.data, "the matrix")
        wide = matrix.indices.dtype == numpy.int64 or matrix.indptr.dtype == numpy.int64
        index = numpy.int64 if wide else numpy.int32
        starts = numpy.ascontiguousarray(matrix.indptr, dtype=index)
        columns = numpy.ascontiguousarray(matrix.indices, dtype=index)
        call = _library.amgsolve_setup64 if wide else _library.amgsolve_setup32
        with self._lock:
            self.shape = None
            self._check(call(self._handle, matrix.shape[0], _address(starts), _address(columns), _address(values)))
            self._arrays, self.shape = (starts, columns, values), matrix.shape
        return self

    def update(self, A):
        """Goes over to other values: a matrix of the same pattern, or its values in the same order."""
        self._ready()
        if hasattr(A, "tocsr"):
            matrix = A.tocsr()
            starts, columns, _ = self._arrays
            if not (numpy.array_equal(matrix.indptr, starts) and numpy.array_equal(matrix.indices, columns)):
                raise Error("the matrix has another pattern than the one that was set up for")
            A = matrix.data
        values = _real(A, "the matrix")
        if values.shape != self._arrays[2].shape:
            raise Error(f"there are {values.size} values for {self._arrays[2].size} entries")
        with self._lock:
            self._check(_library.amgsolve_update(self._handle, _address(values)))
            self._arrays = self._arrays[:2] + (values,)
        return self

    def _ready(self):
        if self.shape is None:
            raise Error("there is no matrix; set the solver up first")

    def _vector(self, v, what):
        v = _real(v, what)
        if v.shape not in ((self.shape[0],), (self.shape[0], 1)):
            raise Error(f"{what} has the shape {v.shape}; the matrix has {self.shape[0]} rows")
        return v

    def solve(self, b, x0=None):
        """The solution of A x = b, from x0 or zero; raises NotConverged where the tolerance is not reached."""
        self._ready()
        b = self._vector(b, "the right-hand side")
        x = numpy.zeros_like(b) if x0 is None else self._vector(x0, "the first guess").reshape(b.shape).copy()
        with self._lock:
            status = _library.amgsolve_solve(self._handle, _address(b), _address(x))
            self._check(status)
            if status > 0:
                raise NotConverged(_library.amgsolve_error(self._handle).decode(), x)
        return x

    def precondition(self, r):
        """One multigrid cycle for the right-hand side r."""
        self._ready()
        r = self._vector(r, "the residual")
        z = numpy.empty_like(r)
        with self._lock:
            self._check(_library.amgsolve_precondition(self._handle, _address(r), _address(z)))
        return z

    __call__ = precondition

    def aspreconditioner(self):
        """The cycle as scipy.sparse.linalg.LinearOperator: M of SciPy's methods."""
        from scipy.sparse.linalg import LinearOperator
        self._ready()
        return LinearOperator(self.shape, matvec=self.precondition, dtype=self.dtype)

    @property
    def converged(self):
        return bool(_library.amgsolve_last(self._handle).converged)

    @property
    def iterations(self):
        """Of the last solution."""
        return _library.amgsolve_last(self._handle).iterations

    @property
    def residual(self):
        """2-norm of b - A x over that of b, of the last solution."""
        return _library.amgsolve_last(self._handle).residual

    @property
    def setup_seconds(self):
        return _library.amgsolve_last(self._handle).setup_seconds

    @property
    def solve_seconds(self):
        return _library.amgsolve_last(self._handle).solve_seconds

    @property
    def history(self):
        """Relative residuals of the last solution, that of the first guess first."""
        with self._lock:
            count = ctypes.c_int()
            numbers = _library.amgsolve_history(self._handle, ctypes.byref(count))
            return numpy.array(numbers[:count.value])

    def report(self):
        """Levels, memory and the course of the last solution as text."""
        with self._lock:
            text = _library.amgsolve_report(self._handle)
            if text is None:
                raise Error(_library.amgsolve_error(self._handle).decode())
            return text.decode()


def solve(A, b, x0=None, threads=0, **chosen):
    """The solution of A x = b. Use a Solver for more than one right-hand side."""
    return Solver(A, threads, **chosen).solve(b, x0)

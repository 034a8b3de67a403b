# SPDX-License-Identifier: Apache-2.0
# macc, mac++, mafc and marun as their users see them. Each test is the commands (RUN) and what they must print (CHECK).
import os
import shutil

import lit.formats

config.name = "wrappers"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".c", ".cc", ".f90", ".test"]
config.excludes = ["find_mpi"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build, "tests", "wrappers")
config.environment["TMPDIR"] = os.environ.get("TMPDIR", "/tmp")
for variable in ("MACC_CC", "MACC_CXX", "MACC_FC"):
    config.environment.pop(variable, None)

for feature, program in (("clang", "clang-19"), ("gfortran", "gfortran"), ("flang", "flang-new-19"),
                         ("openmpi", "mpicc.openmpi"), ("mpich", "mpicc.mpich"), ("gdb", "gdb"), ("lld", "ld.lld-19"),
                         ("autoconf", "autoconf")):
    if shutil.which(program):
        config.available_features.add(feature)

programs = os.path.join(config.build, "bin")
marun = os.path.join(programs, "marun") + " --timeout 60"
config.substitutions += [
    ("%macc", os.path.join(programs, "macc")),
    (r"%mac\+\+", os.path.join(programs, "mac++")),
    ("%mafc", os.path.join(programs, "mafc")),
    ("%marun.openmpi", marun + " --mpi openmpi --processes-per-node 2"),
    ("%marun.mpich", marun + " --mpi mpich --processes-per-node 2"),
    ("%marun", marun),
    ("%bin", programs),
    ("%check", "FileCheck-19"),
    ("%gdb_script", os.path.join(os.path.dirname(__file__), "../../commands/gdb/taihu.py")),
]

# SPDX-License-Identifier: Apache-2.0
# Each test is a Parallel C program with the commands that build and run it (RUN) and what they must print (CHECK).
import os
import shutil

import lit.formats

config.name = "failures"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".c", ".cc"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build, "tests", "failures")
config.environment["TMPDIR"] = os.environ.get("TMPDIR", "/tmp")

if shutil.which("gdb"):
    config.available_features.add("gdb")

parcrun = os.path.join(config.build, "bin", "parcrun") + " --timeout 60"
config.substitutions += [
    ("%parcc", os.path.join(config.build, "bin", "parcc")),
    ("%parcrun.openmpi", parcrun + " --mpi openmpi"),
    ("%parcrun.mpich", parcrun + " --mpi mpich"),
    ("%parcrun", parcrun),
    ("%macc", os.path.join(config.build, "bin", "macc")),
    ("%marun", os.path.join(config.build, "bin", "marun") + " --timeout 60"),
    ("%gdb_script", os.path.join(os.path.dirname(__file__), "../../commands/gdb/taihu.py")),
]

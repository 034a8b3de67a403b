# SPDX-License-Identifier: Apache-2.0
# Tests of the compiler: %parallelc is clang with the plugin and the headers, %runtime the C file to link with,
# %parcc the driver in a tree of its own that has the test runtime as libparallelc.so.
import os
import subprocess

import lit.formats

root = os.path.dirname(__file__)
build = lit_config.params["build"]
work = os.path.join(build, "tests", "compiler")
inputs = os.path.join(root, "Inputs")
plugin = os.path.join(build, "lib", "libparallelc-plugin.so")
headers = os.path.join(build, "include")

config.name = "compiler"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".c", ".cc", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = root
config.test_exec_root = work
config.environment["PATH"] = os.pathsep.join(
    [lit_config.params["llvm"] + "/bin", os.environ["PATH"]])

flags = (f"-D__PARALLELC__=1 -I{headers} -I{inputs} -fplugin={plugin} -fpass-plugin={plugin}")


def make_tree():
    """bin/ lib/ include/ with the test runtime in place of the real one."""
    tree = os.path.join(work, "tree")
    subprocess.run(["rm", "-rf", tree], check=True)
    for folder in ("bin", "lib/taihu", "libexec/taihu"):
        os.makedirs(os.path.join(tree, folder))
    for file in ("bin/parcc", "lib/libparallelc-plugin.so", "lib/taihu/start.o", "lib/taihu/start.ld", "lib/taihu/program.ld",
                 "lib/taihu/library.ld", "lib/taihu/exports.map", "libexec/taihu/parcc-link"):
        subprocess.run(["cp", os.path.join(build, file), os.path.join(tree, file)], check=True)
    subprocess.run(["cp", "-rL", headers, tree], check=True)
    subprocess.run(["clang-19", *flags.split(), "-DLIBRARY", "-fPIC", "-shared", os.path.join(inputs, "runtime.c"),
                    "-o", os.path.join(tree, "lib", "libparallelc.so")], check=True)
    return tree


config.substitutions += [
    ("%parallelcxx", f"clang++-19 {flags}"),
    ("%parallelc", f"clang-19 {flags}"),
    ("%flags", flags),
    ("%runtime", os.path.join(inputs, "runtime.c") + " -pthread"),
    ("%inputs", inputs),
    ("%parcc", os.path.join(make_tree(), "bin", "parcc")),
    ("%check", "FileCheck-19"),
]

# SPDX-License-Identifier: Apache-2.0
# Recipe for Spack. It builds a clone, not an archive: docs/how-to/install.md says how.
from spack.package import *


class Taihu(CMakePackage):
    """MPI and Parallel C programs as threads of one process per node, with an algebraic multigrid solver, reactor
    Monte Carlo and a simulator of networks on chip."""

    license("Apache-2.0")
    version("0.1.0")

    variant("applications", default=True, description="Also amgsolve, rmc, nocsim, numa-model and network-model")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    # parcc calls this clang, and its plugin works with no other.
    depends_on("llvm@19.1:19 +clang", type=("build", "link", "run"))
    depends_on("elfutils")
    depends_on("hwloc@2:")
    depends_on("mpi")
    with when("+applications"):
        depends_on("hdf5@1.10: ~mpi")
        depends_on("libpng")
        depends_on("pugixml")
        depends_on("tomlplusplus", type="build")
        depends_on("zlib-api")

    # The link between node processes and the solvers for MPI are built where each library is.
    requires("^[virtuals=mpi] openmpi", "^[virtuals=mpi] mpich", policy="one_of",
             msg="jobs of several node processes are joined by Open MPI or MPICH")

    generator("ninja")

    def cmake_args(self):
        wrapper = "TAIHU_MPICC_OPENMPI" if self.spec.satisfies("^[virtuals=mpi] openmpi") else "TAIHU_MPICC_MPICH"
        other = {"TAIHU_MPICC_OPENMPI": "TAIHU_MPICC_MPICH", "TAIHU_MPICC_MPICH": "TAIHU_MPICC_OPENMPI"}[wrapper]
        return [
            self.define("CMAKE_BUILD_TYPE", "Release"),
            self.define("CMAKE_C_FLAGS_RELEASE", "-O2 -g1"),
            self.define("CMAKE_CXX_FLAGS_RELEASE", "-O2 -g1"),
            self.define("BUILD_TESTING", False),
            self.define_from_variant("TAIHU_APPLICATIONS", "applications"),
            self.define(wrapper, self.spec["mpi"].prefix.bin.mpicc),
            self.define(other, ""),
        ]

    def setup_run_environment(self, env):
        env.set("TAIHU_CLANG", self.spec["llvm"].prefix.bin.clang)

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_eight_ranks(self):
        with working_dir(self.build_directory):
            with open("ranks.c", "w") as source:
                source.write("#include <mpi.h>\nint main(void) { MPI_Init(0, 0); return MPI_Finalize(); }\n")
            Executable(self.prefix.bin.macc)("ranks.c", "-o", "ranks")
            Executable(self.prefix.bin.marun)("-n", "8", "./ranks")

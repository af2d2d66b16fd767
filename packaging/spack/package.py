# SPDX-License-Identifier: BSD-3-Clause
"""Spack recipe: put this folder into a repository as packages/laconic, or `spack dev-build laconic@main`."""
from spack.package import *


class Laconic(CMakePackage):
    """MPI that says less: error-bounded compressed collectives for C, C++ and the command line."""

    license("BSD-3-Clause")

    # A checkout is built in place (spack dev-build); there is no released archive yet.
    version("main")

    variant("mpi", default=True, description="Build the collectives for the MPI in the specification")
    variant("tests", default=False, description="Build the tests")
    variant("hdf5", default=False, description="Build the HDF5 filter")
    variant("zfp", default=True, description="Build the codecs zfp_abs and zfp_rate, which use libzfp")
    variant("examples", default=False, description="Build the examples")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("help2man", type="build")
    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("tomlplusplus", type="build")
    depends_on("fmt@9:")
    depends_on("xxhash")
    depends_on("mpi", when="+mpi")
    depends_on("hdf5", when="+hdf5")
    depends_on("zfp", when="+zfp")
    depends_on("googletest", type=("build", "link"), when="+tests")
    depends_on("python@3.9:", type="build")
    depends_on("libpng")
    depends_on("zstd")

    for provider in ("intel-mpi", "intel-oneapi-mpi", "mvapich", "mvapich2", "cray-mpich", "spectrum-mpi"):
        conflicts(f"^[virtuals=mpi] {provider}", when="+mpi", msg="built and tested with mpich and openmpi only")

    conflicts("%gcc@:11", msg="C++20 as g++ 12 and clang 15 have it")

    def cmake_args(self):
        flavour = ""
        if self.spec.satisfies("+mpi"):
            flavour = "openmpi" if self.spec["mpi"].name == "openmpi" else "mpich"
        arguments = [
            self.define("LACONIC_MPI", flavour),
            self.define_from_variant("LACONIC_TESTS", "tests"),
            self.define_from_variant("LACONIC_HDF5", "hdf5"),
            self.define("LACONIC_ZFP", "on" if self.spec.satisfies("+zfp") else "off"),
            # The Python package comes with pip: what CMake finds is not what the specification says.
            self.define("LACONIC_PYTHON", False),
            self.define_from_variant("LACONIC_EXAMPLES", "examples"),
            self.define("LACONIC_SMPI", False),
        ]
        if flavour:
            # Debian's launchers carry the flavour in their names; Spack's do not.
            launcher = join_path(self.spec["mpi"].prefix.bin, "mpiexec")
            arguments.append(self.define(f"LACONIC_MPIEXEC_{flavour}", launcher))
        return arguments

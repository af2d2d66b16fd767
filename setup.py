# SPDX-License-Identifier: BSD-3-Clause
"""Builds the extension module with CMake; everything else about the package stands in pyproject.toml. Needs cmake, a
C++20 compiler and what CMakeLists.txt asks for without MPI, programs and tests. CMAKE_ARGS may hold more arguments for
cmake. What is built on the way lies in build/pip, or in the folder that LACONIC_BUILD_BASE names."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("LACONIC_BUILD_BASE") or SOURCE / "build" / "pip").resolve()
OPTIONS = {"CMAKE_BUILD_TYPE": "Release", "LACONIC_MPI": "", "LACONIC_PROGRAMS": "OFF", "LACONIC_TESTS": "OFF",
           "LACONIC_EXAMPLES": "OFF", "LACONIC_HDF5": "OFF", "LACONIC_PYTHON": "ON",
           "LACONIC_PYTHON_EXECUTABLE": sys.executable}


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        tree = BUILD / f"cmake-{sys.implementation.cache_tag}"
        options = [f"-D{name}={value}" for name, value in OPTIONS.items()] + shlex.split(os.environ.get("CMAKE_ARGS", ""))
        subprocess.run(["cmake", "-S", SOURCE, "-B", tree, *options], check=True)
        subprocess.run(["cmake", "--build", tree, "--target", "laconic_python", "--parallel", str(os.cpu_count() or 1)],
                       check=True)
        built = next((tree / "python" / "laconic").glob("_laconic.*"))
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(built), str(target))


# The folder must exist before setuptools writes there.
BUILD.mkdir(parents=True, exist_ok=True)
setup(ext_modules=[Extension("laconic._laconic", sources=[])], cmdclass={"build_ext": CMakeBuild},
      options={"build": {"build_base": str(BUILD)}, "egg_info": {"egg_base": str(BUILD)},
               "bdist_wheel": {"bdist_dir": str(BUILD / "wheel")}})

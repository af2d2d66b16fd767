# SPDX-License-Identifier: BSD-3-Clause
"""What laconic.Exchange does about MPI before there is any: which library it takes, and what it says when there is none.
Exchanges themselves: mpi/exchange.py."""

import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

import laconic

PACKAGE = Path(laconic.__file__).parent


def communicator(monkeypatch, vendor, file):
    module = types.ModuleType("standing_for_mpi4py")
    module.get_vendor = lambda: (vendor, (1, 2, 3))
    module.__file__ = file
    module.Is_finalized = lambda: True
    monkeypatch.setitem(sys.modules, module.__name__, module)
    return type("Comm", (), {"__module__": module.__name__, "py2f": lambda self: 0, "Get_rank": lambda self: 0})()


def test_importing_needs_no_mpi():
    code = "import laconic; print(sum('libmpi' in line for line in open('/proc/self/maps')))"
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"


@pytest.mark.parametrize("comm", [None, 0, "world"])
def test_what_is_no_communicator_is_named(comm):
    with pytest.raises(laconic.InvalidType, match=f"comm is {type(comm).__name__}.*mpi4py"):
        laconic.Exchange(comm, laconic.plan([4], [2], 1), "f8")


def test_an_mpi_without_a_library_is_named(monkeypatch):
    comm = communicator(monkeypatch, "Nautilus MPI", __file__)
    with pytest.raises(laconic.Unsupported, match="Nautilus MPI 1.2.3.*Open MPI and MPICH"):
        laconic.Exchange(comm, laconic.plan([4], [2], 1), "f8")


ALONE = """
import sys, types
module = types.ModuleType("standing_for_mpi4py")
module.get_vendor = lambda: (sys.argv[1], (1, 2, 3))
module.__file__ = sys.argv[2]
sys.modules[module.__name__] = module
comm = type("Comm", (), {"__module__": module.__name__, "py2f": lambda self: 0})()
import laconic
try:
    laconic.Exchange(comm, None, None)
except laconic.Unsupported as error:
    print(error)
"""


def complaint(package, vendor, file="none"):
    """A process of its own: the library of another MPI must not come into this one."""
    environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    environment["PYTHONPATH"] = str(package)
    done = subprocess.run([sys.executable, "-B", "-c", ALONE, vendor, file], capture_output=True, text=True, check=True,
                          env=environment)
    return done.stdout


@pytest.mark.parametrize("vendor, flavour", [("Open MPI", "openmpi"), ("MPICH", "mpich")])
def test_a_library_that_is_not_there_is_named(tmp_path, vendor, flavour):
    shutil.copytree(PACKAGE, tmp_path / "package/laconic")
    said = complaint(tmp_path / "package", vendor)
    assert f"built for {vendor} 1.2.3" in said and f"liblaconic_{flavour}.so" in said and "LD_LIBRARY_PATH" in said


@pytest.mark.parametrize("vendor, flavour", [("Open MPI", "openmpi"), ("MPICH", "mpich")])
def test_another_installation_of_the_same_mpi_is_noticed(vendor, flavour):
    if not list(PACKAGE.parents[1].glob(f"lib/liblaconic_{flavour}.so")):
        pytest.skip(f"no library for {vendor} in this build tree")
    said = complaint(PACKAGE.parent, vendor, "libc.so.6")
    assert "another installation" in said and vendor in said

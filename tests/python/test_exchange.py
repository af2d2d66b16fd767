# SPDX-License-Identifier: BSD-3-Clause
"""What laconic.Exchange does about MPI before there is any: which library it takes, and what it says when there is none.
Exchanges themselves: mpi/exchange.py."""

import os
import shutil
import subprocess
import sys
import types
from pathlib import Path

import numpy
import pytest
from hypothesis import given, strategies

import laconic
from laconic._exchange_arrays import Side

PACKAGE = Path(laconic.__file__).parent


def communicator(monkeypatch, vendor, file):
    module = types.ModuleType("standing_for_mpi4py")
    module.get_vendor = lambda: (vendor, (1, 2, 3))
    module.__file__ = file
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


@strategies.composite
def boxes_in_one_array(draw):
    """Views of one array, none of which overlap: a slab for each, and a part of that."""
    dimensions = draw(strategies.integers(1, 4))
    whole = numpy.zeros([draw(strategies.integers(1, 6)) for _ in range(dimensions)], draw(strategies.sampled_from(
        ["u1", "f8", "V3"])))
    cuts = sorted({0, whole.shape[0], *draw(strategies.lists(strategies.integers(0, whole.shape[0])))})
    parts = []
    for low, high in zip(cuts, cuts[1:]):
        inside = [slice(low, high)]
        for extent in whole.shape[1:]:
            begin = draw(strategies.integers(0, extent - 1))
            # Every second one, but for the last dimension.
            step = draw(strategies.integers(1, 2)) if len(inside) < dimensions - 1 else 1
            inside.append(slice(begin, draw(strategies.integers(begin + 1, extent)), step))
        parts.append(whole[tuple(inside)])
    order = draw(strategies.permutations(range(len(parts))))
    return whole, [parts[i] for i in order]


@given(boxes_in_one_array())
def test_places_are_where_the_arrays_are(problem):
    whole, parts = problem
    side = Side("in", "boxes", [part.shape for part in parts], whole.dtype, parts)
    address, _ = side.input(parts, "in")
    assert (address, parts) == side.output(parts, "out")
    offset = (address - whole.ctypes.data) // whole.itemsize
    memory = whole.ravel()[offset:offset + side.elements]
    for number, (part, view) in enumerate(zip(parts, side.views(memory))):
        assert view.shape == part.shape
        part[...] = numpy.frombuffer(bytes([number + 1] * whole.itemsize), whole.dtype)[0]
        assert view.tobytes() == part.tobytes() == bytes([number + 1] * whole.itemsize * part.size)
        view[...] = numpy.zeros((), whole.dtype)
        assert part.tobytes() == bytes(part.nbytes)


@pytest.mark.parametrize("view", [numpy.zeros((4, 6))[:, ::-1], numpy.zeros((4, 6))[::-1], numpy.zeros((4, 12))[:, ::2],
                                  numpy.zeros((6, 4)).T, numpy.broadcast_to(0.0, (4, 6))])
def test_strides_that_are_not_followed(view):
    with pytest.raises(laconic.InvalidArgument, match="strides"):
        Side("out", "patches", [(4, 6)], view.dtype, view)
    dense = Side("in", "boxes", [(4, 6)], view.dtype, None)
    address, copy = dense.input(view, "in")
    assert address == copy.ctypes.data and (copy.reshape(4, 6) == view).all()

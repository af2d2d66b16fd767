# SPDX-License-Identifier: BSD-3-Clause
"""A communicator of mpi4py flows in, the laconic library of the same MPI flows out. It is opened when the first exchange
is made, so that the package itself needs no MPI; the loader looks for it in the package's prefix or build tree (the
RUNPATH of the extension module), then where it always looks (LD_LIBRARY_PATH comes before both)."""

import sys

from . import _laconic
from ._errors import InvalidType, Unsupported

_FLAVOURS = {"Open MPI": "openmpi", "MPICH": "mpich"}
_opened = {}


def module_of(comm):
    """mpi4py.MPI, or another module that gives its communicators the same methods."""
    for base in type(comm).__mro__:
        module = sys.modules.get(base.__module__)
        if hasattr(module, "get_vendor") and hasattr(comm, "py2f"):
            return module
    raise InvalidType(f"comm is {type(comm).__name__}; give a communicator of mpi4py, e.g. mpi4py.MPI.COMM_WORLD")


def library_of(comm):
    module = module_of(comm)
    vendor, version = module.get_vendor()
    speaks = f"{module.__name__} was built for {vendor} {'.'.join(map(str, version))}"
    flavour = _FLAVOURS.get(vendor)
    if flavour is None:
        raise Unsupported(f"{speaks}, laconic has libraries for {' and '.join(_FLAVOURS)}; use mpi4py with one of them")
    if flavour not in _opened:
        name = f"liblaconic_{flavour}.so.{_laconic.soversion}"
        try:
            library = _laconic.ExchangeLibrary(name)
        except OSError as error:
            raise Unsupported(f"{speaks}, and laconic's library for {vendor} does not open ({error}); install laconic "
                              f"with LACONIC_MPI={flavour} into the prefix of this package, or name the folder of {name} "
                              "in LD_LIBRARY_PATH") from None
        if library.version != _laconic.version():
            raise Unsupported(f"{name} is of version {library.version}, this package of {_laconic.version()}; install "
                              "both from one version")
        # Two libraries of one name and version would each have communicators of their own.
        if not library.shares(module.__file__, "MPI_Comm_rank"):
            raise Unsupported(f"{speaks}, and {name} for another installation of {vendor} than the one in this process; "
                              "build both with the same")
        _opened[flavour] = library
    return _opened[flavour]

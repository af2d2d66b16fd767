# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's MPI_COMM_WORLD with the few methods of mpi4py that laconic.Exchange calls, through ctypes: Debian has mpi4py for
Open MPI only."""

import ctypes

__file__ = "libmpich.so.12"
# Global: tests/support/mpich_yield.c, which the launcher puts under the ranks, looks for the next UCX there.
_mpi = ctypes.CDLL(__file__, ctypes.RTLD_GLOBAL)


def get_vendor():
    return "MPICH", (4, 0, 2)


def _flag(function):
    flag = ctypes.c_int()
    function(ctypes.byref(flag))
    return bool(flag.value)


def Is_initialized():
    return _flag(_mpi.MPI_Initialized)


def Is_finalized():
    return _flag(_mpi.MPI_Finalized)


def Finalize():
    _mpi.MPI_Finalize()


class Comm:
    def __init__(self, handle):
        self._handle = handle

    def py2f(self):
        return self._handle

    def _number(self, function):
        value = ctypes.c_int()
        function(self._handle, ctypes.byref(value))
        return value.value

    def Get_rank(self):
        return self._number(_mpi.MPI_Comm_rank)

    def Get_size(self):
        return self._number(_mpi.MPI_Comm_size)


# Exchanges run in the main thread only.
_mpi.MPI_Init(None, None)
COMM_WORLD = Comm(0x44000000)

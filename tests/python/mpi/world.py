# SPDX-License-Identifier: BSD-3-Clause
"""The communicator of a test program that runs on several ranks; a program that cannot have one says so and ends well."""

import os
import sys
import traceback


def world_of(flavour):
    """The module that stands for MPI: mpi4py.MPI, or, for an MPI that mpi4py was not built for, a stand-in."""
    if flavour == "mpich":
        import mpich_world as MPI
    else:
        try:
            from mpi4py import MPI
        except ImportError:
            skip("no mpi4py; install python3-mpi4py")
        if MPI.get_vendor()[0] != "Open MPI":
            skip(f"mpi4py is built for {MPI.get_vendor()[0]}, the ranks are started by Open MPI")
    return MPI


def skip(why):
    print(f"skipped: {why}", flush=True)
    sys.exit(0)


def run_all(namespace, *arguments):
    """Every function of a module whose name begins with test_, in order. A rank that fails ends all of them: the others
    may be waiting for it."""
    for name, function in list(namespace.items()):
        if not name.startswith("test_"):
            continue
        try:
            function(*arguments)
        except BaseException:
            traceback.print_exc()
            print(f"{name} failed on rank {arguments[0].Get_rank()}", file=sys.stderr, flush=True)
            os._exit(1)
        if arguments[0].Get_rank() == 0:
            print(f"{name}: ok", flush=True)

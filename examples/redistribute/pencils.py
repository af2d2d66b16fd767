#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An array in blocks flows in, its three-dimensional Fourier transform flows out: blocks become pencils along the last
dimension, those become pencils along the middle one, and so on. Each pencil is transformed as soon as it is complete,
while others are on their way. The result is compared with numpy's transform of the whole array.

usage: mpiexec -n 4 python3 pencils.py     (needs mpi4py: python3-mpi4py)"""

import sys

import numpy
from mpi4py import MPI

import laconic

EXTENTS = (36, 45, 32)


def main():
    comm = MPI.COMM_WORLD
    # A program would have its own blocks only.
    whole = numpy.random.default_rng(1).normal(size=EXTENTS).astype(complex)
    boxes = None
    for axis in (2, 1, 0):
        # Whole along one dimension, and together at least as many as ranks.
        counts = [4, 4, 4]
        counts[axis] = 1
        plan = laconic.plan(EXTENTS, None, comm.size, patches=counts, boxes=boxes)
        if boxes is None:
            values = [whole[region] for region in plan.boxes_of(comm.rank)]

        def transform(ready):
            ready.data[...] = numpy.fft.fft(ready.data, axis=axis)

        with laconic.Exchange(comm, plan, complex) as exchange:
            values = exchange.run(values, on_patch=transform)
            engine = exchange.engine
        if comm.rank == 0:
            print(f"pencils along dimension {axis}: {plan.figures['moved_fraction']:.1%} of the numbers change rank "
                  f"({engine})")
        # What was got is given next.
        boxes = plan.boxes_after()
    expected = numpy.fft.fftn(whole)
    worst = max((abs(part - expected[region]).max() for part, region in zip(values, plan.regions_of(comm.rank))),
                default=0.0)
    worst = comm.allreduce(worst, MPI.MAX)
    scale = abs(expected).max()
    if comm.rank == 0:
        print(f"largest difference from numpy.fft.fftn: {worst:.1e}, largest number {scale:.1e}")
    return 0 if worst <= 1e-12 * scale else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""An image that lies on ranks in bands flows in, PNG tiles of 16 x 16 pixels flow out, each compressed by the rank that
held most of it: tiles are written while others are still on their way. Rank 0 then reads them all back, compares, and
draws overview.png, in which the frame of each tile has the colour of its rank.

usage: mpiexec -n 4 python3 tiles.py FOLDER     (needs mpi4py and PIL: python3-mpi4py, python3-pil)"""

import sys
from pathlib import Path

import numpy
from mpi4py import MPI
from PIL import Image

import laconic

HEIGHT, WIDTH, TILE = 200, 300, 16
COLOURS = numpy.array([[228, 26, 28], [255, 255, 255], [77, 175, 74], [255, 217, 47]], "uint8")


def shown(rows):
    """What the image shows in these rows: rings around two stones in the water."""
    y, x = numpy.meshgrid(numpy.arange(rows.start, rows.stop), numpy.arange(WIDTH), indexing="ij")
    waves = sum(numpy.cos(numpy.hypot(y - at[0], x - at[1]) / 5) for at in ((70, 90), (140, 210)))
    return numpy.stack([60 + 25 * waves, 110 + 35 * waves, 160 + 45 * waves], axis=-1).astype("uint8")


def pixels(image):
    """height x width x 3 bytes as height x width elements of 3 bytes each, in the same memory."""
    return image.view("V3")[..., 0]


def colours(tile):
    """And back."""
    return tile.view("uint8").reshape(*tile.shape, 3)


def check(folder, plan):
    whole = shown(slice(0, HEIGHT))
    overview, wrong = numpy.zeros_like(whole), 0
    for number, (low, high) in enumerate(zip(plan.lower, plan.upper)):
        region = tuple(map(slice, low, high))
        tile = numpy.asarray(Image.open(folder / f"tile{number}.png"))
        wrong += (tile != whole[region]).any(axis=-1).sum() if tile.shape == whole[region].shape else tile.size
        overview[region] = COLOURS[plan.owners[number] % len(COLOURS)]
        inside = tuple(slice(a + 1, b - 1) for a, b in zip(low, high))
        overview[inside] = tile[1:-1, 1:-1]
    Image.fromarray(overview).save(folder / "overview.png")
    print(f"{len(plan.owners)} tiles, {plan.figures['moved_fraction']:.1%} of the pixels changed rank, "
          f"{wrong} pixels wrong")
    return wrong == 0


def main():
    if len(sys.argv) != 2:
        print("usage: tiles.py FOLDER", file=sys.stderr)
        return 2
    folder, comm = Path(sys.argv[1]), MPI.COMM_WORLD
    plan = laconic.plan([HEIGHT, WIDTH], [TILE, TILE], comm.size, blocks=[comm.size, 1])
    rows, _ = plan.boxes_of(comm.rank)[0]
    band = shown(rows)  # a program would have rendered it

    def write(ready):
        Image.fromarray(colours(ready.data)).save(folder / f"tile{ready.patch}.png")

    with laconic.Exchange(comm, plan, "V3") as exchange:
        exchange.run(pixels(band), on_patch=write)
    comm.Barrier()
    return 0 if comm.bcast(check(folder, plan) if comm.rank == 0 else None) else 1


if __name__ == "__main__":
    sys.exit(main())

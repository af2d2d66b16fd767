# SPDX-License-Identifier: BSD-3-Clause
"""Redistributions to test with: every element is a number of its own, and a rank holds several boxes, or none."""

import numpy

import laconic

PIXEL = numpy.dtype([("red", "u1"), ("green", "u1"), ("blue", "u1")])


def raises(kind, words, call, *arguments, **keywords):
    """Checks what a call raises, and returns it."""
    try:
        call(*arguments, **keywords)
    except kind as error:
        assert words in str(error), str(error)
        return error
    raise AssertionError(f"nothing raised where {kind.__name__} with '{words}' belongs")


def field(shape, dtype="f8", number=0):
    """The whole array; each rank makes all of it and gives only what is its own."""
    values = numpy.arange(numpy.prod(shape, dtype=int), dtype="u8").reshape(shape) + 1 + 100_000 * number
    dtype = numpy.dtype(dtype)
    if dtype.kind == "V":
        made = numpy.empty(shape, dtype)
        for place, name in enumerate(dtype.names):
            made[name] = (values >> 8 * place) & 0xFF
        return made
    return values.astype(dtype)


def scattered_boxes(extents, ranks, seed):
    """Slabs along dimension 0, each cut once along the last, dealt out at random; rank 0 of several has none."""
    random = numpy.random.default_rng(seed)
    cuts = [0, *sorted(random.choice(numpy.arange(1, extents[0]), min(2 * ranks, extents[0] - 1), replace=False)),
            extents[0]]
    boxes = []
    for low, high in zip(cuts, cuts[1:]):
        middle = int(random.integers(1, extents[-1])) if len(extents) > 1 and extents[-1] > 1 else None
        for begin, end in ((0, middle), (middle, extents[-1])) if middle else ((0, extents[-1]),):
            lower, upper = [0] * len(extents), list(extents)
            lower[-1], upper[-1] = begin, end
            if len(extents) == 1:
                lower[0], upper[0] = low, high
            else:
                lower[0], upper[0] = low, high
            boxes.append((int(random.integers(1 if ranks > 1 else 0, ranks)), lower, upper))
    return boxes


def random_plan(extents, patch, ranks, seed):
    counts = [-(-extent // size) for extent, size in zip(extents, patch)]
    owners = numpy.random.default_rng(seed + 1).integers(0, ranks, int(numpy.prod(counts)))
    return laconic.plan(extents, patch, ranks, boxes=scattered_boxes(extents, ranks, seed), placement="given",
                        owners=owners)


def parts(whole, regions):
    return [whole[region] for region in regions]


def same(arrays, whole, regions):
    return len(arrays) == len(regions) and all(
        (array == whole[region]).all() for array, region in zip(arrays, regions))

# SPDX-License-Identifier: BSD-3-Clause
"""plan(): which rank should get which patch of an array (docs/guide/redistribute.md)."""

from typing import Any, NamedTuple

import numpy

from . import _laconic


class Plan(NamedTuple):
    """Which rank gets which patch. Patches are numbered in C order; corners are half open."""

    owners: Any  # int32, the rank of each patch
    lower: Any  # int64, patches x dimensions
    upper: Any
    figures: dict  # moved_fraction, patches_max, received_max (elements), ...


def plan(extents, patch, ranks, *, blocks=None, boxes=None, placement="optimal", balance=1.0, owners=None):
    """A plan to cut an array of `extents`, which lies on `ranks` ranks, into patches of size `patch`.

    The array lies in regular blocks, as even as can be or `blocks` in each dimension, or in `boxes`: a list of
    (rank, lower corner, upper corner). placement: greedy, balanced, round_robin, optimal or given (by `owners`).
    """
    numbers, lower, upper, figures = _laconic.plan(
        list(extents), list(patch), ranks, None if blocks is None else list(blocks),
        None if boxes is None else [(rank, list(low), list(high)) for rank, low, high in boxes], placement, balance,
        None if owners is None else [int(owner) for owner in owners])
    shape = (-1, len(extents))
    return Plan(numpy.frombuffer(numbers, numpy.int32), numpy.frombuffer(lower, numpy.int64).reshape(shape),
                numpy.frombuffer(upper, numpy.int64).reshape(shape), figures)

# SPDX-License-Identifier: BSD-3-Clause
"""plan(): which rank should get which patch of an array (docs/guide/redistribute.md)."""

from typing import Any, NamedTuple

import numpy

from . import _laconic


def _regions(lower, upper):
    return [tuple(slice(int(a), int(b)) for a, b in zip(*corners)) for corners in zip(lower, upper)]


class Transfer(NamedTuple):
    """A piece of a patch on its way, or staying."""

    peer: int  # the other rank; the rank itself for what stays
    patch: int
    region: tuple  # slices of the whole array
    part: int  # in which of its sender's boxes it lies: plan.boxes_of(sender)[part]


class RankPlan(NamedTuple):
    """What one rank does. What a sends to b is what b receives from a, in the same order."""

    patches: Any  # int32, that the rank owns afterwards, ascending
    sends: list  # of Transfer, ascending by patch, then by box; so are the others
    receives: list
    copies: list  # what stays with the rank


class Plan(NamedTuple):
    """Which rank gets which patch. Patches are numbered in C order; corners are half open. A region is a tuple of
    slices, so that `array[region]` of the whole array is that part of it."""

    owners: Any  # int32, the rank of each patch
    lower: Any  # int64, patches x dimensions
    upper: Any
    figures: dict  # moved_fraction, patches_max, received_max, between_nodes (elements), ...: plan_figures of C++
    extents: tuple
    ranks: int
    patch: Any  # the size of a patch, or None where `counts` were asked for
    counts: tuple  # patches in each dimension
    box_ranks: Any  # int32, of each box that a rank holds before; ascending
    box_lower: Any  # int64, boxes x dimensions
    box_upper: Any

    def patches_of(self, rank):
        """The numbers of the patches that a rank gets, ascending."""
        return numpy.flatnonzero(self.owners == rank).astype(numpy.int32)

    def regions_of(self, rank):
        """The regions of those patches."""
        mine = self.owners == rank
        return _regions(self.lower[mine], self.upper[mine])

    def boxes_of(self, rank):
        """The regions that a rank holds before, in the order in which an exchange takes them."""
        first, last = numpy.searchsorted(self.box_ranks, [rank, rank + 1])
        return _regions(self.box_lower[first:last], self.box_upper[first:last])

    def of_rank(self, rank):
        """What a rank sends, receives and keeps: a RankPlan. Takes time that grows with patches and boxes."""

        def transfers(peers, patches, parts, lower, upper):
            def integers(data, dtype):
                return numpy.frombuffer(data, dtype).tolist()

            def corners(data):
                return numpy.frombuffer(data, numpy.int64).reshape(-1, len(self.extents))

            return [Transfer(*each) for each in zip(
                integers(peers, numpy.int32), integers(patches, numpy.int32), _regions(corners(lower), corners(upper)),
                integers(parts, numpy.int32))]

        def packed(numbers, dtype):
            return numpy.ascontiguousarray(numbers, dtype).tobytes()

        boxes = (packed(self.box_ranks, numpy.int32), packed(self.box_lower, numpy.int64),
                 packed(self.box_upper, numpy.int64))
        pieces = _laconic.transfers_of_rank(self.extents, self.patch, self.counts, self.ranks, boxes,
                                            packed(self.owners, numpy.int32), rank)
        return RankPlan(self.patches_of(rank), *(transfers(*each) for each in pieces))

    def boxes_after(self):
        """What the ranks hold when the plan has been carried out, for plan(boxes=): [(rank, lower, upper)], in the
        order in which an exchange returns patches."""
        return [(int(rank), low.tolist(), high.tolist())
                for rank, low, high in zip(self.owners, self.lower, self.upper)]


def plan(extents, patch, ranks, *, patches=None, blocks=None, boxes=None, placement="optimal", balance=1.0, owners=None,
         load="patches", exact=False, node_of=None, between_nodes=8):
    """A plan to cut an array of `extents`, which lies on `ranks` ranks, into patches of size `patch`, or, with
    patch=None, into `patches` in each dimension.

    The array lies in regular blocks, as even as can be or `blocks` in each dimension, or in `boxes`: a list of
    (rank, lower corner, upper corner). placement: greedy, balanced, round_robin, optimal or given (by `owners`),
    which may be called explicit as well.

    balance        optimal: no rank's load exceeds ceil(mean * balance)
    load           optimal: of what, 'patches' or 'elements'; patches being whole, a rank may exceed a limit on elements
                   by less than the largest patch
    exact          optimal: go on until nothing can be better, however long it takes (figures["proven_optimal"])
    node_of        the node of each rank, any numbers >= 0
    between_nodes  optimal, with node_of: what a byte between nodes costs, 1 to 1000; one that stays within a node costs 1
    """

    def integers(given):
        return None if given is None else [int(each) for each in given]

    extents, patch = integers(extents), integers(patch)
    numbers, lower, upper, figures, counts, box_ranks, box_lower, box_upper = _laconic.plan(
        extents, patch, integers(patches), ranks, integers(blocks),
        None if boxes is None else [(int(rank), integers(low), integers(high)) for rank, low, high in boxes],
        placement, balance, integers(owners), load, bool(exact), integers(node_of), int(between_nodes))

    def corners(data):
        return numpy.frombuffer(data, numpy.int64).reshape(-1, len(extents))

    return Plan(numpy.frombuffer(numbers, numpy.int32), corners(lower), corners(upper), figures, tuple(extents), ranks,
                None if patch is None else tuple(patch), counts, numpy.frombuffer(box_ranks, numpy.int32),
                corners(box_lower), corners(box_upper))

# SPDX-License-Identifier: BSD-3-Clause
"""laconic.plan(): the plans that `laconic plan` makes, as arrays."""

import numpy
import pytest

import laconic


def test_optimal_is_even_and_moves_little():
    plan = laconic.plan([200, 300], [75, 75], 6, blocks=[2, 3])
    assert plan.owners.dtype == numpy.int32 and plan.owners.shape == (12,)
    assert numpy.bincount(plan.owners).tolist() == [2] * 6
    assert plan.figures["patches_min"] == plan.figures["patches_max"] == 2
    everything = laconic.plan([200, 300], [75, 75], 6, blocks=[2, 3], placement="round_robin").figures
    assert plan.figures["moved_fraction"] < everything["moved_fraction"]
    assert plan.figures["proven_optimal"]


def test_patches_tile_the_array():
    plan = laconic.plan((7, 5), (3, 2), 2)
    seen = numpy.zeros((7, 5), int)
    for low, high in zip(plan.lower, plan.upper):
        seen[low[0]:high[0], low[1]:high[1]] += 1
    assert (seen == 1).all()


def test_moved_elements_are_those_whose_rank_changes():
    boxes = [(1, (0, 0), (4, 6)), (0, (4, 0), (6, 6))]
    plan = laconic.plan([6, 6], [3, 3], 2, boxes=boxes, placement="given", owners=numpy.array([0, 1, 1, 0]))
    before, after = numpy.empty((6, 6), int), numpy.empty((6, 6), int)
    for rank, low, high in boxes:
        before[low[0]:high[0], low[1]:high[1]] = rank
    for rank, low, high in zip(plan.owners, plan.lower, plan.upper):
        after[low[0]:high[0], low[1]:high[1]] = rank
    assert plan.figures["moved_elements"] == (before != after).sum()


@pytest.mark.parametrize("arguments, words", [
    (dict(extents=[], patch=[], ranks=1), "0 extents"),
    (dict(extents=[4], patch=[5], ranks=1), "5"),
    (dict(extents=[4], patch=[2], ranks=2, blocks=[3]), "ranks 2"),
    (dict(extents=[4], patch=[2], ranks=2, placement="best"), "best"),
    (dict(extents=[4], patch=[2], ranks=2, blocks=[2], boxes=[]), "two layouts"),
    (dict(extents=[4], patch=[2], ranks=2, boxes=[(0, [0], [3, 1])]), "rank 0"),
])
def test_bad_arguments_are_named(arguments, words):
    with pytest.raises(laconic.InvalidArgument, match=words):
        laconic.plan(**arguments)


def test_boxes_that_overlap_are_named():
    with pytest.raises(laconic.Mismatch, match="rank 1"):
        laconic.plan([4], [2], 2, boxes=[(0, [0], [3]), (1, [2], [4])])

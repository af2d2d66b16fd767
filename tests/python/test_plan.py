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
    explicit = laconic.plan([6, 6], [3, 3], 2, boxes=boxes, placement="explicit", owners=plan.owners)
    assert explicit.figures == plan.figures and (explicit.owners == plan.owners).all()


def test_regions_lead_to_elements():
    whole = numpy.arange(60).reshape(6, 10)
    plan = laconic.plan([6, 10], [4, 3], 4, blocks=[2, 2])
    assert (plan.extents, plan.ranks, plan.patch, plan.counts) == ((6, 10), 4, (4, 3), (2, 4))
    assert (whole[plan.boxes_of(3)[0]] == whole[3:, 5:]).all() and len(plan.boxes_of(3)) == 1
    seen = numpy.zeros((6, 10), int)
    for rank in range(4):
        assert (plan.owners[plan.patches_of(rank)] == rank).all()
        for number, region in zip(plan.patches_of(rank), plan.regions_of(rank)):
            seen[region] += 1
            assert [part.start for part in region] == plan.lower[number].tolist()
    assert (seen == 1).all()


def test_patches_in_each_dimension():
    plan = laconic.plan([6, 10], None, 2, patches=[1, 3])
    assert plan.counts == (1, 3) and plan.patch is None
    assert plan.lower.tolist() == [[0, 0], [0, 3], [0, 6]] and plan.upper.tolist() == [[6, 3], [6, 6], [6, 10]]


def test_plans_follow_each_other():
    first = laconic.plan([6, 10], None, 2, patches=[6, 1], placement="round_robin")
    second = laconic.plan([6, 10], None, 2, patches=[1, 10], boxes=first.boxes_after())
    assert second.boxes_of(1) == first.regions_of(1) and len(second.boxes_of(1)) == 3
    assert second.box_ranks.tolist() == [0] * 3 + [1] * 3


@pytest.mark.parametrize("arguments, words", [
    (dict(extents=[4], patch=[2], ranks=1, patches=[2]), "either"),
    (dict(extents=[4], patch=None, ranks=1), "either"),
    (dict(extents=[4], patch=None, ranks=1, patches=[5]), "5"),
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

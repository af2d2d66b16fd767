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


def cost_of(plan, weight=1):
    return plan.figures["moved_elements"] + (weight - 1) * plan.figures["between_nodes"]


def test_bytes_between_nodes_cost_more():
    ask = dict(extents=[64, 64], patch=[7, 7], ranks=8)
    nodes = numpy.arange(8) // 4
    blind = laconic.plan(**ask)
    assert blind.figures["between_nodes"] == 0
    alike = laconic.plan(**ask, placement="given", owners=blind.owners, node_of=nodes)
    aware = laconic.plan(**ask, node_of=nodes)
    assert aware.figures["between_nodes"] < alike.figures["between_nodes"]
    assert cost_of(aware, 8) < cost_of(alike, 8) and cost_of(aware) > cost_of(alike) == cost_of(blind)
    assert cost_of(laconic.plan(**ask, node_of=list(nodes), between_nodes=1)) == cost_of(blind)
    moved = [(rank, each) for rank in range(8) for each in aware.of_rank(rank).sends]
    assert aware.figures["between_nodes"] == sum(
        volume_of(each.region) for rank, each in moved if nodes[rank] != nodes[each.peer])


def volume_of(region):
    return int(numpy.prod([side.stop - side.start for side in region]))


def test_loads_by_elements():
    ask = dict(extents=[64, 64], patch=[7, 7], ranks=8)
    patches, elements = (laconic.plan(**ask, load=load) for load in ("patches", "elements"))
    assert elements.figures["volume_max"] < patches.figures["volume_max"]
    assert elements.figures["volume_max"] < 64 * 64 // 8 + 49
    assert patches.figures["proven_optimal"] and not elements.figures["proven_optimal"]


def test_exact_is_proven():
    for balance in (1.0, 1.25):
        plan = laconic.plan([50, 70], [4, 9], 11, balance=balance, exact=True)
        assert plan.figures["proven_optimal"]
        assert plan.figures["moved_elements"] <= laconic.plan([50, 70], [4, 9], 11).figures["moved_elements"]


def test_figures_are_those_of_the_ranks():
    plan = laconic.plan([40, 33], [7, 5], 12, blocks=[3, 4], placement="balanced")
    sent, received, kept, volume = [], [], [], []
    for rank in range(12):
        mine = plan.of_rank(rank)
        assert (mine.patches == plan.patches_of(rank)).all()
        for numbers, transfers in ((sent, mine.sends), (received, mine.receives), (kept, mine.copies)):
            numbers.append(sum(volume_of(each.region) for each in transfers))
        volume.append(sum(map(volume_of, plan.regions_of(rank))))
        assert kept[-1] + received[-1] == volume[-1]
    figures = plan.figures
    for name, numbers in (("sent", sent), ("received", received), ("volume", volume)):
        assert (figures[name + "_min"], figures[name + "_max"]) == (min(numbers), max(numbers))
    assert sum(sent) == figures["moved_elements"]
    assert figures["received_at_most"] == figures["elements"] == 40 * 33
    assert figures["forced"] >= 0
    limited = laconic.plan([40, 33], [7, 5], 12, blocks=[3, 4]).figures
    assert limited["received_max"] <= limited["received_at_most"] == 4 * 35


@pytest.mark.parametrize("ask", [
    dict(extents=[9, 8, 7], patch=[4, 3, 3], ranks=4),
    dict(extents=[12, 9], patch=None, patches=[5, 2], ranks=3,
         boxes=[(2, [0, 0], [5, 9]), (0, [5, 0], [12, 4]), (2, [5, 4], [12, 9])]),
])
def test_what_ranks_send_leads_the_array_to_its_patches(ask):
    plan = laconic.plan(**ask, placement="round_robin")
    plans = [plan.of_rank(rank) for rank in range(plan.ranks)]
    arrived = numpy.zeros(plan.extents, int)
    for rank, mine in enumerate(plans):
        assert [each.patch for each in mine.sends] == sorted(each.patch for each in mine.sends)
        for each in mine.receives + mine.copies:
            arrived[each.region] += 1
            assert plan.owners[each.patch] == rank
            box = plan.boxes_of(each.peer)[each.part]
            assert all(outer.start <= inner.start and inner.stop <= outer.stop for inner, outer in zip(each.region, box))
        for peer in range(plan.ranks):
            assert [each[1:] for each in mine.sends if each.peer == peer] == \
                [each[1:] for each in plans[peer].receives if each.peer == rank]
        assert all(each.peer == rank for each in mine.copies)
    assert (arrived == 1).all()
    with pytest.raises(laconic.InvalidArgument, match=f"no rank {plan.ranks}"):
        plan.of_rank(plan.ranks)


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
    (dict(extents=[4], patch=[2], ranks=2, load="bytes"), "'bytes'; use 'patches' or 'elements'"),
    (dict(extents=[4], patch=[2], ranks=2, node_of=[0]), "node_of has 1 entries"),
    (dict(extents=[4], patch=[2], ranks=2, node_of=[0, -1], placement="greedy"), r"node_of\[1\] is -1"),
    (dict(extents=[4], patch=[2], ranks=2, node_of=[0, 1], between_nodes=0), "between_nodes is 0"),
])
def test_bad_arguments_are_named(arguments, words):
    with pytest.raises(laconic.InvalidArgument, match=words):
        laconic.plan(**arguments)


def test_boxes_that_overlap_are_named():
    with pytest.raises(laconic.Mismatch, match="rank 1"):
        laconic.plan([4], [2], 2, boxes=[(0, [0], [3]), (1, [2], [4])])

# SPDX-License-Identifier: BSD-3-Clause
"""Tests of exchange.py: arrays that an exchange itself has in shared memory, how long they live, and when it settles."""

import gc

import numpy
from problems import PIXEL, field, parts, raises, random_plan, same

import laconic


def test_arrays_of_the_exchange_are_read_where_they_are(comm, folder):
    rank, ranks, extents = comm.Get_rank(), comm.Get_size(), (24, 30)
    # Rank 0 of several holds nothing, others several boxes; then one box each, and gaps inside it.
    for seed, dtype in enumerate(["f8", PIXEL]):
        plan = random_plan(extents, (5, 7), ranks, seed)
        wholes = [field(extents, dtype, number) for number in range(2)]
        with laconic.Exchange(comm, plan, dtype, fields=2, shared_in=True) as moving:
            own = [moving.in_array(number) for number in range(2)]
            for arrays, whole in zip(own, wholes):
                arrays = arrays if isinstance(arrays, list) else [arrays]
                for array, part in zip(arrays, parts(whole, plan.boxes_of(rank)), strict=True):
                    assert array.shape == part.shape and array.dtype == part.dtype and not array.view("u1").any()
                    array[...] = part
            for _ in range(2):
                got = moving.run(own)
                assert all(same(each, whole, moving.regions) for each, whole in zip(got, wholes))
                assert moving.report().straight_bytes == moving.report().shared_bytes
                # An array of the program's own does as well.
                got = moving.run([parts(whole, plan.boxes_of(rank)) for whole in wholes])
                assert all(same(each, whole, moving.regions) for each, whole in zip(got, wholes))
                assert moving.report().straight_bytes == 0
            raises(laconic.InvalidArgument, "field=2", moving.in_array, 2)
    plan = laconic.plan(extents, (5, 7), ranks, placement="round_robin")
    whole, box = field(extents), plan.boxes_of(rank)[0]
    around = numpy.zeros([side + 2 for side in whole[box].shape])
    with laconic.Exchange(comm, plan, "f8", shared_in=True, in_like=around[1:-1, 1:-1]) as moving:
        own = moving.in_array()
        assert own.strides == around.strides
        own[...] = whole[box]
        assert same(moving.run(own), whole, moving.regions)
        report = moving.report()
        assert report.straight_bytes == report.shared_bytes and (ranks == 1 or report.shared_bytes > 0)
    # The exchange has gone, its array has not.
    assert (own == whole[box]).all()
    own += 1
    raises(laconic.InvalidArgument, "freed", moving.in_array)
    with laconic.Exchange(comm, plan, "f8") as moving:
        raises(laconic.InvalidArgument, "shared_in=True", moving.in_array)



def test_memory_of_an_exchange_goes_with_its_last_array(comm, folder):
    plan = laconic.plan((4 * comm.Get_size(), 600), (2, 200), comm.Get_size(), placement="round_robin")
    address = []

    def mapped():
        return any(int(low, 16) <= address[0] < int(high, 16) for low, high in
                   (line.split()[0].split("-") for line in open("/proc/self/maps")))

    moving = laconic.Exchange(comm, plan, "f8", shared_in=True)
    own = moving.in_array()
    corner = own[1:2, 3:4]
    address.append(corner.__array_interface__["data"][0])
    moving.free()
    del own
    gc.collect()
    assert mapped() and corner[0, 0] == 0
    del corner
    gc.collect()
    assert not mapped()
    moving = laconic.Exchange(comm, plan, "f8", shared_in=True)
    address[0] = moving.in_array().__array_interface__["data"][0]
    # Without arrays in it the memory stays with the exchange.
    gc.collect()
    assert mapped() and same(moving.run(moving.in_array()), numpy.zeros((4 * comm.Get_size(), 600)), moving.regions)
    moving.free()
    assert not mapped()


def test_trials_of_batches_end(comm, folder):
    plan = laconic.plan((40, 50), (8, 8), comm.Get_size(), placement="round_robin")
    whole = field((40, 50))
    box = whole[plan.boxes_of(comm.Get_rank())[0]]
    with laconic.Exchange(comm, plan, "f8", engine="batched") as moving:
        told = []
        for _ in range(11):
            told.append(moving.settled)
            assert same(moving.run(box), whole, moving.regions)
        assert told == ([True] * 11 if comm.Get_size() == 1 else [False] * 10 + [True])
    with laconic.Exchange(comm, plan, "f8", engine="batched", batch_bytes=4096) as moving:
        assert moving.settled

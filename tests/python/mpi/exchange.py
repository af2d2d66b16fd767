# SPDX-License-Identifier: BSD-3-Clause
"""laconic.Exchange on several ranks. usage: mpiexec-FLAVOUR RANKS python3 exchange.py FLAVOUR"""

import gc
import os
import signal
import shutil
import sys
import tempfile
import weakref
from pathlib import Path

import numpy
sys.path.insert(0, str(Path(__file__).parents[1]))
from guide import BLOCK, GUIDE
from own_arrays import (test_arrays_of_the_exchange_are_read_where_they_are,  # noqa: F401  run_all() finds them
                        test_memory_of_an_exchange_goes_with_its_last_array, test_trials_of_batches_end)
from problems import PIXEL, field, parts, raises, random_plan, same
from world import run_all, world_of

import laconic

ENGINES = ["auto", "shared", "batched", "per_rank", "per_patch", "alltoallw"]


def test_elements_arrive_with_every_engine(comm, folder):
    for seed, (extents, patch, dtype) in enumerate([((61,), (7,), "i2"), ((40, 33), (8, 16), "f8"),
                                                    ((14, 9, 12), (5, 4, 12), PIXEL), ((6, 5, 4, 7), (2, 2, 3, 3), "f2"),
                                                    ((300, 500), (64, 64), "c16")]):
        plan = random_plan(extents, patch, comm.Get_size(), seed)
        whole = field(extents, dtype)
        for engine in ENGINES:
            with laconic.Exchange(comm, plan, dtype, engine=engine, batch_bytes=[0, 4096][seed % 2]) as moving:
                assert moving.engine == engine or engine == "auto"
                assert (moving.patches == plan.patches_of(comm.Get_rank())).all()
                for _ in range(2):
                    got = moving.run(parts(whole, plan.boxes_of(comm.Get_rank())))
                    assert same(got, whole, moving.regions), (extents, engine)
                    assert [a.shape for a in got] == [whole[r].shape for r in moving.regions]


def test_dense_arrays_of_one_dimension(comm, folder):
    plan = random_plan((20, 12), (6, 5), comm.Get_size(), 3)
    whole = field((20, 12), "i8")
    flat = numpy.concatenate([numpy.zeros(0, "i8"), *(p.ravel() for p in parts(whole, plan.boxes_of(comm.Get_rank())))])
    moving = laconic.Exchange(comm, plan, "i8")
    out = numpy.full(sum(whole[region].size for region in moving.regions), -1)
    got = moving.run(flat, out)
    assert same(got, whole, moving.regions) and all(numpy.shares_memory(each, out) for each in got)
    assert (out == numpy.concatenate([numpy.zeros(0, "i8"), *(whole[r].ravel() for r in moving.regions)])).all()
    spaced = numpy.repeat(flat, 2)[::2]
    assert same(moving.run(spaced), whole, moving.regions)
    if len(moving.regions) > 1:
        assert out.size > 0
    moving.free()


def test_strides_are_followed_without_copies(comm, folder):
    rank, extents = comm.Get_rank(), (18, 21)
    plan = laconic.plan(extents, (4, 6), comm.Get_size(), placement="round_robin")
    whole, block = field(extents), plan.boxes_of(rank)[0]
    around = numpy.full([side + 4 for side in whole[block].shape], numpy.nan)
    inner = around[2:-2, 2:-2]
    target = numpy.full((20, 25), -1.0)  # the whole array inside a larger one
    out = [target[1:-1, 2:-2][region] for region in plan.regions_of(rank)]
    inner[...] = whole[block]
    with laconic.Exchange(comm, plan, "f8", in_like=inner, out_like=out) as moving:
        for twice in (1, 2):
            inner[...] = twice * whole[block]
            got = moving.run(inner, out)
            assert same(got, twice * whole, plan.regions_of(rank))
            assert all(a is b for a, b in zip(got, out))
        wanted = numpy.full((20, 25), -1.0)
        for region in plan.regions_of(rank):
            wanted[1:-1, 2:-2][region] = 2 * whole[region]
        assert (target == wanted).all()
        # Input that lies otherwise is copied, whatever its strides.
        for other in (whole[block], numpy.asfortranarray(whole[block]), whole[block][::-1].copy()[::-1]):
            assert same(moving.run(other, out), whole, plan.regions_of(rank))
        # New arrays lie as out_like does.
        assert [a.strides for a in moving.run(inner)] == [a.strides for a in out]
    assert numpy.isnan(around[:2]).all() and numpy.isnan(around[:, -2:]).all()


def test_output_that_lies_otherwise_is_refused_everywhere(comm, folder):
    rank, last = comm.Get_rank(), comm.Get_size() - 1
    plan = laconic.plan((12, 12 * comm.Get_size()), (12, 12), comm.Get_size(), placement="given",
                        owners=range(comm.Get_size()))
    whole = field((12, 12 * comm.Get_size()))
    box = whole[plan.boxes_of(rank)[0]].copy()
    moving = laconic.Exchange(comm, plan, "f8")
    wide = numpy.zeros((12, 20))
    out = wide[:, :12] if rank == last else numpy.zeros((12, 12))
    error = raises(laconic.InvalidArgument, "", moving.run, box, out)
    assert ("out_like" in str(error)) if rank == last else (f"rank {last}" in str(error)), error
    assert (wide == 0).all()
    assert same(moving.run(box), whole, plan.regions_of(rank))


def test_fields_move_together(comm, folder):
    rank, extents = comm.Get_rank(), (17, 23)
    plan = random_plan(extents, (5, 5), comm.Get_size(), 8)
    wholes = [field(extents, "i4", number) for number in range(3)]
    boxes, regions = plan.boxes_of(rank), plan.regions_of(rank)
    calls = []

    def on_patch(ready):
        calls.append(ready.patch)
        assert len(ready.data) == 3
        assert all((data == whole[ready.region]).all() for data, whole in zip(ready.data, wholes))

    with laconic.Exchange(comm, plan, "i4", fields=3) as moving:
        got = moving.run([parts(whole, boxes) for whole in wholes], on_patch=on_patch)
        assert all(same(each, whole, regions) for each, whole in zip(got, wholes))
        assert sorted(calls) == plan.patches_of(rank).tolist()
        stack = numpy.zeros((3, sum(wholes[0][region].size for region in regions)), "i4")
        moving.run([parts(whole, boxes) for whole in wholes], stack)
        assert all((row == numpy.concatenate([row[:0], *(whole[r].ravel() for r in regions)])).all()
                   for row, whole in zip(stack, wholes))
        for wrong in (wholes[0], [parts(wholes[0], boxes)], None):
            raises(laconic.InvalidArgument, "3 fields", moving.run, wrong)
        again = moving.run([parts(whole, boxes) for whole in wholes])
        assert same(again[2], wholes[2], regions)


def test_patches_are_told_once_and_when_complete(comm, folder):
    rank, ranks = comm.Get_rank(), comm.Get_size()
    plan = laconic.plan((8 * ranks, 20), (6, 7), ranks, blocks=[ranks, 1])
    whole, calls = field((8 * ranks, 20)), []
    own = plan.boxes_of(rank)[0]

    def on_patch(ready):
        assert (ready.data == whole[ready.region]).all() and ready.data.shape == whole[ready.region].shape
        assert ready.held == (own[0].start <= ready.region[0].start and ready.region[0].stop <= own[0].stop)
        calls.append(ready)

    with laconic.Exchange(comm, plan, "f8") as moving:
        got = moving.run(whole[own], on_patch=on_patch)
        assert sorted(c.patch for c in calls) == plan.patches_of(rank).tolist()
        assert [c.held for c in calls] == sorted((c.held for c in calls), reverse=True)
        assert all(numpy.shares_memory(c.data, got[moving.patches.tolist().index(c.patch)]) for c in calls)
        report = moving.report()
        assert report.kept_bytes + report.shared_bytes + report.message_bytes == 8 * whole[own].size
        assert isinstance(report, laconic.ExchangeReport) and report.largest_bound == 0


class Odd(Exception):
    pass


def test_exceptions_come_after_the_exchange(comm, folder):
    rank, ranks = comm.Get_rank(), comm.Get_size()
    plan = laconic.plan((9, 30 * ranks), (3, 10), ranks, blocks=[1, ranks], placement="round_robin")
    whole, own = field((9, 30 * ranks)), plan.boxes_of(rank)[0]
    with laconic.Exchange(comm, plan, "f8") as moving:
        for kind in (Odd, SystemExit):
            calls, out = [], [numpy.zeros(whole[r].shape) for r in moving.regions]
            memory = numpy.zeros(sum(each.size for each in out))

            def on_patch(ready):
                calls.append(ready.patch)
                if len(calls) == 2:
                    raise kind("the second patch")

            error = raises(kind, "the second patch", moving.run, whole[own], memory, on_patch)
            assert len(calls) == 2
            names = []
            trace = error.__traceback__
            while trace:
                names.append(trace.tb_frame.f_code.co_name)
                trace = trace.tb_next
            assert "on_patch" in names and "run" in names
            assert (memory == numpy.concatenate([whole[r].ravel() for r in moving.regions])).all()
        # Ctrl-C while patches are told.
        calls.clear()
        raises(KeyboardInterrupt, "", moving.run, whole[own], memory, lambda _: signal.raise_signal(signal.SIGINT))
        # A run inside a run.
        raises(laconic.InvalidArgument, "is running", moving.run, whole[own], memory, lambda _: moving.run(whole[own]))
        raises(laconic.InvalidArgument, "is running", moving.run, whole[own], memory, lambda _: moving.free())
        assert same(moving.run(whole[own]), whole, moving.regions)


def test_no_exception_is_lost_when_the_exchange_fails(comm, folder):
    """The last rank's arguments are wrong; it waits until the others' callbacks have raised."""
    rank, ranks = comm.Get_rank(), comm.Get_size()
    plan = laconic.plan((4 * ranks, 5), (4, 5), ranks, blocks=[ranks, 1])
    whole = field((4 * ranks, 5))
    moving = laconic.Exchange(comm, plan, "f8")

    def on_patch(_):
        (folder / f"raised-{rank}").touch()
        raise Odd(f"of rank {rank}")

    if rank == ranks - 1:
        while not all((folder / f"raised-{other}").exists() for other in range(ranks - 1)):
            os.sched_yield()
        error = raises(laconic.InvalidType, "float32", moving.run, whole[plan.boxes_of(rank)[0]].astype("f4"))
        assert error.__cause__ is None
    else:
        error = raises(laconic.InvalidArgument, f"rank {ranks - 1}: array_in is of float32", moving.run,
                       whole[plan.boxes_of(rank)[0]], None, on_patch)
        assert isinstance(error.__cause__, Odd) and str(error.__cause__) == f"of rank {rank}"


def test_bounds_hold(comm, folder):
    rank, extents = comm.Get_rank(), (60, 80)
    plan = laconic.plan(extents, (16, 16), comm.Get_size(), placement="round_robin")
    y, x = numpy.meshgrid(numpy.linspace(0, 3, 60), numpy.linspace(0, 4, 80), indexing="ij")
    for dtype, limit in (("f8", {"abs": 1e-4}), ("f4", {"rel": 1e-3}), ("f2", {"abs": 1e-1})):
        whole = (5 * numpy.sin(x) * numpy.cos(y)).astype(dtype)
        allowed = limit.get("abs") or limit["rel"] * float(whole.max() - whole.min())
        with laconic.Exchange(comm, plan, dtype, engine="per_rank", **limit) as moving:
            got = moving.run(whole[plan.boxes_of(rank)[0]])
            report = moving.report()
        worst = max(abs(a.astype("f8") - whole[r].astype("f8")).max() for a, r in zip(got, plan.regions_of(rank)))
        assert worst <= allowed and report.largest_bound <= allowed * (1 + 1e-6)
        if comm.Get_size() > 1:
            assert 0 < worst and 0 < report.wire_bytes < report.message_bytes
        else:
            assert worst == 0 and report.message_bytes == 0
    for dtype in ("i4", ">f8"):
        raises(laconic.Unsupported, "type", laconic.Exchange, comm, plan, dtype, abs=1e-3)
    raises(laconic.Unsupported, "per_patch", laconic.Exchange, comm, plan, "f8", abs=1e-3, engine="per_patch")
    raises(laconic.InvalidBound, "exactly one", laconic.Exchange, comm, plan, "f8", abs=1e-3, rel=1e-3)
    raises(laconic.InvalidBound, "abs=0", laconic.Exchange, comm, plan, "f8", abs=0)


def test_options_reach_the_library(comm, folder):
    plan = laconic.plan((16, 20), (4, 4), comm.Get_size(), placement="round_robin")
    whole = field((16, 20))
    box = whole[plan.boxes_of(comm.Get_rank())[0]]
    with laconic.Exchange(comm, plan, "f8", shared_memory=False, batch_bytes=256, check=False) as moving:
        assert moving.engine == "batched" and moving.staging_bytes >= 0
        assert same(moving.run(box), whole, moving.regions)
        report = moving.report()
        assert report.shared_bytes == 0 and report.wire_bytes >= report.message_bytes
        assert (report.message_bytes > 0) == (comm.Get_size() > 1)
        # Without comparing notes every rank hears of its own faults only.
        raises(laconic.InvalidArgument, "shape", moving.run, box[:1])
    with laconic.Exchange(comm, plan, "f8") as moving:
        assert moving.engine == ("shared" if comm.Get_size() > 1 else "batched")
        assert moving.run(box) and moving.report().message_bytes == 0
    for engine in ("neighbor", "partitioned"):  # where this MPI has them
        try:
            with laconic.Exchange(comm, plan, "f8", engine=engine) as moving:
                assert moving.engine == engine and same(moving.run(box), whole, moving.regions)
        except laconic.Unsupported as error:
            assert engine in str(error).lower(), error


def test_one_wrong_rank_fails_everywhere(comm, folder):
    rank, ranks = comm.Get_rank(), comm.Get_size()
    wrong = rank == ranks - 1
    plan = laconic.plan((4 * ranks, 6), (4, 6), ranks, blocks=[ranks, 1])
    box = field((4 * ranks, 6))[plan.boxes_of(rank)[0]]

    def make(**keywords):
        given = {"plan": plan, "dtype": "f8", **(keywords if wrong else {})}
        return laconic.Exchange(comm, **given)

    for keywords, words in (({"plan": "a plan"}, "plan is str"), ({"dtype": "O"}, "dtype is object"),
                            ({"in_like": box[:3]}, "in_like has shape"), ({"fields": 0}, "fields=0"),
                            ({"engine": "fast"}, "no exchange engine 'fast'"), ({"batch_bytes": "many"}, "batch_bytes"),
                            ({"in_like": box[:, ::-1]}, "strides"), ({"in_like": [box, box]}, "2 arrays"),
                            ({"plan": plan._replace(owners=plan.owners[1:])}, "owners for"),
                            ({"engine": 7}, "engine is int"), ({"out_like": box.astype("f4")}, "float32")):
        error = raises(laconic.InvalidArgument, words, make, **keywords)
        assert wrong or f"rank {ranks - 1}: " in str(error), error
    if ranks > 1 and hasattr(comm, "Create_intercomm"):
        half = comm.Split(rank % 2)
        between = half.Create_intercomm(0, comm, 1 - rank % 2)
        raises(laconic.InvalidArgument, "intercomm", laconic.Exchange, between, plan, "f8")
    if ranks > 1:
        raises(laconic.Mismatch, f"rank {ranks - 1}", make, dtype="i4")
    other = laconic.plan((9,), (3,), ranks + 1)
    raises(laconic.InvalidArgument, f"{ranks + 1} ranks", laconic.Exchange, comm, other, "f8")

    moving = make()
    for arrays, words in (((box[:3],), "shape"), ((box, box.astype("f4")), "float32"), ((box, None, "callback"), "str"),
                          (([box, box],), "2 arrays"), ((None,), "0 arrays"), ((box.tolist(),), "arrays"),
                          ((box, numpy.broadcast_to(0.0, (4, 6))), "written"), ((5,), "int")):
        error = raises(laconic.InvalidArgument, words, moving.run, *(arrays if wrong else (box,)))
        assert wrong or f"rank {ranks - 1}: " in str(error), error
    assert (moving.run(box)[0] == box).all()
    moving.free()
    moving.free()
    raises(laconic.InvalidArgument, "freed", moving.run, box)
    raises(laconic.InvalidArgument, "freed", moving.report)


def test_arrays_of_a_run_are_let_go(comm, folder):
    plan = laconic.plan((4 * comm.Get_size(), 6), (2, 2), comm.Get_size(), blocks=[comm.Get_size(), 1])
    moving = laconic.Exchange(comm, plan, "f8")
    box = numpy.ones((4, 6))
    gone = [weakref.ref(each) for each in moving.run(box, on_patch=lambda ready: None)]
    assert gone
    gc.collect()
    assert all(each() is None for each in gone)


def test_the_page_of_the_guide(comm, folder):
    """Where there is mpi4py, which the page imports."""
    namespace, ran = {"__name__": "guide"}, 0
    if "mpi4py" not in sys.modules:
        return
    text = (GUIDE / "redistribute.md").read_text()
    for block in BLOCK.finditer(text):
        if block[1] == "python":
            exec(compile("\n" * text.count("\n", 0, block.start(2)) + block[2], "redistribute.md", "exec"), namespace)
            ran += 1
    assert ran >= 2


def main():
    MPI = world_of(sys.argv[1])
    comm = MPI.COMM_WORLD
    # The launcher of all ranks is the parent of each.
    folder = Path(tempfile.gettempdir()) / f"laconic-exchange-{os.getppid()}"
    folder.mkdir(exist_ok=True)
    run_all(globals(), comm, folder)
    # MPI may end before the last exchange goes.
    plan = laconic.plan((4 * comm.Get_size(),), (3,), comm.Get_size())
    last = laconic.Exchange(comm, plan, "f8", engine="per_patch")
    last.run(numpy.ones(4))
    MPI.Finalize()
    raises(laconic.InvalidArgument, "MPI has ended", last.run, numpy.ones(4))
    raises(laconic.InvalidArgument, "has ended", laconic.Exchange, comm, plan, "f8")
    last.free()
    # All ranks are past the last file.
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()

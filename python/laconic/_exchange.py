# SPDX-License-Identifier: BSD-3-Clause
"""Exchange: a plan carried out over MPI (docs/guide/redistribute.md). Keywords are checked here, arrays become addresses
in _exchange_arrays.py, the library comes from _mpi.py, and everything that moves is in that library."""

import threading
import weakref
from typing import Any, NamedTuple

import numpy

from . import _laconic
from ._errors import Error, InvalidArgument, InvalidType
from ._exchange_arrays import OwnMemory, Side
from ._mpi import library_of, module_of
from ._plan import Plan
from ._settings import bound_of, integer_of

_TYPES = {"float32": 1, "float64": 2, "float16": 3, "bfloat16": 4}
_MOST_FIELDS = 1024
# Arrays in which messages may be under way when MPI has failed: they must stay until the process ends.
_abandoned = []


class ReadyPatch(NamedTuple):
    """A patch that is complete."""

    patch: int  # its number
    region: tuple  # of the whole array, as slices
    data: Any  # a view of the patch's shape into the output; a list of them where there are several fields
    held: bool  # it lay whole on this rank before


class ExchangeReport(NamedTuple):
    """What the last run of this rank did."""

    kept_bytes: int  # that stayed with the rank
    shared_bytes: int  # handed to other ranks through shared memory
    straight_bytes: int  # of those, what the others read from this rank's in_array()
    message_bytes: int  # handed to other ranks by messages, before compression
    wire_bytes: int  # what those messages held
    largest_bound: float  # no element is further from the original than this


def _code_of(error):
    return error.code if isinstance(error, Error) and error.code is not None else InvalidArgument.code


class Exchange:
    """A plan that is carried out as often as the array changes. Making one is collective over `comm`.

    comm      a communicator of mpi4py with as many ranks as the plan; it must outlive the exchange
    plan      of laconic.plan(), the same on all ranks
    dtype     of the elements, anything without Python objects; they are copied bit by bit
    fields    arrays that each run moves together, 1 to 1024
    abs, rel  messages are compressed: every element that changes rank by message arrives within the bound; rel counts
              max - min over all ranks, for each field. float16, bfloat16, float32, float64, in the machine's byte order
    engine    'auto', 'shared', 'batched', 'per_rank', 'per_patch', 'alltoallw', 'neighbor' or 'partitioned'
    batch_bytes
              of a packed message; 0: the engine's default
    shared_memory
              False: messages inside a node, too
    check     whether ranks compare notes before a run, so that one with bad arguments fails the call everywhere
    shared_in each rank gets arrays of the exchange's own, in_array(), in memory that the ranks of a node share; runs from
              there copy what changes rank inside the node once instead of twice
    in_like, out_like
              arrays (one field of what run() takes) that lie in memory like those of the runs: views with halos, say.
              Their strides count, not what is in them, and they may differ between ranks. None: without gaps.

    Raises what exchange::make() in exchange.hpp returns, on all ranks alike: InvalidArgument, Mismatch, InvalidBound,
    Unsupported (also where there is no laconic library for mpi4py's MPI), Error.
    For `with`: the end of the block frees it. One thread at a time.
    """

    def __init__(self, comm, plan, dtype, *, fields=1, abs=None, rel=None, engine="auto", batch_bytes=0,
                 shared_memory=True, check=True, shared_in=False, in_like=None, out_like=None):
        self._moving = self._own = None
        library, module = library_of(comm), module_of(comm)
        self._ended = module.Is_finalized
        if not module.Is_initialized() or self._ended():
            raise InvalidArgument("MPI is not initialised, or has ended; exchanges live in between")
        handle = comm.py2f()
        try:
            request = self._prepare(comm.Get_rank(), plan, dtype, fields, in_like, out_like, {
                "engine": engine, "batch_bytes": integer_of("batch_bytes", batch_bytes, 0),
                "shared_memory": bool(shared_memory), "check": bool(check), "shared_in": bool(shared_in)}, abs, rel)
        except BaseException as error:
            # The others are waiting.
            library.refuse(handle, _code_of(error), str(error))
            raise
        self._moving = library.make(handle, request)
        self._running = threading.Lock()

    def _prepare(self, rank, plan, dtype, fields, in_like, out_like, options, abs, rel):
        if not isinstance(plan, Plan):
            raise InvalidType(f"plan is {type(plan).__name__}; give what laconic.plan() returns")
        if not len(plan.owners) == len(plan.lower) == len(plan.upper):
            raise InvalidArgument(f"the plan has owners for {len(plan.owners)} patches and corners of {len(plan.lower)}; "
                                  "give what laconic.plan() returned")
        if not isinstance(options["engine"], str):
            raise InvalidType(f"engine is {type(options['engine']).__name__}; give a name, e.g. 'auto'")
        dtype = numpy.dtype(dtype)
        if dtype.hasobject or dtype.itemsize == 0 or dtype.subdtype is not None:
            raise InvalidType(f"dtype is {dtype}; give one of elements of a fixed size, without Python objects")
        self._shared_in = options["shared_in"]
        self._dtype, self._fields = dtype, integer_of("fields", fields, 1, _MOST_FIELDS)
        kind, bound = bound_of(abs, rel, abs is None and rel is None)
        self._patches, self._regions = plan.patches_of(rank), plan.regions_of(rank)
        boxes = plan.boxes_of(rank)
        self._in = Side("in", "boxes", [_shape(box) for box in boxes], dtype, in_like)
        self._out = Side("out", "patches", [_shape(region) for region in self._regions], dtype, out_like)
        native = dtype.isnative and dtype.kind != "V" or dtype.name == "bfloat16"
        options.update(kind=kind, bound=bound, fields=self._fields, in_boxes=[] if self._in.dense else self._in.places,
                       out_patches=[] if self._out.dense else self._out.places)
        return _laconic.ExchangeRequest(
            plan.extents, plan.ranks, (_bytes(plan.box_ranks, "int32"), _bytes(plan.box_lower, "int64"),
                                       _bytes(plan.box_upper, "int64")),
            plan.patch, plan.counts, _bytes(plan.owners, "int32"), dtype.itemsize,
            _TYPES.get(dtype.name, 0) if native else 0, options)

    def run(self, array_in, array_out=None, on_patch=None):
        """Moves the array once. Collective; exchanges of a communicator run in the same order on all ranks.

        array_in   the box of this rank, as an array of its shape; of several boxes (or none) a list of arrays, in the
                   order of plan.boxes_of(rank), or one array of one dimension that holds them one behind the other.
                   Where it lies otherwise than in_like said it is copied first.
        array_out  likewise for the patches, in the order of plan.patches_of(rank); never copied. None: new arrays.
        on_patch   called as on_patch(ReadyPatch), once for each patch: first for those that lay whole on this rank, then
                   for each other as soon as it is complete. What it raises comes through when the exchange is complete;
                   it is not called again after that.
        Of several fields both are lists of them.

        Returns the patches, a list of views into array_out (of several fields a list of such lists).
        Raises InvalidArgument (InvalidType) on all ranks if any rank's arguments are wrong, unless made with
        check=False; Error and Corrupt if MPI failed or a compressed message is damaged. If on_patch has raised as well,
        that is the error's __cause__.
        """
        moving = self._open()
        if not self._running.acquire(blocking=False):
            raise InvalidArgument("the exchange is running, in another thread or because on_patch called it; wait until "
                                  "that is over")
        try:
            try:
                if on_patch is not None and not callable(on_patch):
                    raise InvalidType(f"on_patch is {type(on_patch).__name__}; give a callable(ReadyPatch) or None")
                inputs = [self._in.input(each, "array_in") for each in self._split(array_in, "array_in")]
                if array_out is None:
                    array_out = [numpy.empty(self._out.elements, self._dtype) for _ in range(self._fields)]
                    outputs = [(memory.__array_interface__["data"][0], self._out.views(memory)) for memory in array_out]
                else:
                    outputs = [self._out.output(each, "array_out") for each in self._split(array_out, "array_out")]
            except BaseException as error:
                # The others have begun.
                moving.refuse(_code_of(error), str(error))
                raise
            views = [parts for _, parts in outputs]

            def tell(patch, position, held):
                data = [parts[position] for parts in views]
                on_patch(ReadyPatch(patch, self._regions[position], data if self._fields > 1 else data[0], held))

            try:
                raised = moving.run([address for address, _ in inputs], [address for address, _ in outputs],
                                          None if on_patch is None else tell)
            except Error as error:
                if error.name == "mpi":
                    _abandoned.append((inputs, outputs, array_out))
                raise
            if raised is not None:
                raise raised
            return views if self._fields > 1 else views[0]
        finally:
            self._running.release()

    def _split(self, given, what):
        if self._fields == 1:
            return [given]
        if not isinstance(given, (list, tuple, numpy.ndarray)) or len(given) != self._fields:
            size = f" of {len(given)}" if hasattr(given, "__len__") else ""
            raise InvalidArgument(f"{what} is {type(given).__name__}{size}; give a list of {self._fields} fields")
        return list(given)

    def in_array(self, field=0):
        """With shared_in the exchange's own array for a field, zero at first: what run() takes for that, an array of the
        shape of this rank's box, or a list of them. It lies as in_like does, and lives as long as it is used, also after
        free()."""
        moving = self._open()
        if not self._shared_in:
            raise InvalidArgument("the exchange has no arrays of its own; make it with shared_in=True")
        field = integer_of("field", field, 0, self._fields - 1)
        own = self._own and self._own()
        if own is None:
            own = OwnMemory(moving, self._ended)
            self._own = weakref.ref(own)
        views = self._in.views(own.bytes_of(field, self._in.elements * self._dtype.itemsize))
        return views[0] if len(views) == 1 else views

    def report(self):
        """An ExchangeReport of this rank's last run."""
        return ExchangeReport(*self._open().report())

    @property
    def patches(self):
        """The numbers of the patches of this rank, ascending."""
        return self._patches

    @property
    def regions(self):
        """Their regions of the whole array, as slices."""
        return self._regions

    @property
    def engine(self):
        """The engine in use: never 'auto'."""
        return self._open().engine

    @property
    def staging_bytes(self):
        """Memory for packed pieces that this rank holds."""
        return self._open().staging_bytes

    @property
    def settled(self):
        """Whether the first runs are over that try which size of batches is fastest: where batched messages are sent and
        batch_bytes is 0, False until the 10th run."""
        return self._open().settled

    def free(self):
        """Gives back what the exchange holds; what in_array() gave goes with the last array in it. Local; the exchange
        cannot be used afterwards."""
        if self._moving is None:
            return
        if not self._running.acquire(blocking=False):
            raise InvalidArgument("the exchange is running; free it when that is over")
        try:
            moving, self._moving = self._moving, None
            own = self._own and self._own()
            if own is not None:
                own.free_later()
            # After MPI has ended there is nothing to give back to.
            elif not self._ended():
                moving.free()
        finally:
            self._running.release()

    def _open(self):
        if self._moving is None:
            raise InvalidArgument("the exchange has been freed; make a new one")
        if self._ended():
            raise InvalidArgument("MPI has ended, and the exchange with it")
        return self._moving

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.free()

    def __del__(self):
        # The modules that this needs may be gone when the interpreter ends.
        try:
            self.free()
        except Exception:
            pass


def _shape(region):
    return tuple(part.stop - part.start for part in region)


def _bytes(numbers, dtype):
    return numpy.ascontiguousarray(numbers, dtype).tobytes()

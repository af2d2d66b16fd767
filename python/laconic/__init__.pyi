# SPDX-License-Identifier: BSD-3-Clause
from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from types import TracebackType
from typing import Any, Literal, NamedTuple, Protocol, SupportsFloat, SupportsIndex, TypeVar, Union, overload

import numpy
from numpy.typing import DTypeLike, NDArray

__version__: str

class _SupportsDLPack(Protocol):
    def __dlpack__(self) -> Any: ...

class _SupportsRead(Protocol):
    def read(self, n: int, /) -> bytes | None: ...

class _SupportsWrite(Protocol):
    def write(self, data: bytes, /) -> Any: ...

class _Communicator(Protocol):
    def py2f(self) -> int: ...
    def Get_rank(self) -> int: ...

_Engine = Literal[
    "auto", "shared", "batched", "per_rank", "per_patch", "alltoallw", "neighbor", "partitioned"
]
# One array, or one for each box or patch.
_Parts = Union[NDArray[Any], Sequence[NDArray[Any]], None]

# Objects with the buffer protocol have no type of their own before Python 3.12, bfloat16 has none in numpy.
_Array = Union[NDArray[numpy.float16], NDArray[numpy.float32], NDArray[numpy.float64], _SupportsDLPack, Any]
_Frame = Union[bytes, bytearray, memoryview, Any]
_Out = TypeVar("_Out")
_Progress = Callable[[int, int, int], Any]

class Error(Exception):
    code: int | None
    name: str | None

class InvalidArgument(Error, ValueError): ...
class InvalidType(InvalidArgument, TypeError): ...
class InvalidBound(Error, ValueError): ...
class OutputTooSmall(Error, ValueError): ...
class Truncated(Error): ...
class Corrupt(Error): ...
class Unsupported(Error): ...
class Mismatch(Error, ValueError): ...
class Cancelled(Error): ...
class Unrepresentable(Error, ValueError): ...

class FrameInfo(NamedTuple):
    version: int
    codec: str
    dtype: str
    count: int
    bound: float
    step: float
    row_length: int
    contributions: int
    magnitude: int
    frame_bytes: int
    blocks: int
    zero_blocks: int
    raw_blocks: int
    exact_sums: bool
    checksummed: bool

class Comparison(NamedTuple):
    n: int
    max_abs_error: float
    mean_error: float
    psnr: float
    nrmse: float
    range: float
    nonfinite_mismatches: int

class CodecInfo(NamedTuple):
    id: int
    name: str
    summary: str
    keeps_bound: bool
    adds: bool
    available: bool

class Transfer(NamedTuple):
    peer: int
    patch: int
    region: tuple
    part: int

class RankPlan(NamedTuple):
    patches: Any
    sends: list
    receives: list
    copies: list

class Plan(NamedTuple):
    owners: Any
    lower: Any
    upper: Any
    figures: dict
    extents: tuple
    ranks: int
    patch: Any
    counts: tuple
    box_ranks: Any
    box_lower: Any
    box_upper: Any
    def patches_of(self, rank: int) -> NDArray[numpy.int32]: ...
    def regions_of(self, rank: int) -> list[tuple[slice, ...]]: ...
    def boxes_of(self, rank: int) -> list[tuple[slice, ...]]: ...
    def of_rank(self, rank: int) -> RankPlan: ...
    def boxes_after(self) -> list[tuple[int, list[int], list[int]]]: ...

class ReadyPatch(NamedTuple):
    patch: int
    region: tuple
    data: Any
    held: bool

class ExchangeReport(NamedTuple):
    kept_bytes: int
    shared_bytes: int
    straight_bytes: int
    message_bytes: int
    wire_bytes: int
    largest_bound: float

class Exchange:
    def __init__(
        self,
        comm: _Communicator,
        plan: Plan,
        dtype: DTypeLike,
        *,
        fields: SupportsIndex = 1,
        abs: SupportsFloat | None = None,
        rel: SupportsFloat | None = None,
        engine: _Engine = "auto",
        batch_bytes: SupportsIndex = 0,
        shared_memory: bool = True,
        check: bool = True,
        shared_in: bool = False,
        in_like: _Parts = None,
        out_like: _Parts = None,
    ) -> None: ...
    def run(
        self,
        array_in: _Parts | Sequence[_Parts],
        array_out: _Parts | Sequence[_Parts] = None,
        on_patch: Callable[[ReadyPatch], Any] | None = None,
    ) -> Any: ...
    def in_array(self, field: SupportsIndex = 0) -> Any: ...
    def report(self) -> ExchangeReport: ...
    @property
    def settled(self) -> bool: ...
    @property
    def patches(self) -> NDArray[numpy.int32]: ...
    @property
    def regions(self) -> list[tuple[slice, ...]]: ...
    @property
    def engine(self) -> str: ...
    @property
    def staging_bytes(self) -> int: ...
    def free(self) -> None: ...
    def __enter__(self) -> Exchange: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

class Call(NamedTuple):
    function: str
    arguments: dict
    thread: int
    start: Any
    end: Any
    status: str

class Columns(NamedTuple):
    function: Any
    thread: Any
    start: Any
    duration: Any
    sent: Any
    received: Any
    bytes: Any

class RankTrace:
    def __init__(self, reader: Any, rank: SupportsIndex) -> None: ...
    @property
    def rank(self) -> int: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Call]: ...
    def columns(self) -> Columns: ...
    def __repr__(self) -> str: ...

class Trace:
    def __init__(self, path: str | PathLike[str]) -> None: ...
    @property
    def ranks(self) -> tuple[int, ...]: ...
    @property
    def functions(self) -> dict[int, str]: ...
    def stat(self) -> dict[str, Any]: ...
    def rank(self, rank: SupportsIndex) -> RankTrace: ...
    def communication_matrix(self, what: Literal["bytes", "messages"] = "bytes") -> NDArray[numpy.uint64]: ...
    def close(self) -> None: ...
    def __enter__(self) -> Trace: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    def __repr__(self) -> str: ...

class QuantisedArray:
    integers: NDArray[numpy.int32]
    dtype: str
    step: float
    bound: float
    magnitude: int
    row_length: int
    contributions: int
    def __init__(
        self,
        integers: NDArray[numpy.int32],
        dtype: str,
        step: float,
        bound: float,
        magnitude: int,
        row_length: int,
        contributions: int = 1,
    ) -> None: ...
    def encode(self) -> bytes: ...
    def add_to(self, frame: _Frame) -> bytes: ...

class Writer:
    def __init__(
        self,
        target: _SupportsWrite | Callable[[bytes], Any],
        *,
        abs: SupportsFloat | None = None,
        lossless: bool = False,
        dtype: DTypeLike | None = None,
        codec: str = "fle",
        rate: SupportsFloat | None = None,
        row_length: SupportsIndex | None = None,
        threads: SupportsIndex = 1,
        checksum: bool = False,
        max_abs: SupportsFloat | None = None,
        progress: _Progress | None = None,
        segment_values: SupportsIndex = 4194304,
    ) -> None: ...
    def write(self, a: _Array) -> None: ...
    def close(self) -> None: ...
    @property
    def values_in(self) -> int: ...
    @property
    def bytes_out(self) -> int: ...
    def __enter__(self) -> Writer: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

class Reader:
    def __init__(
        self,
        source: _SupportsRead | Callable[[int], bytes],
        *,
        threads: SupportsIndex = 1,
        progress: _Progress | None = None,
    ) -> None: ...
    @property
    def dtype(self) -> str: ...
    def __iter__(self) -> Reader: ...
    def __next__(self) -> NDArray[Any]: ...
    def read(self, n: SupportsIndex = -1) -> NDArray[Any]: ...

def compress(
    a: _Array,
    *,
    abs: SupportsFloat | None = None,
    rel: SupportsFloat | None = None,
    lossless: bool = False,
    codec: str = "fle",
    rate: SupportsFloat | None = None,
    row_length: SupportsIndex | Literal["auto"] | None = None,
    threads: SupportsIndex = 1,
    checksum: bool = False,
    max_abs: SupportsFloat | None = None,
    progress: _Progress | None = None,
) -> bytes: ...
@overload
def decompress(
    frame: _Frame,
    out: None = None,
    *,
    shape: int | tuple[int, ...] | None = None,
    threads: SupportsIndex = 1,
    progress: _Progress | None = None,
) -> NDArray[Any]: ...
@overload
def decompress(
    frame: _Frame,
    out: _Out,
    *,
    shape: None = None,
    threads: SupportsIndex = 1,
    progress: _Progress | None = None,
) -> _Out: ...
def inspect(frame: _Frame) -> FrameInfo: ...
def frame_size(beginning: _Frame) -> int: ...
def compare(x: _Array, y: _Array) -> Comparison: ...
def codecs() -> tuple[CodecInfo, ...]: ...
def add(
    a: _Array | _Frame, b: _Array | _Frame, *, threads: SupportsIndex = 1, progress: _Progress | None = None
) -> bytes: ...
def subtract(a: _Frame, b: _Frame, *, threads: SupportsIndex = 1, progress: _Progress | None = None) -> bytes: ...
def minimum(a: _Frame, b: _Frame, *, threads: SupportsIndex = 1, progress: _Progress | None = None) -> bytes: ...
def maximum(a: _Frame, b: _Frame, *, threads: SupportsIndex = 1, progress: _Progress | None = None) -> bytes: ...
def scale(
    frame: _Frame, factor: SupportsIndex, *, threads: SupportsIndex = 1, progress: _Progress | None = None
) -> bytes: ...
def negate(frame: _Frame, *, threads: SupportsIndex = 1, progress: _Progress | None = None) -> bytes: ...
def quantise(
    a: _Array,
    *,
    abs: SupportsFloat | None = None,
    rel: SupportsFloat | None = None,
    lossless: bool = False,
    row_length: SupportsIndex | Literal["auto"] | None = None,
    max_abs: SupportsFloat | None = None,
) -> QuantisedArray: ...
def extract(frame: _Frame) -> QuantisedArray: ...
def plan(
    extents: Sequence[int],
    patch: Sequence[int] | None,
    ranks: int,
    *,
    patches: Sequence[int] | None = None,
    blocks: Sequence[int] | None = None,
    boxes: Sequence[tuple[int, Sequence[int], Sequence[int]]] | None = None,
    placement: Literal["greedy", "balanced", "round_robin", "optimal", "given", "explicit"] = "optimal",
    balance: float = 1.0,
    owners: Sequence[int] | None = None,
    load: Literal["patches", "elements"] = "patches",
    exact: bool = False,
    node_of: Sequence[int] | None = None,
    between_nodes: int = 8,
) -> Plan: ...
def open_trace(path: str | PathLike[str]) -> Trace: ...
def engines() -> tuple[str, ...]: ...
def engine() -> str: ...
def use_engine(name: str) -> None: ...

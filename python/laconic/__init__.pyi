# SPDX-License-Identifier: BSD-3-Clause
from typing import Any, NamedTuple, Protocol, SupportsFloat, TypeVar, Union, overload

import numpy
from numpy.typing import NDArray

__version__: str

class _SupportsDLPack(Protocol):
    def __dlpack__(self) -> Any: ...

# Objects with the buffer protocol have no type of their own before Python 3.12.
_Array = Union[NDArray[numpy.float32], NDArray[numpy.float64], _SupportsDLPack, Any]
_Frame = Union[bytes, bytearray, memoryview, Any]
_Out = TypeVar("_Out")

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

class FrameInfo(NamedTuple):
    version: int
    dtype: str
    count: int
    bound: float
    step: float
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

def compress(
    a: _Array,
    *,
    abs: SupportsFloat | None = None,
    rel: SupportsFloat | None = None,
    lossless: bool = False,
    checksum: bool = False,
    max_abs: SupportsFloat | None = None,
) -> bytes: ...
@overload
def decompress(
    frame: _Frame, out: None = None, *, shape: int | tuple[int, ...] | None = None
) -> NDArray[numpy.floating[Any]]: ...
@overload
def decompress(frame: _Frame, out: _Out, *, shape: None = None) -> _Out: ...
def inspect(frame: _Frame) -> FrameInfo: ...
def add(a: _Array | _Frame, b: _Array | _Frame) -> bytes: ...
def compare(x: _Array, y: _Array) -> Comparison: ...
def engines() -> tuple[str, ...]: ...
def engine() -> str: ...
def use_engine(name: str) -> None: ...

# SPDX-License-Identifier: BSD-3-Clause
"""Arrays larger than memory: pieces of an array flow in and frames flow out to a file, one after the other, and back.
One frame is in memory at a time."""

import io

from . import _laconic
from ._api import frame_size, inspect
from ._arrays import empty
from ._errors import InvalidArgument, InvalidType, Mismatch
from ._settings import integer_of, run_of, settings_of

_HEADER_BYTES = 64
# Frames announce their size; memory is taken as the bytes really come.
_PIECE_BYTES = 1 << 24


def _sink_of(target):
    """A callable that passes all of the bytes on. Unbuffered files may take only some of them at a time."""
    write = getattr(target, "write", None)
    if write is None:
        if not callable(target):
            raise InvalidType(f"target is {type(target).__name__}; give a binary file or a callable(bytes)")
        return target
    if not isinstance(target, io.RawIOBase):
        return write

    def write_all(data):
        rest = memoryview(data)
        while rest:
            taken = write(rest)
            if not taken:
                raise BlockingIOError("the file takes no bytes now; give one that blocks")
            rest = rest[taken:]

    return write_all


class Writer:
    """Compresses an array that comes in pieces. For `with`: the end of the block calls close(), unless it was left by
    an exception; then the frames that are written stay as they are.

    target    a binary file, which stays open, or a callable(bytes) that gets every frame whole
    abs, lossless
              the bound, as for compress(); a relative one would need the range of the whole array
    dtype     'float16', 'bfloat16', 'float32' or 'float64'; None: that of the first piece
    segment_values
              elements in a frame, the last one has what remains; memory is about three times their size
    The others are as for compress(); row_length must be a number; progress counts within one frame.

    Not for several threads at a time. After a failure every further call fails, too.
    """

    def __init__(self, target, *, abs=None, lossless=False, dtype=None, codec="fle", rate=None, row_length=None,
                 threads=1, checksum=False, max_abs=None, progress=None,
                 segment_values=_laconic.default_segment_values):
        if row_length == "auto":
            raise InvalidArgument("row_length='auto': the pieces need not be whole rows; give their length")
        asked = settings_of(abs=abs, rel=None, lossless=lossless, codec=codec, rate=rate, row_length=row_length,
                            checksum=checksum, max_abs=max_abs)
        segment_values = integer_of("segment_values", segment_values, 1)
        run, sink = run_of(threads, progress), _sink_of(target)
        self._begin = lambda name: _laconic.Writer(sink, name, asked, segment_values, *run)
        self._writer = None if dtype is None else self._begin(getattr(dtype, "name", None) or _name_of(dtype))
        self._closed = False

    def write(self, a):
        """Adds the elements of an array, as compress() takes it, in C order."""
        if self._closed:
            raise InvalidArgument("the writer is closed; begin another one")
        if self._writer is None:
            self._writer = self._begin(_laconic.dtype_of(a))
        self._writer.push(a)

    def close(self):
        """Writes what remains; an array without elements becomes one frame. Nothing may follow."""
        if self._closed:
            return
        if self._writer is None:
            raise InvalidArgument("nothing was written, so the type is not known; give dtype=")
        self._closed = True
        self._writer.finish()

    @property
    def values_in(self):
        """Elements so far."""
        return 0 if self._writer is None else self._writer.values_in

    @property
    def bytes_out(self):
        """Bytes of the frames so far."""
        return 0 if self._writer is None else self._writer.bytes_out

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        if kind is None:
            self.close()
        else:
            self._closed = True


def _name_of(dtype):
    """The name of what numpy takes for a dtype: 'f4', numpy.float32, ... Names of element types need no numpy."""
    if isinstance(dtype, str) and dtype in ("float16", "bfloat16", "float32", "float64"):
        return dtype
    import numpy

    try:
        return numpy.dtype(dtype).name
    except TypeError:
        raise InvalidType(f"dtype is {dtype!r}; give float16, bfloat16, float32 or float64") from None


class Reader:
    """Decompresses a sequence of frames as its bytes come: iteration gives the array of each frame, read() any number
    of elements.

    source    a binary file, or a callable(n) that returns at most n bytes, none at the end
    threads, progress
              as for compress(); progress counts within one frame

    What comes may be damaged: that is a laconic.Error, and the same again from every further call. No more memory is
    taken than for the bytes that came and the elements of one frame, plus what read() was asked for.
    """

    def __init__(self, source, *, threads=1, progress=None):
        self._read = getattr(source, "read", source)
        if not callable(self._read):
            raise InvalidType(f"source is {type(source).__name__}; give a binary file or a callable(n)")
        self._run = run_of(threads, progress)
        self._values, self._taken = None, 0
        self._dtype, self._failed = None, None

    @property
    def dtype(self):
        """Name of the element type; reads the first frame."""
        if self._dtype is None:
            self._next_frame()
        return self._dtype

    def __iter__(self):
        return self

    def __next__(self):
        if not self._unread() and not self._next_frame():
            raise StopIteration
        return self._take(len(self._values))

    def read(self, n=-1):
        """The next n elements, fewer only at the end; all that remain for -1."""
        n = integer_of("n", n, -1)
        parts, missing = [], n
        while missing != 0:
            if not self._unread() and not self._next_frame():
                break
            part = self._take(len(self._values) if n < 0 else missing)
            parts.append(part)
            missing -= 0 if n < 0 else len(part)
        if len(parts) == 1:
            return parts[0]
        import numpy

        # The type of an array without elements, too.
        return numpy.concatenate([empty(0, self.dtype), *parts])

    def _unread(self):
        if self._failed is not None:
            raise self._failed
        return self._values is not None

    def _take(self, n):
        """Up to n elements of the present frame."""
        first, self._taken = self._taken, min(self._taken + n, len(self._values))
        part = self._values[first:self._taken]
        if self._taken == len(self._values):
            self._values, self._taken = None, 0
        return part

    def _next_frame(self):
        """Whether there was one."""
        if self._failed is not None:
            raise self._failed
        try:
            frame = bytearray()
            self._fill(frame, _HEADER_BYTES)
            if not frame and self._dtype is not None:
                return False
            self._fill(frame, frame_size(frame))
            about = inspect(frame)
            if self._dtype not in (None, about.dtype):
                raise Mismatch(f"a frame holds {about.dtype}, those before it {self._dtype}")
            values = empty(about.count, about.dtype)
            _laconic.decompress(frame, values, *self._run)
        except BaseException as error:
            self._failed = error
            raise
        self._dtype, self._values, self._taken = about.dtype, values, 0
        return True

    def _fill(self, frame, size):
        """Reads until `frame` has so many bytes, or the source ends."""
        while len(frame) < size:
            asked = min(size - len(frame), _PIECE_BYTES)
            data = self._read(asked)
            if data is None:
                raise BlockingIOError("the file has no bytes now; give one that blocks")
            if not isinstance(data, (bytes, bytearray, memoryview)):
                raise InvalidType(f"the source gave {type(data).__name__}; it must give bytes")
            if len(data) > asked:
                raise InvalidArgument(f"the source gave {len(data)} bytes, and was asked for {asked}")
            if not data:
                return
            frame += data

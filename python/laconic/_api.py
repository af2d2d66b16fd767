# SPDX-License-Identifier: BSD-3-Clause
"""Compression, decompression and what there is to know about frames: keyword arguments are checked here, the work is
done by the extension module. The types are in __init__.pyi."""

from . import _laconic
from ._arrays import empty
from ._errors import InvalidArgument, Mismatch
from ._records import CodecInfo, Comparison, FrameInfo
from ._settings import run_of, settings_of


def compress(a, *, abs=None, rel=None, lossless=False, codec="fle", rate=None, row_length=None, threads=1,
             checksum=False, max_abs=None, progress=None):
    """Compresses an array into a frame.

    a         float16, bfloat16, float32 or float64: a numpy array of any shape, an object with the buffer protocol
              (array.array, memoryview, mmap, ...) or with __dlpack__ in memory of the CPU. Arrays with gaps or in the
              other byte order are copied first; elements are taken in C order.
    abs, rel, lossless
              exactly one: every finite x comes back as y with |x - y| <= abs; with |x - y| <= rel * (max - min) over
              the finite values of `a`; bit for bit. NaN, infinities and -0.0 always come back bit for bit.
    codec     one of codecs(). 'zfp_rate' takes rate=, bits per value, instead of a bound, and keeps none.
    row_length
              the length of the fastest dimension: values are then also predicted from the row before. 'auto': that of
              `a`. Frames that are to be added need the same. Lengths below 32 and from 2048 on are taken as 0; only
              'fle' looks at it.
    threads   0: as many as OpenMP would take. The frame is the same for any number.
    checksum  adds a checksum that every reader verifies.
    max_abs   with abs: a magnitude that no array to be added to this one exceeds, so that all get the same step.
    progress  called now and then as progress(done, total, bytes): elements, and bytes that are complete. When it
              returns something false other than None the call ends with Cancelled; what it raises ends the call, too.

    The shape is not part of the frame. Other threads may run meanwhile, but must not change `a`.
    """
    asked = settings_of(abs=abs, rel=rel, lossless=lossless, codec=codec, rate=rate, row_length=row_length,
                        checksum=checksum, max_abs=max_abs)
    return _laconic.compress(a, asked, *run_of(threads, progress))


def decompress(frame, out=None, *, shape=None, threads=1, progress=None):
    """Decompresses a frame, or several one after the other, into a numpy array of one dimension, or of `shape`, which
    may hold one -1.

    out  writable, C-contiguous, of the frame's type and number of elements: receives the elements and is returned.
         Needs no numpy. After a failure its contents are unspecified.
    threads, progress
         as for compress().

    bfloat16 comes back as ml_dtypes.bfloat16, or, where ml_dtypes cannot be imported, as uint16 with the bits; `out`
    may be of 16-bit integers, too. A frame may come from anywhere: a damaged one is an error (Truncated, Corrupt,
    Unsupported, Mismatch between several), never a crash.
    """
    run = run_of(threads, progress)
    if out is None:
        dtype, count = _laconic.survey(frame)
        out = empty(count, dtype)
        if shape is not None:
            try:
                out = out.reshape(shape)
            except ValueError:
                raise Mismatch(f"the frame holds {count} elements, which shape={shape} does not") from None
    elif shape is not None:
        raise InvalidArgument("out and shape are both given; out has a shape already")
    _laconic.decompress(frame, out, *run)
    return out


def inspect(frame):
    """Reads and verifies a frame without decoding its elements; returns a FrameInfo."""
    return FrameInfo(*_laconic.inspect(frame))


def frame_size(beginning):
    """Bytes of the whole frame that begins with these, of which 64 are enough."""
    return _laconic.frame_size(beginning)


def compare(x, y):
    """How far the array `y` is from the array `x`, of equal type and number of elements; returns a Comparison."""
    return Comparison(*_laconic.compare(x, y))


def codecs():
    """All codecs as a tuple of CodecInfo; a build may lack some of them."""
    return tuple(CodecInfo(*codec) for codec in _laconic.codecs())


def engines():
    """The engines that this machine can run, slowest first. All give the same bytes."""
    return _laconic.engines()


def engine():
    """The engine in use."""
    return _laconic.engine()


def use_engine(name):
    """Switches the engine for the whole process. Not while another thread is in a call."""
    _laconic.use_engine(name)

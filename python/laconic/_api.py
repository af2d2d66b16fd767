# SPDX-License-Identifier: BSD-3-Clause
"""The functions that users call: keyword arguments are checked here, the work is done by the extension module. The
types are in __init__.pyi."""

import math

from . import _laconic
from ._errors import InvalidArgument, InvalidBound, Mismatch
from ._records import Comparison, FrameInfo

_ABSOLUTE, _RELATIVE = 0, 1


def bound_of(abs, rel, lossless):
    """(kind, value) of exactly one of three keyword arguments. 0 is refused, so that a bound that came out as 0 by
    accident is noticed."""
    given = [f"{name}={value}" for name, value in (("abs", abs), ("rel", rel)) if value is not None]
    given += ["lossless=True"] if lossless else []
    if len(given) != 1:
        raise InvalidBound(f"{' and '.join(given) or 'no error bound'} given; "
                           "give exactly one of abs=, rel= and lossless=True")
    if lossless:
        return _ABSOLUTE, 0.0
    kind, value = (_ABSOLUTE, abs) if abs is not None else (_RELATIVE, rel)
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise InvalidBound(f"{given[0]} is not a number; give a finite number > 0") from None
    if not (math.isfinite(value) and value > 0):
        raise InvalidBound(f"{given[0]}; give a finite number > 0, or lossless=True")
    return kind, value


def compress(a, *, abs=None, rel=None, lossless=False, checksum=False, max_abs=None):
    """Compresses an array into a frame.

    a         float32 or float64: a numpy array of any shape, an object with the buffer protocol (array.array,
              memoryview, mmap, ...) or with __dlpack__ in memory of the CPU. Arrays with gaps or in the other byte
              order are copied first; elements are taken in C order.
    abs, rel, lossless
              exactly one: every finite x comes back as y with |x - y| <= abs; with |x - y| <= rel * (max - min) over
              the finite values of `a`; bit for bit. NaN, infinities and -0.0 always come back bit for bit.
    checksum  adds a checksum that every reader verifies.
    max_abs   with abs: a magnitude that no array to be added to this one exceeds, so that all get the same step.

    The shape is not part of the frame. Other threads may run meanwhile, but must not change `a`.
    """
    kind, value = bound_of(abs, rel, lossless)
    magnitude = -1.0
    if max_abs is not None:
        if kind == _RELATIVE:
            raise InvalidArgument("max_abs belongs to abs=; arrays with relative bounds have steps of their own")
        magnitude = float(max_abs)
        if not (math.isfinite(magnitude) and magnitude >= 0):
            raise InvalidArgument(f"max_abs={max_abs}; give a finite number >= 0")
    return _laconic.compress(a, kind, value, bool(checksum), magnitude)


def decompress(frame, out=None, *, shape=None):
    """Decompresses a frame into a numpy array of one dimension, or of `shape`, which may hold one -1.

    out  writable, C-contiguous, of the frame's type and number of elements: receives the elements and is returned.
         Needs no numpy. After a failure its contents are unspecified.

    A frame may come from anywhere: a damaged one is an error (Truncated, Corrupt, Unsupported), never a crash.
    """
    if out is None:
        import numpy  # here: everything else works without it

        about = inspect(frame)
        out = numpy.empty(about.count, about.dtype)
        if shape is not None:
            try:
                out = out.reshape(shape)
            except ValueError:
                raise Mismatch(f"the frame holds {about.count} elements, which shape={shape} does not") from None
    elif shape is not None:
        raise InvalidArgument("out and shape are both given; out has a shape already")
    _laconic.decompress(frame, out)
    return out


def inspect(frame):
    """Reads and verifies a frame without decoding its elements; returns a FrameInfo."""
    return FrameInfo(*_laconic.inspect(frame))


def add(a, b):
    """The frame of a + b, computed on the compressed form. One of them may be an array (as compress() takes it): it is
    quantised with the frame's step on the way. Frames must have equal type, count, bound per array and step."""
    return _laconic.add(a, b)


def compare(x, y):
    """How far the array `y` is from the array `x`, of equal type and number of elements; returns a Comparison."""
    return Comparison(*_laconic.compare(x, y))


def engines():
    """The engines that this machine can run, slowest first. All give the same bytes."""
    return _laconic.engines()


def engine():
    """The engine in use."""
    return _laconic.engine()


def use_engine(name):
    """Switches the engine for the whole process. Not while another thread is in a call."""
    _laconic.use_engine(name)

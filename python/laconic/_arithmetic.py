# SPDX-License-Identifier: BSD-3-Clause
"""Arithmetic on frames of codec 'fle' without decompressing them, and arrays as the integers behind frames. Frames that
meet must have equal type, count, step, bound per array and row length, else Mismatch."""

from dataclasses import dataclass
from typing import Any

from . import _laconic
from ._arrays import shared_integers
from ._settings import integer_of, run_of, settings_of


def add(a, b, *, threads=1, progress=None):
    """The frame of a + b. One of them may be an array (as compress() takes it): it is quantised with the frame's step
    on the way. The bound is the sum of both. `threads` and `progress` as for compress(), here and below."""
    return _laconic.add(a, b, *run_of(threads, progress))


def subtract(a, b, *, threads=1, progress=None):
    """The frame of a - b for two frames. The bound is the sum of both; a result of zero is +0.0."""
    return _laconic.combine("subtract", a, b, *run_of(threads, progress))


def minimum(a, b, *, threads=1, progress=None):
    """The frame of the smaller element of two frames, one by one; NaN where one of them is NaN; -0.0 is less than +0.0.
    """
    return _laconic.combine("minimum", a, b, *run_of(threads, progress))


def maximum(a, b, *, threads=1, progress=None):
    """The frame of the larger element of two frames, one by one; NaN where one of them is NaN; +0.0 is more than -0.0.
    """
    return _laconic.combine("maximum", a, b, *run_of(threads, progress))


def scale(frame, factor, *, threads=1, progress=None):
    """The frame of factor * frame, for an integer of 32 bits; it counts as so many arrays, and so does its bound."""
    factor = integer_of("factor", factor, -(2**31), 2**31 - 1)
    return _laconic.scale(frame, factor, *run_of(threads, progress))


def negate(frame, *, threads=1, progress=None):
    """The frame of -frame: scale() by -1."""
    return scale(frame, -1, threads=threads, progress=progress)


@dataclass(frozen=True, eq=False, slots=True)
class QuantisedArray:
    """An array as integers: x is within `bound` of integers * step."""

    integers: Any  # numpy int32, in C order
    dtype: str
    step: float
    bound: float  # of one array, also when extract() took this from a sum
    magnitude: int  # no integer exceeds this
    row_length: int
    contributions: int = 1  # how many arrays were summed into this one

    def encode(self):
        """The frame of the array, but that -0.0 has become +0.0. Unrepresentable when an integer exceeds what one
        array may have: 2**24, float64 2**28 - 1, 16-bit types 2**13 - 1."""
        return _laconic.encode(self._description(), self.integers)

    def add_to(self, frame):
        """The frame of this + frame."""
        return _laconic.add_integers(self._description(), self.integers, frame)

    def _description(self):
        return (self.dtype, float(self.step), float(self.bound), integer_of("magnitude", self.magnitude, 0),
                integer_of("row_length", self.row_length, 0, 2**32 - 1),
                integer_of("contributions", self.contributions, 1, 2**32 - 1))


def _quantised(memory, fields):
    return QuantisedArray(shared_integers(memory), *fields)


def quantise(a, *, abs=None, rel=None, lossless=False, row_length=None, max_abs=None):
    """The array as integers, with the step that compress() would choose; the keywords are those of compress().
    Unrepresentable when an element has no integer (NaN, an infinity, too large against the bound): such arrays must
    travel as frames."""
    asked = settings_of(abs=abs, rel=rel, lossless=lossless, row_length=row_length, max_abs=max_abs)
    return _quantised(*_laconic.quantise(a, asked))


def extract(frame):
    """The integers of a frame as a QuantisedArray. Unrepresentable when some have more than 32 bits or some elements
    are not quantised."""
    return _quantised(*_laconic.extract(frame))

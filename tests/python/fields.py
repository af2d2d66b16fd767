# SPDX-License-Identifier: BSD-3-Clause
"""Arrays for tests, and the promise they are held against: in exact arithmetic, bit for bit where the codec says so."""

from fractions import Fraction

import numpy

DTYPES = ("float32", "float64")


def smooth(count, dtype="float64", phase=0.0):
    """A smooth field with a little fine structure."""
    i = numpy.arange(count)
    return (numpy.sin(0.01 * i + phase) + 0.1 * numpy.sin(0.37 * i)).astype(dtype)


def bits(a):
    return numpy.ascontiguousarray(a).view(f"u{a.dtype.itemsize}")


def check_bound(x, y, bound):
    """Every finite x is within `bound` of its y, exactly; all others are the same bits."""
    x, y = numpy.ravel(x), numpy.ravel(y)
    assert x.dtype == y.dtype and x.shape == y.shape
    same = bits(x) == bits(y)
    finite = numpy.isfinite(x)
    assert same[~finite].all(), "a value that is not finite has changed"
    assert numpy.isfinite(y[finite]).all()
    assert (numpy.signbit(x) == numpy.signbit(y))[(x == 0) & numpy.signbit(x)].all(), "a -0.0 has lost its sign"
    limit = Fraction(float(bound))
    for a, b in zip(x[finite & ~same].tolist(), y[finite & ~same].tolist()):
        assert abs(Fraction(a) - Fraction(b)) <= limit, (a, b, bound)

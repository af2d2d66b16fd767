# SPDX-License-Identifier: BSD-3-Clause
"""add(), inspect() and compare(): sums of frames and arrays are within the sums of the bounds."""

import math

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import laconic
from fields import DTYPES, smooth

COUNTS = st.sampled_from([0, 1, 33, 5000])


@given(st.sampled_from(DTYPES), COUNTS, st.sampled_from([1e-2, 1e-4]))
def test_sums_of_frames_and_arrays(dtype, count, bound):
    a, b = smooth(count, dtype), smooth(count, dtype, phase=1.0)
    fa, fb = laconic.compress(a, abs=bound), laconic.compress(b, abs=bound)
    total = laconic.add(fa, fb)
    about = laconic.inspect(total)
    assert (about.contributions, about.count, about.dtype, about.bound) == (2, count, dtype, 2 * bound)
    exact = a.astype("longdouble") + b
    half_ulp = numpy.spacing(numpy.abs(a + b).max(initial=1)) / 2
    assert (numpy.abs(laconic.decompress(total) - exact) <= 2 * bound + half_ulp).all()
    assert laconic.decompress(laconic.add(fb, fa)).tobytes() == laconic.decompress(total).tobytes()
    for fused in (laconic.add(a, fb), laconic.add(fb, a), laconic.add(a[::-1][::-1], numpy.frombuffer(fb, "uint8"))):
        assert laconic.decompress(fused).tobytes() == laconic.decompress(total).tobytes()


def test_sums_that_do_not_fit():
    a = smooth(100, "float32")
    frame = laconic.compress(a, abs=1e-3)
    for other in (laconic.compress(a, abs=1e-2), laconic.compress(a[:50], abs=1e-3),
                  laconic.compress(a.astype("float64"), abs=1e-3)):
        with pytest.raises(laconic.Mismatch):
            laconic.add(frame, other)
    with pytest.raises(laconic.Mismatch):
        laconic.add(a[:50], frame)
    with pytest.raises(laconic.InvalidArgument, match="both arrays"):
        laconic.add(a, a)
    with pytest.raises(laconic.InvalidType, match="int64"):
        laconic.add(numpy.zeros(100, "int64"), frame)
    with pytest.raises(laconic.InvalidType, match="b is list"):
        laconic.add(frame, [1.0])
    with pytest.raises((laconic.Truncated, laconic.Corrupt)):
        laconic.add(frame, frame[:-1])


def test_inspect_counts_blocks():
    a = numpy.zeros(320)
    a[5] = numpy.nan
    about = laconic.inspect(laconic.compress(a, abs=1e-3))
    assert (about.version, about.blocks, about.zero_blocks, about.raw_blocks) == (1, 10, 9, 1)
    assert about.exact_sums is True and about.checksummed is False
    assert about.step > 0 and about.magnitude == 0 and about.contributions == 1
    with pytest.raises(AttributeError):
        about.count = 5


def test_compare():
    x = numpy.array([0.0, 1.0, 2.0, numpy.nan, numpy.inf, 4.0])
    y = numpy.array([0.5, 1.0, 2.0, numpy.nan, 1.0, 3.75])
    found = laconic.compare(x, y)
    assert (found.n, found.max_abs_error, found.range, found.nonfinite_mismatches) == (6, 0.5, 4.0, 1)
    assert found.mean_error == (0.5 + 0 + 0 - 0.25) / 4  # y - x, over pairs of finite values
    same = laconic.compare(x, x)
    assert same.psnr == math.inf and same.nrmse == 0
    assert laconic.compare(x.reshape(2, 3), x) == same
    with pytest.raises(laconic.Mismatch, match="float32"):
        laconic.compare(x, x.astype("float32"))
    with pytest.raises(laconic.Mismatch):
        laconic.compare(x, x[:3])

# SPDX-License-Identifier: BSD-3-Clause
"""What comes back is what went in, within the bound, for whatever hypothesis comes up with."""

from fractions import Fraction

import numpy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import laconic
from fields import DTYPES, bits, check_bound, smooth

# NaN, infinities, -0.0 and denormals are in here; payloads of NaN come from bit patterns below.
arrays = st.sampled_from(DTYPES).flatmap(lambda dtype: hnp.arrays(
    dtype, hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=70),
    elements=hnp.from_dtype(numpy.dtype(dtype), allow_nan=True, allow_infinity=True, allow_subnormal=True)))
tame_arrays = st.sampled_from(DTYPES).flatmap(lambda dtype: hnp.arrays(
    dtype, st.integers(0, 3000), elements=st.floats(-100, 100, width=32), fill=st.just(0.25)))
patterns = st.sampled_from([("uint32", "float32"), ("uint64", "float64")]).flatmap(lambda dtypes: hnp.arrays(
    dtypes[0], st.integers(0, 300), elements=hnp.from_dtype(numpy.dtype(dtypes[0]))).map(lambda a: a.view(dtypes[1])))
bounds = st.floats(min_value=5e-324, max_value=1e300, allow_nan=False, allow_infinity=False)
ALMOST_ONE = 1 + Fraction(1, 2**50)
tame_bounds = st.sampled_from([1.0, 0.1, 1e-3, 1e-6, 1e-12])


@given(arrays | patterns, bounds)
@example(numpy.array([numpy.nan, -0.0, numpy.inf, -numpy.inf, 5e-324, 1.0]), 0.5)
@example(numpy.array([1e-45, -0.0, 3.4e38], "float32"), 5e-324)
def test_absolute(a, bound):
    check_bound(a, laconic.decompress(laconic.compress(a, abs=bound)), bound)


@given(tame_arrays, tame_bounds, st.booleans())
def test_absolute_bounds_of_everyday(a, bound, checksum):
    frame = laconic.compress(a, abs=bound, checksum=checksum)
    assert laconic.inspect(frame).checksummed == checksum
    check_bound(a, laconic.decompress(frame), bound)


@given(arrays | tame_arrays, tame_bounds)
def test_relative(a, factor):
    frame = laconic.compress(a, rel=factor)
    bound = laconic.inspect(frame).bound
    check_bound(a, laconic.decompress(frame), bound)
    finite = a[numpy.isfinite(a)].tolist()
    if finite:
        # Range and product are doubles.
        assert Fraction(bound) <= Fraction(factor) * (Fraction(max(finite)) - Fraction(min(finite))) * ALMOST_ONE


@given(arrays | patterns)
def test_lossless(a):
    assert numpy.array_equal(bits(laconic.decompress(laconic.compress(a, lossless=True))), bits(numpy.ravel(a)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [0, 1, 2, 31, 32, 33, 2047, 2048, 2049, 100_000])
def test_counts(dtype, count):
    a = smooth(count, dtype)
    frame = laconic.compress(a, abs=1e-3)
    about = laconic.inspect(frame)
    assert (about.dtype, about.count, about.bound, about.frame_bytes) == (dtype, count, 1e-3, len(frame))
    y = laconic.decompress(frame)
    assert y.dtype == dtype and y.shape == (count,)
    check_bound(a, y, 1e-3)


def test_a_smooth_field_shrinks():
    a = smooth(100_000, "float32")
    assert len(laconic.compress(a, rel=1e-3)) * 5 < a.nbytes


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("offset", range(1, 8))
def test_unaligned(dtype, offset):
    a = smooth(5000, dtype)
    memory = bytearray(offset) + a.tobytes()
    shifted = numpy.frombuffer(memory, dtype, offset=offset)
    frame = laconic.compress(shifted, abs=1e-4)
    assert frame == laconic.compress(a, abs=1e-4)
    target = numpy.frombuffer(bytearray(len(memory)), dtype, offset=offset)
    laconic.decompress(memoryview(bytes(offset) + frame)[offset:], out=target)
    check_bound(a, target, 1e-4)


@given(st.data())
def test_views_of_any_strides(data):
    whole = smooth(6 * 7 * 8, data.draw(st.sampled_from(DTYPES))).reshape(6, 7, 8)
    view = whole[data.draw(hnp.basic_indices(whole.shape, allow_ellipsis=False, max_dims=3))]
    view = numpy.asarray(view)
    view = view.transpose(data.draw(st.permutations(range(view.ndim))))
    flat = numpy.ascontiguousarray(view)
    assert laconic.compress(view, abs=1e-3) == laconic.compress(flat, abs=1e-3)
    swapped = view.astype(view.dtype.newbyteorder("S"))
    assert laconic.compress(swapped, abs=1e-3) == laconic.compress(flat, abs=1e-3)


def test_engines_give_the_same_bytes():
    a = smooth(10_000, "float32")
    before = laconic.engine()
    try:
        frames = set()
        for name in laconic.engines():
            laconic.use_engine(name)
            assert laconic.engine() == name
            frames.add(laconic.compress(a, abs=1e-3))
        assert len(frames) == 1
    finally:
        laconic.use_engine(before)

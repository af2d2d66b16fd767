# SPDX-License-Identifier: BSD-3-Clause
"""Arithmetic on frames agrees with numpy's on the decompressed values, and the integers behind frames travel, too."""

import operator

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import laconic
from fields import DTYPES, check_bound, smooth

BOUND = 1e-2
WIDE = {"float32": "float64", "float64": "longdouble"}
values = st.floats(-100, 100, width=16) | st.sampled_from([numpy.nan, numpy.inf, -numpy.inf, -0.0])


def pairs_of(dtypes):
    return st.sampled_from(dtypes).flatmap(lambda dtype: st.integers(0, 200).flatmap(
        lambda n: st.tuples(*(hnp.arrays(dtype, n, elements=values),) * 2)))


pairs = pairs_of([*DTYPES, "float16"])
# What 16-bit types decode to has been rounded, which the operations on frames do not see.
wide_pairs = pairs_of(DTYPES)


def frames_of(*arrays, **keywords):
    return [laconic.compress(a, abs=BOUND, max_abs=100, **keywords) for a in arrays]


def decoded(*frames):
    return [laconic.decompress(frame) for frame in frames]


def check_equal(y, expected):
    """Equal values; NaN for NaN."""
    assert y.dtype == expected.dtype
    assert numpy.array_equal(y, expected, equal_nan=True), (y, expected)


def rounded(operation, a, b):
    """The result in a wider type, rounded once."""
    wide = WIDE[a.dtype.name]
    with numpy.errstate(invalid="ignore", over="ignore"):
        return operation(a.astype(wide), b.astype(wide)).astype(a.dtype)


@given(wide_pairs, st.sampled_from([None, 50]))
def test_sums_and_differences_are_those_of_numpy(arrays, row_length):
    a, b = frames_of(*arrays, row_length=row_length)
    x, y = decoded(a, b)
    for function, operation in ((laconic.add, operator.add), (laconic.subtract, operator.sub)):
        made = function(a, b)
        check_close(laconic.decompress(made), rounded(operation, x, y))
        about = laconic.inspect(made)
        assert (about.contributions, about.bound, about.codec) == (2, 2 * BOUND, "fle")


def check_close(y, expected):
    """Within an ulp, which the rounding of the decoded operands may cost."""
    assert y.dtype == expected.dtype
    assert numpy.array_equal(numpy.isnan(y), numpy.isnan(expected))
    infinite = numpy.isinf(expected)
    assert numpy.array_equal(y[infinite], expected[infinite])
    finite = numpy.isfinite(expected)
    assert (numpy.abs(y[finite].astype("longdouble") - expected[finite]) <=
            2 * numpy.spacing(numpy.maximum(100, numpy.abs(expected[finite]))).astype("longdouble")).all()


@given(pairs)
def test_operations_are_within_the_bounds(arrays):
    """Against the originals: two bounds, and the rounding to the type."""
    a, b = frames_of(*arrays)
    for function, operation in ((laconic.add, operator.add), (laconic.subtract, operator.sub)):
        check_within(laconic.decompress(function(a, b)), operation, *arrays, 2 * BOUND)
    for function, operation in ((laconic.minimum, numpy.minimum), (laconic.maximum, numpy.maximum)):
        check_within(laconic.decompress(function(a, b)), operation, *arrays, BOUND)


def check_within(made, operation, x, y, bound):
    with numpy.errstate(invalid="ignore"):
        exact = operation(x.astype("longdouble"), y.astype("longdouble"))
    finite = numpy.isfinite(exact)
    ulp = numpy.spacing(numpy.full(1, 256, made.dtype)).astype("longdouble")
    assert (numpy.abs(made[finite] - exact[finite]) <= bound + ulp).all()
    check_equal(made[~finite], exact[~finite].astype(made.dtype))


@given(pairs)
def test_extremes_are_those_of_numpy(arrays):
    a, b = frames_of(*arrays)
    x, y = decoded(a, b)
    check_equal(laconic.decompress(laconic.minimum(a, b)), numpy.minimum(x, y))
    check_equal(laconic.decompress(laconic.maximum(a, b)), numpy.maximum(x, y))


@given(pairs, st.sampled_from([-3, -1, 0, 1, 2, 1000]))
def test_multiples(arrays, factor):
    frame, = frames_of(arrays[0])
    made = laconic.scale(frame, factor)
    assert laconic.inspect(made).contributions == max(1, abs(factor))
    y = laconic.decompress(frame)
    if y.dtype != "float16":
        with numpy.errstate(invalid="ignore"):
            expected = (y.astype("longdouble") * factor).astype(y.dtype)
        found = laconic.decompress(made)
        finite = numpy.isfinite(y)
        assert (numpy.abs(found[finite] - expected[finite]) <=
                max(1, abs(factor)) * numpy.spacing(y[finite].dtype.type(128))).all()
        check_equal(found[~finite], expected[~finite])
    if factor == -1:
        assert laconic.negate(frame) == made
    if factor == 2 and numpy.isfinite(arrays[0]).all():
        assert laconic.add(frame, frame) == made


def test_factors_that_are_none():
    frame, = frames_of(smooth(10))
    for wrong, kind in ((2**31, laconic.InvalidArgument), (-(2**31) - 1, laconic.InvalidArgument),
                        (0.5, laconic.InvalidType), ("x", laconic.InvalidType), (None, laconic.InvalidType)):
        with pytest.raises(kind, match="factor"):
            laconic.scale(frame, wrong)
    assert laconic.inspect(laconic.scale(frame, numpy.int64(5))).contributions == 5


def test_frames_that_do_not_fit():
    a = smooth(100)
    frame = laconic.compress(a, abs=1e-3)
    others = [laconic.compress(a, abs=1e-2), laconic.compress(a[:50], abs=1e-3),
              laconic.compress(a.astype("float32"), abs=1e-3), laconic.compress(a, abs=1e-3, row_length=50)]
    for function in (laconic.subtract, laconic.minimum, laconic.maximum):
        for other in others:
            with pytest.raises(laconic.Mismatch):
                function(frame, other)
        with pytest.raises(laconic.InvalidType, match="b is list"):
            function(frame, [1.0])
        with pytest.raises((laconic.Truncated, laconic.Corrupt)):
            function(frame[:-1], frame)


@given(pairs, st.sampled_from([None, 50]))
def test_integers(arrays, row_length):
    # Small enough that the rounding of float16 is less than the bound.
    a, b = (numpy.nan_to_num(x, nan=1, posinf=2, neginf=-2) / x.dtype.type(16) for x in arrays)
    a += a.dtype.type(0)  # no -0.0
    q = laconic.quantise(a, abs=BOUND, max_abs=6.5, row_length=row_length)
    frame, other = (laconic.compress(x, abs=BOUND, max_abs=6.5, row_length=row_length) for x in (a, b))
    assert q.integers.dtype == "int32" and q.integers.shape == a.shape and q.dtype == a.dtype.name
    about = laconic.inspect(frame)
    assert (q.step, q.bound, q.row_length) == (about.step, about.bound, about.row_length)
    assert q.magnitude == numpy.abs(q.integers).max(initial=0) and about.magnitude <= q.magnitude
    assert (numpy.abs(q.integers * q.step - a.astype("float64")) <= BOUND * (1 + 1e-12)).all()
    assert laconic.decompress(q.encode()).tobytes() == laconic.decompress(frame).tobytes()
    assert laconic.decompress(q.add_to(other)).tobytes() == laconic.decompress(laconic.add(frame, other)).tobytes()
    back = laconic.extract(q.encode())
    assert numpy.array_equal(back.integers, q.integers)
    assert (back.dtype, back.step, back.bound, back.row_length) == (q.dtype, q.step, q.bound, q.row_length)


def test_integers_may_be_changed():
    a = smooth(5000, "float32")
    q = laconic.quantise(a, rel=1e-3)
    check_bound(a, laconic.decompress(q.encode()), q.bound)
    twice = laconic.QuantisedArray(2 * q.integers, q.dtype, q.step, q.bound, 2 * q.magnitude, q.row_length)
    assert laconic.decompress(twice.encode()).tobytes() == laconic.decompress(laconic.scale(q.encode(), 2)).tobytes()
    with pytest.raises(AttributeError):
        q.step = 1.0
    assert laconic.extract(laconic.scale(q.encode(), -3)).integers.tolist() == (-3 * q.integers).tolist()


def test_what_has_no_integers():
    for bad in (numpy.nan, numpy.inf, 1e30):
        with pytest.raises(laconic.Unrepresentable) as caught:
            laconic.quantise(numpy.array([1.0, bad], "float32"), abs=1e-3)
        assert (caught.value.code, caught.value.name) == (12, "unrepresentable")
        assert isinstance(caught.value, ValueError)
        with pytest.raises(laconic.Unrepresentable):
            laconic.extract(laconic.compress(numpy.array([1.0, bad], "float32"), abs=1e-3))
    q = laconic.quantise(smooth(100), abs=1e-3)
    large = laconic.QuantisedArray(q.integers + numpy.int32(2**30), q.dtype, q.step, q.bound, 2**31, 0)
    with pytest.raises(laconic.Unrepresentable):
        large.encode()
    with pytest.raises(laconic.Unsupported):
        laconic.extract(laconic.compress(smooth(100), abs=1e-3, codec="szx"))
    with pytest.raises(laconic.InvalidBound):
        laconic.quantise(smooth(100))


@pytest.mark.parametrize("changes, kind", [
    ({"integers": numpy.zeros(10)}, laconic.InvalidType), ({"integers": numpy.zeros(10, "int64")}, laconic.InvalidType),
    ({"integers": numpy.zeros(20, "int32")[::2]}, laconic.InvalidType), ({"integers": [1]}, laconic.InvalidType),
    ({"integers": numpy.zeros(10, ">i4")}, laconic.InvalidType), ({"dtype": "int8"}, laconic.InvalidType),
    ({"step": -1.0}, laconic.InvalidArgument), ({"step": float("nan")}, laconic.InvalidArgument),
    ({"bound": -1.0}, laconic.InvalidBound), ({"magnitude": -1}, laconic.InvalidArgument),
    ({"magnitude": 0}, laconic.Mismatch), ({"magnitude": 2.5}, laconic.InvalidType),
    ({"row_length": 5}, laconic.InvalidArgument), ({"row_length": 2**40}, laconic.InvalidArgument)])
def test_integers_that_contradict_themselves(changes, kind):
    q = laconic.quantise(smooth(10), abs=1e-3)
    fields = {name: getattr(q, name) for name in ("integers", "dtype", "step", "bound", "magnitude", "row_length")}
    wrong = laconic.QuantisedArray(**{**fields, **changes})
    for call in (wrong.encode, lambda: wrong.add_to(q.encode())):
        with pytest.raises(kind):
            call()


@given(st.data())
def test_hostile_frames(data):
    """Damage is an error of this package or gives other values; nothing else."""
    a = smooth(data.draw(st.integers(0, 3000)), data.draw(st.sampled_from([*DTYPES, "float16"])))
    row_length = data.draw(st.sampled_from([None, 40]))
    codec = data.draw(st.sampled_from([c.name for c in laconic.codecs() if c.available and c.name != "zfp_rate"]))
    codec = codec if a.dtype != "float16" else "fle"
    good = laconic.compress(a, abs=1e-2, codec=codec, row_length=row_length)
    bad = bytearray(good)
    for _ in range(data.draw(st.integers(1, 3))):
        bad[data.draw(st.integers(0, len(bad) - 1))] = data.draw(st.integers(0, 255))
    bad = bytes(bad[:data.draw(st.sampled_from([len(bad), len(bad) // 2, 70]))]) + data.draw(st.binary(max_size=20))
    for call in (lambda: laconic.decompress(bad), lambda: laconic.inspect(bad), lambda: laconic.add(good, bad),
                 lambda: laconic.subtract(bad, good), lambda: laconic.minimum(good, bad), lambda: laconic.negate(bad),
                 lambda: laconic.scale(bad, 1000), lambda: laconic.extract(bad), lambda: laconic.add(a, bad),
                 lambda: laconic.frame_size(bad), lambda: laconic.decompress(good + bad)):
        try:
            call()
        except laconic.Error as error:
            assert error.code in (4, 5, 6, 7, 12), error

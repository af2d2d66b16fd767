# SPDX-License-Identifier: BSD-3-Clause
"""bfloat16, which numpy does not have: as numpy arrays with a dtype of that name (ml_dtypes, or a stand-in that looks
like it), through DLPack, and back as that dtype, as its bits, or into memory of 16-bit integers."""

import sys
import types

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import laconic
from fields import smooth
from test_dlpack import Exporter

try:
    import ml_dtypes
    BFLOAT16 = numpy.dtype(ml_dtypes.bfloat16)
except ImportError:
    ml_dtypes = None
    # numpy makes the name of such a type from the class and the bits.
    BFLOAT16 = numpy.dtype((type("bfloat", (numpy.void,), {}), 2))


@pytest.fixture(params=["with", "without"])
def module(request, monkeypatch):
    """With ml_dtypes and without."""
    given_module = ml_dtypes or types.SimpleNamespace(bfloat16=BFLOAT16)
    monkeypatch.setitem(sys.modules, "ml_dtypes", given_module if request.param == "with" else None)
    return request.param


def from_floats(x):
    """Truncated, which is good enough."""
    return (numpy.ascontiguousarray(x, "float32").view("uint32") >> 16).astype("uint16")


def to_floats(bits):
    return (numpy.asarray(bits).view("uint16").astype("uint32") << 16).view("float32")


def check_bf16(bits, made, bound):
    with numpy.errstate(invalid="ignore"):  # signalling NaN
        x, y = to_floats(bits).astype("float64"), to_floats(made).astype("float64")
    finite = numpy.isfinite(x)
    assert numpy.array_equal(bits[~finite], numpy.asarray(made).view("uint16")[~finite])
    assert (numpy.abs(x[finite] - y[finite]) <= bound).all()


BITS = from_floats(smooth(5000))


def test_the_stand_in_looks_like_the_real_one():
    assert (BFLOAT16.name, BFLOAT16.itemsize, BFLOAT16.isnative) == ("bfloat16", 2, True)


def test_arrays_of_that_dtype(module):
    expected = laconic.compress(Exporter(BITS, code=4), abs=1e-2)
    assert laconic.inspect(expected).dtype == "bfloat16"
    a = BITS.view(BFLOAT16)
    for view in (a, a.reshape(50, 100)):
        assert laconic.compress(view, abs=1e-2) == expected
    assert laconic.compress(a[::-2], abs=1e-2) == laconic.compress(a[::-2].copy(), abs=1e-2)
    y = laconic.decompress(expected)
    assert y.dtype == (BFLOAT16 if module == "with" else "uint16")
    check_bf16(BITS, y, 1e-2)
    assert laconic.decompress(laconic.add(a, expected)).tobytes() == \
        laconic.decompress(laconic.add(expected, expected)).tobytes()
    assert laconic.compare(a, a).max_abs_error == 0
    with laconic.Writer(lambda data: None, abs=1e-2, dtype=BFLOAT16) as writer:
        writer.write(a)
    assert writer.values_in == a.size


@pytest.mark.parametrize("dtype", [BFLOAT16, "uint16", "int16"])
def test_out(dtype):
    frame = laconic.compress(BITS.view(BFLOAT16), abs=1e-2, row_length=100)
    out = numpy.empty(BITS.shape, "uint16").view(dtype)
    assert laconic.decompress(frame, out) is out
    check_bf16(BITS, out, 1e-2)
    with pytest.raises(laconic.Mismatch):
        laconic.decompress(frame, numpy.empty(BITS.shape, "float16"))
    with pytest.raises(laconic.InvalidArgument, match="read-only"):
        out.flags.writeable = False
        laconic.decompress(frame, out)


@given(hnp.arrays("uint16", st.integers(0, 300)), st.sampled_from([None, 1e-3, 0.5, 100.0]))
def test_any_bits(bits, bound):
    keywords = {"lossless": True} if bound is None else {"abs": bound}
    out = numpy.empty_like(bits)
    laconic.decompress(laconic.compress(bits.view(BFLOAT16), **keywords), out)
    if bound is None:
        assert numpy.array_equal(out, bits)
    else:
        check_bf16(bits, out, bound)


def test_integers_are_not_taken_for_it():
    with pytest.raises(laconic.InvalidType, match="uint16"):
        laconic.compress(BITS, abs=1e-2)


def test_quantised():
    q = laconic.quantise(BITS.view(BFLOAT16), abs=1e-1)
    assert q.dtype == "bfloat16"
    out = numpy.empty_like(BITS)
    check_bf16(BITS, laconic.decompress(q.encode(), out), 1e-1)

# SPDX-License-Identifier: BSD-3-Clause
"""Every codec by its name, 16-bit types, rows, threads and progress: what comes back is within the bound, the bytes are
the same however a call runs, and a call that is asked to stop does."""

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import laconic
from fields import DTYPES, bits, check_bound, smooth

AVAILABLE = [codec for codec in laconic.codecs() if codec.available]
BOUNDED = [codec.name for codec in AVAILABLE if codec.keeps_bound]
HALF_CODECS = ["fle", "raw"]
CANCELLED = (11, "cancelled")


def test_the_table():
    table = {codec.name: codec for codec in laconic.codecs()}
    assert list(table) == ["fle", "szx", "zfp_abs", "zfp_rate", "raw"]
    assert [codec.id for codec in table.values()] == [1, 2, 3, 4, 5]
    assert [name for name, codec in table.items() if codec.adds] == ["fle"]
    assert [name for name, codec in table.items() if not codec.keeps_bound] == ["zfp_rate"]
    assert table["fle"].available and table["raw"].available and table["fle"].summary


@given(st.sampled_from(BOUNDED), st.sampled_from(DTYPES), st.integers(0, 6000), st.sampled_from([1e-1, 1e-4]),
       st.booleans())
def test_every_codec_keeps_its_bound(codec, dtype, count, bound, checksum):
    a = smooth(count, dtype)
    a[::97] = numpy.nan
    a[5::301] = -0.0
    frame = laconic.compress(a, abs=bound, codec=codec, checksum=checksum)
    about = laconic.inspect(frame)
    assert (about.codec, about.dtype, about.count, about.checksummed) == (codec, dtype, count, checksum)
    check_bound(a, laconic.decompress(frame), about.bound)
    assert about.bound <= bound


@pytest.mark.parametrize("codec", BOUNDED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_relative_and_lossless(codec, dtype):
    a = smooth(5000, dtype)
    frame = laconic.compress(a, rel=1e-3, codec=codec)
    check_bound(a, laconic.decompress(frame), 1e-3 * float(numpy.ptp(a.astype("float64"))))
    exact = laconic.decompress(laconic.compress(a, lossless=True, codec=codec))
    assert exact.tobytes() == a.tobytes()


@pytest.mark.skipif("zfp_rate" not in [codec.name for codec in AVAILABLE], reason="this build lacks libzfp")
def test_a_rate_instead_of_a_bound():
    a = smooth(40_000, "float32")
    frame = laconic.compress(a, codec="zfp_rate", rate=8)
    about = laconic.inspect(frame)
    assert (about.codec, about.bound, about.step) == ("zfp_rate", 0, 8)
    assert len(frame) < a.nbytes * 8 / 32 * 1.05
    assert laconic.compare(a, laconic.decompress(frame)).psnr > 20
    for keywords in ({"abs": 1e-3}, {"rel": 1e-3}, {"lossless": True}):
        with pytest.raises(laconic.InvalidBound, match="no error bound.*zfp_abs"):
            laconic.compress(a, codec="zfp_rate", rate=8, **keywords)
    with pytest.raises(laconic.InvalidArgument, match="needs rate="):
        laconic.compress(a, codec="zfp_rate")
    for rate in (0, -1, 33, float("nan"), float("inf")):
        with pytest.raises(laconic.InvalidArgument, match="rate"):
            laconic.compress(a, codec="zfp_rate", rate=rate)
    with pytest.raises(laconic.InvalidType, match="rate"):
        laconic.compress(a, codec="zfp_rate", rate="x")


def test_codecs_that_are_none():
    a = smooth(10)
    with pytest.raises(laconic.InvalidArgument, match="fle.*szx"):
        laconic.compress(a, abs=1, codec="zip")
    with pytest.raises(laconic.InvalidType, match="codec is int"):
        laconic.compress(a, abs=1, codec=1)
    with pytest.raises(laconic.InvalidArgument, match="rate=8"):
        laconic.compress(a, abs=1, rate=8)
    with pytest.raises(laconic.Unsupported, match="szx"):
        laconic.compress(a.astype("float16"), abs=1, codec="szx")
    for codec in ("szx", "raw"):
        frame = laconic.compress(a, abs=1e-3, codec=codec)
        with pytest.raises(laconic.Unsupported):
            laconic.add(frame, frame)


halves = hnp.arrays("float16", st.integers(0, 400), elements=hnp.from_dtype(
    numpy.dtype("float16"), allow_nan=True, allow_infinity=True, allow_subnormal=True))
half_patterns = hnp.arrays("uint16", st.integers(0, 400)).map(lambda a: a.view("float16"))


@given(halves | half_patterns, st.sampled_from([1e-6, 1e-3, 0.1, 7.0, 1e6]), st.sampled_from(HALF_CODECS))
def test_half_within_an_absolute_bound(a, bound, codec):
    check_bound(a, laconic.decompress(laconic.compress(a, abs=bound, codec=codec)), bound)


@given(halves | half_patterns)
def test_half_lossless(a):
    assert numpy.array_equal(bits(laconic.decompress(laconic.compress(a, lossless=True))), bits(a))


def test_half_of_everyday():
    a = smooth(50_000, "float16")
    for keywords in ({"abs": 1e-2}, {"rel": 1e-2}):
        frame = laconic.compress(a, **keywords)
        about = laconic.inspect(frame)
        assert (about.dtype, about.count) == ("float16", a.size) and len(frame) * 1.5 < a.nbytes
        y = laconic.decompress(frame, shape=(500, 100))
        assert y.dtype == "float16"
        check_bound(a, y, 1e-2 * (1 if "abs" in keywords else float(numpy.ptp(a.astype("float64")))))
    for view in (a[::-3], a.reshape(100, 500).T, a.astype(">f2"), memoryview(a)):
        assert laconic.compress(view, abs=1e-2) == laconic.compress(numpy.array(view, "float16"), abs=1e-2)
    out = numpy.empty(a.size, "float16")
    assert laconic.decompress(laconic.compress(a, abs=1e-2), out) is out
    check_bound(a, out, 1e-2)
    with pytest.raises(laconic.Mismatch, match="bf16"):
        laconic.decompress(laconic.compress(a, abs=1e-2), numpy.empty(a.size, "uint16"))
    assert laconic.compare(a, out).max_abs_error <= 1e-2


def test_rows():
    y, x = numpy.meshgrid(numpy.linspace(0, 5, 200), numpy.linspace(0, 5, 300), indexing="ij")
    field = (numpy.sin(3 * x) * numpy.cos(2 * y) + 0.01 * numpy.sin(90 * x)).astype("float32")
    plain = laconic.compress(field, abs=1e-3)
    assert laconic.inspect(plain).row_length == 0
    with_rows = laconic.compress(field, abs=1e-3, row_length="auto")
    assert laconic.inspect(with_rows).row_length == 300 and len(with_rows) < len(plain)
    assert with_rows == laconic.compress(field.ravel(), abs=1e-3, row_length=300)
    assert laconic.decompress(with_rows).tobytes() == laconic.decompress(plain).tobytes()
    assert laconic.inspect(laconic.compress(field.T, abs=1e-3, row_length="auto")).row_length == 200
    assert laconic.compress(field.ravel(), abs=1e-3, row_length="auto") == laconic.compress(field, abs=1e-3)
    for unused in (31, 2048, 10**6):
        assert laconic.compress(field, abs=1e-3, row_length=unused) == plain
    with pytest.raises(laconic.Mismatch):
        laconic.add(plain, with_rows)
    for wrong, kind in ((-1, laconic.InvalidArgument), ("all", laconic.InvalidArgument), (3.5, laconic.InvalidType)):
        with pytest.raises(kind, match="row_length"):
            laconic.compress(field, abs=1e-3, row_length=wrong)


@pytest.mark.parametrize("dtype", [*DTYPES, "float16"])
def test_threads_give_the_same_bytes(dtype):
    a = smooth(300_000, dtype)
    frame = laconic.compress(a, abs=1e-2)
    total = laconic.add(frame, frame)
    for threads in (0, 2, 3):
        assert laconic.compress(a, abs=1e-2, threads=threads) == frame
        assert laconic.decompress(frame, threads=threads).tobytes() == laconic.decompress(frame).tobytes()
        assert laconic.add(frame, frame, threads=threads) == total
        assert laconic.scale(frame, 2, threads=threads) == total
        assert laconic.add(a, frame, threads=threads) == total
    for wrong, kind in ((-1, laconic.InvalidArgument), ("two", laconic.InvalidType)):
        with pytest.raises(kind, match="threads"):
            laconic.compress(a, abs=1e-2, threads=wrong)


LARGE = smooth(400_000)
LARGE_FRAME = laconic.compress(LARGE, abs=1e-3)
OTHER = {codec: laconic.compress(LARGE, abs=1e-3, codec=codec) for codec in BOUNDED if codec != "fle"}
CALLS = {
    "compress": lambda progress: laconic.compress(LARGE, abs=1e-3, progress=progress),
    "threads": lambda progress: laconic.compress(LARGE, abs=1e-3, threads=2, progress=progress),
    "decompress": lambda progress: laconic.decompress(LARGE_FRAME, progress=progress),
    "concatenated": lambda progress: laconic.decompress(LARGE_FRAME * 2, progress=progress),
    "add": lambda progress: laconic.add(LARGE_FRAME, LARGE_FRAME, progress=progress),
    "add_array": lambda progress: laconic.add(LARGE, LARGE_FRAME, progress=progress),
    "subtract": lambda progress: laconic.subtract(LARGE_FRAME, LARGE_FRAME, progress=progress),
    "scale": lambda progress: laconic.scale(LARGE_FRAME, 3, progress=progress),
    "negate": lambda progress: laconic.negate(LARGE_FRAME, progress=progress),
    "minimum": lambda progress: laconic.minimum(LARGE_FRAME, LARGE_FRAME, progress=progress),
    **{codec: lambda progress, codec=codec: laconic.compress(LARGE, abs=1e-3, codec=codec, progress=progress)
       for codec in OTHER},
}


@pytest.mark.parametrize("name", CALLS)
def test_progress(name):
    """It grows up to the total, changes nothing, stops the call, and its exceptions come through."""
    seen = []
    watched = CALLS[name](lambda *now: seen.append(now))
    expected = CALLS[name](None)
    assert watched.tobytes() == expected.tobytes() if isinstance(watched, numpy.ndarray) else watched == expected
    total = LARGE.size * (2 if name == "concatenated" else 1)
    # Of several threads the calling one may have had but one part.
    assert len(seen) >= (1 if name == "threads" else 2) and all(now[1] == total for now in seen)
    for column in (0, 2):
        values = [now[column] for now in seen]
        assert values == sorted(values) and values[0] > 0
    assert seen[-1][0] <= total

    for answer in (False, 0, numpy.bool_(False)):
        calls = []
        with pytest.raises(laconic.Cancelled) as caught:
            CALLS[name](lambda *now: calls.append(now) or answer)
        assert (caught.value.code, caught.value.name) == CANCELLED and len(calls) == 1

    class Mine(Exception):
        pass

    def fail(*_):
        raise Mine("stop")

    with pytest.raises(Mine, match="stop"):
        CALLS[name](fail)
    with pytest.raises(KeyboardInterrupt):
        CALLS[name](lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))

    class Undecided:
        def __bool__(self):
            raise Mine("neither")

    with pytest.raises(Mine, match="neither"):
        CALLS[name](lambda *_: Undecided())
    with pytest.raises(laconic.InvalidType, match="progress is int"):
        CALLS[name](1)


def test_progress_may_call_back():
    """The GIL is held, so the callable may do anything, also compress."""
    inner = []
    frame = laconic.compress(LARGE, abs=1e-3, progress=lambda *_: inner.append(laconic.compress(LARGE[:10], abs=1)))
    assert frame == LARGE_FRAME and len(set(inner)) == 1

# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that come as DLPack capsules, from numpy and from capsules made here by hand, good and bad."""

import ctypes

import numpy
import pytest

import laconic
from fields import DTYPES, smooth


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("type", Type),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", DELETER), ("flags", ctypes.c_uint64), ("tensor", Tensor)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
capsule_name = ctypes.pythonapi.PyCapsule_GetName
capsule_name.restype = ctypes.c_char_p
capsule_name.argtypes = [ctypes.py_object]


class Exporter:
    """Offers an array through DLPack only, and counts how often it gets it back."""

    def __init__(self, a, device=(1, 0), announced=None, version=None, strides=True, code=2, lanes=1, **changes):
        self.array, self.announced, self.version = a, announced or device, version
        self.returned, self.exported = 0, 0
        self.shape = (ctypes.c_int64 * max(1, a.ndim))(*a.shape)
        self.strides = (ctypes.c_int64 * max(1, a.ndim))(*(s // a.itemsize for s in a.strides)) if strides else None
        tensor = Tensor(a.ctypes.data, Device(*device), a.ndim, Type(code, 8 * a.itemsize, lanes),
                        ctypes.cast(self.shape, ctypes.POINTER(ctypes.c_int64)),
                        ctypes.cast(self.strides, ctypes.POINTER(ctypes.c_int64)) if strides else None, 0)
        for name, value in changes.items():
            setattr(tensor, name, value)
        self.deleter = DELETER(self.take_back)
        self.managed = Managed(tensor, None, self.deleter) if version is None else \
            Versioned(*version, None, self.deleter, 0, tensor)

    def take_back(self, _):
        self.returned += 1

    def __dlpack_device__(self):
        return self.announced

    def __dlpack__(self, **options):
        if self.version is None and options:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        self.exported += 1
        name = b"dltensor" if self.version is None else b"dltensor_versioned"
        self.capsule = new_capsule(ctypes.addressof(self.managed), name, None)
        return self.capsule


class NumpyThroughDlpack:
    def __init__(self, a):
        self.a = a

    def __dlpack__(self):
        return self.a.__dlpack__()

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()


@pytest.mark.parametrize("dtype", [*DTYPES, "float16"])
@pytest.mark.parametrize("version", [None, (1, 0), (1, 7)])
def test_tensors_are_taken_and_given_back(dtype, version):
    whole = smooth(24 * 50, dtype).reshape(24, 50)
    for a in (whole, whole[::2, ::-3], whole.T, whole[3], whole[:0], whole[5, 5:6].reshape(())):
        source = Exporter(a, version=version)
        assert laconic.compress(source, abs=1e-3) == laconic.compress(a, abs=1e-3)
        assert (source.exported, source.returned) == (1, 1)
        assert capsule_name(source.capsule).startswith(b"used_dltensor")


def test_tensors_of_numpy():
    a = smooth(1000).reshape(20, 50)
    for view in (a, a.T, a[::3, 1::2]):
        assert laconic.compress(NumpyThroughDlpack(view), abs=1e-3) == laconic.compress(view, abs=1e-3)


def test_no_strides_means_c_order():
    a = smooth(60).reshape(3, 4, 5)
    assert laconic.compress(Exporter(a, strides=False), abs=1e-3) == laconic.compress(a, abs=1e-3)


def test_byte_offset():
    a = smooth(100)
    assert laconic.compress(Exporter(a[10:], data=a.ctypes.data, byte_offset=80), abs=1e-3) == \
        laconic.compress(a[10:], abs=1e-3)


def test_in_sums_and_comparisons():
    a = smooth(1000)
    frame = laconic.compress(a, abs=1e-3)
    assert laconic.add(Exporter(a), frame) == laconic.add(a, frame)
    assert laconic.compare(Exporter(a), a).max_abs_error == 0


@pytest.mark.parametrize("device, name", [((2, 1), "cuda:1"), ((10, 0), "rocm:0"), ((8, 0), "metal:0"),
                                          ((13, 0), "cuda_managed:0"), ((99, 3), "device type 99:3")])
def test_other_devices_are_refused_by_name(device, name):
    source = Exporter(smooth(10), device=device)
    with pytest.raises(laconic.InvalidArgument, match=name):
        laconic.compress(source, abs=1e-3)
    assert source.exported == 0, "asked for the data although the device is wrong"
    liar = Exporter(smooth(10), device=device, announced=(1, 0))
    with pytest.raises(laconic.InvalidArgument, match=name):
        laconic.compress(liar, abs=1e-3)
    assert liar.returned == 1


@pytest.mark.parametrize("changes, word", [({"code": 0}, "int64"), ({"code": 4}, "bfloat64"), ({"code": 6}, "bool"),
                                           ({"lanes": 4}, "float64x4"), ({"code": 77}, "77")])
def test_other_types_are_refused_by_name(changes, word):
    source = Exporter(smooth(10), **changes)
    with pytest.raises(laconic.InvalidType, match=word):
        laconic.compress(source, abs=1e-3)
    assert source.returned == 1


@pytest.mark.parametrize("changes", [{"ndim": -1}, {"ndim": 1000}, {"data": None}, {"shape": None}])
@pytest.mark.parametrize("version", [None, (1, 0)])
def test_tensors_that_contradict_themselves(changes, version):
    source = Exporter(smooth(10), version=version, **changes)
    with pytest.raises(laconic.InvalidArgument, match="DLPack"):
        laconic.compress(source, abs=1e-3)
    assert source.returned == 1


@pytest.mark.parametrize("shape", [(-1,), (2**62, 2), (2**40, 2**40), (2**62, 0, 2**62)])
def test_shapes_beyond_reason(shape):
    source = Exporter(numpy.zeros((1,) * len(shape)), strides=False)
    source.shape[:] = shape
    with pytest.raises(laconic.InvalidArgument, match="too large"):
        laconic.compress(source, abs=1e-3)
    assert source.returned == 1


def test_capsules_that_are_none():
    class Other:
        def __init__(self, capsule):
            self.capsule = capsule

        def __dlpack__(self):
            return self.capsule

    used = Exporter(smooth(10))
    laconic.compress(used, abs=1e-3)
    for capsule in (None, 5, used.capsule, new_capsule(1, b"something", None)):
        with pytest.raises(laconic.InvalidArgument, match="capsule"):
            laconic.compress(Other(capsule), abs=1e-3)
    assert used.returned == 1
    future = Exporter(smooth(10), version=(2, 0))
    with pytest.raises(laconic.Unsupported, match="2.0"):
        laconic.compress(future, abs=1e-3)
    assert future.returned == 1


def test_the_exporters_own_exceptions_come_through():
    class Broken:
        def __dlpack__(self, **_):
            raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        laconic.compress(Broken(), abs=1e-3)

# SPDX-License-Identifier: BSD-3-Clause
"""numpy arrays for decompressed elements. numpy is imported when the first one is made: everything else works without
it."""


def numpy_dtype(name):
    """numpy's dtype of an element type. bfloat16 is that of ml_dtypes where it can be imported, else uint16, whose
    elements are then the bits."""
    import numpy

    if name != "bfloat16":
        return numpy.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        return numpy.dtype("uint16")
    return numpy.dtype(ml_dtypes.bfloat16)


def empty(count, name):
    import numpy

    return numpy.empty(count, numpy_dtype(name))


def shared_integers(memory):
    """int32 elements in the memory of a bytearray."""
    import numpy

    return numpy.frombuffer(memory, "int32")

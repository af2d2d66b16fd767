# SPDX-License-Identifier: BSD-3-Clause
"""The exceptions: a code of laconic.h and a sentence flow in, the exception of that code flows out. The codes are
pinned; status.hpp says what each means."""


class Error(Exception):
    """Any failure of laconic. `code` is the pinned number, `name` its stable name; str() says what to do about it."""

    code = None
    name = None


class InvalidArgument(Error, ValueError):
    """An argument outside its domain."""

    code, name = 1, "invalid_argument"


class InvalidType(InvalidArgument, TypeError):
    """An argument of the wrong type, e.g. an array of integers."""


class InvalidBound(Error, ValueError):
    """The error bound is not a finite number > 0, or there is none, or more than one."""

    code, name = 2, "invalid_bound"


class OutputTooSmall(Error, ValueError):
    """An output has less room than its contract asks for."""

    code, name = 3, "output_too_small"


class Truncated(Error):
    """A frame ends before its own header says it should."""

    code, name = 4, "truncated"


class Corrupt(Error):
    """A frame contradicts itself or its checksum."""

    code, name = 5, "corrupt"


class Unsupported(Error):
    """Not a frame, or a version, codec, type or engine that this build does not know."""

    code, name = 6, "unsupported"


class Mismatch(Error, ValueError):
    """Two frames, a frame and an array, or two arrays do not belong together."""

    code, name = 7, "mismatch"


class Cancelled(Error):
    """A progress callable asked to stop."""

    code, name = 11, "cancelled"


class Unrepresentable(Error, ValueError):
    """An element has no integer within the bound, so the array cannot travel in that form."""

    code, name = 12, "unrepresentable"


_BY_CODE = {kind.code: kind for kind in (InvalidArgument, InvalidBound, OutputTooSmall, Truncated, Corrupt, Unsupported,
                                         Mismatch, Cancelled, Unrepresentable)}


def error_of(code, name, message):
    """The exception of a code; codes that have no class of their own become Error."""
    error = _BY_CODE.get(code, Error)(message)
    error.code, error.name = code, name
    return error

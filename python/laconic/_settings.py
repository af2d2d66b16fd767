# SPDX-License-Identifier: BSD-3-Clause
"""Keyword arguments that several functions share, checked and brought into the form that the extension module takes."""

import math
import operator

from ._errors import InvalidArgument, InvalidBound, InvalidType

_ABSOLUTE, _RELATIVE = 0, 1
_LAST_DIMENSION = -1
_UNUSED_RATE = 8.0


def bound_of(abs, rel, lossless):
    """(kind, value) of exactly one of three keyword arguments. 0 is refused, so that a bound that came out as 0 by
    accident is noticed."""
    given = [f"{name}={value}" for name, value in (("abs", abs), ("rel", rel)) if value is not None]
    given += ["lossless=True"] if lossless else []
    if len(given) != 1:
        raise InvalidBound(f"{' and '.join(given) or 'no error bound'} given; "
                           "give exactly one of abs=, rel= and lossless=True")
    if lossless:
        return _ABSOLUTE, 0.0
    kind, value = (_ABSOLUTE, abs) if abs is not None else (_RELATIVE, rel)
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise InvalidBound(f"{given[0]} is not a number; give a finite number > 0") from None
    if not (math.isfinite(value) and value > 0):
        raise InvalidBound(f"{given[0]}; give a finite number > 0, or lossless=True")
    return kind, value


def integer_of(name, value, least, most=2**63 - 1):
    try:
        value = operator.index(value)
    except TypeError:
        raise InvalidType(f"{name} is {type(value).__name__}; give an integer") from None
    if not least <= value <= most:
        raise InvalidArgument(f"{name}={value}; give an integer from {least} to {most}")
    return value


def _number_of(name, value, allowed, remedy):
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InvalidType(f"{name} is {type(value).__name__}; give {remedy}") from None
    if not (math.isfinite(number) and allowed(number)):
        raise InvalidArgument(f"{name}={value}; give {remedy}")
    return number


def _limits_of(codec, abs, rel, lossless, rate):
    """(kind, bound, rate): zfp_rate takes a rate instead of a bound."""
    if codec == "zfp_rate":
        if abs is not None or rel is not None or lossless:
            raise InvalidBound("codec='zfp_rate' keeps no error bound; give rate= (bits per value) alone, or take "
                               "codec='zfp_abs'")
        if rate is None:
            raise InvalidArgument("codec='zfp_rate' needs rate=, in bits per value")
        return _ABSOLUTE, 0.0, _number_of("rate", rate, lambda bits: bits > 0, "a finite number of bits per value > 0")
    if rate is not None:
        raise InvalidArgument(f"rate={rate} belongs to codec='zfp_rate'")
    return (*bound_of(abs, rel, lossless), _UNUSED_RATE)


def _row_of(row_length):
    if row_length is None:
        return 0
    if isinstance(row_length, str):
        if row_length != "auto":
            raise InvalidArgument(f"row_length={row_length!r}; give a number of values, 'auto' or None")
        return _LAST_DIMENSION
    return integer_of("row_length", row_length, 0)


def settings_of(*, abs, rel, lossless, codec="fle", rate=None, row_length=None, checksum=False, max_abs=None):
    """What settings::of() in python/src/settings.hpp takes."""
    if not isinstance(codec, str):
        raise InvalidType(f"codec is {type(codec).__name__}; give a name, e.g. 'fle' (codecs() lists them)")
    kind, bound, rate = _limits_of(codec, abs, rel, lossless, rate)
    magnitude = -1.0
    if max_abs is not None:
        if kind == _RELATIVE:
            raise InvalidArgument("max_abs belongs to abs=; arrays with relative bounds have steps of their own")
        magnitude = _number_of("max_abs", max_abs, lambda number: number >= 0, "a finite number >= 0")
    return kind, bound, codec, rate, _row_of(row_length), bool(checksum), magnitude


def run_of(threads, progress):
    """(threads, progress), as every function of the extension module that takes time has them at its end."""
    if progress is not None and not callable(progress):
        raise InvalidType(f"progress is {type(progress).__name__}; give a callable(done, total, bytes) or None")
    return integer_of("threads", threads, 0, 4096), progress

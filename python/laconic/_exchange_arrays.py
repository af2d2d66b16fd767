# SPDX-License-Identifier: BSD-3-Clause
"""Arrays on their way into and out of an exchange: numpy arrays flow in; where their parts lie, in elements from the
first, and the address of that flow out. Input that lies otherwise than the exchange expects is copied, output never."""

import numpy

from ._errors import InvalidArgument, InvalidType


def strides_of(array, what):
    """Strides in elements, those that do not matter (of one element) as in an array without gaps."""
    strides, inner = [], 1
    for extent, stride in zip(reversed(array.shape), reversed(array.strides)):
        if extent > 1:
            if stride <= 0 or stride % array.itemsize or (not strides and stride != array.itemsize):
                raise InvalidArgument(f"{what} has strides of {array.strides} bytes; elements that are neighbours in the "
                                      "last dimension must be neighbours in memory, and the others lie behind them")
            inner = stride // array.itemsize
        strides.append(inner)
        inner *= extent
    return tuple(reversed(strides))


def check_one_array(parts, what):
    """Distances between arrays that were not made together mean nothing."""
    bases = set()
    for part in parts:
        while isinstance(part.base, numpy.ndarray):
            part = part.base
        bases.add(id(part))
    if len(bases) > 1:
        raise InvalidArgument(f"{what} has arrays with memory of their own; take views of one array")


def places_of(parts, what):
    """(address of the first element of all parts, [(offset, stride, ...)])"""
    addresses = [part.__array_interface__["data"][0] for part in parts]
    first = min(addresses, default=0)
    places = []
    for part, address in zip(parts, addresses):
        offset, rest = divmod(address - first, part.itemsize)
        if rest:
            raise InvalidArgument(f"{what}: the arrays lie {address - first} bytes apart, which is no multiple of their "
                                  f"elements of {part.itemsize}; take views of one array")
        places.append((offset, *strides_of(part, what)))
    return first, places


class OwnMemory:
    """Memory of an exchange, which numpy arrays lie in: it goes when the exchange has been freed and the last of them has
    gone, whichever comes last."""

    def __init__(self, moving, ended):
        self._moving, self._ended = moving, ended
        self._freed = False

    def bytes_of(self, field, size):
        """An array of bytes."""
        return numpy.asarray(_Bytes(self, self._moving.in_array(field), size)) if size else numpy.empty(0, "u1")

    def free_later(self):
        self._freed = True

    def __del__(self):
        # After MPI has ended there is nothing to give back to.
        if self._freed and not self._ended():
            self._moving.free()


class _Bytes:
    """What numpy makes an array of, and keeps."""

    def __init__(self, owner, address, size):
        self.owner = owner
        self.__array_interface__ = {"data": (address, False), "shape": (size,), "typestr": "|u1", "version": 3}


class Side:
    """What a rank gives, or gets: boxes or patches of these shapes, as `like` lies or one behind the other."""

    def __init__(self, name, things, shapes, dtype, like):
        self.name, self.things, self.shapes, self.dtype = name, things, shapes, dtype
        self.places = []
        self.dense = like is None
        if self.dense:
            offset = 0
            for shape in shapes:
                strides = [1]
                for extent in shape[:0:-1]:
                    strides.insert(0, strides[0] * extent)
                self.places.append((offset, *strides))
                offset += strides[0] * shape[0]
        else:
            parts = self.parts_of(like, f"{name}_like")
            check_one_array(parts, f"{name}_like")
            self.places = places_of(parts, f"{name}_like")[1]
        self.elements = max((offset + sum((extent - 1) * stride for extent, stride in zip(shape, strides)) + 1
                             for shape, (offset, *strides) in zip(shapes, self.places)), default=0)

    def views(self, memory):
        """The parts in an array of one dimension."""
        size = self.dtype.itemsize
        return [numpy.ndarray(shape, self.dtype, memory, offset * size, [stride * size for stride in strides])
                for shape, (offset, *strides) in zip(self.shapes, self.places)]

    def parts_of(self, given, what):
        """The arrays that make up `given`, one for each box or patch. No copies."""
        expected = (f"give an array of shape {self.shapes[0]}" if len(self.shapes) == 1 else
                    f"give a list of arrays, one for each of the {len(self.shapes)} {self.things} of this rank")
        if self.dense:
            expected += f", or one array of {sum(numpy.prod(shape, dtype=int) for shape in self.shapes)} elements"
        if given is None or isinstance(given, (list, tuple)):
            parts = list(given or ())
            if len(parts) != len(self.shapes):
                raise InvalidArgument(f"{what} has {len(parts)} arrays; {expected}")
        elif not isinstance(given, numpy.ndarray):
            raise InvalidType(f"{what} is {type(given).__name__}; {expected}")
        elif len(self.shapes) == 1 and given.shape == self.shapes[0]:
            parts = [given]
        elif self.dense and given.ndim == 1 and given.size == self.elements:
            self.check_type(given, what)
            if not given.flags.c_contiguous:
                raise InvalidArgument(f"{what} has strides of {given.strides} bytes; {expected} without gaps")
            return self.views(given)
        else:
            raise InvalidArgument(f"{what} has shape {given.shape}; {expected}")
        for part, shape in zip(parts, self.shapes):
            self.check_type(part, what)
            if part.shape != shape:
                raise InvalidArgument(f"{what} has an array of shape {part.shape} where one of {shape} belongs")
        return parts

    def check_type(self, part, what):
        if not isinstance(part, numpy.ndarray):
            raise InvalidType(f"{what} holds {type(part).__name__}; give numpy arrays")
        if part.dtype != self.dtype:
            raise InvalidType(f"{what} is of {part.dtype}; the exchange was made for {self.dtype}")

    def input(self, given, what):
        """(address, what must stay alive)"""
        if isinstance(given, numpy.ndarray) and self.dense and given.ndim == 1 and not given.flags.c_contiguous:
            given = numpy.ascontiguousarray(given)
        parts = self.parts_of(given, what)
        try:
            address, places = places_of(parts, what)
            if places == self.places:
                return address, parts
        except InvalidArgument:
            pass  # Copied, too.
        memory = numpy.empty(self.elements, self.dtype)
        for view, part in zip(self.views(memory), parts):
            view[...] = part
        return memory.__array_interface__["data"][0], memory

    def output(self, given, what):
        """(address, the parts)"""
        parts = self.parts_of(given, what)
        if not all(part.flags.writeable for part in parts):
            raise InvalidArgument(f"{what} cannot be written to")
        address, places = places_of(parts, what)
        if places != self.places:
            raise InvalidArgument(
                f"{what} lies otherwise than the exchange was made for (offsets and strides, in elements: {places[:3]} "
                f"instead of {self.places[:3]}); give it as out_like when the exchange is made, or an array without gaps")
        return address, parts

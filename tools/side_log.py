#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads side logs (docs/format/trace-signature.md): calls flow out as Python values or as lines of text.

usage: side_log.py FILE...      prints one line per call
"""
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mpi_table import table as tables  # noqa: E402

MAGIC = b"LACLOG1\n"
API = Path(__file__).resolve().parent.parent / "src" / "mpi" / "api"
SPACES = ("NULL", "MPI_BOTTOM", "MPI_IN_PLACE", "heap", "stack", "device", "library", "static",
          "managed", "pinned")
DEVICE = 5
RANKS = ("MPI_PROC_NULL", "MPI_ANY_SOURCE", "MPI_ROOT", "MPI_UNDEFINED")


class LogError(Exception):
    """The bytes are no side log, or a signature that the table does not explain."""


@dataclass
class Call:
    name: str
    start_ns: int
    end_ns: int
    thread: int
    arguments: dict  # name -> value; parameters that are absent are None
    result: object  # "MPI_SUCCESS", another class, "unfinished"; None for functions without one
    signature: bytes

    def __str__(self):
        arguments = ", ".join(f"{name}={show(value)}" for name, value in self.arguments.items())
        thread = f" thread {self.thread}" if self.thread else ""
        return f"{self.name}({arguments}) -> {self.result}{thread}"


def show(value):
    if isinstance(value, list):
        return "[" + ", ".join(show(each) for each in value) + "]"
    return repr(value) if isinstance(value, (bytes, dict)) else str(value)


class Decoder:
    def __init__(self, table):
        self.table = table
        self.functions = {f.number: f for f in table.functions}

    def decode(self, signature, start_ns=0, end_ns=0):
        self.bytes, self.at = signature, 0
        head = self.number()
        thread = self.number() if head & 1 else 0
        function = self.functions.get(head >> 1)
        if function is None:
            raise LogError(f"no function has number {head >> 1}")
        arguments, result = {}, None
        for parameter in function.parameters:
            if parameter.recorded_before and parameter.kind.form != "none":
                arguments[parameter.name] = self.parameter(parameter)
        complete = True
        if function.returns is None:
            code = self.number()
            result = "unfinished" if code == 1 else self.error_name(code)
            complete = code == 0 or result == "MPI_ERR_IN_STATUS"
        if complete:
            for parameter in function.parameters:
                if parameter.recorded_after and parameter.kind.form != "none":
                    arguments[parameter.name] = self.parameter(parameter)
            if function.returns is not None and function.returns.form != "none":
                result = self.value(function.returns)
        if self.at != len(signature):
            raise LogError(f"{function.name}: {len(signature) - self.at} bytes too many in {signature.hex()}")
        return Call(function.name, start_ns, end_ns, thread, arguments, result, signature)

    # -- numbers
    def number(self):
        value, shift = 0, 0
        while True:
            if self.at >= len(self.bytes):
                raise LogError(f"the signature {self.bytes.hex()} ends within a value")
            byte = self.bytes[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def signed(self):
        value = self.number()
        return (value >> 1) ^ -(value & 1)

    # -- forms
    def parameter(self, parameter):
        if parameter.conditions and self.number() == 0:
            return None
        if not parameter.length:
            return self.value(parameter.kind)
        count = self.number()
        if count == 0:
            return None
        count -= 1
        if parameter.kind.form == "integer" and count:
            layout = self.number()
            if layout == 1:
                return [self.signed()] * count
            if layout == 2:
                first, step = self.signed(), self.signed()
                return [first + i * step for i in range(count)]
            return [self.signed() for _ in range(count)]
        if parameter.kind.name == "texts":
            return [self.texts() for _ in range(count)]
        return [self.value(parameter.kind) for _ in range(count)]

    def texts(self):
        found = []
        while (text := self.string()) is not None:
            found.append(text)
        return found

    def value(self, kind):
        return getattr(self, kind.form)(kind) if kind.form in ("handle", "named", "flags") else getattr(self, kind.form)()

    def integer(self):
        return self.signed()

    def rank(self):
        code = self.number()
        if code < len(RANKS):
            return RANKS[code]
        if code == 4:
            return self.signed()
        self.signed()  # the relative form says the same
        return code - 5

    def handle(self, kind):
        code = self.number()
        null, members = self.table.lists[kind.list_name]
        if code == 0:
            return null or "null"
        if code % 2:
            return members[code // 2]
        return f"{kind.list_name}:{code // 2 - 1}"

    def request(self):
        pool = self.number()
        return "MPI_REQUEST_NULL" if pool == 0 else f"request:{pool - 1}.{self.number()}"

    def buffer(self):
        space = self.number()
        return SPACES[space] if space < 3 else self.segment(space)

    def segment(self, space):
        where = SPACES[space] + (str(self.number()) if space == DEVICE else "")
        return f"{where}:{self.number()}{self.signed():+d}"

    def address(self):
        space = self.number()
        return self.signed() if space == 0 else self.segment(space)

    def status(self):
        flags, found = self.number(), {}
        if flags & 1:
            found["source"], found["tag"] = self.rank(), self.signed()
        if flags & 2:
            found["bytes"] = self.number()
        if flags & 4:
            found["cancelled"] = True
        if flags & 8:
            found["error"] = self.error()
        if flags & 16:
            found["ignored"] = True
        return found

    def string(self):
        length = self.number()
        if length == 0:
            return None
        text = self.bytes[self.at:self.at + length - 1]
        self.at += length - 1
        return text.decode("utf-8", "surrogateescape")

    def named(self, kind):
        number = self.number()
        return self.signed() if number == 0 else self.table.lists[kind.list_name][1][number - 1]

    def flags(self, kind):
        bits = self.number()
        return [name for i, name in enumerate(self.table.lists[kind.list_name][1]) if bits >> i & 1]

    def pointer(self):
        number = self.number()
        return "NULL" if number == 0 else f"pointer:{number - 1}"

    def error(self):
        return self.error_name(self.number())

    def error_name(self, code):
        members = self.table.lists["error_class"][1]
        if code == 0:
            return "MPI_SUCCESS"
        if code - 2 < len(members):
            return members[code - 2]
        value = code - 1026
        return f"error {(value >> 1) ^ -(value & 1)}"


def signature_of(name):
    """The bytes of a successful call of a function without arguments by the first thread."""
    number = next(f.number for f in tables.read_table(API).functions if f.name == name) << 1
    head = bytearray()
    while number >= 0x80:
        head.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*head, number, 0))


def read_records(path):
    """(start, end, signature) of every record; a log that a crash cut short ends early."""
    data = Path(path).read_bytes()
    if data[:8] != MAGIC:
        raise LogError(f"{path}: no side log")
    at = 8
    while at + 20 <= len(data):
        size, start, end = struct.unpack_from("<IQQ", data, at)
        if size == 0:
            return
        if at + 20 + size > len(data):
            raise LogError(f"{path}: a record goes beyond the end of the file")
        yield start, end, data[at + 20:at + 20 + size]
        at += 20 + size


def read_log(path):
    """The calls of a side log."""
    decoder = Decoder(tables.read_table(API))
    return [decoder.decode(signature, start, end) for start, end, signature in read_records(path)]


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments else 2
    for path in arguments:
        for call in read_log(path):
            print(call)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

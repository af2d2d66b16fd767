#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Decodes laconic streams with nothing but docs/format/stream.md and Python: a file of frames goes in, the elements
come out, exact to the bit; or one sentence that says which rule of that page the file breaks, and at which byte.

It shares no code with the library, and its names are the page's: the two can check each other, and the page. Numbers
are carried as integers m * 2^e, so that every rounding below is one the page asks for. Codecs fle and raw.

usage: decode_stream.py FILE [--output RAW] [--json] [--explain]
exit status: 0 decoded, 1 refused, 2 usage
"""
import argparse
import json
import struct
import sys
from dataclasses import asdict, dataclass
from math import ldexp
from pathlib import Path

from ieee import BF16, F16, F32, F64, Format, finite, is_representable, number, plus, rounded_through, wrapped
from xxh3 import xxh3_64

CHUNK, BLOCK, HEADER_BYTES = 2048, 32, 64
LAYOUT = struct.Struct("<4sBBBBQQQQIIQQ")
PLAIN, SIGNED, RAW, MIXED = range(4)
KINDS = ("plain", "signed", "raw", "mixed")
RATE_FOLLOWS, CODE_RAW, RATE_RAW = 15, 14, RAW << 6
ROUNDED, HELD = 1, 2                    # bits of a flag word
FLAG_ROUNDED, FLAG_CHECKSUM = 1, 2      # bits of the header's flags


class Refused(Exception):
    """The first rule that the file breaks, and the offset of the bytes that break it."""

    def __init__(self, offset, sentence):
        super().__init__(f"byte {offset}: {sentence}")


@dataclass(frozen=True)
class Type:
    """What the page says per element type: the formats a result is rounded to, one after the other, and the sizes."""
    format: Format
    plain: tuple            # the roundings of q * s
    mixed: tuple            # the roundings of q * s + r
    step: Format            # the format that represents every step
    integer_bytes: int      # of base, and of the integers, which wrap
    most_planes: int
    magnitude_bits: int
    wide_parts: int         # binary64 numbers per wide value


TYPES = {1: Type(F32, (F64, F32), (F32,), F32, 4, 32, 30, 1), 2: Type(F64, (F64,), (F64,), F64, 8, 63, 61, 2),
         3: Type(F16, (F64, F32, F16), (F16,), F32, 4, 32, 30, 1),
         4: Type(BF16, (F64, F32, BF16), (BF16,), F32, 4, 32, 30, 1)}


# --- Reading ---------------------------------------------------------------------------------------------------------

class Cursor:
    """Reads a file front to back, never beyond `end`, and keeps notes on what the bytes were."""

    def __init__(self, data, at, end, notes):
        self.data, self.at, self.end, self.notes = data, at, end, notes

    def take(self, size, what, text=None):
        """The next bytes, which are `what`, noted as `text` if that is given."""
        if size > self.end - self.at:
            raise Refused(self.at, f"{what} needs {size} bytes, and {self.end - self.at} are left")
        start, self.at = self.at, self.at + size
        if text is not None and size:
            self.note(start, text)
        return self.data[start:self.at]

    def word(self, what, text=None, size=4, signed=False):
        return int.from_bytes(self.take(size, what, text), "little", signed=signed)

    def note(self, start, text):
        self.notes.append((start, self.at, text))


def words(data, size=4):
    return [int.from_bytes(data[i:i + size], "little") for i in range(0, len(data), size)]


# --- Frame -----------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Header:
    offset: int
    codec: int
    type: int
    flags: int
    count: int
    step: int           # bits of binary64, as is bound
    bound: int
    magnitude: int
    contributions: int
    row_length: int
    payload_bytes: int
    checksum: int


def as_float(bits):
    """For people to read."""
    return repr(ldexp(*number(bits, F64))) if finite(bits, F64) else "not finite"


def read_header(data, at, notes):
    """The header at `at`; every field on its own is allowed."""
    fields = Cursor(data, at, len(data), notes).take(HEADER_BYTES, "the header")
    magic, version, *rest = LAYOUT.unpack(fields)
    header = Header(at, *rest)
    notes += [(at + 8 * i, at + 8 * i + 8, text) for i, text in enumerate((
        f"magic, version {version}, codec {header.codec}, type {header.type}, flags {header.flags:#04x}",
        f"count {header.count}", f"step {as_float(header.step)}", f"bound {as_float(header.bound)}",
        f"magnitude {header.magnitude}", f"contributions {header.contributions}, row length {header.row_length}",
        f"{header.payload_bytes} payload bytes", "checksum" if header.flags & FLAG_CHECKSUM else "no checksum"))]
    require(magic == b"lacn", at, "the magic is not 'lacn'")
    require(version == 1, at + 4, f"version {version} is unknown")
    require(header.codec in CODECS, at + 5, f"codec {header.codec} is unknown")
    require(header.type in TYPES, at + 6, f"type {header.type} is unknown")
    require(header.flags & ~(FLAG_ROUNDED | FLAG_CHECKSUM) == 0, at + 7, f"flags {header.flags:#04x} has unknown bits")
    check_ranges(header)
    return header


def require(condition, offset, sentence):
    if not condition:
        raise Refused(offset, sentence)


def check_ranges(header):
    """The ranges in the table of the page."""
    at, info = header.offset, TYPES[header.type]
    if header.codec == FLE:
        require(finite(header.step, F64) and 0 < header.step < F64.sign, at + 16, "step is not positive and finite")
        require(is_representable(number(header.step, F64), info.step), at + 16,
                f"step is not representable in {info.step.name}")
        limit = (1 << info.magnitude_bits - (2 if header.row_length else 0)) - 1
        require(header.row_length == 0 or BLOCK <= header.row_length < CHUNK, at + 44, "row length is not allowed")
        require(header.magnitude <= limit, at + 32, f"magnitude exceeds {limit}")
        require(header.contributions >= 1, at + 40, "contributions is 0")
    else:
        require(not header.flags & FLAG_ROUNDED, at + 7, "there are no raw parts that could have been rounded")
        require(is_zero(header.step), at + 16, "step is not 0")
        require(header.magnitude == 0, at + 32, "magnitude is not 0")
        require(header.contributions == 1, at + 40, "contributions is not 1")
        require(header.row_length == 0, at + 44, "row length is not 0")
    require(finite(header.bound, F64) and (header.bound < F64.sign or is_zero(header.bound)), at + 24,
            "bound is not finite and >= 0")
    require(header.flags & FLAG_CHECKSUM or header.checksum == 0, at + 56, "checksum is not 0 though none is announced")


def is_zero(bits):
    return bits in (0, F64.sign)


def largest_payload(header):
    """More bytes than any chunks for so many elements take: see *Sizes*."""
    info = TYPES[header.type]
    chunks, blocks = -(-header.count // CHUNK), -(-header.count // BLOCK)
    per_block = 1 + 4 * info.most_planes + 4
    return chunks * (info.integer_bytes + 4 * 8 + 3) + blocks * per_block + 8 * info.wide_parts * header.count


@dataclass(frozen=True)
class Frame:
    header: Header
    elements: list      # bits
    largest: int        # no |q| exceeds this; where it exceeds the header's magnitude, the elements mean nothing
    end: int


def read_frame(data, at, notes):
    """The frame at `at`."""
    header = read_header(data, at, notes)
    chunks = -(-header.count // CHUNK) if header.codec == FLE else 0
    if header.codec == FLE:
        require(header.payload_bytes <= largest_payload(header), at + 48, "payload bytes are too many for count")
    left = len(data) - at - HEADER_BYTES
    require(4 * chunks + header.payload_bytes <= left, at + 48,
            f"table and payload need {4 * chunks + header.payload_bytes} bytes, and {left} are left")
    end = at + HEADER_BYTES + 4 * chunks + header.payload_bytes
    if header.flags & FLAG_CHECKSUM:
        found = xxh3_64(data[at + HEADER_BYTES:end], xxh3_64(data[at:at + 56]))
        require(found == header.checksum, at + 56,
                f"the checksum is {header.checksum:016x}, that of the bytes {found:016x}")
    cursor = Cursor(data, at + HEADER_BYTES, end, notes)
    elements, largest = CODECS[header.codec](header, cursor)
    require(cursor.at == end, cursor.at, f"{end - cursor.at} bytes of payload are left over")
    return Frame(header, elements, largest, end)


def read_raw(header, cursor):
    """Codec raw: the elements as they are."""
    size = TYPES[header.type].format.bytes
    require(header.payload_bytes == size * header.count, header.offset + 48,
            "payload bytes are not those of the elements")
    return words(cursor.take(size * header.count, "elements", "elements"), size), 0


def read_elsewhere(header, cursor):
    raise Refused(header.offset + 5, f"codec {header.codec} is not one that this program decodes")


# --- Codec fle -------------------------------------------------------------------------------------------------------

def read_fle(header, cursor):
    table_at, chunks = cursor.at, -(-header.count // CHUNK)
    table = words(cursor.take(4 * chunks, "the chunk table", "chunk table"))
    first, elements, largest = cursor.at, [], 0
    for k, entry in enumerate(table):
        offset = cursor.at - first
        require(offset % 4 == 0 and offset // 4 % (1 << 32) == entry, table_at + 4 * k,
                f"entry {k} of the chunk table is {entry}, and the chunk begins at {offset}")
        of_chunk, largest_q = read_chunk(header, cursor, min(CHUNK, header.count - CHUNK * k))
        elements += of_chunk
        largest = max(largest, largest_q)
    return elements, largest


def read_rates(info, cursor, blocks):
    """The rate bytes of a chunk's blocks, from its codes and those that follow."""
    codes_at = cursor.at
    codes = words(cursor.take(4 * -(-blocks // 8), "the codes"))
    codes = [word >> 4 * i & 15 for word in codes for i in range(8)]
    cursor.note(codes_at, "codes " + " ".join(str(code) for code in codes[:blocks]))
    require(not any(codes[blocks:]), cursor.at - 4, "a code without a block is not 0")
    followers = codes[:blocks].count(RATE_FOLLOWS)
    at = cursor.at
    area = cursor.take(-(-followers // 4) * 4, "the rate bytes",
                       f"rate bytes of {followers} blocks, padded")
    for i, rate in enumerate(area[:followers]):
        kind, w = rate >> 6, rate & 63
        require(kind != PLAIN or w >= CODE_RAW, at + i,
                f"rate byte {rate:#04x} follows, though code {rate} stands for it")
        require(kind != RAW, at + i, f"rate byte {rate:#04x} is not allowed: raw blocks have a code")
        require(w <= info.most_planes, at + i, f"rate byte {rate:#04x} has more than {info.most_planes} planes")
    require(not any(area[followers:]), at + followers, "the padding of the rate bytes is not zero")
    following = iter(area)
    return [next(following) if code == RATE_FOLLOWS else RATE_RAW if code == CODE_RAW else code
            for code in codes[:blocks]]


def read_chunk(header, cursor, count):
    """The bits of the chunk's elements, and the largest |q|."""
    info = TYPES[header.type]
    integer_bits = 8 * info.integer_bytes
    q = cursor.word("the base", "base", info.integer_bytes, signed=True)
    cursor.notes[-1] = cursor.notes[-1][:2] + (f"base {q}",)
    rates = read_rates(info, cursor, -(-count // BLOCK))
    deltas, elements, largest = [], [], 0
    for k, rate in enumerate(rates):
        lanes = min(BLOCK, count - BLOCK * k)
        block = read_block(info, cursor, rate, lanes, f"block {k}")
        held = block.planes is None
        for i in range(lanes):
            delta = 0 if held else block.planes[i]
            if not held and header.row_length and len(deltas) >= header.row_length:
                delta = wrapped(delta + deltas[len(deltas) - header.row_length], integer_bits)
            deltas.append(delta)
            q = wrapped(q + delta, integer_bits)
            largest = max(largest, 0 if held else abs(q))
            elements.append(element(header, block, i, None if held else q))
    return elements, largest


@dataclass
class Block:
    kind: int
    planes: list = None     # the numbers in the planes; None in a block without integers
    mask: int = 0           # signed blocks
    raw: list = ()          # raw blocks: bits of T; mixed blocks: tuples of bits of binary64


def read_block(info, cursor, rate, lanes, name):
    kind, w = rate >> 6, rate & 63
    block, title = Block(kind), f"{name}: {KINDS[kind]}"
    if kind == RAW:
        size = info.format.bytes
        block.raw = words(cursor.take(size * lanes, f"{name}, raw,", f"{title}, {lanes} values"), size)
        return block
    if w == 0 and kind == PLAIN:
        cursor.note(cursor.at, f"{title}, 0 planes")
    planes = [cursor.word(f"plane {p} of {name}", f"{title}, plane {p} of {w}") for p in range(w)]
    block.planes = [wrapped(sum((plane >> i & 1) << p for p, plane in enumerate(planes)), w) if w else 0
                    for i in range(lanes)]
    if kind == SIGNED:
        block.mask = cursor.word(f"the mask of {name}", f"{title}, {w} planes: mask of -0.0")
    if kind == MIXED:
        at = cursor.at
        flags = cursor.word(f"the flag word of {name}", f"{title}, {w} planes: flag word")
        require(flags & ~(ROUNDED | HELD) == 0, at, f"flag word {flags:#x} has unknown bits")
        require(not flags & HELD or w == 0, at, "a held chain has planes")
        wide = words(cursor.take(8 * info.wide_parts * lanes, f"the wide values of {name}", f"{title}, wide values"), 8)
        block.raw = [tuple(wide[i:i + info.wide_parts]) for i in range(0, len(wide), info.wide_parts)]
        if flags & HELD:
            block.planes = None
    return block


def element(header, block, i, q):
    """The bits that lane `i` decodes to; `q` is None in blocks without integers."""
    info = TYPES[header.type]
    if block.kind == RAW:
        return block.raw[i]
    product = (0, 0)
    if q is not None:
        m, e = number(header.step, F64)
        product = q * m, e
    if block.kind == MIXED:
        return with_raw_part(info, product, block.raw[i], q is None)
    bits = rounded_through(product, info.plain)
    return info.format.sign if q == 0 and block.mask >> i & 1 else bits


def with_raw_part(info, product, parts, lone):
    """q * s + r of a mixed block."""
    nonfinite = {part for part in parts if not finite(part, F64)}
    if nonfinite:
        infinite = nonfinite < {F64.infinity, F64.infinity | F64.sign}
        return info.format.infinity_of(nonfinite.pop() >= F64.sign) if infinite else info.format.canonical_nan
    total = product
    for part in parts:
        total = plus(total, number(part, F64))
    if lone and parts[0] == F64.sign and all(map(is_zero, parts)):
        return info.format.sign
    return rounded_through(total, info.mixed)


FLE = 1
CODECS = {FLE: read_fle, 2: read_elsewhere, 3: read_elsewhere, 4: read_elsewhere, 5: read_raw}


# --- Program ---------------------------------------------------------------------------------------------------------

def read_file(data, notes=None):
    """The frames that `data` holds one after the other."""
    notes, frames, at = [] if notes is None else notes, [], 0
    while at < len(data) or not frames:
        frame = read_frame(data, at, notes)
        require(not frames or frames[0].header.type == frame.header.type, at + 6,
                "type is not that of the frames before")
        frames.append(frame)
        at = frame.end
    return frames


def raw_bytes(frames):
    """The array, little-endian."""
    return b"".join(bits.to_bytes(TYPES[frame.header.type].format.bytes, "little")
                    for frame in frames for bits in frame.elements)


def explain(data, notes):
    for start, end, text in notes:
        lines = [data[i:min(i + 16, end)].hex(" ") for i in range(start, end, 16)] or ["-"]
        for k, line in enumerate(lines):
            print(f"{start + 16 * k:04x}  {line:<47}  {text if k == 0 else ''}".rstrip())


def main(arguments):
    parser = argparse.ArgumentParser(description="Decodes a laconic stream, as docs/format/stream.md has it.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--output", type=Path, help="write the elements here, little-endian")
    parser.add_argument("--json", action="store_true", help="print the headers, and XXH3-64 of the elements, as JSON")
    parser.add_argument("--explain", action="store_true", help="print the file with notes on what its bytes are")
    options = parser.parse_args(arguments)
    try:
        data = options.file.read_bytes()
    except OSError as error:
        print(f"decode_stream: {error}", file=sys.stderr)
        return 2
    notes, refusal, frames = [], None, []
    try:
        frames = read_file(data, notes)
    except Refused as error:
        refusal = error
    if options.explain:
        explain(data, notes)
    if refusal:
        print(f"decode_stream: {options.file}: {refusal}", file=sys.stderr)
        return 1
    raw = raw_bytes(frames)
    if options.output:
        options.output.write_bytes(raw)
    count = sum(len(frame.elements) for frame in frames)
    if options.json:
        about = {"type": TYPES[frames[0].header.type].format.name, "count": count, "xxh3_64": f"{xxh3_64(raw):016x}"}
        print(json.dumps({**about, "frames": [asdict(frame.header) for frame in frames]}, indent=1))
    elif not options.explain:
        print(f"{len(frames)} frame(s), {count} elements")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

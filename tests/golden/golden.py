# SPDX-License-Identifier: BSD-3-Clause
"""What the tests with the independent decoder share: an index.json goes in, what decode_stream.py makes of its files
comes out as sentences on where the two disagree.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STREAM = Path(__file__).resolve().parent / "stream" / "v1"
sys.path.insert(0, str(ROOT / "tools"))

import decode_stream  # noqa: E402  (found by the path above)
from xxh3 import xxh3_64  # noqa: E402


def index(directory):
    return json.loads((directory / "index.json").read_text())


def disagreement(directory, entry):
    """None, or how the decoder differs from what the index says of a file."""
    name = entry["file"]
    try:
        frames = decode_stream.read_file((directory / name).read_bytes())
    except decode_stream.Refused as refusal:
        return f"{name}: the library decodes it, the decoder says: {refusal}" if entry["status"] == "ok" else None
    if entry["status"] != "ok":
        return f"{name}: the library says {entry['status']}, the decoder decodes it"
    header = frames[0].header
    found = {"type": decode_stream.TYPES[header.type].format.name, "count": sum(len(f.elements) for f in frames),
             "frames": len(frames), "contributions": header.contributions, "row_length": header.row_length}
    # Integers beyond the header's magnitude mean nothing, and which NaN a damaged raw part gives is not specified.
    within = all(frame.largest <= frame.header.magnitude for frame in frames)
    nan = decode_stream.TYPES[header.type].format.canonical_nan
    if within and not ("damaged" in name and any(nan in frame.elements for frame in frames)):
        found["xxh3_64"] = f"{xxh3_64(decode_stream.raw_bytes(frames)):016x}"
    elif not within and "damaged" not in name:
        return f"{name}: an integer exceeds the header's magnitude"
    wrong = {key: (entry[key], value) for key, value in found.items() if entry[key] != value}
    return f"{name}: library and decoder differ: {wrong}" if wrong else None


def make_golden(*arguments, engine=None):
    """Runs the program that writes golden files; returns what it prints."""
    environment = dict(os.environ, **({"LACONIC_FORCE_ISA": engine} if engine else {}))
    return subprocess.run([os.environ["LACONIC_MAKE_GOLDEN"], *map(str, arguments)], env=environment, check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def contents(directory):
    """Every file below, with its bytes."""
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}

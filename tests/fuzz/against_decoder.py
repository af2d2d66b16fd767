#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the library with the decoder that was written from docs/format/stream.md alone (tools/decode_stream.py):
files of frames go to both, and both must take or refuse each, and decode it to the same bits.

usage: against_decoder.py DECODER FUZZ_DESCRIBE FOLDER...
Each FOLDER is a corpus: the inputs of its targets `frame` and `decode` are files of frames.
exit status: 0 they agree, 1 they do not
"""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CODECS = (1, 5)         # what the decoder knows: fle and raw
MOST_VALUES = 8192      # it takes its time


def files_of_frames(folders):
    for folder in folders:
        for target in ("frame", "decode"):
            yield from sorted(path for path in (Path(folder) / target).glob("*") if path.suffix != ".md")


def is_compared(data):
    """Only the first header decides; what follows it is mostly its payload."""
    known = len(data) <= 5 or data[5] in CODECS or not 1 <= data[5] <= 5
    return known and int.from_bytes(data[8:16], "little") <= MOST_VALUES


def answer(command):
    """Exit status, and the bytes that the command wrote to the file it names last; no bytes after a refusal."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    values = Path(command[-1]).read_bytes() if done.returncode == 0 else b""
    return done.returncode, values, (done.stdout + done.stderr).strip()


def disagreement(decoder, describe, path):
    if not is_compared(path.read_bytes()):
        return None
    with tempfile.TemporaryDirectory() as scratch:
        ours = answer([describe, str(path), f"{scratch}/ours"])
        theirs = answer([sys.executable, "-B", decoder, str(path), "--output", f"{scratch}/theirs"])
    if ours[0] == theirs[0] and ours[1] == theirs[1]:
        return ""
    if ours[0] != theirs[0]:
        return f"{path}: library exits {ours[0]} ({ours[2]}), decoder {theirs[0]} ({theirs[2][:300]})"
    at = next((i for i, (a, b) in enumerate(zip(ours[1], theirs[1])) if a != b), min(len(ours[1]), len(theirs[1])))
    return f"{path}: byte {at} of the values: library {ours[1][at:at + 8].hex()}, decoder {theirs[1][at:at + 8].hex()}"


def main():
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    decoder, describe, folders = sys.argv[1], sys.argv[2], sys.argv[3:]
    # The same bytes in two folders are one file.
    paths = list({path.read_bytes(): path for path in files_of_frames(folders)}.values())
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(lambda path: disagreement(decoder, describe, path), paths))
    findings = [text for text in answers if text]
    print(*findings, sep="\n")
    compared = sum(text is not None for text in answers)
    print(f"{compared} files compared, {len(answers) - compared} left out, {len(findings)} disagreements")
    return 1 if findings or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

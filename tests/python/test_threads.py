# SPDX-License-Identifier: BSD-3-Clause
"""The codec works without the GIL. Python's own switching is turned off, so another thread runs only when a thread lets
go of the GIL by itself: either because it waits, or inside the codec. Nothing here depends on speed."""

import io
import sys
import threading

import numpy
import pytest

import laconic
from fields import smooth

FIELD = smooth(200_000)
FRAME = laconic.compress(FIELD, abs=1e-3)
QUANTISED = laconic.quantise(FIELD, abs=1e-3)
OUT = numpy.empty_like(FIELD)
# Calls after which a thread that waits for the GIL must have had it; far more than it takes.
PATIENCE = 20_000

CALLS = {
    "compress": lambda: laconic.compress(FIELD, abs=1e-3),
    "copy": lambda: laconic.compress(FIELD.reshape(400, 500).T, abs=1e-3),
    "decompress": lambda: laconic.decompress(FRAME, out=OUT),
    "inspect": lambda: laconic.inspect(FRAME),
    "add": lambda: laconic.add(FRAME, FRAME),
    "add_array": lambda: laconic.add(FIELD, FRAME),
    "subtract": lambda: laconic.subtract(FRAME, FRAME),
    "scale": lambda: laconic.scale(FRAME, 3),
    "quantise": lambda: laconic.quantise(FIELD, abs=1e-3),
    "extract": lambda: laconic.extract(FRAME),
    "encode": lambda: QUANTISED.encode(),
    "add_to": lambda: QUANTISED.add_to(FRAME),
    "concatenated": lambda: laconic.decompress(FRAME * 2),
    "writer": lambda: laconic.Writer(lambda data: None, abs=1e-3, segment_values=100_000).write(FIELD),
    "reader": lambda: laconic.Reader(io.BytesIO(FRAME)).read(),
    "compare": lambda: laconic.compare(FIELD, FIELD),
}


@pytest.fixture(autouse=True)
def no_switching():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("name", CALLS)
def test_another_thread_counts_meanwhile(name):
    go = threading.Semaphore(0)
    counter = [0]

    def count():
        while True:
            go.acquire()
            if counter[0] < 0:
                return
            counter[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        for goal in range(1, 4):
            go.release()  # the counter may run, but does not get the GIL by this
            for _ in range(PATIENCE):
                CALLS[name]()
                if counter[0] >= goal:
                    break
            assert counter[0] >= goal, "the GIL was held during the call"
    finally:
        counter[0] = -1
        go.release()
        thread.join()


def test_two_threads_are_in_the_codec_at_the_same_time():
    inside = [False, False]
    overlaps = []
    frames = [None, None]
    fields = [smooth(200_000), smooth(200_000, phase=1.0)]

    def work(me):
        for _ in range(PATIENCE):
            inside[me] = True
            if inside[1 - me]:
                overlaps.append(me)  # the other one is in its call, and this one enters
            frames[me] = laconic.compress(fields[me], abs=1e-3)
            inside[me] = False
            if overlaps:
                return

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert overlaps
    assert frames == [laconic.compress(field, abs=1e-3) for field in fields]

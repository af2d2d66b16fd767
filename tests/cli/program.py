# SPDX-License-Identifier: BSD-3-Clause
"""What every test of the command line needs: arguments flow in, the built program runs in a directory of its own,
exit code, output and the files it left behind flow out."""

import array
import math
import os
import struct
import subprocess
import tempfile
import unittest

PROGRAM = os.environ.get("LACONIC_PROGRAM", os.path.abspath("build/bin/laconic"))
TYPES = {"f32": "f", "f64": "d"}
WIDTHS = {"f32": 4, "f64": 8, "f16": 2, "bf16": 2}


def field(count, phase=0.0, amplitude=1.0):
    """A smooth field with a little fine structure, the same on every machine to the last bit that matters."""
    return [amplitude * (math.sin(0.01 * i + phase) + 0.1 * math.sin(0.37 * i)) for i in range(count)]


def pack(values, kind):
    if kind == "f16":
        return struct.pack(f"<{len(values)}e", *values)
    if kind == "bf16":
        # The upper half of each float, rounded towards zero.
        halves = array.array("H", array.array("f", values).tobytes())
        return halves[1::2].tobytes()
    return array.array(TYPES[kind], values).tobytes()


def unpack(data, kind):
    if kind == "f16":
        return list(struct.unpack(f"<{len(data) // 2}e", data))
    if kind == "bf16":
        wide = array.array("H", bytes(2 * len(data)))
        wide[1::2] = array.array("H", data)
        return unpack(wide.tobytes(), "f32")
    values = array.array(TYPES[kind])
    values.frombytes(data)
    return values.tolist()


def commands():
    """Words of every command that can say its help here: those that hand over to a program of an MPI need one."""
    alone = ["compress", "decompress", "inspect", "add", "subtract", "scale", "negate", "minimum", "maximum", "compare",
             "plan", "predict", "trace", "stat", "dump", "diff", "export", "info", "bench codec", "completion"]
    handed_over = ["audit", "calibrate", "bench collective", "bench redistribute"]
    beside = [f"{PROGRAM}-{flavour}" for flavour in ("mpich", "openmpi")]
    return [words.split() for words in alone + (handed_over if any(map(os.path.exists, beside)) else [])]


class CommandLine(unittest.TestCase):
    """Runs the program in an empty directory; check_left() says what must be there afterwards."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="laconic-cli-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_program(self, *arguments, stdin=b"", environment=None, program=PROGRAM):
        variables = {k: v for k, v in os.environ.items() if not k.startswith(("LACONIC_", "OMPI_", "PMI", "HYD"))}
        variables.update(environment or {})
        return subprocess.run([program, *arguments], input=stdin, capture_output=True, cwd=self.directory,
                              env=variables, timeout=120, check=False)

    def succeed(self, *arguments, **options):
        done = self.run_program(*arguments, **options)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr.decode()}")
        self.assertEqual(done.stderr, b"", f"{arguments} complained although it succeeded")
        return done.stdout

    def refuse(self, code, arguments, *words, **options):
        """The program must end with `code` and one line "laconic ...: ..." that holds every one of `words`."""
        done = self.run_program(*arguments, **options)
        message = done.stderr.decode()
        self.assertEqual(done.returncode, code, f"{arguments}: exit code; message: {message}")
        self.assertTrue(message.startswith("laconic"), message)
        self.assertEqual(message.count("\n"), 1, f"not one line: {message!r}")
        self.assertTrue(message.endswith("\n"))
        for word in words:
            self.assertIn(word, message, f"{arguments}")
        self.assertEqual(done.stdout, b"", f"{arguments} wrote output although it failed")
        return message

    def check_left(self, *names):
        self.assertEqual(sorted(os.listdir(self.directory)), sorted(names))


class Ranks(unittest.TestCase):
    """Runs programs on several ranks of an MPI; files lie in a folder of the test."""

    launcher = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, values):
        path = os.path.join(self.folder.name, name)
        with open(path, "wb") as out:
            out.write(pack(values, "f32"))
        return path

    def launch(self, ranks, *command):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("LACONIC_")}
        # A rank that is left waiting shows as a time-out.
        return subprocess.run([self.launcher, str(ranks), *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=60, env=environment, check=False)

#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds tools/check_layers.py against small trees with one known fault each, so that its silence means something."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import check_layers  # noqa: E402


class CheckLayers(unittest.TestCase):
    def faults(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return check_layers.check(folder)

    def expect_fault(self, files, *words):
        faults = self.faults(files)
        self.assertEqual(len(faults), 1, faults)
        for word in words:
            self.assertIn(word, faults[0])

    clean = {
        "include/laconic/codec.hpp": '#include "laconic/bound.hpp"\n#include <span>\n',
        "include/laconic/bound.hpp": "",
        "include/laconic/collective.hpp": '#include <mpi.h>\n#include "laconic/bound.hpp"\n',
        "src/base/options.hpp": '#include "laconic/bound.hpp"\n',
        "src/codec/fle.hpp": '#include "base/options.hpp"\n#include "laconic/codec.hpp"\n',
        "src/codec/avx2/engine.cpp": '#include "codec/fle.hpp"\n#include "../fle.hpp"\n',
        "src/mpi/comm.hpp": "#include <mpi.h>\n",
        "src/redistribute/exchange/messages.cpp": "#include <mpi.h>\n",
        "src/collective/ring.cpp": '#include "mpi/comm.hpp"\n#include "codec/fle.hpp"\n',
        "src/cli/bench_mpi.cpp": '#include "laconic/collective.hpp"\n#include "collective/ring.cpp"\n',
        "src/gpu/kernels.cu": "#include <cuda_runtime.h>\n",
        "python/src/arrays.cpp": '#include "arrays.hpp"\n#include "laconic/codec.hpp"\n',
        "python/src/arrays.hpp": "",
        "plugins/hdf5/filter.cpp": '#include "chunk.hpp"\n#include <hdf5.h>\n',
        "plugins/hdf5/chunk.hpp": '#include "laconic/codec.hpp"\n',
        "examples/stack.cpp": '#include "laconic/collective.hpp"\n',
    }

    def test_accepts_a_clean_tree(self):
        self.assertEqual(self.faults(self.clean), [])

    def test_catches_an_upward_arrow_and_names_its_line(self):
        self.expect_fault(self.clean | {"src/base/log.cpp": '// x\n\n#include "codec/fle.hpp"\n'},
                          "src/base/log.cpp:3", "codec/fle.hpp", "runs up")

    def test_catches_an_upward_arrow_through_a_relative_path(self):
        self.expect_fault(self.clean | {"src/base/log.cpp": '#  include "../codec/fle.hpp"\n'}, "runs up")

    def test_catches_a_sideways_arrow(self):
        self.expect_fault(self.clean | {"src/trace/log.cpp": '#include "codec/fle.hpp"\n'}, "runs sideways")

    def test_catches_a_public_header_that_includes_an_internal_one(self):
        self.expect_fault(self.clean | {"include/laconic/x.hpp": '#include "base/options.hpp"\n'}, "public headers only")

    def test_catches_an_example_that_includes_an_internal_header(self):
        self.expect_fault(self.clean | {"examples/x.cpp": '#include "base/options.hpp"\n'}, "public headers only")

    def test_catches_bindings_and_plug_ins_that_include_internals(self):
        for file in ("python/src/x.cpp", "plugins/hdf5/x.cpp"):
            self.expect_fault(self.clean | {file: '#include "codec/fle.hpp"\n'}, file, "public headers only")
        self.expect_fault(self.clean | {"python/src/x.cpp": '#include "laconic/collective.hpp"\n'}, "mpi.h")

    def test_catches_mpi_where_it_does_not_belong(self):
        self.expect_fault(self.clean | {"src/codec/x.cpp": "#include <mpi.h>\n"}, "src/codec/x.cpp", "mpi.h")
        self.expect_fault(self.clean | {"src/redistribute/plan.cpp": "#include <mpi.h>\n"}, "src/redistribute/plan.cpp")

    def test_catches_mpi_through_a_public_header(self):
        self.expect_fault(self.clean | {"src/cli/info.cpp": '#include "laconic/collective.hpp"\n'},
                          "src/cli/info.cpp", "laconic/collective.hpp -> mpi.h")

    def test_catches_cuda_outside_the_gpu_part(self):
        for header in ("cuda_runtime.h", "cuda.h", "cub/cub.cuh", "hip/hip_runtime.h"):
            self.expect_fault(self.clean | {"src/collective/x.cpp": f"#include <{header}>\n"}, "src/gpu")

    def test_catches_a_part_without_a_floor(self):
        self.expect_fault(self.clean | {"src/attic/x.cpp": "\n"}, "src/attic/x.cpp", "FLOORS")

    def test_refuses_an_empty_tree(self):
        self.expect_fault({}, "no sources")


if __name__ == "__main__":
    unittest.main()

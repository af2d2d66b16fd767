// SPDX-License-Identifier: BSD-3-Clause
// A trace as an OTF2 archive, for Vampir, Scalasca, otf2-print and their kin: a trace flows in, a folder with an
// anchor file, definitions and one file of events per thread of a rank flows out.
#pragma once

#include <string>

#include "laconic/trace.hpp"

namespace laconic::cli {

/// What the reader of the archive should know, a sentence each; empty when it is as complete as can be.
struct otf2_outcome {
    bool counts_calls = false;   ///< the trace has no times of single calls: the clock counts calls
    std::uint64_t left_out = 0;  ///< messages and collectives of communicators that the trace does not explain
};

/// Whether this build was made with the OTF2 library.
[[nodiscard]] bool has_otf2() noexcept;

/// Writes the archive `folder`/traces.otf2, complete or not at all. `name` is the trace's, for failures. Memory:
/// a few MiB, and what communicators take.
/// Throws a data failure when the folder exists or cannot be written, or when the trace is damaged.
otf2_outcome export_otf2(const trace_file& file, const std::string& name, const std::string& folder);

}  // namespace laconic::cli

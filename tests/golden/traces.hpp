// SPDX-License-Identifier: BSD-3-Clause
// Golden traces: one small program recorded in every way that times can be kept. Names flow in, the bytes of a file
// flow out; what a file says is folded into one number, so that it can be pinned.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "laconic/trace.hpp"
#include "trace/timing.hpp"
#include "trace/wire.hpp"

namespace laconic::golden {

struct golden_trace {
    std::string name;  ///< of the file, without .trace
    trace::timing_options timing;
    std::uint64_t digest;  ///< pinned; that of the file in trace/v1 and of every later one
};

/// What tests print.
inline void PrintTo(const golden_trace& of, std::ostream* out) { *out << of.name; }

/// Every mode, and every method of the lossy one.
[[nodiscard]] const std::vector<golden_trace>& golden_traces();
/// The file as this build writes it.
/// returns unsupported  this build lacks libzfp
[[nodiscard]] result<trace::bytes> written(const golden_trace& of);
/// XXH3-64 over all ranks' calls in order: their signatures, and starts and durations where they have these.
/// returns corrupt
[[nodiscard]] result<std::uint64_t> digest_of(const trace_file& file);

}  // namespace laconic::golden

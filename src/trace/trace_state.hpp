// SPDX-License-Identifier: BSD-3-Clause
// What a trace that was opened holds, for the files of this part.
#pragma once

#include <map>

#include "laconic/trace.hpp"
#include "trace/container.hpp"
#include "trace/model.hpp"
#include "trace/timing.hpp"

namespace laconic {

struct trace_file::state {
    trace_facts facts;
    laconic::trace::bytes file;
    laconic::trace::model calls;
    std::map<std::uint32_t, laconic::trace::view> timing;  ///< by rank, into `file`
    std::vector<function_summary> functions;
};

}  // namespace laconic

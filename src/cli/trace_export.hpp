// SPDX-License-Identifier: BSD-3-Clause
// A trace for other tools: calls flow in rank by rank, lines of text in the tool's format flow out.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cli/signature_text.hpp"
#include "laconic/trace.hpp"

namespace laconic::cli {

using text_sink = std::function<void(std::string_view)>;

class trace_exporter {
public:
    virtual ~trace_exporter() = default;
    virtual void begin() {}
    virtual void call(std::uint32_t rank, std::uint64_t number, const trace_call& call,
                      const described_call& about) = 0;
    virtual void end() {}
};

/// Names: chrome, csv. Null for others.
[[nodiscard]] std::unique_ptr<trace_exporter> exporter_named(std::string_view name, text_sink out);

/// The actions of SimGrid's smpirun -replay. `name` is the trace's, for failures. Returns what did not go into it, for
/// the person who asked for it; "" when nothing was left out. Throws a data failure when the trace is damaged.
[[nodiscard]] std::string export_smpi(const trace_file& file, const std::string& name, const text_sink& out);

}  // namespace laconic::cli

// SPDX-License-Identifier: BSD-3-Clause
// Trace files: a core, facts and timing blocks flow in, the bytes of a file flow out, section by section; and back,
// each section checked. docs/format/trace.md describes them to the bit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "laconic/status.hpp"
#include "trace/wire.hpp"

namespace laconic::trace {

/// What a file says about the run; any text, in pairs of a key and a value.
using file_facts = std::vector<std::pair<std::string, std::string>>;

/// Header, the core of all ranks and the facts: the beginning of a file. Timing sections may follow, then
/// end_section(). returns corrupt  the core is none
[[nodiscard]] result<bytes> file_of(view core, const file_facts& facts);
[[nodiscard]] bytes timing_section(std::uint32_t rank, view timing);
[[nodiscard]] bytes end_section();

struct timing_block {
    std::uint32_t rank = 0;
    view block;  ///< into the file
};

struct file_parts {
    bytes core;
    file_facts facts;
    std::vector<timing_block> timing;  ///< as they lie in the file
    std::uint64_t core_bytes = 0;      ///< that the core takes in the file, its section's head and checksum included
    std::uint64_t timing_bytes = 0;
    bool complete = false;  ///< there is an end section
};

/// A file that ends between two sections is read as far as it goes, so long as it has its core.
/// returns corrupt, truncated, unsupported
[[nodiscard]] result<file_parts> parts_of(view file);

}  // namespace laconic::trace

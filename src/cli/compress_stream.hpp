// SPDX-License-Identifier: BSD-3-Clause
// Arrays of any size into frames: an input and settings flow in; one frame, or one per segment where the input is
// longer than a segment, flows into the output, and what it all came to flows back.
#pragma once

#include <cstdint>

#include "cli/files.hpp"
#include "cli/input_file.hpp"
#include "laconic/codec.hpp"

namespace laconic::cli {

struct compress_settings {
    element_type type = element_type::f32;
    bound limit = bound::lossless();
    frame_options frame;              ///< run.progress is not used: a bar of its own shows how far it is
    std::uint64_t segment_bytes = 0;  ///< of raw data; at least one element, the part of one at its end is left out
    bool count_blocks = false;        ///< fill in bound, blocks and raw_blocks of the totals
};

struct compress_totals {
    std::uint64_t raw_bytes = 0, frame_bytes = 0, frames = 0;
    double bound = 0;  ///< largest of all frames
    std::uint64_t blocks = 0, raw_blocks = 0;
};

/// Holds a segment and its frame in memory. A relative bound is relative to the range of the whole array, for which an
/// input longer than a segment is read twice: pipes of that length are refused. Throws a data failure that names
/// the input.
compress_totals compress_stream(input_file& in, output_file& out, const compress_settings& settings);

}  // namespace laconic::cli

// SPDX-License-Identifier: BSD-3-Clause
// Frames as the fuzzer sees them: bytes flow in; their fields, what their integers really are, and frames that obey the
// rules of docs/format/stream.md flow out.
#pragma once

#include <cstdint>

#include "codec/frame.hpp"
#include "support.hpp"

namespace laconic::fuzz {

/// The header's fields as they are, unchecked; zeros behind the end.
[[nodiscard]] codec::frame_header fields_of(view frame) noexcept;

/// What a walk over an accepted frame of fle finds.
struct integers_found {
    /// No |q| exceeds what the header says.
    bool honest = true;
    /// As writers leave it: lanes behind the last element and first deltas of chunks are 0, widths the smallest that
    /// fit, masks on zeros only, wide values normalised and their NaN canonical.
    bool tidy = true;
    bool has_raw_parts = false;
    /// Of the largest |q|; 2^64 - 1 where it has more bits.
    std::uint64_t magnitude = 0;
};
/// Precondition: inspect() accepts the frame, and its codec is fle.
[[nodiscard]] integers_found integers_of(view frame);

/// How far repaired() goes.
struct repairs {
    std::uint64_t most_count = 6000;
    std::size_t most_bytes = 4096;
    bool honest = true;  ///< the magnitude is what the integers are, and they are as writers leave them
};
/// The frame nearest to these bytes that a reader accepts: bytes are copied, and changed where a rule forbids them.
[[nodiscard]] bytes repaired(view damaged, const repairs& how);

}  // namespace laconic::fuzz

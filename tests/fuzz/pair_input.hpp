// SPDX-License-Identifier: BSD-3-Clause
// How the targets `add` and `fused` cut an input: a short prefix, a frame, and what meets it. The mutator knows the
// same.
#pragma once

#include "frames.hpp"

namespace laconic::fuzz {

/// Prefix: mode, one byte to spare, size of the first frame (16 bits), factor or seed (32 bits).
inline constexpr std::size_t prefix_bytes = 8;
inline constexpr std::size_t at_frame_size = 2;
inline constexpr unsigned mode_edits = 1;  ///< what follows the frame are changes that make the second one of it

struct pair_input {
    unsigned mode = 0;
    unsigned spare = 0;
    std::int32_t factor = 0;
    bytes a, b;
};

/// `b` is what follows `a`, or, by mode, `a` with some bytes behind its header changed and its checksum made good.
inline pair_input pair_from(const std::uint8_t* data, std::size_t size, bool may_edit) {
    reader from(data, size);
    pair_input in;
    in.mode = from.take<std::uint8_t>();
    in.spare = from.take<std::uint8_t>();
    const std::size_t size_a = from.take<std::uint16_t>();
    in.factor = from.take<std::int32_t>();
    in.a = from.take_bytes(size_a);
    if (!may_edit || (in.mode & mode_edits) == 0) {
        in.b = from.rest();
        return in;
    }
    in.b = in.a;
    const std::size_t body = codec::frame_header_bytes;
    while (from.size() > 0 && in.b.size() > body) {
        const std::size_t at = from.take<std::uint16_t>() % (in.b.size() - body);
        in.b[body + at] ^= from.take<std::byte>();
    }
    in.b = repaired(in.b, {.most_count = most_values, .most_bytes = 1 << 16, .honest = (in.mode & 2U) == 0});
    return in;
}

}  // namespace laconic::fuzz

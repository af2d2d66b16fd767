// SPDX-License-Identifier: BSD-3-Clause
// The frame around a bare sequence: a fixed header, a chunk table, the chunks. Only these functions know its bytes;
// docs/format/stream.md is their specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "laconic/codec.hpp"

namespace laconic::codec {

inline constexpr std::size_t frame_header_bytes = 64;
inline constexpr unsigned frame_version = 1;

struct frame_header {
    codec_id codec = codec_id::fle;
    element_type type = element_type::f32;
    bool exact = true;
    bool checksummed = false;
    std::uint64_t count = 0;
    double step = 1;  ///< fle: of each contribution; zfp_rate: bits per value; else 0
    double contribution_bound = 0;
    std::uint64_t magnitude = 0;
    std::uint32_t contributions = 1;
    std::uint32_t row = 0;
    std::uint64_t payload_bytes = 0;
};

/// A frame whose header has been checked against the bytes it came from.
struct parsed_frame {
    frame_header header;
    const std::byte* table = nullptr;
    std::span<const std::byte> payload;
};

/// Whether a step is positive, finite and one that the element type's arithmetic has.
[[nodiscard]] bool is_step_of(element_type type, double step) noexcept;

/// Size of the chunk table; only fle has one.
[[nodiscard]] std::size_t table_bytes(codec_id codec, std::uint64_t count) noexcept;

/// Checks magic, version, types, reserved bits, sizes and the checksum if there is one.
[[nodiscard]] result<parsed_frame> parse_frame(std::span<const std::byte> frame);

/// Size of the frame whose header this is; the bytes behind the header need not be there.
[[nodiscard]] result<std::uint64_t> announced_size(std::span<const std::byte> beginning);

/// Writes the header in front of table and payload, which must be in place already.
/// Returns the size of the whole frame.
std::size_t seal_frame(const frame_header& header, std::byte* frame) noexcept;

}  // namespace laconic::codec

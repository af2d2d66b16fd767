// SPDX-License-Identifier: BSD-3-Clause
// The codecs other than fle, behind one face: an array and the header of its frame flow in, the payload flows out, and
// back. What there is to know of each is in registry.cpp and nowhere else.
#pragma once

#include <cstddef>
#include <span>

#include "codec/frame.hpp"
#include "laconic/codec.hpp"

namespace laconic::codec {

/// ok, or unsupported (a codec that this build lacks, or a type that the codec lacks), or invalid_argument (the rate).
[[nodiscard]] status check_codec(codec_id codec, element_type type, double rate);

/// Worst-case size of a payload.
[[nodiscard]] std::size_t payload_bound(codec_id codec, element_type type, std::size_t count) noexcept;

/// Returns the size of the payload, or cancelled. Precondition: check_codec(); `out` holds payload_bound().
template <class T>
[[nodiscard]] result<std::size_t> write_payload(std::span<const T> values, const frame_header& header,
                                                const run_options& run, std::span<std::byte> out);

/// Precondition: values.size() is the header's count. Hostile payloads give truncated or corrupt.
template <class T>
[[nodiscard]] status read_payload(const frame_header& header, std::span<const std::byte> payload, std::span<T> values,
                                  const run_options& run);

/// What can be checked of a payload without decoding it.
[[nodiscard]] status check_payload(const frame_header& header, std::span<const std::byte> payload);

}  // namespace laconic::codec

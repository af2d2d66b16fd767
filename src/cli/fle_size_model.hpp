// SPDX-License-Identifier: BSD-3-Clause
// What a frame of fle would take with chunks of another size: the decoded values and the step of a frame flow in, a
// byte count flows out. With the format's own 2048 values a chunk it is the size of the frame (docs/format/stream.md),
// which the tests make sure of; longer chunks show what the short ones cost.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace laconic::cli {

/// Bits of the two's-complement number that all deltas fit in, from the bits that `d ^ (d >> 63)` have in common.
[[nodiscard]] constexpr unsigned fle_model_width(std::uint64_t folded, bool all_zero) noexcept {
    return all_zero ? 0U : static_cast<unsigned>(std::bit_width(folded)) + 1U;
}

/// Bytes of one chunk with its table entry. `before` is room for the deltas of the chunk.
template <class T>
[[nodiscard]] std::uint64_t fle_model_chunk(std::span<const T> chunk, double step, std::size_t row_length,
                                            std::vector<std::int64_t>& deltas) {
    constexpr std::size_t lanes = 32;
    const std::size_t blocks = (chunk.size() + lanes - 1) / lanes;
    std::uint64_t payload = 0, rate_bytes = 0;
    deltas.assign(chunk.size(), 0);
    std::int64_t last = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
        const std::size_t first = b * lanes, end = std::min(first + lanes, chunk.size());
        bool integers = true, minus_zero = false;
        const std::int64_t held = last;
        for (std::size_t i = first; i < end; ++i) {
            const double scaled = std::nearbyint(static_cast<double>(chunk[i]) / step);
            // What no integer decodes to was kept as it is.
            if (!(std::fabs(scaled) < 0x1p61) || static_cast<T>(scaled * step) != chunk[i]) {
                integers = false;
                break;
            }
            minus_zero = minus_zero || (chunk[i] == 0 && std::signbit(chunk[i]));
            const auto q = static_cast<std::int64_t>(scaled);
            deltas[i] = i == 0 ? 0 : q - last;
            last = q;
        }
        if (!integers) {
            std::fill(deltas.begin() + static_cast<std::ptrdiff_t>(first),
                      deltas.begin() + static_cast<std::ptrdiff_t>(end), 0);
            last = held;
            payload += (end - first) * sizeof(T);
            continue;
        }
        std::uint64_t folded = 0;
        bool all_zero = true;
        for (std::size_t i = first; i < end; ++i) {
            const std::int64_t d = deltas[i] - (row_length > 0 && i >= row_length ? deltas[i - row_length] : 0);
            folded |= static_cast<std::uint64_t>(d ^ (d >> 63));
            all_zero = all_zero && d == 0;
        }
        const unsigned width = fle_model_width(folded, all_zero);
        payload += 4 * width + (minus_zero ? 4U : 0U);
        if (width > 13 || minus_zero) ++rate_bytes;
    }
    const std::uint64_t base = sizeof(T) == 8 ? 8 : 4;
    return 4 + base + 4 * ((blocks + 7) / 8) + (rate_bytes + 3) / 4 * 4 + payload;
}

/// Precondition: step > 0; row_length 0 or 32 to 2047.
template <class T>
[[nodiscard]] std::uint64_t fle_model_size(std::span<const T> decoded, double step, std::size_t row_length,
                                           std::size_t chunk_values) {
    constexpr std::uint64_t header = 64;
    std::uint64_t bytes = header;
    std::vector<std::int64_t> deltas;
    for (std::size_t first = 0; first < decoded.size(); first += chunk_values)
        bytes += fle_model_chunk(decoded.subspan(first, std::min(chunk_values, decoded.size() - first)), step,
                                 row_length, deltas);
    return bytes;
}

}  // namespace laconic::cli

// SPDX-License-Identifier: BSD-3-Clause
// The table of szx's chunk loops, one per engine, and the patient path that all engines share for wide integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "codec/engine.hpp"

namespace laconic::codec {

struct szx_tally {
    std::uint64_t constant_blocks = 0, raw_blocks = 0;
};

template <class T>
struct szx_table {
    /// Encodes 1..5120 values into at most szx_chunk_bytes (plus szx_slack_bytes written); returns the size.
    /// `limit` as in a quantiser: accepted when |x - y|, evaluated in T, is at most that.
    std::size_t (*encode)(const std::byte* values, std::size_t count, T limit, std::byte* chunk,
                          szx_tally& tally) noexcept;
    /// Precondition: size >= szx_chunk_head_bytes and szx_slack_bytes can be read behind the chunk.
    stream_fault (*decode)(const std::byte* chunk, std::size_t size, std::byte* values, std::size_t count,
                           szx_tally& tally) noexcept;
};

struct szx_engine {
    std::string_view name;
    szx_table<float> f32;
    szx_table<double> f64;
};

extern const szx_engine scalar_szx;
#if defined(LACONIC_X86_ENGINES)
extern const szx_engine avx2_szx;
extern const szx_engine avx512_szx;
#endif

/// A block whose integers need up to 58 bits: [width][mid-range][planes]. Returns the bytes written (fewer than the
/// values take), or 0 when the block cannot be sent so.
std::size_t szx_put_wide(const std::byte* values, std::size_t lanes, double mid, double step, double limit,
                         std::byte* at) noexcept;
/// Returns the bytes read, or 0 when the width is not allowed. Reads at most szx_slack_bytes.
std::size_t szx_get_wide(const std::byte* at, double step, std::byte* values, std::size_t lanes) noexcept;

}  // namespace laconic::codec

// SPDX-License-Identifier: BSD-3-Clause
// Streams are cut into chunks of equal size, alike on both sides; chunks flow from arrays into packed memory and back.
#pragma once

#include "redistribute/exchange/tally.hpp"

namespace laconic::redistribute {

struct chunk {
    std::int64_t begin = 0;  ///< in the stream
    std::int64_t bytes = 0;
    std::size_t field = 0;  ///< of a stream by fields: the only one in it
};

/// Chunks of a stream. A stream by fields is cut at every field.
[[nodiscard]] std::int64_t chunks_of(const stream& all, std::int64_t chunk_bytes) noexcept;
/// Precondition: index < chunks_of().
[[nodiscard]] chunk chunk_at(const stream& all, std::int64_t chunk_bytes, std::int64_t index) noexcept;

void pack(const stream& all, const run_arrays& arrays, const chunk& what, std::byte* to, stores how) noexcept;
void unpack(const stream& all, const run_arrays& arrays, const chunk& what, const std::byte* from, stores how,
            tally& arrivals) noexcept;

}  // namespace laconic::redistribute

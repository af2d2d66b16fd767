// SPDX-License-Identifier: BSD-3-Clause
// Rows of equal length flow in from one regularly spaced place and out to another: the one loop that packs, unpacks and
// copies pieces.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laconic::redistribute {

/// Where rows begin, and how far it is from one to the next, in bytes.
struct row_source {
    const std::byte* first;
    std::int64_t stride;
};
struct row_target {
    std::byte* first;
    std::int64_t stride;
};

/// How results are stored.
enum class stores {
    cached,
    streamed,  ///< around the caches, where rows allow: for what is not read again soon. finish_streams() comes after
};

/// Copies `rows` rows of `row_bytes` bytes each; any alignment; no overlap.
void copy_rows(row_target to, row_source from, std::size_t row_bytes, std::int64_t rows, stores how) noexcept;

/// Streamed stores are in memory before anything that is stored after this.
void finish_streams() noexcept;

}  // namespace laconic::redistribute

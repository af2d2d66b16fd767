// SPDX-License-Identifier: BSD-3-Clause
// Lossless compression of the trace's blocks: bytes flow in, fewer flow out, and back into no more than was announced.
// Without libzstd the first says that it has nothing to offer, the second that it cannot.
#pragma once

#include <optional>

#include "laconic/status.hpp"
#include "trace/wire.hpp"

namespace laconic::trace {

[[nodiscard]] bool has_zstd() noexcept;
/// Nothing: not shorter, or no libzstd.
[[nodiscard]] std::optional<bytes> deflated(view data, int level);
/// returns corrupt      no zstd frame of exactly `size` bytes
///         unsupported  no libzstd
///         out_of_memory
[[nodiscard]] result<bytes> inflated(view data, std::uint64_t size);

}  // namespace laconic::trace

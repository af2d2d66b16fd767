// SPDX-License-Identifier: BSD-3-Clause
// What codecs that work chunk by chunk tell their caller between two chunks (to poll communication, or to stop), and
// what they report at the end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace laconic::codec {

/// Called after every chunk but the last, on the caller's thread and in the caller's floating-point environment.
/// values_done, values_in_all   elements
/// bytes                        encoding: written so far, all tables included; decoding: read so far
/// Returning false stops the operation; it must not throw.
struct progress {
    bool (*call)(void* context, std::uint64_t values_done, std::uint64_t values_in_all, std::uint64_t bytes) = nullptr;
    void* context = nullptr;

    /// Whether to go on.
    [[nodiscard]] bool report(std::uint64_t values_done, std::uint64_t values_in_all, std::uint64_t bytes) const {
        return call == nullptr || values_done == values_in_all || call(context, values_done, values_in_all, bytes);
    }
};

/// How an encoding or a decoding ended.
struct coding_report {
    std::size_t bytes = 0;     ///< size of the payload
    bool cancelled = false;    ///< stopped by the progress callback: payload, or values, are incomplete and useless
    std::uint64_t blocks = 0;  ///< szx: blocks of 32 values; zfp: chunks; raw: 0
    std::uint64_t constant_blocks = 0;  ///< szx: blocks sent as one value
    std::uint64_t raw_blocks = 0;       ///< blocks (zfp: chunks) sent uncompressed
};

}  // namespace laconic::codec

// SPDX-License-Identifier: BSD-3-Clause
// The measurement behind `laconic bench codec --codecs`: a field, an absolute bound and names of codecs flow in; one
// row of speed, ratio and error per codec flows out, all measured round by round next to memcpy in one process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "laconic/codec.hpp"

namespace laconic::cli {

/// Speeds in GB/s (1e9 bytes) of original data, medians over the repetitions.
struct family_measurement {
    std::string codec;
    double memcpy_gbps = 0, compress_gbps = 0, decompress_gbps = 0;
    double ratio = 0;
    double bound = 0;  ///< what the others' errors and violations are measured against; lossless codecs do not use it
    double rate = 0;   ///< zfp_rate: bits per value; 0 otherwise
    double max_error = 0, mean_error_over_bound = 0, psnr = 0, nrmse = 0;
    std::uint64_t violations = 0;
    std::uint64_t row_length = 0;
    std::uint64_t values = 0, frame_bytes = 0;
    std::uint64_t published_bytes = 0;   ///< szx: what the published layout would take; 0 otherwise
    std::uint64_t long_chunk_bytes = 0;  ///< fle: with chunks of 65536 values; szx: with one chunk; 0 otherwise
    std::uint64_t repetitions = 0;       ///< slow codecs skip rounds
};

struct family_settings {
    double bound = 0;       ///< absolute
    std::size_t bytes = 0;  ///< the field is tiled to this size
    unsigned repetitions = 0;
    std::vector<std::string> codecs;  ///< of family_names()
    std::uint64_t row_length = 0;     ///< of fle-rows
    double rate = 8;                  ///< of zfp_rate
    run_options run;
};

/// The codecs that this build can measure: those of the library, fle-rows, and zstd-1, zstd-3 where libzstd is there.
[[nodiscard]] std::vector<std::string> family_names();

/// `field` has at least one element. Throws a data failure when a codec refuses.
template <class T>
[[nodiscard]] std::vector<family_measurement> measure_family(std::span<const T> field, const family_settings& settings);

/// The rows as a table, or as a JSON array.
void print_family(const std::vector<family_measurement>& rows, bool json);

}  // namespace laconic::cli

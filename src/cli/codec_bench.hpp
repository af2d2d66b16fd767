// SPDX-License-Identifier: BSD-3-Clause
// The measurement behind `laconic bench codec`: a field, an absolute bound and a number of repetitions flow in;
// the codec's speed on one engine next to memcpy, its ratio and its exact error flow out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "laconic/codec.hpp"

namespace laconic::cli {

/// Speeds in GB/s (1e9 bytes) of original data, medians over the repetitions.
struct codec_measurement {
    std::string engine;
    double memcpy_gbps = 0, compress_gbps = 0, decompress_gbps = 0, add_gbps = 0, fused_gbps = 0, scan_gbps = 0;
    double ratio = 0;
    double max_error = 0;
    double bound = 0;
    double reference_ratio = 0;        ///< cuSZp's plain mode; 0: no reference at this bound
    double fz_light_ratio = 0;         ///< likewise
    double mean_error_over_bound = 0;  ///< of the signed errors, decompressed - original; 0 at bound 0
    std::uint64_t violations = 0;
    std::uint64_t raw_blocks = 0;
    std::uint64_t values = 0, frame_bytes = 0, sum_frame_bytes = 0, reference_bytes = 0, fz_light_bytes = 0;
};

struct codec_bench_settings {
    double bound = 0;       ///< absolute
    std::size_t bytes = 0;  ///< the field is tiled to this size
    unsigned repetitions = 0;
    run_options run;  ///< of every operation but memcpy and scan
    std::uint64_t row_length = 0;
    std::vector<std::string> engines;
};

/// `field` has at least one element. Throws a data failure when the codec refuses.
template <class T>
[[nodiscard]] std::vector<codec_measurement> measure_codec(std::span<const T> field,
                                                           const codec_bench_settings& settings);

}  // namespace laconic::cli

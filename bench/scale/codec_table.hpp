// SPDX-License-Identifier: BSD-3-Clause
// What a codec does, as numbers: how small a piece gets, by the number of contributions summed in it, and how many
// bytes of original data a core works off in a second. A text file flows in; one row for each codec flows out.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace laconic::scale {

/// One codec on one field. Speeds are in bytes of original data per second; 0: the codec cannot do that.
struct codec_row {
    double compress = 0, decompress = 0;
    double add = 0;              ///< stream + stream
    double fused = 0;            ///< values + stream
    double plain_sum = 0;        ///< values + values
    std::vector<double> ratios;  ///< of a sum of 2^k contributions

    /// Between the powers of two: interpolated in the logarithm.
    [[nodiscard]] double ratio_of(std::size_t contributions) const noexcept;
    /// Bytes of a message for that many floats.
    [[nodiscard]] std::size_t bytes_of(std::size_t values, std::size_t contributions) const noexcept;
    /// No message of so many values is larger.
    [[nodiscard]] std::size_t most_bytes(std::size_t values) const noexcept;
};

/// Lines "name compress decompress add fused sum ratio...", GB/s; "#" begins a comment. Throws std::runtime_error
/// naming the line that does not fit.
[[nodiscard]] std::map<std::string, codec_row> read_codec_table(const std::string& path);

}  // namespace laconic::scale

// SPDX-License-Identifier: BSD-3-Clause
// The filter's parameters as HDF5 stores them with a dataset (cd_values, unsigned 32-bit numbers): what the user asks
// for and, filled in when a dataset is created, what its chunks are like. docs/guide/hdf5.md has the table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "laconic/bound.hpp"
#include "laconic/codec.hpp"
#include "laconic/status.hpp"

namespace laconic::hdf5 {

/// Of the range that The HDF Group leaves to tests (256 to 511), until an identifier is registered.
inline constexpr int filter_id = 428;

/// Parameters that the user gives, without and with a codec.
inline constexpr std::size_t user_parameters = 5;
inline constexpr std::size_t user_parameters_with_codec = 6;
/// What is stored: the shorter form where it says it all, so that earlier builds read what they can.
inline constexpr std::size_t stored_parameters = 10;
inline constexpr std::size_t all_parameters = 12;

struct parameter_values {
    std::array<unsigned, all_parameters> values{};
    std::size_t count = all_parameters;
};

struct parameters {
    bound limit;
    bool checksum = false;
    codec_id codec = codec_id::fle;
    bool rows = false;  ///< predict from the row before where chunks have more than one dimension

    /// The chunks; none: the dataset's type is not one that the filter compresses, so chunks stay as they are.
    std::optional<element_type> type;
    std::uint64_t count = 0;            ///< elements in each chunk
    std::uint32_t row_length = 0;       ///< with rows: of the chunks' last dimension; 0: they have no other
    std::optional<std::uint64_t> fill;  ///< its bits, when there is one to take care of

    /// unsupported or invalid_argument, invalid_bound for what no writer of this version stores.
    [[nodiscard]] static result<parameters> read(std::span<const unsigned> values);
    [[nodiscard]] parameter_values write() const noexcept;
};

}  // namespace laconic::hdf5

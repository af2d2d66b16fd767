// SPDX-License-Identifier: BSD-3-Clause
// What layouts and patch grids have in common: extents flow in, a checked domain and the places where a dimension is
// cut flow out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "laconic/redistribute.hpp"

namespace laconic::redistribute {

/// Elements of an array; products of them with a rank or an element's bytes stay far from 2^63.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 60;

/// [0, extents[d]) in every dimension, or invalid_argument.
[[nodiscard]] result<box> domain_of(std::span<const std::int64_t> extents);

/// `parts` parts, of which part i begins at floor(extent * i / parts). Precondition: 1 <= parts <= extent.
[[nodiscard]] std::vector<std::int64_t> even_cuts(std::int64_t extent, std::int64_t parts);

/// Bytes of the cuts of all dimensions.
[[nodiscard]] std::size_t bytes_of_cuts(std::span<const std::int64_t> counts) noexcept;

/// invalid_argument unless there is a number of `what` ("blocks") from 1 to the extent for every dimension, and their
/// product is an int32.
[[nodiscard]] status check_counts(const box& domain, std::span<const std::int64_t> counts, std::string_view what);

/// "1000 x 1000 x 40"
[[nodiscard]] std::string product_text(std::span<const std::int64_t> numbers);

}  // namespace laconic::redistribute

// SPDX-License-Identifier: BSD-3-Clause
// Test data: a kind of field, a rank and an element count flow in, the rank's values flow out. Every rank can make
// every other rank's values, so that references need no communication.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

namespace laconic::test {

enum class field {
    smooth,
    noise,
    offset,  ///< values around 290 with a range of 13: rounding of float is near small bounds
    constant,
    zeros,
    tiny,         ///< denormals and numbers around them
    adversarial,  ///< NaN, infinities, -0.0, 1e30 and denormals strewn into a smooth field
    patchy,       ///< zeros and noise, 4096 values of either at a time: not one of all_fields
};
inline constexpr std::array all_fields{field::smooth, field::noise, field::offset,     field::constant,
                                       field::zeros,  field::tiny,  field::adversarial};

[[nodiscard]] std::string_view name_of(field kind) noexcept;

template <class T>
[[nodiscard]] std::vector<T> make_field(field kind, int rank, std::size_t count);
/// The same, made once and kept.
template <class T>
[[nodiscard]] const std::vector<T>& kept_field(field kind, int rank, std::size_t count) {
    static std::map<std::tuple<field, int, std::size_t>, std::vector<T>> kept;
    const auto [at, is_new] = kept.try_emplace({kind, rank, count});
    if (is_new) at->second = make_field<T>(kind, rank, count);
    return at->second;
}

}  // namespace laconic::test

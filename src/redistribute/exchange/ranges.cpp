// SPDX-License-Identifier: BSD-3-Clause
// Row by row, so that what lies between the rows of a box does not count.
#include "redistribute/exchange/ranges.hpp"

#include <algorithm>

#include "codec/element.hpp"

namespace laconic::redistribute {
namespace {

template <class T>
void add_row(value_limits& all, const std::byte* row, std::int64_t bytes) {
    const std::span<const T> values(reinterpret_cast<const T*>(row), static_cast<std::size_t>(bytes) / sizeof(T));
    const value_range<T> found = range_of<T>(values);
    if (found.nonfinite == values.size()) return;
    all.min = all.any ? std::min<double>(all.min, found.min) : found.min;
    all.max = all.any ? std::max<double>(all.max, found.max) : found.max;
    all.any = true;
}

template <class T>
value_limits limits(std::span<const rows_of_piece<1>> boxes, const std::byte* base) {
    value_limits all;
    for (const rows_of_piece<1>& piece : boxes)
        for (std::int64_t i = 0; i < piece.counts[0]; ++i)
            for (std::int64_t j = 0; j < piece.counts[1]; ++j)
                for (std::int64_t k = 0; k < piece.counts[2]; ++k)
                    add_row<T>(all,
                               base + piece.first[0] + i * piece.strides[0][0] + j * piece.strides[0][1] +
                                   k * piece.strides[0][2],
                               piece.row_bytes);
    return all;
}

}  // namespace

value_limits limits_of(std::span<const rows_of_piece<1>> boxes, const std::byte* base, element_type type) {
    return codec::with_element(type, [&](auto zero) { return limits<decltype(zero)>(boxes, base); });
}

}  // namespace laconic::redistribute

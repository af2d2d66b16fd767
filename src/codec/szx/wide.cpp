// SPDX-License-Identifier: BSD-3-Clause
// szx blocks of doubles whose integers exceed 30 bits: rare, so plain loops, compiled once for all engines.
#include <array>
#include <bit>
#include <cmath>

#include "codec/szx/engine.hpp"
#include "codec/szx/layout.hpp"

namespace laconic::codec {
namespace {

constexpr std::size_t wide_head_bytes = 1 + sizeof(double);

}  // namespace

std::size_t szx_put_wide(const std::byte* values, std::size_t lanes, double mid, double step, double limit,
                         std::byte* at) noexcept {
    std::array<std::uint64_t, block_values> q{};
    std::uint64_t spread = 0;  // the bits that some integer needs beside its sign
    const double inverse = 1.0 / step;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const auto x = load_as<double>(values + lane * sizeof(double));
        const double scaled = std::nearbyint((x - mid) * inverse);
        if (!(std::abs(scaled) < 0x1p57)) return 0;
        const auto integer = static_cast<std::int64_t>(scaled);
        const double y = mid + static_cast<double>(integer) * step;
        if (!(std::abs(x - y) <= limit) || (x == 0 && std::signbit(x))) return 0;
        q[lane] = static_cast<std::uint64_t>(integer);
        spread |= static_cast<std::uint64_t>(integer < 0 ? ~integer : integer);
    }
    const auto width = static_cast<std::size_t>(std::bit_width(spread)) + 1;
    const std::size_t bytes = wide_head_bytes + 4 * width;
    if (bytes >= lanes * sizeof(double)) return 0;
    at[0] = static_cast<std::byte>(width);
    store_as(at + 1, mid);
    for (std::size_t p = 0; p < width; ++p) {
        std::uint32_t plane = 0;
        for (std::size_t lane = 0; lane < lanes; ++lane)
            plane |= static_cast<std::uint32_t>((q[lane] >> p) & 1U) << lane;
        store_as(at + wide_head_bytes + 4 * p, plane);
    }
    return bytes;
}

std::size_t szx_get_wide(const std::byte* at, double step, std::byte* values, std::size_t lanes) noexcept {
    const auto width = std::to_integer<std::size_t>(at[0]);
    if (width == 0 || width > szx_widest_wide) return 0;
    const auto mid = load_as<double>(at + 1);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        std::uint64_t q = 0;
        for (std::size_t p = 0; p < 64; ++p) {
            const std::size_t from = p < width ? p : width - 1;
            q |= std::uint64_t{(load_as<std::uint32_t>(at + wide_head_bytes + 4 * from) >> lane) & 1U} << p;
        }
        store_as(values + lane * sizeof(double), mid + static_cast<double>(static_cast<std::int64_t>(q)) * step);
    }
    return wide_head_bytes + 4 * width;
}

}  // namespace laconic::codec

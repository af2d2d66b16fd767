// SPDX-License-Identifier: BSD-3-Clause
// Frames put together by hand that are valid, and that the library reads but seldom or never writes.
#include <bit>
#include <cmath>
#include <limits>

#include "forging.hpp"

namespace laconic::golden {
namespace {

constexpr std::uint32_t all = 0xFFFFFFFFU;

void add_wide_blocks(std::vector<file>& files) {
    // All planes there are, though the deltas need fewer.
    forge f = plain();
    f.magnitude = (1U << 30) - 1;
    f.payload.clear();
    f.words({0x20000000, 15, 32});
    for (unsigned plane = 0; plane < 32; ++plane) f.put(plane >= 29 ? 2U : plane == 0 ? 4U : 0U);
    files.push_back({"forged_f32_32_planes", f.frame()});
    forge g = plain();
    g.type = 2;
    g.magnitude = (std::uint64_t{1} << 61) - 1;
    g.payload.clear();
    g.put(std::uint64_t{1} << 60).words({15, 63});
    for (unsigned plane = 0; plane < 63; ++plane) g.put(plane >= 60 ? 2U : plane == 0 ? 4U : 0U);
    files.push_back({"forged_f64_63_planes", g.frame()});
    g.step = std::numeric_limits<double>::max();
    files.push_back({"forged_f64_overflow", g.frame()});
}

void add_signs(std::vector<file>& files) {
    files.push_back({"forged_signed_0_planes", with_signs(0).frame()});
    forge f = plain();
    f.payload.clear();
    // Lanes 1, 3, 5, ... are 1, not 0: the mask means nothing there.
    f.words({0, 15, 0x42, 0xFFFFFFFE, 0x55555554, all});
    files.push_back({"forged_signed_other_lanes", f.frame()});
}

void add_mixed(std::vector<file>& files) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    // Other NaN, and infinities of both signs for one raw part, no writer leaves: which NaN they give is not said.
    const double nan = std::bit_cast<double>(0x7FF8000000000000U);
    for (const std::uint8_t type : {std::uint8_t{1}, std::uint8_t{3}, std::uint8_t{4}}) {
        const std::string name = std::string(name_of(static_cast<element_type>(type)));
        // A tie that a part far below decides; overflow; underflow; zeros of both signs.
        const std::initializer_list<double> wide{
            1 + 0x1p-24, 1 + 0x1p-24 + 0x1p-52, 1e39, -1e39, 65520, 0x1p-150, -0x1p-26, -0.0, 0.0, inf, -inf, nan};
        files.push_back({"forged_" + name + "_held", mixed<double>(type, 2, wide).frame()});
        files.push_back({"forged_" + name + "_mixed", mixed<double>(type, 1, wide).frame()});
    }
    const std::initializer_list<double> wide{1,     0x1p-53,  1,         0x1p-53 + 0x1p-105,
                                             1,     -0x1p-54, -0.0,      0.0,
                                             0.0,   -0.0,     -0.0,      -0.0,
                                             1e308, 1e308,    inf,       0.0,
                                             -inf,  0.0,      nan,       0.0,
                                             1,     -1.0,     0x1p-1074, 0.0};
    files.push_back({"forged_f64_held", mixed<double>(2, 3, wide).frame()});
    files.push_back({"forged_f64_mixed", mixed<double>(2, 0, wide).frame()});
}

void add_far_parts(std::vector<file>& files) {
    // q * step is half way between two numbers; a raw part too far below for any sum of the hardware's decides.
    forge f;
    f.count = 2;
    f.step = 0x1p-24;
    f.magnitude = (1U << 24) + 1;
    f.words({(1U << 24) + 1, 15, 0xC0, 0}).put(0x1p-140).put(-0x1p-1000);
    files.push_back({"forged_f32_far_below", f.frame()});
    f.type = 2;
    f.step = 0x1p-53;
    f.magnitude = (std::uint64_t{1} << 53) + 1;
    f.payload.clear();
    f.put((std::uint64_t{1} << 53) + 1).words({15, 0xC0, 0});
    for (const double part : {0x1p-300, 0.0, -0x1p-1000, -0x1p-1074}) f.put(part);
    files.push_back({"forged_f64_far_below", f.frame()});
}

void add_steps(std::vector<file>& files) {
    forge f = plain();
    f.step = std::numeric_limits<float>::denorm_min();
    files.push_back({"forged_f32_least_step", f.frame()});
    // 24 bits of step times 30 bits of integer: binary64 rounds the product to a tie of binary32.
    for (const std::uint32_t q : {0x21000001U, 0x3C555555U}) {
        f = plain();
        f.magnitude = (1U << 30) - 1;
        f.step = q == 0x21000001U ? 0x0.FFFFFFp0 : 0x0.FFFFFDp0;
        f.payload.clear();
        f.words({q, 0});
        files.push_back(
            {q == 0x21000001U ? "forged_f32_two_roundings_up" : "forged_f32_two_roundings_down", f.frame()});
    }
    for (const std::uint8_t type : {std::uint8_t{3}, std::uint8_t{4}}) {
        f = plain();
        f.type = type;
        f.payload.clear();
        // -1, 0, -1, 0, ...: products that vanish in the type keep their sign.
        const std::string name(name_of(static_cast<element_type>(type)));
        f.step = 0x1p-140;
        f.words({all, 2, 0xFFFFFFFE, 0x55555554});
        files.push_back({"forged_" + name + "_underflow", f.frame()});
        // 1, 0, 1, 0, ... and half of the lanes in the mask, which sees results.
        f.payload.clear();
        f.words({1, 15, 0x42, 0xFFFFFFFE, 0xAAAAAAAA, 0x0000FFFF});
        files.push_back({"forged_" + name + "_signed_underflow", f.frame()});
    }
    f = plain();
    f.type = 2;
    f.step = std::bit_cast<double>(0x3FEFFFFFFFFFFFFFU);
    f.magnitude = (std::uint64_t{1} << 31) + 1;
    f.payload.clear();
    f.put(std::uint64_t{1} << 31).words({2, 0xFFFFFFFE, 0x55555554});
    files.push_back({"forged_f64_long_step", f.frame()});
}

void add_chains(std::vector<file>& files) {
    // A chunk that begins raw, whose chain starts at 0; then a plain block, and a row that looks back into the raw one.
    for (const std::uint32_t row : {0U, 32U, 40U}) {
        forge f = plain();
        f.count = 96 + 3;
        f.row_length = row;
        f.magnitude = 1000;
        f.payload.clear();
        f.words({0, 0x322E});
        for (unsigned lane = 0; lane < 32; ++lane) f.put(1.5F + static_cast<float>(lane));
        f.words({0x0F0F0F0F, 0xFFFF0000, 0xAAAAAAAA, 0x12345678, 3, 5, 4});
        files.push_back({"forged_chain_rows_" + std::to_string(row), f.frame()});
    }
}

}  // namespace

std::vector<file> forged_files() {
    std::vector<file> files;
    files.push_back({"forged_plain", plain().frame()});
    add_wide_blocks(files);
    add_signs(files);
    add_mixed(files);
    add_far_parts(files);
    add_steps(files);
    add_chains(files);
    return files;
}

}  // namespace laconic::golden

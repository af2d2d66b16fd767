// SPDX-License-Identifier: BSD-3-Clause
// The part of szx's vocabulary that works on masks of lanes, by BMI2, which both AVX engines have. The contracts are in
// scalar/szx_simd.hpp.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "codec/layout.hpp"

namespace laconic::codec {
namespace {

struct bmi2_szx_bits {
    static LACONIC_INLINE std::uint32_t gather_bits(std::uint32_t bits, std::uint32_t mask) noexcept {
        return _pext_u32(bits, mask);
    }
    // A run of ones from lane s up to before lane t is 2^t - 2^s, and runs do not overlap.
    static LACONIC_INLINE std::uint32_t spread_bits(std::uint32_t bits, std::uint32_t mask) noexcept {
        const std::uint64_t ends = (mask & ~std::uint64_t{1}) | std::uint64_t{1} << 32;
        return static_cast<std::uint32_t>(_pdep_u64(bits, ends) - _pdep_u64(bits, mask));
    }
};

}  // namespace
}  // namespace laconic::codec

// SPDX-License-Identifier: BSD-3-Clause
// 16-bit floating-point types in NEON: eight of them in memory to two registers of floats, and back.
#pragma once

#include <arm_neon.h>

#include <type_traits>

#include "codec/layout.hpp"

namespace laconic::codec {
namespace {

LACONIC_INLINE uint8x16_t load16(const std::byte* from) noexcept {
    return vld1q_u8(reinterpret_cast<const std::uint8_t*>(from));
}
LACONIC_INLINE void store16(std::byte* to, uint8x16_t v) noexcept { vst1q_u8(reinterpret_cast<std::uint8_t*>(to), v); }

template <class T>
LACONIC_INLINE void widen_floats(const std::byte* from, float32x4_t& low, float32x4_t& high) noexcept {
    if constexpr (std::is_same_v<T, half>) {
        const float16x8_t all = vreinterpretq_f16_u8(load16(from));
        low = vcvt_f32_f16(vget_low_f16(all));
        high = vcvt_high_f32_f16(all);
    } else {
        const uint16x8_t all = vreinterpretq_u16_u8(load16(from));
        low = vreinterpretq_f32_u16(vzip1q_u16(vdupq_n_u16(0), all));
        high = vreinterpretq_f32_u16(vzip2q_u16(vdupq_n_u16(0), all));
    }
}

/// The upper halves, rounded to nearest, ties to even, are those of the result.
LACONIC_INLINE uint16x8_t round_to_upper(float32x4_t v) noexcept {
    const uint32x4_t all = vreinterpretq_u32_f32(v);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(all, 16), vdupq_n_u32(1));
    return vreinterpretq_u16_u32(vaddq_u32(vaddq_u32(all, vdupq_n_u32(0x7FFF)), odd));
}

/// Rounds to nearest, ties to even. Precondition: no NaN.
template <class T>
LACONIC_INLINE void narrow_floats(std::byte* to, float32x4_t low, float32x4_t high) noexcept {
    if constexpr (std::is_same_v<T, half>)
        store16(to, vreinterpretq_u8_f16(vcvt_high_f16_f32(vcvt_f16_f32(low), high)));
    else
        store16(to, vreinterpretq_u8_u16(vuzp2q_u16(round_to_upper(low), round_to_upper(high))));
}

}  // namespace
}  // namespace laconic::codec

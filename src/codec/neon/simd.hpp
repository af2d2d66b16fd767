// SPDX-License-Identifier: BSD-3-Clause
// The vector vocabulary in NEON: 32 lanes are eight registers of 32-bit integers or four of 16-bit words.
#pragma once

#include <limits>

#include "codec/fle.hpp"
#include "codec/neon/half.hpp"
#include "codec/neon/lanes.hpp"
#include "codec/neon/planes.hpp"

namespace laconic::codec {
namespace {

struct neon_simd {
    template <class T>
    using values = typename lanes_of<T>::type;
    struct ints {
        int32x4_t v[8];
    };
    struct words {
        int16x8_t v[4];
    };
    using carry = int32x4_t;  // its last lane, or all of them, hold the integer before the block

    template <class T>
    static LACONIC_INLINE f32_rule prepare(const quantiser<T>& how) noexcept {
        return {vdupq_n_f32(how.inverse), vdupq_n_f32(how.step), how.limit};
    }
    static LACONIC_INLINE f64_rule prepare(const quantiser<double>& how) noexcept {
        return {vdupq_n_f64(how.inverse), vdupq_n_f64(how.step), how.limit};
    }

    template <class T>
    static LACONIC_INLINE values<real_type<T>> load(const std::byte* from) noexcept {
        values<real_type<T>> x;
        if constexpr (sizeof(T) == 8)
            for (int i = 0; i < 16; ++i) x.v[i] = vreinterpretq_f64_u8(load16(from + 16 * i));
        else if constexpr (sizeof(T) == 4)
            for (int i = 0; i < 8; ++i) x.v[i] = vreinterpretq_f32_u8(load16(from + 16 * i));
        else
            for (int i = 0; i < 4; ++i) widen_floats<T>(from + 16 * i, x.v[2 * i], x.v[2 * i + 1]);
        return x;
    }
    template <class T>
    static LACONIC_INLINE void store(std::byte* to, const values<real_type<T>>& y) noexcept {
        if constexpr (sizeof(T) == 8)
            for (int i = 0; i < 16; ++i) store16(to + 16 * i, vreinterpretq_u8_f64(y.v[i]));
        else if constexpr (sizeof(T) == 4)
            for (int i = 0; i < 8; ++i) store16(to + 16 * i, vreinterpretq_u8_f32(y.v[i]));
        else
            for (int i = 0; i < 4; ++i) narrow_floats<T>(to + 16 * i, y.v[2 * i], y.v[2 * i + 1]);
    }
    static LACONIC_INLINE ints load_ints(const std::int32_t* from) noexcept {
        ints v;
        for (int i = 0; i < 8; ++i) v.v[i] = vld1q_s32(from + 4 * i);
        return v;
    }
    static LACONIC_INLINE void store_ints(std::int32_t* to, const ints& v) noexcept {
        for (int i = 0; i < 8; ++i) vst1q_s32(to + 4 * i, v.v[i]);
    }
    /// The two may overlap.
    static LACONIC_INLINE void copy64(const std::byte* from, std::byte* to) noexcept {
        const byte_pair low = load_pair(from);
        const byte_pair high = load_pair(from + 32);
        store_pair(to, low);
        store_pair(to + 32, high);
    }

    // The conversions saturate and take NaN to 0; integers out of reach become INT32_MIN here, as in every engine.
    static LACONIC_INLINE ints quantise(const f32_lanes& x, const f32_rule& how) noexcept {
        ints q;
        for (int i = 0; i < 8; ++i) {
            const float32x4_t scaled = vmulq_f32(x.v[i], how.inverse);
            q.v[i] = vbslq_s32(vcaltq_f32(scaled, vdupq_n_f32(0x1p30F)), vcvtnq_s32_f32(scaled), out_of_reach());
        }
        return q;
    }
    static LACONIC_INLINE ints quantise(const f64_lanes& x, const f64_rule& how) noexcept {
        const float64x2_t reach = vdupq_n_f64(0x1p30);
        ints q;
        for (int i = 0; i < 8; ++i) {
            const float64x2_t low = vmulq_f64(x.v[2 * i], how.inverse);
            const float64x2_t high = vmulq_f64(x.v[2 * i + 1], how.inverse);
            const uint32x4_t near = lower_words(vcaltq_f64(low, reach), vcaltq_f64(high, reach));
            const uint32x4_t whole =
                lower_words(vreinterpretq_u64_s64(vcvtnq_s64_f64(low)), vreinterpretq_u64_s64(vcvtnq_s64_f64(high)));
            q.v[i] = vbslq_s32(near, vreinterpretq_s32_u32(whole), out_of_reach());
        }
        return q;
    }
    template <class T>
    static LACONIC_INLINE values<T> to_real(const ints& q) noexcept {
        values<T> real;
        for (int i = 0; i < 8; ++i) {
            if constexpr (sizeof(T) == 4) {
                real.v[i] = vcvtq_f32_s32(q.v[i]);
            } else {
                real.v[2 * i] = vcvtq_f64_s64(vmovl_s32(vget_low_s32(q.v[i])));
                real.v[2 * i + 1] = vcvtq_f64_s64(vmovl_high_s32(q.v[i]));
            }
        }
        return real;
    }

    // The maximum of numbers and a NaN is a NaN, which no limit allows.
    static LACONIC_INLINE bool misses(const f32_lanes& x, const f32_lanes& real, const f32_rule& how) noexcept {
        float32x4_t worst = vdupq_n_f32(0);
        for (int i = 0; i < 8; ++i) worst = vmaxq_f32(worst, vabdq_f32(x.v[i], vmulq_f32(real.v[i], how.step)));
        return !(vmaxvq_f32(worst) <= how.limit);
    }
    static LACONIC_INLINE bool misses(const f64_lanes& x, const f64_lanes& real, const f64_rule& how) noexcept {
        float64x2_t worst = vdupq_n_f64(0);
        for (int i = 0; i < 16; ++i) worst = vmaxq_f64(worst, vabdq_f64(x.v[i], vmulq_f64(real.v[i], how.step)));
        return !(vmaxvq_f64(worst) <= how.limit);
    }
    // -0.0 is the smallest of all bit patterns read as signed integers.
    static LACONIC_INLINE bool has_negative_zero(const f32_lanes& x) noexcept {
        int32x4_t least = vreinterpretq_s32_f32(x.v[0]);
        for (int i = 1; i < 8; ++i) least = vminq_s32(least, vreinterpretq_s32_f32(x.v[i]));
        return vminvq_s32(least) == std::numeric_limits<std::int32_t>::min();
    }
    static LACONIC_INLINE bool has_negative_zero(const f64_lanes& x) noexcept {
        const uint64x2_t zero = vdupq_n_u64(std::uint64_t{1} << 63);
        uint64x2_t found = vdupq_n_u64(0);
        for (const float64x2_t& part : x.v) found = vorrq_u64(found, vceqq_u64(vreinterpretq_u64_f64(part), zero));
        return vmaxvq_u32(vreinterpretq_u32_u64(found)) != 0;
    }
    // No short cut: both are nearly always false, and one branch is cheaper than two.
    template <class Lanes, class Rule>
    static LACONIC_INLINE bool is_odd(const Lanes& x, const Lanes& real, const Rule& how) noexcept {
        return static_cast<int>(misses(x, real, how)) + static_cast<int>(has_negative_zero(x)) != 0;
    }

    template <class T>
    static LACONIC_INLINE uint32x4_t no_peak() noexcept {
        return vdupq_n_u32(0);
    }
    template <class Lanes>
    static LACONIC_INLINE void raise(uint32x4_t& peak, const ints& q, const Lanes&) noexcept {
        for (const int32x4_t& part : q.v) peak = vmaxq_u32(peak, vreinterpretq_u32_s32(vabsq_s32(part)));
    }
    template <class T>
    static LACONIC_INLINE std::uint64_t highest(uint32x4_t peak) noexcept {
        return vmaxvq_u32(peak);
    }

    static LACONIC_INLINE carry carry_of(std::int32_t q) noexcept { return vdupq_n_s32(q); }
    static LACONIC_INLINE carry last(const ints& q) noexcept { return q.v[7]; }
    static LACONIC_INLINE std::int32_t first(const ints& q) noexcept { return vgetq_lane_s32(q.v[0], 0); }
    static LACONIC_INLINE ints zero() noexcept { return all(vdupq_n_s32(0)); }

    static LACONIC_INLINE ints deltas(const ints& q, carry before) noexcept {
        ints d;
        for (int i = 0; i < 8; ++i) d.v[i] = vsubq_s32(q.v[i], vextq_s32(i == 0 ? before : q.v[i - 1], q.v[i], 3));
        return d;
    }
    static LACONIC_INLINE ints prefix(const ints& d, carry& before) noexcept {
        const int32x4_t none = vdupq_n_s32(0);
        ints q;
        for (int i = 0; i < 8; ++i) {
            int32x4_t x = d.v[i];
            x = vaddq_s32(x, vextq_s32(none, x, 3));
            x = vaddq_s32(x, vextq_s32(none, x, 2));
            q.v[i] = vaddq_s32(x, before);
            before = vaddq_s32(before, vdupq_laneq_s32(x, 3));
        }
        return q;
    }
    static LACONIC_INLINE ints prefix_words(const std::byte* at, unsigned width, carry& before) noexcept {
        if (width == 0) return all(before);
        const int16x8_t none = vdupq_n_s16(0);
        words w = get_words(at, width);
        for (int16x8_t& x : w.v) {
            x = vaddq_s16(x, vextq_s16(none, x, 7));
            x = vaddq_s16(x, vextq_s16(none, x, 6));
            x = vaddq_s16(x, vextq_s16(none, x, 4));
        }
        for (int i = 1; i < 4; ++i) w.v[i] = vaddq_s16(w.v[i], vdupq_laneq_s16(w.v[i - 1], 7));
        ints q;
        for (int i = 0; i < 4; ++i) {
            q.v[2 * i] = vaddw_s16(before, vget_low_s16(w.v[i]));
            q.v[2 * i + 1] = vaddw_high_s16(before, w.v[i]);
        }
        before = vaddw_s16(before, vdup_laneq_s16(w.v[3], 7));
        return q;
    }

    static LACONIC_INLINE ints add(const ints& x, const ints& y) noexcept {
        ints sum;
        for (int i = 0; i < 8; ++i) sum.v[i] = vaddq_s32(x.v[i], y.v[i]);
        return sum;
    }
    static LACONIC_INLINE words add(const words& x, const words& y) noexcept {
        words sum;
        for (int i = 0; i < 4; ++i) sum.v[i] = vaddq_s16(x.v[i], y.v[i]);
        return sum;
    }
    static LACONIC_INLINE ints subtract(const ints& x, const ints& y) noexcept {
        ints difference;
        for (int i = 0; i < 8; ++i) difference.v[i] = vsubq_s32(x.v[i], y.v[i]);
        return difference;
    }
    static LACONIC_INLINE words subtract(const words& x, const words& y) noexcept {
        words difference;
        for (int i = 0; i < 4; ++i) difference.v[i] = vsubq_s16(x.v[i], y.v[i]);
        return difference;
    }
    static LACONIC_INLINE ints multiply(const ints& x, std::int32_t factor) noexcept {
        ints product;
        for (int i = 0; i < 8; ++i) product.v[i] = vmulq_n_s32(x.v[i], factor);
        return product;
    }
    static LACONIC_INLINE ints smaller(const ints& x, const ints& y) noexcept {
        ints least;
        for (int i = 0; i < 8; ++i) least.v[i] = vminq_s32(x.v[i], y.v[i]);
        return least;
    }
    static LACONIC_INLINE ints larger(const ints& x, const ints& y) noexcept {
        ints most;
        for (int i = 0; i < 8; ++i) most.v[i] = vmaxq_s32(x.v[i], y.v[i]);
        return most;
    }

    static LACONIC_INLINE bool fits(const ints& d, std::int32_t half) noexcept {
        const int32x4_t offset = vdupq_n_s32(half);
        int32x4_t any = vdupq_n_s32(0);
        for (const int32x4_t& part : d.v) any = vorrq_s32(any, vaddq_s32(part, offset));
        return vmaxvq_u32(vreinterpretq_u32_s32(any)) < 2 * static_cast<std::uint32_t>(half);
    }
    static LACONIC_INLINE bool fits15(const ints& d) noexcept { return fits(d, 1 << 14); }
    static LACONIC_INLINE bool fits16(const ints& d) noexcept { return fits(d, 1 << 15); }

    static LACONIC_INLINE words low_words(const ints& d) noexcept {
        words w;
        for (int i = 0; i < 4; ++i)
            w.v[i] = vuzp1q_s16(vreinterpretq_s16_s32(d.v[2 * i]), vreinterpretq_s16_s32(d.v[2 * i + 1]));
        return w;
    }
    static LACONIC_INLINE words high_words(const ints& d) noexcept {
        words w;
        for (int i = 0; i < 4; ++i)
            w.v[i] = vuzp2q_s16(vreinterpretq_s16_s32(d.v[2 * i]), vreinterpretq_s16_s32(d.v[2 * i + 1]));
        return w;
    }
    static LACONIC_INLINE ints widen(const words& w) noexcept {
        ints d;
        for (int i = 0; i < 4; ++i) {
            d.v[2 * i] = vmovl_s16(vget_low_s16(w.v[i]));
            d.v[2 * i + 1] = vmovl_high_s16(w.v[i]);
        }
        return d;
    }
    static LACONIC_INLINE ints join(const words& low, const words& high) noexcept {
        ints d;
        for (int i = 0; i < 4; ++i) {
            d.v[2 * i] = vreinterpretq_s32_s16(vzip1q_s16(low.v[i], high.v[i]));
            d.v[2 * i + 1] = vreinterpretq_s32_s16(vzip2q_s16(low.v[i], high.v[i]));
        }
        return d;
    }

    static LACONIC_INLINE std::uint32_t put_words(const words& w, std::byte* at, std::uint32_t below) noexcept {
        const byte_pair first = unzip({vreinterpretq_u8_s16(w.v[0]), vreinterpretq_u8_s16(w.v[1])});
        const byte_pair second = unzip({vreinterpretq_u8_s16(w.v[2]), vreinterpretq_u8_s16(w.v[3])});
        const byte_pair low{first.a, second.a};
        const byte_pair high{first.b, second.b};
        const byte_pair low_planes = planes_of(low);
        store_pair(at, low_planes);
        const uint32x4_t low_changes = changes(low_planes, vdupq_n_u32(below));
        const uint32x4_t top = vdupq_laneq_u32(vreinterpretq_u32_u8(low_planes.b), 3);
        if (vmaxvq_u8(vorrq_u8(veorq_u8(high.a, sign_of(low.a)), veorq_u8(high.b, sign_of(low.b)))) == 0) {
            store_pair(at + 32, {vreinterpretq_u8_u32(top), vreinterpretq_u8_u32(top)});
            return vaddvq_u32(low_changes);
        }
        const byte_pair high_planes = planes_of(high);
        store_pair(at + 32, high_planes);
        return vaddvq_u32(vorrq_u32(low_changes, vshlq_n_u32(changes(high_planes, top), 8)));
    }
    static LACONIC_INLINE unsigned width_from(std::uint32_t changed) noexcept {
        return changed == 0 ? 0 : 32U - static_cast<unsigned>(__builtin_clz(changed));
    }
    static LACONIC_INLINE unsigned put16(const ints& d, std::byte* at) noexcept {
        return width_from(put_words(low_words(d), at, 0));
    }
    static LACONIC_INLINE words get_words(const std::byte* at, unsigned width) noexcept {
        if (width <= 8) {
            const byte_pair low = get_bytes(at, width);
            const int8x16_t a = vreinterpretq_s8_u8(low.a);
            const int8x16_t b = vreinterpretq_s8_u8(low.b);
            return {{vmovl_s8(vget_low_s8(a)), vmovl_high_s8(a), vmovl_s8(vget_low_s8(b)), vmovl_high_s8(b)}};
        }
        const byte_pair low = bytes_of(load_pair(at));
        const byte_pair high = get_bytes(at + 32, width - 8);
        const byte_pair first = zip({low.a, high.a});
        const byte_pair second = zip({low.b, high.b});
        return {{vreinterpretq_s16_u8(first.a), vreinterpretq_s16_u8(first.b), vreinterpretq_s16_u8(second.a),
                 vreinterpretq_s16_u8(second.b)}};
    }

    template <class T, bool Wide>
    static LACONIC_INLINE auto scale_of(T step) noexcept {
        if constexpr (Wide || sizeof(T) == 8)
            return vdupq_n_f64(static_cast<double>(step));
        else
            return vdupq_n_f32(step);
    }
    template <class T, bool Wide, class Scale>
    static LACONIC_INLINE values<T> restore(const ints& q, Scale scale) noexcept {
        values<T> y;
        if constexpr (sizeof(T) == 8) {
            y = to_real<double>(q);
            for (float64x2_t& part : y.v) part = vmulq_f64(part, scale);
        } else if constexpr (Wide) {
            const f64_lanes exact = restore<double, false>(q, scale);
            for (int i = 0; i < 8; ++i) y.v[i] = vcvt_high_f32_f64(vcvt_f32_f64(exact.v[2 * i]), exact.v[2 * i + 1]);
        } else {
            y = to_real<float>(q);
            for (float32x4_t& part : y.v) part = vmulq_f32(part, scale);
        }
        return y;
    }

    template <class T>
    static LACONIC_INLINE auto no_range() noexcept {
        if constexpr (sizeof(T) == 4)
            return f32_range{vdupq_n_f32(__builtin_inff()), vdupq_n_f32(-__builtin_inff()), vdupq_n_u32(~0U)};
        else
            return f64_range{vdupq_n_f64(__builtin_inf()), vdupq_n_f64(-__builtin_inf()),
                             vdupq_n_u64(~std::uint64_t{0})};
    }
    // Non-finite lanes are replaced by the neutral element.
    static LACONIC_INLINE void extend(f32_range& range, const f32_lanes& x) noexcept {
        const float32x4_t infinity = vdupq_n_f32(__builtin_inff());
        for (const float32x4_t& part : x.v) {
            const uint32x4_t finite = vcaltq_f32(part, infinity);
            range.min = vminq_f32(range.min, vbslq_f32(finite, part, infinity));
            range.max = vmaxq_f32(range.max, vbslq_f32(finite, part, vnegq_f32(infinity)));
            range.finite = vandq_u32(range.finite, finite);
        }
    }
    static LACONIC_INLINE void extend(f64_range& range, const f64_lanes& x) noexcept {
        const float64x2_t infinity = vdupq_n_f64(__builtin_inf());
        for (const float64x2_t& part : x.v) {
            const uint64x2_t finite = vcaltq_f64(part, infinity);
            range.min = vminq_f64(range.min, vbslq_f64(finite, part, infinity));
            range.max = vmaxq_f64(range.max, vbslq_f64(finite, part, vnegq_f64(infinity)));
            range.finite = vandq_u64(range.finite, finite);
        }
    }
    template <class T>
    static LACONIC_INLINE value_range<T> finish(const f32_range& range, const std::byte* values,
                                                std::size_t count) noexcept {
        return range_from<T>(vminvq_f32(range.min), vmaxvq_f32(range.max), vminvq_u32(range.finite) == 0, values,
                             count);
    }
    template <class T>
    static LACONIC_INLINE value_range<T> finish(const f64_range& range, const std::byte* values,
                                                std::size_t count) noexcept {
        return range_from<T>(vminvq_f64(range.min), vmaxvq_f64(range.max),
                             vminvq_u32(vreinterpretq_u32_u64(range.finite)) == 0, values, count);
    }

private:
    static LACONIC_INLINE int32x4_t out_of_reach() noexcept {
        return vdupq_n_s32(std::numeric_limits<std::int32_t>::min());
    }
    static LACONIC_INLINE ints all(int32x4_t v) noexcept { return {{v, v, v, v, v, v, v, v}}; }
    static LACONIC_INLINE uint32x4_t lower_words(uint64x2_t low, uint64x2_t high) noexcept {
        return vuzp1q_u32(vreinterpretq_u32_u64(low), vreinterpretq_u32_u64(high));
    }
    static LACONIC_INLINE uint8x16_t sign_of(uint8x16_t bytes) noexcept {
        return vreinterpretq_u8_s8(vshrq_n_s8(vreinterpretq_s8_u8(bytes), 7));
    }
};

}  // namespace
}  // namespace laconic::codec

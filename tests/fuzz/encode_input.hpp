// SPDX-License-Identifier: BSD-3-Clause
// How the target `encode` reads an input: type, bound and options first, then values: bit patterns, walks, or multiples
// of the bound near the points where rounding turns.
#pragma once

#include <cmath>
#include <limits>

#include "support.hpp"

namespace laconic::fuzz {

struct encode_input {
    element_type type = element_type::f32;
    bound limit;
    frame_options options;
    bool misaligned = false;      ///< the values start at an odd address
    unsigned rounding = 0;        ///< 1: the caller rounds upwards, 2: towards zero, 3: downwards
    std::uint32_t cancel_at = 0;  ///< unless 0, the progress callback says no at this call
    unsigned values = 0;          ///< which kind of values
    std::size_t count = 0;
};

/// A number of either the input's bits or a plain size.
inline double real_from(reader& from, unsigned how) {
    switch (how % 4) {
        case 0: return from.take<double>();
        case 1: {
            const double fraction = 1 + from.take<std::uint8_t>() / 256.0;
            return std::ldexp(fraction, from.take<std::int8_t>() / 2);
        }
        case 2: return std::pow(10.0, from.take<std::int8_t>() / 4);
        default: return static_cast<double>(from.take<float>());
    }
}

inline encode_input encode_input_from(reader& from) {
    encode_input in;
    const auto kinds = from.take<std::uint8_t>();
    const auto switches = from.take<std::uint8_t>();
    const auto more = from.take<std::uint8_t>();
    in.type = static_cast<element_type>(1 + kinds % 4);
    in.values = kinds >> 2 & 7U;
    in.limit.kind = (switches & 1U) != 0 ? bound_kind::relative : bound_kind::absolute;
    in.options.checksum = (switches & 2U) != 0;
    in.misaligned = (switches & 4U) != 0;
    in.rounding = switches >> 3 & 3U;
    // Mostly fle; numbers that no codec has, too.
    const unsigned codec = switches >> 5 & 7U;
    in.options.codec = static_cast<codec_id>((kinds & 0xC0U) == 0xC0U ? codec : 1U);
    in.limit.value = (more & 0xCU) == 0xCU && (more & 0x30U) == 0 ? 0 : real_from(from, more);
    if ((more & 0x10U) != 0) in.options.max_abs = real_from(from, more >> 2);
    if ((more & 0x20U) != 0) in.options.row_length = from.take<std::uint16_t>() % 2500;
    if ((more & 0x40U) != 0) in.options.rate = real_from(from, 1);
    if ((more & 0x80U) != 0) in.cancel_at = 1U + from.take<std::uint8_t>() % 3U;
    in.count = from.take<std::uint16_t>() % 4600;
    return in;
}

/// The values: what is left of the input goes around.
template <class T>
std::vector<T> values_from(const encode_input& in, const bytes& data) {
    using real = real_type<T>;
    std::vector<T> values(in.values == 0 ? data.size() / sizeof(T) : in.count);
    if (data.empty()) return std::vector<T>(values.size());
    const auto byte_at = [&](std::size_t i) { return static_cast<std::int8_t>(data[i % data.size()]); };
    const double scale = in.limit.kind == bound_kind::absolute && in.limit.value > 0 ? in.limit.value : 1.0;
    double walk = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        double v = 0;
        switch (in.values) {
            case 0:
            case 1:  // bit patterns
                for (std::size_t k = 0; k < sizeof(T); ++k)
                    reinterpret_cast<std::byte*>(&values[i])[k] = data[(i * sizeof(T) + k) % data.size()];
                continue;
            case 2: v = walk += scale * byte_at(i); break;
            case 3: v = scale * byte_at(i); break;
            case 4:  // far out, where the rounding of T counts
                v = scale * (std::ldexp(1.0, byte_at(i) & 31) + byte_at(i + 1));
                break;
            case 5: v = std::ldexp(byte_at(i), byte_at(i + 1) / 2); break;
            case 6: v = byte_at(i) < -120 ? -0.0 : byte_at(i) < -110 ? std::nan("") : scale * 0.125 * byte_at(i); break;
            default: v = 1000 + scale * 0.5 * byte_at(i); break;
        }
        const auto most = static_cast<double>(std::numeric_limits<real>::max());
        if (std::isfinite(v) && std::abs(v) > most) v = std::copysign(most, v);
        values[i] = static_cast<T>(static_cast<real>(v));
    }
    // Neighbours in the type of what was made: the last bit decides close calls.
    if (in.values > 2 && byte_at(0) % 2 != 0)
        for (std::size_t i = 0; i < values.size(); i += 3) reinterpret_cast<std::uint8_t*>(&values[i])[0] ^= 1U;
    return values;
}

}  // namespace laconic::fuzz

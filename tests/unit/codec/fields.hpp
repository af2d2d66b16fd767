// SPDX-License-Identifier: BSD-3-Clause
// Arrays that codecs get wrong: generators by name, the same for every engine and every run.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "codec/quad.hpp"
#include "laconic/arithmetic.hpp"

namespace laconic::testing {

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

using exact_real = codec::quad;

inline constexpr std::array field_names{"smooth",   "noise", "offset",  "denormal", "huge",      "any_bits", "special",
                                        "constant", "zeros", "minus_0", "spikes",   "midpoints", "integers", "steps"};

template <class T>
std::vector<T> make_field(const std::string& name, std::size_t n, std::uint64_t seed = 1) {
    std::mt19937_64 random(seed * 7919 + n);
    std::uniform_real_distribution<double> unit(-1, 1);
    std::vector<T> x(n);
    const auto chance = [&](int one_in) { return random() % static_cast<std::uint64_t>(one_in) == 0; };
    for (std::size_t i = 0; i < n; ++i) {
        const double t = static_cast<double>(i) * 0.01 + static_cast<double>(seed);
        const double wave = std::sin(t) + 0.3 * std::sin(7.1 * t);
        double v = wave;
        if (name == "noise") v = unit(random);
        if (name == "offset") v = 290 + 6.5 * wave;
        if (name == "denormal") v = wave * static_cast<double>(std::numeric_limits<T>::min()) * 0.01;
        if (name == "huge") v = unit(random) * static_cast<double>(std::numeric_limits<T>::max()) * 0.9;
        if (name == "constant") v = 3.7;
        if (name == "zeros") v = 0;
        if (name == "minus_0") v = chance(3) ? -0.0 : chance(2) ? 0.0 : wave * 1e-3;
        if (name == "spikes") v = chance(50) ? unit(random) * 1e30 : wave;
        if (name == "midpoints") v = static_cast<double>(static_cast<std::int64_t>(random() % 4001) - 2000) * 0.125;
        if (name == "integers") v = std::floor(wave * 1000);
        if (name == "steps") v = std::floor(t) * 100 + 0.001 * unit(random);
        x[i] = static_cast<T>(v);
        if (name == "any_bits") {
            x[i] = std::bit_cast<T>(static_cast<bits_of<T>>(random()));
            if (!std::isfinite(x[i])) x[i] = T{1};
        }
        if (name == "special" && chance(9)) {
            const std::array<T, 6> odd{std::numeric_limits<T>::quiet_NaN(),
                                       std::numeric_limits<T>::signaling_NaN(),
                                       std::numeric_limits<T>::infinity(),
                                       -std::numeric_limits<T>::infinity(),
                                       T(-0.0),
                                       std::numeric_limits<T>::max()};
            x[i] = odd[random() % odd.size()];
        }
    }
    return x;
}

/// Random bits, every other round in a narrower band of exponents (which makes quantised blocks likely), and a bound.
template <class T>
struct random_case {
    std::vector<T> x;
    double e;

    random_case(std::mt19937_64& random, int round, std::size_t most) {
        x = make_field<T>("any_bits", 1 + random() % most, random());
        if (round % 2 == 1)
            for (T& v : x)
                v = static_cast<T>(std::ldexp(std::fmod(static_cast<double>(v), 1.0), static_cast<int>(random() % 8)));
        e = std::ldexp(1.0 + static_cast<double>(random() % 1000) / 1000, static_cast<int>(random() % 80) - 60);
    }
};

template <class T>
bits_of<T> pattern(T value) {
    return std::bit_cast<bits_of<T>>(value);
}

/// |x - y| <= e in exact arithmetic; specials and -0.0 bit for bit.
template <class T>
bool keeps_promise(T x, T y, double e) {
    if (!std::isfinite(x) || (x == 0 && std::signbit(x))) return pattern(x) == pattern(y);
    if (!std::isfinite(y)) return false;
    const exact_real difference = static_cast<exact_real>(x) - static_cast<exact_real>(y);
    return (difference < 0 ? -difference : difference) <= static_cast<exact_real>(e);
}

/// A frame in a buffer of exactly its worst-case size, so that sanitizers see any access beyond it.
template <class T>
std::vector<std::byte> compressed(std::span<const T> values, bound limit, const frame_options& options = {}) {
    std::vector<std::byte> out(compress_bound(element_type_of<T>::value, values.size()));
    auto bytes = compress(values, limit, std::span<std::byte>(out), options);
    if (!bytes) throw bad_result(bytes.error());
    out.resize(*bytes);
    out.shrink_to_fit();
    return out;
}
template <class T>
std::vector<std::byte> compressed(const std::vector<T>& values, bound limit, const frame_options& options = {}) {
    return compressed(std::span<const T>(values), limit, options);
}

template <class T>
std::vector<T> decompressed(const std::vector<std::byte>& frame) {
    std::vector<T> values(inspect(frame).value().count);
    if (status bad = decompress(std::span<const std::byte>(frame), std::span<T>(values)); !bad.ok())
        throw bad_result(bad);
    return values;
}

inline std::vector<std::byte> sum_of(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
    const frame_info info = inspect(a).value();
    std::vector<std::byte> out(sum_bound(info.type, info.count));
    auto bytes = add(std::span<const std::byte>(a), std::span<const std::byte>(b), std::span<std::byte>(out));
    if (!bytes) throw bad_result(bytes.error());
    out.resize(*bytes);
    out.shrink_to_fit();
    return out;
}

template <class T>
std::vector<std::byte> sum_of(const std::vector<T>& values, const std::vector<std::byte>& frame) {
    std::vector<std::byte> out(sum_bound(element_type_of<T>::value, values.size()));
    auto bytes = add(std::span<const T>(values), std::span<const std::byte>(frame), std::span<std::byte>(out));
    if (!bytes) throw bad_result(bytes.error());
    out.resize(*bytes);
    out.shrink_to_fit();
    return out;
}

/// Runs a body once per engine of this machine, and leaves the engine as it was.
template <class Body>
void on_every_engine(Body body) {
    const std::string before(engine_name());
    for (const std::string_view name : available_engines()) {
        if (!use_engine(name).ok()) continue;
        body(std::string(name));
    }
    if (!use_engine(before).ok()) std::abort();
}

}  // namespace laconic::testing

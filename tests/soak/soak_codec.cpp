// SPDX-License-Identifier: BSD-3-Clause
// The element promise at length: a number of values flows in; random and adversarial arrays of all types are compressed
// and restored until so many have been checked, exactly; the counts flow out as one JSON object. Exit 1 on a violation.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "codec/quad.hpp"
#include "laconic/arithmetic.hpp"

namespace {

using namespace laconic;
using codec::quad;

/// xoshiro256++.
class random_bits {
public:
    explicit random_bits(std::uint64_t seed) noexcept {
        for (auto& word : state_) {
            seed += 0x9E3779B97F4A7C15ULL;
            std::uint64_t z = seed;
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
            z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
            word = z ^ (z >> 31);
        }
    }
    std::uint64_t next() noexcept {
        const std::uint64_t result = turn(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = turn(state_[3], 45);
        return result;
    }
    std::uint64_t below(std::uint64_t n) noexcept { return next() % n; }
    double unit() noexcept { return static_cast<double>(static_cast<std::int64_t>(next()) >> 11) * 0x1p-52; }

private:
    static std::uint64_t turn(std::uint64_t v, int by) noexcept { return (v << by) | (v >> (64 - by)); }
    std::array<std::uint64_t, 4> state_;
};

template <class T>
T from_bits(std::uint64_t bits) noexcept {
    T value;
    std::memcpy(static_cast<void*>(&value), &bits, sizeof value);
    return value;
}

/// Bounds that each array meets.
constexpr int bounds_per_array = 8;

/// CTest counts this as a skipped test.
constexpr int exit_without_engine = 77;

constexpr std::array kinds{"any_bits", "uniform",   "walk",     "offset", "midpoints",
                           "edges",    "denormals", "specials", "grid"};

/// One array. `e` is the bound it will meet; some kinds aim at the ties and edges that it makes.
template <class T>
void fill(std::vector<T>& x, std::size_t kind, double e, random_bits& random) {
    using real = real_type<T>;
    const int exponent = static_cast<int>(random.below(sizeof(real) == 4 ? 60 : 200)) - (sizeof(real) == 4 ? 30 : 100);
    const double size = sizeof(T) == 2 ? std::ldexp(1.0, exponent / 4) : std::ldexp(1.0, exponent);
    const double offset = random.unit() * size * static_cast<double>(random.below(2000));
    double walk = random.unit() * size;
    for (T& v : x) {
        const double u = random.unit();
        switch (kind) {
            case 0: v = from_bits<T>(random.next()); break;
            case 1: v = T(static_cast<real>(u * size)); break;
            case 2: v = T(static_cast<real>(walk += u * size * 1e-2)); break;
            case 3: v = T(static_cast<real>(offset + u * size)); break;
            case 4: v = T(static_cast<real>((std::floor(u * 4000) + 0.5) * 2 * e * (1 - 0x1p-8))); break;
            case 5: {
                const auto at = static_cast<real>(std::floor(u * 40000) * e);
                v = T(random.below(2) == 0 ? std::nextafter(at, real{0}) : at);
                break;
            }
            case 6: v = T(static_cast<real>(u) * std::numeric_limits<real>::min()); break;
            case 7:
                v = random.below(40) != 0 ? T(static_cast<real>(u * size))
                                          : from_bits<T>(random.below(2) == 0 ? random.next() : ~(random.next() >> 40));
                break;
            default: v = T(static_cast<real>(std::floor(u * 1000) * size * 0.001)); break;
        }
    }
}

/// |x - y| <= e exactly; what is not finite, and -0.0, bit for bit.
template <class T>
bool is_kept(T original, T decoded, double e) noexcept {
    using real = real_type<T>;
    const auto x = static_cast<real>(original);
    const auto y = static_cast<real>(decoded);
    if (!(x - x == 0) || (x == 0 && std::signbit(x))) return std::memcmp(&original, &decoded, sizeof(T)) == 0;
    if (!(y - y == 0)) return false;
    const double difference = std::abs(static_cast<double>(x) - static_cast<double>(y));
    if (difference < e * (1 - 0x1p-40)) return true;
    const quad exact = static_cast<quad>(x) - static_cast<quad>(y);
    return (exact < 0 ? -exact : exact) <= static_cast<quad>(e);
}

struct tally {
    std::uint64_t values = 0, arrays = 0, violations = 0, raw_blocks = 0, blocks = 0;
};

template <class T>
void check_all(const std::vector<T>& x, const std::vector<T>& y, double allowed, const char* kind, std::uint64_t row,
               tally& seen) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (is_kept(x[i], y[i], allowed)) continue;
        if (seen.violations++ < 10)
            std::fprintf(stderr, "violation: kind %s, n %zu, bound %.17g, row %llu, element %zu: %.17g -> %.17g\n",
                         kind, x.size(), allowed, static_cast<unsigned long long>(row), i,
                         static_cast<double>(static_cast<real_type<T>>(x[i])),
                         static_cast<double>(static_cast<real_type<T>>(y[i])));
    }
}

template <class T>
void round_trip(const std::vector<T>& x, bound limit, const char* kind, const frame_options& options, tally& seen) {
    static std::vector<T> y;
    static std::vector<std::byte> frame;
    y.resize(x.size());
    frame.resize(compress_bound(element_type_of<T>::value, x.size(), options.codec));
    const auto size = compress<T>(x, limit, frame, options);
    const auto whole = std::span<const std::byte>(frame).first(size ? *size : 0);
    const status decoded = size ? decompress<T>(whole, y) : size.error();
    const auto about = inspect(whole);
    if (!decoded.ok() || !about) {
        std::fprintf(stderr, "refused: kind %s, n %zu, bound %.17g: %s\n", kind, x.size(), limit.value,
                     decoded.message().c_str());
        ++seen.violations;
        return;
    }
    double allowed = limit.value;
    if (limit.kind == bound_kind::relative) {
        // The 16-bit types' frames hold the bound before the last rounding.
        const auto range = range_of<T>(x);
        const quad exact =
            static_cast<quad>(limit.value) * (static_cast<quad>(range.max) - static_cast<quad>(range.min));
        allowed = sizeof(T) == 2 ? static_cast<double>(exact) : about->bound;
    }
    check_all(x, y, allowed, kind, options.row_length, seen);
    seen.values += x.size();
    ++seen.arrays;
    seen.blocks += about->blocks;
    seen.raw_blocks += about->raw_blocks;
}

template <class T>
void meet_bounds(std::size_t n, codec_id codec, random_bits& random, tally& seen) {
    static std::vector<T> x;
    x.resize(n);
    const std::size_t kind = random.below(kinds.size());
    const int exponent = static_cast<int>(random.below(sizeof(T) == 8 ? 160 : 80)) - (sizeof(T) == 8 ? 100 : 50);
    const double first = std::ldexp(1.0 + std::abs(random.unit()), exponent);
    fill(x, kind, first, random);
    for (int k = 0; k < bounds_per_array; ++k) {
        frame_options options;
        options.codec = codec;
        options.row_length = codec == codec_id::fle && random.below(4) == 0 ? random.below(2100) : 0;
        // The bound that the array aims at, its neighbourhood, anything, none.
        bound limit = bound::abs(first);
        if (k >= 2)
            limit.value = std::ldexp(first, static_cast<int>(random.below(24)) - 12) * (1 + random.unit() * 0.5);
        if (k == 5) limit = bound::rel(std::ldexp(1.0, -static_cast<int>(random.below(20))));
        if (k == 7 && random.below(4) == 0) limit = bound::lossless();
        round_trip(x, limit, kinds[kind], options, seen);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const double wanted = argc > 1 ? std::atof(argv[1]) : 1e7;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    const auto codec = codec_named(argc > 3 ? argv[3] : "fle");
    if (!(wanted >= 1) || !codec) {
        std::fprintf(stderr, "usage: soak_codec [VALUES [SEED [CODEC]]]; LACONIC_FORCE_ISA chooses the engine\n");
        return 2;
    }
    if (const status bad = check_engine(); !bad.ok()) {
        std::fprintf(stderr, "%s\n", bad.message().c_str());
        return exit_without_engine;
    }
    random_bits random(seed);
    std::array<tally, 4> seen;
    const auto started = std::chrono::steady_clock::now();
    for (double values = 0; values < wanted;) {
        // Short arrays have the special cases, long ones the numbers.
        const std::size_t n = random.below(3) == 0 ? random.below(100) : 1 + random.below(40000);
        // Half of the values in f32, and most of the rest in f64.
        const bool any_type = *codec == codec_id::fle || *codec == codec_id::raw;
        switch (any_type ? random.below(8) : 2 + random.below(6)) {
            case 0: meet_bounds<half>(n, *codec, random, seen[2]); break;
            case 1: meet_bounds<bfloat16>(n, *codec, random, seen[3]); break;
            case 2:
            case 3:
            case 4: meet_bounds<double>(n, *codec, random, seen[1]); break;
            default: meet_bounds<float>(n, *codec, random, seen[0]);
        }
        values += static_cast<double>(n * bounds_per_array);
    }
    std::uint64_t violations = 0;
    std::printf("{\"codec\": \"%s\", \"engine\": \"%s\", \"seed\": %llu", argc > 3 ? argv[3] : "fle",
                std::string(engine_name()).c_str(), static_cast<unsigned long long>(seed));
    constexpr std::array names{"f32", "f64", "f16", "bf16"};
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        std::printf(
            ", \"%s\": {\"values\": %llu, \"arrays\": %llu, \"blocks\": %llu, \"raw_blocks\": %llu, "
            "\"violations\": %llu}",
            names[i], static_cast<unsigned long long>(seen[i].values), static_cast<unsigned long long>(seen[i].arrays),
            static_cast<unsigned long long>(seen[i].blocks), static_cast<unsigned long long>(seen[i].raw_blocks),
            static_cast<unsigned long long>(seen[i].violations));
        violations += seen[i].violations;
        all += seen[i].values;
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    std::printf(", \"values\": %llu, \"violations\": %llu, \"seconds\": %.0f}\n", static_cast<unsigned long long>(all),
                static_cast<unsigned long long>(violations), seconds);
    return violations == 0 ? 0 : 1;
}

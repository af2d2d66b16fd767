// SPDX-License-Identifier: BSD-3-Clause
// binary16 and bfloat16: conversions, the element promise, sums, and one set of bytes on all engines.
#include <gtest/gtest.h>

#include <algorithm>

#include "codec/element.hpp"
#include "fields.hpp"

namespace laconic::testing {
namespace {

template <class T>
class half_types : public ::testing::Test {};
using types = ::testing::Types<half, bfloat16>;
TYPED_TEST_SUITE(half_types, types);

template <class T>
std::vector<T> narrowed(const std::string& name, std::size_t n, std::uint64_t seed = 1) {
    std::vector<T> values;
    for (const float v : make_field<float>(name, n, seed)) values.push_back(T(v));
    return values;
}

template <class T>
std::vector<T> every_pattern() {
    std::vector<T> values(65536);
    for (unsigned bits = 0; bits < values.size(); ++bits) values[bits].bits = static_cast<std::uint16_t>(bits);
    std::shuffle(values.begin(), values.end(), std::mt19937_64(3));
    return values;
}

template <class T>
bool is_same(const std::vector<T>& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](T x, T y) { return x.bits == y.bits; });
}

/// |x - y| <= e; specials and -0.0 bit for bit.
template <class T>
bool is_kept(T x, T y, double e) {
    const auto wide_x = static_cast<double>(static_cast<float>(x));
    const auto wide_y = static_cast<double>(static_cast<float>(y));
    if (!std::isfinite(wide_x) || (wide_x == 0 && std::signbit(wide_x))) return x.bits == y.bits;
    return std::isfinite(wide_y) && std::abs(wide_x - wide_y) <= e;
}

/// The nearest T, found by trying all of them.
template <class T>
float nearest(float x, const std::vector<float>& all) {
    const auto above = std::lower_bound(all.begin(), all.end(), x);
    if (above == all.begin()) return *above;
    if (above == all.end()) return all.back();
    const double up = static_cast<double>(*above) - static_cast<double>(x);
    const double down = static_cast<double>(x) - static_cast<double>(*(above - 1));
    if (up != down) return up < down ? *above : *(above - 1);
    return (T(*above).bits & 1) == 0 ? *above : *(above - 1);
}

TYPED_TEST(half_types, round_to_the_nearest_even) {
    std::vector<float> all;
    for (unsigned bits = 0; bits < 65536; ++bits) {
        TypeParam h;
        h.bits = static_cast<std::uint16_t>(bits);
        const auto value = static_cast<float>(h);
        if (std::isfinite(value) && !(value == 0 && std::signbit(value))) all.push_back(value);
        if (value == value) {
            EXPECT_EQ(TypeParam(value).bits, bits);
        }
    }
    std::sort(all.begin(), all.end());
    std::mt19937_64 random(5);
    for (int round = 0; round < 20000; ++round) {
        const std::size_t i = random() % (all.size() - 1);
        const float low = all[i];
        const float high = all[i + 1];
        // Ties, their neighbours, and anything in between.
        const float middle = low / 2 + high / 2;
        for (const float x : {middle, std::nextafter(middle, low), std::nextafter(middle, high)})
            ASSERT_EQ(static_cast<float>(TypeParam(x)), nearest<TypeParam>(x, all)) << x;
    }
    EXPECT_TRUE(std::isinf(static_cast<float>(TypeParam(std::numeric_limits<float>::max()))));
    EXPECT_TRUE(std::isnan(static_cast<float>(TypeParam(std::numeric_limits<float>::quiet_NaN()))));
}

TYPED_TEST(half_types, keep_the_element_promise) {
    on_every_engine([](const std::string& engine) {
        for (const char* name : field_names) {
            for (const double e : {1e30, 100.0, 16.0, 0.5, 1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-12, 0.0}) {
                for (const std::size_t n : {0U, 1U, 31U, 32U, 33U, 5000U}) {
                    const auto x = narrowed<TypeParam>(name, n);
                    const auto y = decompressed<TypeParam>(compressed(x, bound::abs(e)));
                    for (std::size_t i = 0; i < n; ++i)
                        ASSERT_TRUE(is_kept(x[i], y[i], e))
                            << engine << " " << name << " e " << e << " n " << n << " element " << i << ": "
                            << static_cast<float>(x[i]) << " -> " << static_cast<float>(y[i]);
                }
            }
        }
    });
}

TYPED_TEST(half_types, keep_every_pattern_within_any_bound) {
    const auto x = every_pattern<TypeParam>();
    on_every_engine([&](const std::string& engine) {
        for (const bound limit :
             {bound::abs(40), bound::abs(1), bound::abs(1e-3), bound::abs(1e-7), bound::rel(1e-3)}) {
            const auto frame = compressed(x, limit);
            const double e = limit.kind == bound_kind::absolute
                                 ? limit.value
                                 : limit.value * (2 * static_cast<double>(range_of<TypeParam>(x).max_abs));
            const auto y = decompressed<TypeParam>(frame);
            for (std::size_t i = 0; i < x.size(); ++i)
                ASSERT_TRUE(is_kept(x[i], y[i], e)) << engine << " " << limit.value << " " << x[i].bits;
            EXPECT_LE(frame.size(), compress_bound(element_type_of<TypeParam>::value, x.size()));
        }
        EXPECT_TRUE(is_same(x, decompressed<TypeParam>(compressed(x, bound::lossless())))) << engine;
    });
}

TYPED_TEST(half_types, have_the_same_bytes_on_every_engine) {
    frame_options options;
    options.max_abs = 1000;
    for (const char* name : field_names) {
        for (const double e : {1.0, 1e-2, 1e-4}) {
            const auto x = narrowed<TypeParam>(name, 4500, 1);
            const auto y = narrowed<TypeParam>(name, 4500, 2);
            std::vector<std::byte> frame, sum, fused;
            on_every_engine([&](const std::string& engine) {
                const auto now = compressed(x, bound::abs(e), options);
                const auto other = compressed(y, bound::abs(e), options);
                if (engine == "scalar") frame = now;
                EXPECT_TRUE(now == frame) << engine << " " << name << " " << e;
                if (inspect(now)->step != inspect(other)->step) return;
                const auto now_sum = sum_of(now, other);
                if (engine == "scalar") sum = now_sum;
                EXPECT_TRUE(now_sum == sum) << engine << " " << name << " " << e;
                EXPECT_TRUE(sum_of(y, now) == now_sum) << engine << " " << name << " " << e;
            });
        }
    }
}

TYPED_TEST(half_types, sums_are_within_the_sum_of_bounds) {
    constexpr double e = 1e-2;
    frame_options options;
    options.max_abs = 4;
    std::vector<std::vector<TypeParam>> parts;
    std::vector<std::byte> sum;
    for (std::uint64_t k = 0; k < 9; ++k) {
        parts.push_back(narrowed<TypeParam>("smooth", 3000, k));
        const auto frame = compressed(parts.back(), bound::abs(e), options);
        sum = k == 0 ? frame : sum_of(sum, frame);
    }
    const auto y = decompressed<TypeParam>(sum);
    for (std::size_t i = 0; i < y.size(); ++i) {
        double exact = 0;
        for (const auto& part : parts) exact += static_cast<double>(static_cast<float>(part[i]));
        const auto got = static_cast<double>(static_cast<float>(y[i]));
        const double half_ulp = std::ldexp(std::abs(got) + 1e-3, std::is_same_v<TypeParam, half> ? -11 : -8);
        ASSERT_LE(std::abs(exact - got), 9 * e + half_ulp) << i;
    }
}

/// Second differences as large as they get: the integers change sign from value to value and from row to row.
template <class T>
std::vector<T> checkered(std::size_t n, std::size_t row, bool minus_zeros) {
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = T((i + i / row) % 2 == 0 ? 8128.0F : -8128.0F);
    for (std::size_t i = 5; minus_zeros && i < n; i += 32) x[i] = T(-0.0F);
    return x;
}

TYPED_TEST(half_types, stay_within_the_worst_case_with_rows) {
    for (const bool minus_zeros : {false, true}) {
        for (const unsigned threads : {1U, 4U}) {
            const auto x = checkered<TypeParam>(204800, 32, minus_zeros);
            frame_options options;
            options.row_length = 32;
            options.run.threads = threads;
            on_every_engine([&](const std::string& engine) {
                const auto frame = compressed(x, bound::abs(1.0), options);
                EXPECT_LE(frame.size(), compress_bound(element_type_of<TypeParam>::value, x.size())) << engine;
                const auto y = decompressed<TypeParam>(frame);
                for (std::size_t i = 0; i < x.size(); ++i) ASSERT_TRUE(is_kept(x[i], y[i], 1.0)) << engine << " " << i;
            });
        }
    }
}

TYPED_TEST(half_types, encode_integers_of_any_width) {
    const auto x = checkered<TypeParam>(4096, 32, false);
    frame_options options;
    options.row_length = 32;
    std::vector<std::int32_t> q(x.size());
    const auto array = quantise<TypeParam>(x, bound::abs(1.0), q, options).value();
    std::vector<std::byte> frame(compress_bound(element_type_of<TypeParam>::value, x.size()));
    frame.resize(encode(array, q, frame).value());
    EXPECT_TRUE(frame == compressed(x, bound::abs(1.0), options));
}

TYPED_TEST(half_types, compress_to_less_than_floats_do) {
    const auto x = narrowed<TypeParam>("smooth", 100000);
    EXPECT_LT(compressed(x, bound::rel(1e-2)).size() * 4, x.size() * sizeof(TypeParam));
}

TYPED_TEST(half_types, sums_are_rounded_once) {
    // Ties of T but for a part that float loses.
    const float half_ulp = std::ldexp(1.0F, -codec::element_limits<TypeParam>::digits);
    const float tiny = 0x1p-24F;
    struct sum {
        float tie, rest, expected;
    };
    for (const sum one : {sum{1 + half_ulp, tiny, 1 + 2 * half_ulp}, sum{1 + 3 * half_ulp, -tiny, 1 + 2 * half_ulp},
                          sum{1 + half_ulp, -tiny, 1}, sum{1 + 3 * half_ulp, tiny, 1 + 4 * half_ulp}})
        for (const float sign : {1.0F, -1.0F}) {
            std::vector<std::vector<TypeParam>> parts;
            for (const float part : {1.0F, one.tie - 1, one.rest}) parts.emplace_back(32, TypeParam(sign * part));
            for (auto& part : parts) part[5] = TypeParam(HUGE_VALF);  // makes the blocks raw
            on_every_engine([&](const std::string& engine) {
                const auto frame = [&](std::size_t k) { return compressed(parts[k], bound::lossless()); };
                const auto got = decompressed<TypeParam>(sum_of(sum_of(frame(0), frame(1)), frame(2)));
                EXPECT_EQ(static_cast<float>(got[0]), sign * one.expected) << engine;
            });
        }
}

}  // namespace
}  // namespace laconic::testing

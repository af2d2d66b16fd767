// SPDX-License-Identifier: BSD-3-Clause
// The codec szx: the element promise on every engine, equal bytes from all of them, the format page, sizes.
#include <gtest/gtest.h>

#include <cfenv>

#include "szx_page_decoder.hpp"
#include "szx_payloads.hpp"

namespace laconic::testing {
namespace {

template <class T>
class szx : public ::testing::Test {};
using types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(szx, types);

template <class T>
void expect_promise(const std::vector<T>& x, double e, const std::string& what) {
    const auto sent = encoded(x, e);
    const std::size_t raw = x.size() * sizeof(T);
    EXPECT_LE(sent.payload.size(), raw + raw / 100 + 16) << what;
    const auto y = decoded<T>(sent, x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_TRUE(keeps_promise(x[i], y[i], e))
            << what << " element " << i << ": " << x[i] << " came back as " << y[i] << " with bound " << e;
}

constexpr std::array bounds{1e300, 1e38,  1e30,  1.0,   0.0625, 1e-3,   1e-5, 1e-6,
                            1e-9,  1e-12, 1e-14, 1e-40, 1e-300, 5e-324, 0.0};

TYPED_TEST(szx, keeps_the_promise_for_every_field_and_bound) {
    on_every_engine([](const std::string& engine) {
        for (const char* name : field_names)
            for (const double e : bounds)
                expect_promise(make_field<TypeParam>(name, 7000), e, engine + " " + name + " " + std::to_string(e));
    });
}

TYPED_TEST(szx, keeps_the_promise_for_every_small_count_and_around_blocks_and_chunks) {
    std::vector<std::size_t> counts;
    for (std::size_t n = 0; n < 70; ++n) counts.push_back(n);
    for (const std::size_t n : {127U, 128U, 129U, 5119U, 5120U, 5121U, 10239U, 10240U, 10241U}) counts.push_back(n);
    on_every_engine([&](const std::string& engine) {
        for (const std::size_t n : counts)
            for (const char* name : {"smooth", "special", "minus_0", "any_bits", "steps"})
                expect_promise(make_field<TypeParam>(name, n), 1e-3, engine + " " + name + " n " + std::to_string(n));
    });
}

TYPED_TEST(szx, keeps_the_promise_for_random_bits_and_random_bounds) {
    std::mt19937_64 random(42);
    on_every_engine([&](const std::string& engine) {
        for (int round = 0; round < 80; ++round) {
            const random_case<TypeParam> drawn(random, round, 6000);
            expect_promise(drawn.x, drawn.e, engine + " round " + std::to_string(round));
        }
    });
}

TYPED_TEST(szx, keeps_the_promise_and_the_planes_when_the_bound_is_near_the_rounding_of_the_type) {
    const double ulp = static_cast<double>(std::numeric_limits<TypeParam>::epsilon()) * 256;
    on_every_engine([&](const std::string& engine) {
        for (double ulps = 0.3; ulps < 64; ulps *= 1.17) {
            const auto x = make_field<TypeParam>("offset", 4096);
            expect_promise(x, ulps * ulp, engine + " ulps " + std::to_string(ulps));
            if (ulps > 2) {
                EXPECT_LE(encoded(x, ulps * ulp).report.raw_blocks, 6) << ulps;
            }
        }
    });
}

TYPED_TEST(szx, lossless_gives_every_bit_back) {
    on_every_engine([](const std::string& engine) {
        for (const char* name : field_names) {
            const auto x = make_field<TypeParam>(name, 6000);
            const auto y = decoded<TypeParam>(encoded(x, 0), x.size());
            for (std::size_t i = 0; i < x.size(); ++i)
                ASSERT_EQ(pattern(x[i]), pattern(y[i])) << engine << " " << name << " " << i;
        }
    });
}

TYPED_TEST(szx, gives_the_same_bytes_and_values_on_every_engine) {
    std::mt19937_64 random(7);
    for (const char* name : field_names)
        for (const double e : bounds) {
            const auto x = make_field<TypeParam>(name, 5120 + random() % 200, random());
            std::vector<std::byte> expected;
            std::vector<TypeParam> values;
            on_every_engine([&](const std::string& engine) {
                const auto sent = encoded(x, e);
                const auto y = decoded<TypeParam>(sent, x.size());
                if (engine == "scalar") {
                    expected = sent.payload;
                    values = y;
                }
                ASSERT_EQ(sent.payload, expected) << engine << " " << name << " " << e;
                ASSERT_EQ(std::memcmp(y.data(), values.data(), y.size() * sizeof(TypeParam)), 0)
                    << engine << " " << name;
            });
        }
}

TYPED_TEST(szx, writes_what_the_format_page_says) {
    for (const char* name : field_names)
        for (const double e : bounds) {
            const auto x = make_field<TypeParam>(name, 5300);
            const auto sent = encoded(x, e);
            const auto y = decoded<TypeParam>(sent, x.size());
            const auto page = szx_page_decoder<TypeParam>(sent.payload, x.size()).decode();
            ASSERT_EQ(page.size(), y.size());
            ASSERT_EQ(std::memcmp(y.data(), page.data(), y.size() * sizeof(TypeParam)), 0) << name << " " << e;
        }
}

TYPED_TEST(szx, works_at_any_alignment) {
    const auto x = make_field<TypeParam>("special", 5401);
    const auto expected = encoded(x, 1e-3).payload;
    on_every_engine([&](const std::string& engine) {
        for (const std::size_t shift : {1U, 2U, 3U, 5U, 31U}) {
            std::vector<std::byte> in(x.size() * sizeof(TypeParam) + shift);
            std::memcpy(in.data() + shift, x.data(), x.size() * sizeof(TypeParam));
            std::vector<std::byte> out(szx_bound(element_type_of<TypeParam>::value, x.size()) + shift);
            const std::span values(reinterpret_cast<const TypeParam*>(in.data() + shift), x.size());
            const auto report = szx_encode(values, 1e-3, std::span(out).subspan(shift));
            ASSERT_EQ(report->bytes, expected.size()) << engine << " shift " << shift;
            ASSERT_EQ(std::memcmp(out.data() + shift, expected.data(), expected.size()), 0) << engine << shift;
            std::vector<std::byte> back(in.size());
            const std::span restored(reinterpret_cast<TypeParam*>(back.data() + shift), x.size());
            ASSERT_TRUE(szx_decode(std::span<const std::byte>(out).subspan(shift, report->bytes), restored).ok());
            for (std::size_t i = 0; i < x.size(); ++i) {
                TypeParam y;
                std::memcpy(&y, back.data() + shift + i * sizeof y, sizeof y);
                ASSERT_TRUE(keeps_promise(x[i], y, 1e-3)) << engine << " shift " << shift << " element " << i;
            }
        }
    });
}

TYPED_TEST(szx, does_not_need_the_default_floating_point_environment) {
    for (const char* name : {"smooth", "offset", "denormal", "midpoints"}) {
        const auto x = make_field<TypeParam>(name, 6000);
        const auto expected = encoded(x, 1e-3).payload;
        for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
            ASSERT_EQ(std::fesetround(mode), 0);
            const auto sent = encoded(x, 1e-3);
            const auto y = decoded<TypeParam>(sent, x.size());
            EXPECT_EQ(std::fegetround(), mode);
            std::fesetround(FE_TONEAREST);
            EXPECT_EQ(sent.payload, expected) << name;
            for (std::size_t i = 0; i < x.size(); ++i) ASSERT_TRUE(keeps_promise(x[i], y[i], 1e-3)) << name << " " << i;
        }
    }
}

TYPED_TEST(szx, sends_a_block_of_one_value_in_as_few_bytes_as_the_bound_allows) {
    const std::size_t head = 4 + sizeof(TypeParam);
    const auto bytes = [&](TypeParam v, double e) {
        return encoded(std::vector<TypeParam>(32, v), e).payload.size() - head;
    };
    EXPECT_EQ(bytes(TypeParam(0.5), 1), 1);     // nothing: 0 is near enough
    EXPECT_EQ(bytes(TypeParam(300.1), 10), 3);  // two bytes
    EXPECT_EQ(bytes(TypeParam(1) / 3, 0), 1 + sizeof(TypeParam));
    EXPECT_EQ(bytes(std::numeric_limits<TypeParam>::quiet_NaN(), 1), 1 + sizeof(TypeParam));
    EXPECT_EQ(bytes(TypeParam(-0.0), 1), 1 + sizeof(TypeParam));
    EXPECT_EQ(encoded(std::vector<TypeParam>(3200, 7), 1e-3).report.constant_blocks, 100);
}

TYPED_TEST(szx, leaves_out_lanes_that_repeat_their_predecessor) {
    // Two plateaus in every block: one byte a plane instead of four.
    std::vector<TypeParam> x(3200);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 32 < 11 ? TypeParam(-100) : TypeParam(100);
    // +-100 at steps just below 0.2 are integers of about +-502: 10 planes.
    const std::size_t bytes = encoded(x, 0.1).payload.size() - 4 - sizeof(TypeParam);
    EXPECT_EQ(bytes, 100 * (1 + 4 + 10));
}

TYPED_TEST(szx, sends_negative_zeros_beside_planes) {
    auto x = make_field<TypeParam>("smooth", 3200);
    for (std::size_t i = 7; i < x.size(); i += 32) x[i] = TypeParam(-0.0);
    const auto sent = encoded(x, 1e-3);
    EXPECT_EQ(sent.report.raw_blocks, 0);
    EXPECT_LE(sent.payload.size(), x.size() * sizeof(TypeParam) / 2);
    expect_promise(x, 1e-3, "smooth with -0.0");
}

TEST(szx_f32, keeps_bounds_that_are_no_floats) {
    // Values that lie beyond the bound by less than a rounding of it to float.
    std::mt19937_64 random(11);
    on_every_engine([&](const std::string& engine) {
        for (int round = 0; round < 200; ++round) {
            const double e = std::ldexp(1.0 + static_cast<double>(random() % 1000003) / 1000003.0, -10);
            auto above = static_cast<float>(e);
            if (static_cast<double>(above) < e) above = std::nextafter(above, HUGE_VALF);
            std::vector<float> x(64, above);
            for (std::size_t i = 0; i < x.size(); i += 2) x[i] = -above;
            expect_promise(x, e, engine + " round " + std::to_string(round));
        }
    });
}

TEST(szx_f64, sends_integers_beyond_30_bits_in_wide_blocks) {
    const auto x = make_field<double>("noise", 3200);
    for (const double e : {1e-10, 1e-12, 1e-14}) {
        const auto sent = encoded(x, e);
        EXPECT_EQ(sent.report.raw_blocks, 0) << e;
        const double bits = std::ceil(std::log2(1 / e)) + 1;
        EXPECT_LE(static_cast<double>(sent.payload.size()), 100 * (10 + 4 * bits) + 20) << e;
    }
}

TYPED_TEST(szx, is_not_biased) {
    const auto x = make_field<TypeParam>("noise", 200000);
    for (const double e : {1e-3, 0.3}) {
        const auto found = compare<TypeParam>(x, decoded<TypeParam>(encoded(x, e), x.size())).value();
        EXPECT_LE(std::abs(found.mean_error), 0.02 * e);
    }
}

TYPED_TEST(szx, costs_less_than_one_percent_on_incompressible_data) {
    std::mt19937_64 random(5);
    std::vector<TypeParam> x(1 << 18);
    for (TypeParam& v : x) v = std::bit_cast<TypeParam>(static_cast<bits_of<TypeParam>>(random()));
    const std::size_t raw = x.size() * sizeof(TypeParam);
    EXPECT_LE(szx_bound(element_type_of<TypeParam>::value, x.size()), raw + raw / 100 + 512);
    EXPECT_LE(encoded(x, 1e-30).payload.size(), raw + raw / 100);
    EXPECT_EQ(szx_bound(element_type_of<TypeParam>::value, 0), 0);
}

TYPED_TEST(szx, refuses_bounds_that_are_none_and_small_outputs) {
    const std::vector<TypeParam> x(10, TypeParam{1});
    std::vector<std::byte> out(szx_bound(element_type_of<TypeParam>::value, x.size()));
    for (const double e : {-1.0, -1e-300, std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL})
        EXPECT_EQ(szx_encode<TypeParam>(x, e, out).error().code(), errc::invalid_bound) << e;
    out.pop_back();
    EXPECT_EQ(szx_encode<TypeParam>(x, 1, out).error().code(), errc::output_too_small);
}

}  // namespace
}  // namespace laconic::testing

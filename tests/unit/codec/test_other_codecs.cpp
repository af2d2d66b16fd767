// SPDX-License-Identifier: BSD-3-Clause
// All codecs behind frames: the promise that their row in the table makes, names, progress, and hostile payloads.
#include <gtest/gtest.h>

#include "fields.hpp"

namespace laconic::testing {
namespace {

template <class T>
class other_codecs : public ::testing::Test {};
using types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(other_codecs, types);

using bytes = std::vector<std::byte>;

frame_options options_for(codec_id codec) {
    frame_options options;
    options.codec = codec;
    return options;
}

template <class T>
bytes frame_of(const std::vector<T>& x, bound limit, codec_id codec) {
    bytes out(compress_bound(element_type_of<T>::value, x.size(), codec));
    out.resize(compress<T>(x, limit, out, options_for(codec)).value());
    out.shrink_to_fit();
    return out;
}

TYPED_TEST(other_codecs, keep_what_their_row_promises) {
    for (const codec_description& row : codecs()) {
        if (!row.available) continue;
        for (const char* name : field_names) {
            for (const std::size_t n : {0U, 1U, 31U, 33U, 5121U}) {
                const auto x = make_field<TypeParam>(name, n);
                for (const double e : {1.0, 1e-3, 1e-6, 0.0}) {
                    const auto frame = frame_of(x, bound::abs(e), row.id);
                    const auto about = inspect(frame);
                    ASSERT_TRUE(about.ok()) << row.name << ": " << about.error().message();
                    EXPECT_EQ(about->codec, row.id);
                    EXPECT_EQ(about->count, n);
                    const auto y = decompressed<TypeParam>(frame);
                    for (std::size_t i = 0; row.keeps_bound && i < n; ++i)
                        ASSERT_TRUE(keeps_promise(x[i], y[i], e))
                            << row.name << " " << name << " e " << e << " at " << i;
                }
            }
        }
    }
}

TYPED_TEST(other_codecs, take_relative_bounds) {
    const auto x = make_field<TypeParam>("smooth", 6000);
    const auto range = range_of<TypeParam>(x);
    for (const codec_description& row : codecs()) {
        if (!row.available || !row.keeps_bound || row.id == codec_id::raw) continue;
        const auto frame = frame_of(x, bound::rel(1e-2), row.id);
        EXPECT_LT(frame.size() * 2, x.size() * sizeof(TypeParam)) << row.name;
        const double e = inspect(frame)->bound;
        EXPECT_NEAR(e, 1e-2 * static_cast<double>(range.max - range.min), 1e-6);
        const auto y = decompressed<TypeParam>(frame);
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_TRUE(keeps_promise(x[i], y[i], e)) << row.name << " " << i;
    }
}

TYPED_TEST(other_codecs, survive_damage) {
    std::mt19937_64 random(3);
    for (const codec_description& row : codecs()) {
        if (!row.available) continue;
        const auto whole = frame_of(make_field<TypeParam>("special", 5300), bound::abs(1e-3), row.id);
        std::vector<TypeParam> y(5300);
        for (std::size_t cut = 0; cut < whole.size(); cut += 1 + whole.size() / 400) {
            const bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut));
            ASSERT_FALSE(decompress(std::span<const std::byte>(part), std::span(y)).ok()) << row.name << " " << cut;
        }
        for (int round = 0; round < 300; ++round) {
            auto damaged = whole;
            for (std::uint64_t flips = 1 + random() % 3; flips > 0; --flips)
                damaged[random() % (round % 2 == 0 ? 128 : damaged.size())] = static_cast<std::byte>(random());
            static_cast<void>(inspect(damaged));
            static_cast<void>(decompress(std::span<const std::byte>(damaged), std::span(y)));
        }
    }
}

TYPED_TEST(other_codecs, tell_their_progress_and_stop) {
    const auto x = make_field<TypeParam>("smooth", 200000);
    for (const codec_description& row : codecs()) {
        if (!row.available) continue;
        auto options = options_for(row.id);
        std::uint64_t last = 0;
        options.run.progress_user = &last;
        options.run.progress = [](void* user, const progress_info& now) {
            auto& before = *static_cast<std::uint64_t*>(user);
            EXPECT_GT(now.values, before);
            EXPECT_EQ(now.total, 200000U);
            before = now.values;
            return now.values < 100000;
        };
        bytes out(compress_bound(element_type_of<TypeParam>::value, x.size(), row.id));
        EXPECT_EQ(compress<TypeParam>(x, bound::abs(1e-3), out, options).error().code(), errc::cancelled) << row.name;
        const auto frame = frame_of(x, bound::abs(1e-3), row.id);
        std::vector<TypeParam> y(x.size());
        last = 0;
        EXPECT_EQ(decompress(std::span<const std::byte>(frame), std::span(y), options.run).code(), errc::cancelled)
            << row.name;
    }
}

TEST(codec_table, is_asked_by_name) {
    for (const codec_description& row : codecs()) EXPECT_EQ(codec_named(row.name).value(), row.id);
    const auto unknown = codec_named("lzw");
    EXPECT_EQ(unknown.error().code(), errc::invalid_argument);
    EXPECT_NE(unknown.error().message().find("'lzw'; use fle, szx"), std::string::npos) << unknown.error().message();
}

TEST(codec_table, refuses_types_rates_and_numbers_that_a_codec_lacks) {
    const std::vector<half> x(100, half(1.0F));
    bytes out(100000);
    EXPECT_EQ(compress<half>(x, bound::abs(1e-3), out, options_for(codec_id::szx)).error().code(), errc::unsupported);
    EXPECT_EQ(compress<half>(x, bound::abs(1e-3), out, options_for(static_cast<codec_id>(9))).error().code(),
              errc::unsupported);
    const auto copy = compress<half>(x, bound::abs(1e-3), out, options_for(codec_id::raw));
    ASSERT_TRUE(copy.ok());
    std::vector<half> y(100);
    EXPECT_TRUE(decompress<half>(std::span<const std::byte>(out).first(*copy), y).ok());
    EXPECT_EQ(y[99].bits, x[99].bits);
    for (const double rate : {0.0, -1.0, 33.0, std::numeric_limits<double>::quiet_NaN()}) {
        auto options = options_for(codec_id::zfp_rate);
        options.rate = rate;
        const auto refused = compress<float>(std::vector<float>(100), bound::abs(1), out, options);
        EXPECT_FALSE(refused.ok()) << rate;
    }
}

}  // namespace
}  // namespace laconic::testing

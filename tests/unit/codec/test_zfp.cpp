// SPDX-License-Identifier: BSD-3-Clause
// The codecs zfp_abs (keeps the element promise), zfp_rate (keeps a size) and raw: promises, hostile payloads,
// progress.
#include <gtest/gtest.h>

#include <cfenv>

#include "codec/raw.hpp"
#include "codec/zfp.hpp"
#include "fields.hpp"

namespace laconic::testing {
namespace {

using codec::coding_report;
using codec::progress;

struct encoded_zfp {
    std::vector<std::byte> payload;
    coding_report report;
};

/// Into a buffer of exactly the documented size; the payload then lies in one of exactly its own size.
template <class T>
encoded_zfp with_accuracy(const std::vector<T>& x, double e) {
    std::vector<std::byte> out(codec::zfp_abs_bound(element_type_of<T>::value, x.size()));
    auto report = codec::zfp_abs_encode<T>(x, e, out);
    if (!report) throw bad_result(report.error());
    return {{out.begin(), out.begin() + static_cast<std::ptrdiff_t>(report->bytes)}, *report};
}
template <class T>
encoded_zfp with_rate(const std::vector<T>& x, double rate) {
    std::vector<std::byte> out(codec::zfp_rate_bound(element_type_of<T>::value, x.size(), rate));
    auto report = codec::zfp_rate_encode<T>(x, rate, out);
    if (!report) throw bad_result(report.error());
    EXPECT_EQ(report->bytes, out.size());
    return {out, *report};
}
template <class T>
std::vector<T> from_accuracy(const encoded_zfp& sent, std::size_t count) {
    std::vector<T> y(count);
    auto report = codec::zfp_abs_decode<T>(sent.payload, y);
    if (!report) throw bad_result(report.error());
    EXPECT_EQ(report->bytes, sent.payload.size());
    EXPECT_EQ(report->raw_blocks, sent.report.raw_blocks);
    return y;
}

template <class T>
class zfp : public ::testing::Test {
protected:
    void SetUp() override {
        if (!codec::zfp_available()) GTEST_SKIP() << "built without libzfp";
    }
};
using types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(zfp, types);

template <class T>
void expect_promise(const std::vector<T>& x, double e, const std::string& what) {
    const auto sent = with_accuracy(x, e);
    const auto y = from_accuracy<T>(sent, x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        ASSERT_TRUE(keeps_promise(x[i], y[i], e))
            << what << " element " << i << ": " << x[i] << " came back as " << y[i] << " with bound " << e;
}

constexpr std::array bounds{1e300, 1e30, 1.0, 0.0625, 1e-3, 1e-6, 1e-12, 1e-16, 1e-40, 1e-300, 5e-324, 0.0};

TYPED_TEST(zfp, abs_keeps_the_promise_for_every_field_and_bound) {
    for (const char* name : field_names)
        for (const double e : bounds)
            expect_promise(make_field<TypeParam>(name, 9000), e, std::string(name) + " " + std::to_string(e));
}

TYPED_TEST(zfp, abs_keeps_the_promise_for_every_small_count_and_around_chunks) {
    for (std::size_t n = 0; n < 70; ++n)
        for (const char* name : {"smooth", "special", "minus_0", "any_bits"})
            expect_promise(make_field<TypeParam>(name, n), 1e-3, std::string(name) + " n " + std::to_string(n));
    for (const std::size_t n : {4095U, 4096U, 4097U, 8193U})
        expect_promise(make_field<TypeParam>("smooth", n), 1e-3, "n " + std::to_string(n));
}

TYPED_TEST(zfp, abs_compresses_what_can_be_compressed_and_no_more) {
    const auto smooth = with_accuracy(make_field<TypeParam>("smooth", 20000), 1e-3);
    EXPECT_EQ(smooth.report.raw_blocks, 0);
    EXPECT_LE(smooth.payload.size(), 20000 * sizeof(TypeParam) / 2);
    auto x = make_field<TypeParam>("smooth", 20000);
    for (std::size_t i = 0; i < 20; ++i) x[16 + 900 * i] = std::numeric_limits<TypeParam>::quiet_NaN();
    x[5000] = TypeParam(-0.0);
    x[9000] = std::numeric_limits<TypeParam>::infinity();
    const auto patched = with_accuracy(x, 1e-3);
    EXPECT_EQ(patched.report.raw_blocks, 0);
    // Their neighbours need no patches.
    EXPECT_LE(patched.payload.size(), smooth.payload.size() + 100 + 22 * (2 + sizeof(TypeParam)));
    expect_promise(x, 1e-3, "smooth with specials");
    EXPECT_EQ(with_accuracy(x, 0).report.raw_blocks, 5);
}

TYPED_TEST(zfp, abs_costs_less_than_one_percent_on_incompressible_data) {
    std::mt19937_64 random(5);
    std::vector<TypeParam> x(1 << 16);
    for (TypeParam& v : x) v = std::bit_cast<TypeParam>(static_cast<bits_of<TypeParam>>(random()));
    const std::size_t raw = x.size() * sizeof(TypeParam);
    EXPECT_LE(codec::zfp_abs_bound(element_type_of<TypeParam>::value, x.size()), raw + raw / 100);
    EXPECT_LE(with_accuracy(x, 1e-30).payload.size(), raw + raw / 100);
}

TYPED_TEST(zfp, rate_has_the_size_it_promises_and_the_error_it_can_reach) {
    const auto x = make_field<TypeParam>("smooth", 20001);
    double before = 1e9;
    for (const double rate : {4.0, 8.0, 16.0, 32.0}) {
        const auto sent = with_rate(x, rate);
        const double bits = 8.0 * static_cast<double>(sent.payload.size()) / static_cast<double>(x.size());
        EXPECT_NEAR(bits, rate, 0.03);
        std::vector<TypeParam> y(x.size());
        ASSERT_TRUE(codec::zfp_rate_decode<TypeParam>(sent.payload, y).ok());
        const double error = compare<TypeParam>(x, y).value().max_abs_error;
        EXPECT_LT(error, before) << rate;
        before = error;
    }
    EXPECT_LT(before, 1e-6);
    // Two groups of 36 bits are 9 bytes, behind parameter and table.
    EXPECT_EQ(with_rate(make_field<TypeParam>("smooth", 5), 9).payload.size(), 8 + 9);
}

TYPED_TEST(zfp, rate_takes_any_values_counts_and_rates) {
    for (const char* name : field_names)
        for (const double rate : {0.1, 2.6, 7.0, 31.9, 8.0 * sizeof(TypeParam)})
            for (const std::size_t n : {0U, 1U, 3U, 4U, 5U, 4095U, 4096U, 4097U, 9000U}) {
                const auto sent = with_rate(make_field<TypeParam>(name, n), rate);
                std::vector<TypeParam> y(n, TypeParam(-1));
                const auto got = codec::zfp_rate_decode<TypeParam>(sent.payload, y);
                ASSERT_TRUE(got.ok()) << name << " " << rate << " " << n << ": " << got.error().message();
                EXPECT_EQ(got->bytes, sent.payload.size());
            }
}

TYPED_TEST(zfp, works_at_any_alignment_and_in_any_floating_point_environment) {
    const auto x = make_field<TypeParam>("special", 5001);
    const auto expected = with_accuracy(x, 1e-3).payload;
    for (const std::size_t shift : {1U, 3U, 7U}) {
        std::vector<std::byte> in(x.size() * sizeof(TypeParam) + shift);
        std::memcpy(in.data() + shift, x.data(), x.size() * sizeof(TypeParam));
        std::vector<std::byte> out(codec::zfp_abs_bound(element_type_of<TypeParam>::value, x.size()) + shift);
        const std::span values(reinterpret_cast<const TypeParam*>(in.data() + shift), x.size());
        std::fesetround(FE_UPWARD);
        const auto report = codec::zfp_abs_encode(values, 1e-3, std::span(out).subspan(shift));
        std::fesetround(FE_TONEAREST);
        ASSERT_EQ(report->bytes, expected.size());
        ASSERT_EQ(std::memcmp(out.data() + shift, expected.data(), expected.size()), 0);
        const std::span restored(reinterpret_cast<TypeParam*>(in.data() + shift), x.size());
        ASSERT_TRUE(
            codec::zfp_abs_decode(std::span<const std::byte>(out).subspan(shift, report->bytes), restored).ok());
        for (std::size_t i = 0; i < x.size(); ++i) {
            TypeParam y;
            std::memcpy(&y, in.data() + shift + i * sizeof y, sizeof y);
            ASSERT_TRUE(keeps_promise(x[i], y, 1e-3)) << i;
        }
    }
}

TYPED_TEST(zfp, decodes_to_the_same_bits_in_any_rounding_mode) {
    const auto x = make_field<TypeParam>("smooth", 5001);
    const auto sent = with_accuracy(x, sizeof(TypeParam) == 4 ? 1e-6 : 1e-15);
    const auto expected = from_accuracy<TypeParam>(sent, x.size());
    const auto rated = with_rate(x, 7 * sizeof(TypeParam));
    std::vector<TypeParam> expected_rated(x.size());
    ASSERT_TRUE(codec::zfp_rate_decode<TypeParam>(rated.payload, expected_rated).ok());
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::vector<TypeParam> y(x.size());
        std::fesetround(mode);
        const auto again = from_accuracy<TypeParam>(sent, x.size());
        const bool sound = codec::zfp_rate_decode<TypeParam>(rated.payload, y).ok();
        std::fesetround(FE_TONEAREST);
        EXPECT_EQ(again, expected);
        EXPECT_TRUE(sound);
        EXPECT_EQ(y, expected_rated);
    }
}

TYPED_TEST(zfp, refuses_bounds_rates_and_outputs_that_are_none) {
    const std::vector<TypeParam> x(10, TypeParam{1});
    std::vector<std::byte> out(1000);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double e : {-1.0, nan, HUGE_VAL, -HUGE_VAL})
        EXPECT_EQ(codec::zfp_abs_encode<TypeParam>(x, e, out).error().code(), errc::invalid_bound) << e;
    for (const double rate : {-1.0, 0.0, 64.5, nan, HUGE_VAL})
        EXPECT_EQ(codec::zfp_rate_encode<TypeParam>(x, rate, out).error().code(), errc::invalid_argument) << rate;
    out.resize(codec::zfp_abs_bound(element_type_of<TypeParam>::value, x.size()) - 1);
    EXPECT_EQ(codec::zfp_abs_encode<TypeParam>(x, 1, out).error().code(), errc::output_too_small);
    out.resize(codec::zfp_rate_bound(element_type_of<TypeParam>::value, x.size(), 8) - 1);
    EXPECT_EQ(codec::zfp_rate_encode<TypeParam>(x, 8, out).error().code(), errc::output_too_small);
}

/// Decodes a payload in memory of exactly its size, into values of exactly their count; returns the code.
template <class T>
errc attempt(bool rate, const std::vector<std::byte>& payload, std::size_t count) {
    const std::vector<std::byte> tight(payload);
    std::vector<T> y(count);
    const auto got = rate ? codec::zfp_rate_decode<T>(tight, y) : codec::zfp_abs_decode<T>(tight, y);
    const errc code = got.error().code();
    EXPECT_TRUE(code == errc::ok || code == errc::truncated || code == errc::corrupt) << got.error().message();
    return code;
}

TYPED_TEST(zfp, refuses_every_truncation_and_every_extension) {
    for (const bool rate : {false, true})
        for (const std::size_t n : {1U, 40U, 5200U}) {
            const auto x = make_field<TypeParam>("smooth", n);
            auto payload = rate ? with_rate(x, 8).payload : with_accuracy(x, 1e-3).payload;
            EXPECT_EQ(attempt<TypeParam>(rate, payload, n), errc::ok);
            payload.push_back(std::byte{0});
            EXPECT_NE(attempt<TypeParam>(rate, payload, n), errc::ok);
            payload.pop_back();
            for (std::size_t step = 1; !payload.empty(); step = payload.size() > 800 ? 97 : 1) {
                payload.resize(payload.size() - std::min(step, payload.size()));
                ASSERT_EQ(attempt<TypeParam>(rate, payload, n), errc::truncated) << payload.size();
            }
        }
}

TYPED_TEST(zfp, survives_every_flipped_byte_and_noise) {
    std::mt19937_64 random(3);
    for (const bool rate : {false, true}) {
        const std::size_t n = 4096 + 75;
        auto x = make_field<TypeParam>("smooth", n);
        for (const std::size_t odd : {3U, 70U, 4095U, 4170U}) x[odd] = std::numeric_limits<TypeParam>::infinity();
        const auto sound = rate ? with_rate(x, 8).payload : with_accuracy(x, 1e-3).payload;
        for (int round = 0; round < 600; ++round) {
            auto payload = sound;
            const std::size_t range = round % 2 == 0 ? 40 : payload.size();
            for (std::uint64_t flips = 1 + random() % 4; flips > 0; --flips)
                payload[random() % range] ^= static_cast<std::byte>(1 + random() % 255);
            attempt<TypeParam>(rate, payload, n);
        }
        for (int round = 0; round < 600; ++round) {
            // One chunk with a true table entry and arbitrary bits: as many as libzfp can want, fewer, or more.
            const std::size_t count = 1 + random() % 300;
            std::vector<std::byte> payload(8 + 8 * (1 + random() % (count * sizeof(TypeParam) / 8 + 3)));
            const bool ones = round % 3 == 0;
            for (std::byte& b : payload) b = ones ? std::byte{0xFF} : static_cast<std::byte>(random());
            const std::uint32_t parameter =
                static_cast<std::uint32_t>(rate ? 12 + static_cast<int>(random() % 100) : -40);
            const auto size = static_cast<std::uint32_t>(payload.size() - 8);
            std::memcpy(payload.data(), &parameter, 4);
            std::memcpy(payload.data() + 4, &size, 4);
            attempt<TypeParam>(rate, payload, count);
        }
    }
}

TYPED_TEST(zfp, refuses_patches_that_are_none) {
    auto x = make_field<TypeParam>("smooth", 100);
    x[50] = std::numeric_limits<TypeParam>::infinity();
    const auto sound = with_accuracy(x, 1e-3).payload;
    // Parameter, table, number of patches, index, value.
    const auto with = [&](std::size_t at, unsigned value) {
        auto payload = sound;
        payload[at] = static_cast<std::byte>(value);
        return attempt<TypeParam>(false, payload, x.size());
    };
    EXPECT_EQ(with(8, 1), errc::ok);
    EXPECT_EQ(with(8, 0), errc::corrupt);
    EXPECT_EQ(with(8, 101), errc::corrupt);
    EXPECT_EQ(with(11, 0xFF), errc::corrupt);
    EXPECT_EQ(with(12, 99), errc::ok);
    EXPECT_EQ(with(12, 100), errc::corrupt);
}

TYPED_TEST(zfp, refuses_parameters_that_libzfp_must_not_see) {
    const auto x = make_field<TypeParam>("smooth", 100);
    for (const bool rate : {false, true}) {
        const auto sound = rate ? with_rate(x, 8).payload : with_accuracy(x, 1e-3).payload;
        for (const std::int32_t bad : {INT32_MIN, -1075, 1025, INT32_MAX}) {
            auto payload = sound;
            std::memcpy(payload.data(), &bad, 4);
            EXPECT_EQ(attempt<TypeParam>(rate, payload, x.size()), errc::corrupt) << rate << " " << bad;
        }
    }
}

TYPED_TEST(zfp, refuses_chunks_whose_bits_end_elsewhere) {
    const auto x = make_field<TypeParam>("smooth", 100);
    for (const bool rate : {false, true}) {
        const auto sound = rate ? with_rate(x, 8).payload : with_accuracy(x, 1e-3).payload;
        for (const int change : {-16, 16}) {
            // A stream in accuracy mode that was cut may go on with zero bits.
            if (!rate && change < 0) continue;
            auto payload = sound;
            payload.resize(static_cast<std::size_t>(static_cast<int>(sound.size()) + change));
            const auto size = static_cast<std::uint32_t>(payload.size() - 8);
            std::memcpy(payload.data() + 4, &size, 4);
            EXPECT_EQ(attempt<TypeParam>(rate, payload, x.size()), errc::corrupt) << rate << " " << change;
        }
    }
}

TYPED_TEST(zfp, refuses_rates_that_libzfp_must_not_see_though_the_sizes_fit) {
    const auto code_of = [](std::uint32_t bits) {
        std::vector<std::byte> payload(8 + (25 * bits + 7) / 8);
        const auto size = static_cast<std::uint32_t>(payload.size() - 8);
        std::memcpy(payload.data(), &bits, 4);
        std::memcpy(payload.data() + 4, &size, 4);
        return attempt<TypeParam>(true, payload, 100);
    };
    const std::uint32_t least = sizeof(TypeParam) == 4 ? 9 : 12;
    const std::uint32_t most = 32 * sizeof(TypeParam);
    EXPECT_EQ(code_of(least), errc::ok);
    EXPECT_EQ(code_of(least - 1), errc::corrupt);
    EXPECT_EQ(code_of(most), errc::ok);
    EXPECT_EQ(code_of(most + 1), errc::corrupt);
}

struct watcher {
    std::vector<std::array<std::uint64_t, 2>> calls;
    std::size_t stop_after = SIZE_MAX;
    static bool call(void* context, std::uint64_t done, std::uint64_t all, std::uint64_t) {
        auto& self = *static_cast<watcher*>(context);
        self.calls.push_back({done, all});
        return self.calls.size() < self.stop_after;
    }
};

template <class Encode, class Decode>
void expect_progress(std::size_t n, std::size_t chunk, Encode encode, Decode decode) {
    std::vector<std::array<std::uint64_t, 2>> expected;
    for (std::size_t done = chunk; done < n; done += chunk) expected.push_back({done, n});
    watcher coding;
    EXPECT_FALSE(encode(progress{watcher::call, &coding}).cancelled);
    EXPECT_EQ(coding.calls, expected);
    watcher decoding;
    EXPECT_FALSE(decode(progress{watcher::call, &decoding}).cancelled);
    EXPECT_EQ(decoding.calls, expected);
    watcher coding_stopped{{}, 1};
    EXPECT_TRUE(encode(progress{watcher::call, &coding_stopped}).cancelled);
    watcher decoding_stopped{{}, 1};
    EXPECT_TRUE(decode(progress{watcher::call, &decoding_stopped}).cancelled);
    EXPECT_EQ(coding_stopped.calls.size() + decoding_stopped.calls.size(), 2);
}

TYPED_TEST(zfp, tells_progress_between_chunks_and_stops_when_told) {
    const std::size_t n = 3 * codec::zfp_chunk_values + 1;
    const auto x = make_field<TypeParam>("smooth", n);
    std::vector<std::byte> out(codec::zfp_abs_bound(element_type_of<TypeParam>::value, n));
    std::vector<TypeParam> y(n);
    const auto accurate = with_accuracy(x, 1e-3).payload;
    expect_progress(
        n, codec::zfp_chunk_values,
        [&](const progress& watch) { return codec::zfp_abs_encode<TypeParam>(x, 1e-3, out, watch).value(); },
        [&](const progress& watch) { return codec::zfp_abs_decode<TypeParam>(accurate, y, watch).value(); });
    const auto rated = with_rate(x, 8).payload;
    expect_progress(
        n, codec::zfp_chunk_values,
        [&](const progress& watch) { return codec::zfp_rate_encode<TypeParam>(x, 8, out, watch).value(); },
        [&](const progress& watch) { return codec::zfp_rate_decode<TypeParam>(rated, y, watch).value(); });
}

TEST(zfp_library, is_there_or_said_to_be_absent) {
    std::vector<float> x(10);
    std::vector<std::byte> out(1000);
    const bool there = codec::zfp_available();
    for (const codec_description& row : codecs()) {
        const bool is_zfp = row.id == codec_id::zfp_abs || row.id == codec_id::zfp_rate;
        EXPECT_EQ(row.available, there || !is_zfp) << row.name;
    }
    const auto is_expected = [&](const auto& done) { return there || done.error().code() == errc::unsupported; };
    EXPECT_TRUE(is_expected(codec::zfp_abs_encode<float>(x, 1, out)));
    EXPECT_TRUE(is_expected(codec::zfp_rate_encode<float>(x, 8, out)));
    EXPECT_TRUE(is_expected(codec::zfp_abs_decode<float>(out, x)));
    EXPECT_TRUE(is_expected(codec::zfp_rate_decode<float>(out, x)));
}

template <class T>
class raw_codec : public ::testing::Test {};
TYPED_TEST_SUITE(raw_codec, types);

TYPED_TEST(raw_codec, gives_every_bit_back_and_checks_sizes) {
    const std::size_t n = 2 * codec::raw_chunk_values + 5;
    const auto x = make_field<TypeParam>("special", n);
    std::vector<std::byte> out(codec::raw_bound(element_type_of<TypeParam>::value, n));
    ASSERT_EQ(codec::raw_encode<TypeParam>(x, out)->bytes, n * sizeof(TypeParam));
    std::vector<TypeParam> y(n);
    ASSERT_EQ(codec::raw_decode<TypeParam>(out, y)->bytes, n * sizeof(TypeParam));
    EXPECT_EQ(std::memcmp(x.data(), y.data(), n * sizeof(TypeParam)), 0);
    expect_progress(
        n, codec::raw_chunk_values,
        [&](const progress& watch) { return codec::raw_encode<TypeParam>(x, out, watch).value(); },
        [&](const progress& watch) { return codec::raw_decode<TypeParam>(out, y, watch).value(); });
    const std::span<const std::byte> all(out);
    EXPECT_EQ(codec::raw_decode<TypeParam>(all.first(out.size() - 1), y).error().code(), errc::truncated);
    EXPECT_EQ(codec::raw_decode<TypeParam>(all, std::span(y).first(n - 1)).error().code(), errc::corrupt);
    EXPECT_EQ(codec::raw_encode<TypeParam>(x, std::span(out).first(out.size() - 1)).error().code(),
              errc::output_too_small);
    EXPECT_TRUE(codec::raw_decode<TypeParam>({}, std::span<TypeParam>()).ok());
}

}  // namespace
}  // namespace laconic::testing

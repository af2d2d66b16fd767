// SPDX-License-Identifier: BSD-3-Clause
// The C face: same frames, codes instead of statuses, and a reason for every failure.
#include <gtest/gtest.h>

#include <cstring>

#include "fields.hpp"
#include "laconic/laconic.h"

namespace laconic::testing {
namespace {

TEST(c_api, round_trip_and_sum) {
    const auto x = make_field<float>("smooth", 5000);
    std::vector<std::byte> frame(laconic_compress_bound(LACONIC_F32, x.size()));
    size_t bytes = 0;
    ASSERT_EQ(laconic_compress(x.data(), x.size(), LACONIC_F32, LACONIC_ABSOLUTE, 1e-3, frame.data(), frame.size(),
                               &bytes, nullptr),
              LACONIC_OK);
    frame.resize(bytes);
    EXPECT_EQ(frame, compressed(x, bound::abs(1e-3)));
    size_t count = 0;
    laconic_type type{};
    ASSERT_EQ(laconic_inspect(frame.data(), frame.size(), &count, &type), LACONIC_OK);
    EXPECT_EQ(count, x.size());
    EXPECT_EQ(type, LACONIC_F32);
    std::vector<std::byte> sum(laconic_sum_bound(LACONIC_F32, x.size()));
    ASSERT_EQ(laconic_add(frame.data(), frame.size(), frame.data(), frame.size(), sum.data(), sum.size(), &bytes),
              LACONIC_OK);
    std::vector<float> y(x.size());
    ASSERT_EQ(laconic_decompress(sum.data(), bytes, y.data(), y.size(), LACONIC_F32, nullptr), LACONIC_OK);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i], 2 * x[i], 2.1e-3);
    EXPECT_STREQ(laconic_last_message(), "");
}

TEST(c_api, has_the_options_and_the_arithmetic) {
    const auto x = make_field<double>("smooth", 300000);
    const auto y = make_field<double>("noise", x.size());
    laconic_options options{};
    options.max_abs = 10;
    options.checksum = 1;
    options.row_length = 100;
    options.threads = 2;
    std::size_t calls = 0;
    options.progress_user = &calls;
    options.progress = [](void* user, size_t, size_t, size_t) {
        return ++*static_cast<std::size_t*>(user) > 0 ? 1 : 0;
    };
    frame_options same;
    same.max_abs = 10;
    same.checksum = true;
    same.row_length = 100;
    const auto a = compressed(x, bound::abs(1e-3), same);
    const auto b = compressed(y, bound::abs(1e-3), same);
    std::vector<std::byte> out(laconic_sum_bound(LACONIC_F64, x.size()));
    size_t bytes = 0;
    ASSERT_EQ(laconic_compress(x.data(), x.size(), LACONIC_F64, LACONIC_ABSOLUTE, 1e-3, out.data(), out.size(), &bytes,
                               &options),
              LACONIC_OK);
    EXPECT_TRUE(std::equal(a.begin(), a.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(bytes)));
    EXPECT_GT(calls, 0U);

    const auto expect = [&](int code, auto operation) {
        ASSERT_EQ(code, LACONIC_OK) << laconic_last_message();
        std::vector<std::byte> expected(out.size());
        expected.resize(operation(std::span(expected)).value());
        ASSERT_EQ(expected.size(), bytes);
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin()));
    };
    const std::span<const std::byte> l(a), r(b);
    const auto call = [&](auto* function) {
        return function(a.data(), a.size(), b.data(), b.size(), out.data(), out.size(), &bytes);
    };
    expect(call(laconic_add), [&](auto to) { return add(l, r, to); });
    expect(call(laconic_subtract), [&](auto to) { return subtract(l, r, to); });
    expect(call(laconic_minimum), [&](auto to) { return minimum(l, r, to); });
    expect(call(laconic_maximum), [&](auto to) { return maximum(l, r, to); });
    expect(laconic_scale(a.data(), a.size(), -2, out.data(), out.size(), &bytes),
           [&](auto to) { return scale(l, -2, to); });
    expect(laconic_add_values(y.data(), y.size(), LACONIC_F64, a.data(), a.size(), out.data(), out.size(), &bytes),
           [&](auto to) { return add(std::span<const double>(y), l, to); });

    options.progress = [](void*, size_t, size_t, size_t) { return 0; };
    EXPECT_EQ(laconic_compress(x.data(), x.size(), LACONIC_F64, LACONIC_ABSOLUTE, 1e-3, out.data(), out.size(), &bytes,
                               &options),
              LACONIC_ERR_CANCELLED);
    options.progress = nullptr;
    for (const laconic_codec codec : {LACONIC_FLE, LACONIC_SZX, LACONIC_RAW}) {
        options.codec = codec;
        std::vector<std::byte> frame(laconic_compress_bound(LACONIC_F64, x.size()));
        EXPECT_EQ(laconic_compress(x.data(), x.size(), LACONIC_F64, LACONIC_ABSOLUTE, 1e-3, frame.data(), frame.size(),
                                   &bytes, &options),
                  LACONIC_OK)
            << laconic_last_message();
    }
    options.codec = static_cast<laconic_codec>(7);
    EXPECT_EQ(laconic_compress(x.data(), x.size(), LACONIC_F64, LACONIC_ABSOLUTE, 1e-3, out.data(), out.size(), &bytes,
                               &options),
              LACONIC_ERR_UNSUPPORTED);
}

TEST(c_api, explains_failures) {
    float x[2] = {1, 2};
    char out[4096];
    size_t bytes = 0;
    EXPECT_EQ(laconic_compress(x, 2, LACONIC_F32, LACONIC_ABSOLUTE, -1, out, sizeof out, &bytes, nullptr),
              LACONIC_ERR_BOUND);
    EXPECT_NE(std::strstr(laconic_last_message(), "-1"), nullptr) << laconic_last_message();
    EXPECT_EQ(laconic_compress(nullptr, 2, LACONIC_F32, LACONIC_ABSOLUTE, 1, out, sizeof out, &bytes, nullptr),
              LACONIC_ERR_ARGUMENT);
    EXPECT_EQ(
        laconic_compress(x, 2, static_cast<laconic_type>(7), LACONIC_ABSOLUTE, 1, out, sizeof out, &bytes, nullptr),
        LACONIC_ERR_ARGUMENT);
    EXPECT_NE(std::strstr(laconic_last_message(), "7"), nullptr);
    EXPECT_EQ(laconic_decompress("nonsense", 8, x, 2, LACONIC_F32, nullptr), LACONIC_ERR_TRUNCATED);
    EXPECT_EQ(laconic_compress(x, 2, LACONIC_F32, LACONIC_ABSOLUTE, 1, out, 3, &bytes, nullptr),
              LACONIC_ERR_OUTPUT_TOO_SMALL);
    EXPECT_EQ(laconic_compress_bound(LACONIC_F64, SIZE_MAX), 0U);
    EXPECT_EQ(laconic_sum_bound(static_cast<laconic_type>(7), 10), 0U);
    EXPECT_STREQ(laconic_error_name(LACONIC_ERR_BOUND), "invalid_bound");
    EXPECT_STREQ(laconic_error_name(99), "unknown");
}

}  // namespace
}  // namespace laconic::testing

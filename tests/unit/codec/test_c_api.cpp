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
    ASSERT_EQ(
        laconic_compress(x.data(), x.size(), LACONIC_F32, LACONIC_ABSOLUTE, 1e-3, frame.data(), frame.size(), &bytes),
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
    ASSERT_EQ(laconic_decompress(sum.data(), bytes, y.data(), y.size(), LACONIC_F32), LACONIC_OK);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(y[i], 2 * x[i], 2.1e-3);
    EXPECT_STREQ(laconic_last_message(), "");
}

TEST(c_api, explains_failures) {
    float x[2] = {1, 2};
    char out[4096];
    size_t bytes = 0;
    EXPECT_EQ(laconic_compress(x, 2, LACONIC_F32, LACONIC_ABSOLUTE, -1, out, sizeof out, &bytes), LACONIC_ERR_BOUND);
    EXPECT_NE(std::strstr(laconic_last_message(), "-1"), nullptr) << laconic_last_message();
    EXPECT_EQ(laconic_compress(nullptr, 2, LACONIC_F32, LACONIC_ABSOLUTE, 1, out, sizeof out, &bytes),
              LACONIC_ERR_ARGUMENT);
    EXPECT_EQ(laconic_compress(x, 2, static_cast<laconic_type>(3), LACONIC_ABSOLUTE, 1, out, sizeof out, &bytes),
              LACONIC_ERR_ARGUMENT);
    EXPECT_NE(std::strstr(laconic_last_message(), "3"), nullptr);
    EXPECT_EQ(laconic_decompress("nonsense", 8, x, 2, LACONIC_F32), LACONIC_ERR_TRUNCATED);
    EXPECT_EQ(laconic_compress(x, 2, LACONIC_F32, LACONIC_ABSOLUTE, 1, out, 3, &bytes), LACONIC_ERR_OUTPUT_TOO_SMALL);
    EXPECT_EQ(laconic_compress_bound(LACONIC_F64, SIZE_MAX), 0U);
    EXPECT_EQ(laconic_sum_bound(static_cast<laconic_type>(3), 10), 0U);
    EXPECT_STREQ(laconic_error_name(LACONIC_ERR_BOUND), "invalid_bound");
    EXPECT_STREQ(laconic_error_name(99), "unknown");
}

}  // namespace
}  // namespace laconic::testing

// SPDX-License-Identifier: BSD-3-Clause
// Arrays of every kind that a frame can hold flow in; with chunks of 2048 values the size model must say what the frame
// took, to the byte.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "cli/fle_size_model.hpp"
#include "laconic/codec.hpp"

namespace {

using namespace laconic;

template <class T>
std::vector<T> waves(std::size_t count) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] =
            static_cast<T>(std::sin(0.01 * static_cast<double>(i)) + 0.1 * std::sin(static_cast<double>(i * i)));
    return values;
}

/// Sizes: of the frame, and of the model with the format's chunks and with longer ones.
struct sizes {
    std::size_t frame;
    std::uint64_t model, longer;
};

template <class T>
sizes sizes_of(const std::vector<T>& values, double bound_value, std::size_t row_length) {
    std::vector<std::byte> frame(compress_bound(element_type_of<T>::value, values.size()));
    frame_options options;
    options.row_length = row_length;
    frame.resize(compress<T>(values, bound::abs(bound_value), frame, options).value());
    std::vector<T> decoded(values.size());
    EXPECT_TRUE(decompress<T>(frame, decoded).ok());
    const double step = inspect(frame).value().step;
    const std::span<const T> view(decoded);
    return {frame.size(), cli::fle_model_size(view, step, row_length, 2048),
            cli::fle_model_size(view, step, row_length, 65536)};
}

template <class T>
void expect_the_frame(const std::vector<T>& values) {
    for (const double e : {0.3, 1e-2, 1e-4})
        for (const std::size_t rows : {0U, 100U, 480U}) {
            const sizes found = sizes_of(values, e, rows);
            EXPECT_EQ(found.model, found.frame) << "bound " << e << ", rows of " << rows;
        }
}

TEST(fle_size_model, is_the_size_of_the_frame) {
    expect_the_frame(waves<float>(20000));
    expect_the_frame(waves<double>(20000));
    expect_the_frame(waves<float>(31));
}

TEST(fle_size_model, knows_raw_and_signed_blocks) {
    auto values = waves<float>(9000);
    values[0] = std::numeric_limits<float>::quiet_NaN();
    values[4100] = std::numeric_limits<float>::infinity();
    values[5000] = -0.0F;
    values[6100] = 1000;  // wide deltas
    expect_the_frame(values);
}

TEST(fle_size_model, longer_chunks_save_their_heads) {
    const sizes found = sizes_of(std::vector<float>(65536, 1.0F), 0.01, 0);
    // 31 table entries and 31 bases.
    EXPECT_EQ(found.frame - found.longer, 31U * 8U);
}

}  // namespace

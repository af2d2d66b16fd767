// SPDX-License-Identifier: BSD-3-Clause
// Arrays in pieces: the values are those of one array, whatever the pieces, and damage is reported.
#include <gtest/gtest.h>

#include "fields.hpp"
#include "laconic/streaming.hpp"

namespace laconic::testing {
namespace {

using bytes = std::vector<std::byte>;

byte_sink append_to(bytes& all) {
    return [&all](std::span<const std::byte> more) {
        all.insert(all.end(), more.begin(), more.end());
        return status{};
    };
}

/// Gives at most `most` bytes at a time.
byte_source read_from(const bytes& all, std::size_t most) {
    return [&all, most, at = std::size_t{0}](std::span<std::byte> into) mutable -> result<std::size_t> {
        const std::size_t n = std::min({most, into.size(), all.size() - at});
        std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(at), n, into.begin());
        at += n;
        return n;
    };
}

bytes stream_of(const std::vector<float>& x, std::size_t piece, std::size_t segment) {
    bytes all;
    frame_writer<float> writer(bound::abs(1e-3), append_to(all), {}, segment);
    for (std::size_t at = 0; at < x.size(); at += piece)
        EXPECT_TRUE(writer.push(std::span(x).subspan(at, std::min(piece, x.size() - at))).ok());
    EXPECT_TRUE(writer.finish().ok());
    EXPECT_EQ(writer.values_in(), x.size());
    EXPECT_EQ(writer.bytes_out(), all.size());
    return all;
}

TEST(streams, give_the_values_of_one_array_whatever_the_pieces) {
    for (const std::size_t n : {0U, 1U, 5000U, 12000U}) {
        const auto x = make_field<float>("noise", n);
        const auto whole = stream_of(x, 1 << 20, 4096);
        for (const std::size_t piece : {1U, 1000U, 4096U, 9000U}) {
            EXPECT_TRUE(stream_of(x, piece, 4096) == whole) << n << " in pieces of " << piece;
            frame_reader<float> reader(read_from(whole, piece));
            std::vector<float> y;
            std::vector<float> part(777);
            for (std::size_t got = 1; got > 0;) {
                got = reader.pull(part).value();
                y.insert(y.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
                if (got < part.size()) break;
            }
            ASSERT_EQ(y.size(), n);
            EXPECT_EQ(reader.frames_in(), std::max<std::size_t>(1, (n + 4095) / 4096));
            for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(keeps_promise(x[i], y[i], 1e-3)) << i;
        }
    }
}

TEST(streams, of_one_segment_are_one_frame) {
    const auto x = make_field<float>("smooth", 3000);
    EXPECT_TRUE(stream_of(x, 100, 3000) == compressed(x, bound::abs(1e-3)));
    EXPECT_EQ(frame_size(stream_of(x, 100, 3000)).value(), compressed(x, bound::abs(1e-3)).size());
}

TEST(streams, report_where_they_end_too_early_or_hold_something_else) {
    const auto whole = stream_of(make_field<float>("smooth", 9000), 1000, 4096);
    std::vector<float> y(9000);
    std::vector<double> doubles(10);
    const auto first = static_cast<std::size_t>(frame_size(whole).value());
    for (std::size_t cut = 0; cut < whole.size(); cut += 97) {
        const bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(cut));
        frame_reader<float> reader(read_from(part, 1 << 20));
        const auto got = reader.pull(y);
        ASSERT_EQ(got.error().code(), errc::truncated) << cut;
        ASSERT_EQ(reader.pull(y).error().code(), errc::truncated) << "again, " << cut;
    }
    bytes other = whole;
    other[first] = std::byte{'x'};
    EXPECT_EQ(frame_reader<float>(read_from(other, 1 << 20)).pull(y).error().code(), errc::corrupt);
    EXPECT_EQ(frame_reader<double>(read_from(whole, 1 << 20)).pull(doubles).error().code(), errc::mismatch);
    // A header that announces 2^50 bytes does not make anybody take that memory.
    bytes greedy(whole.begin(), whole.begin() + 64);
    const std::uint64_t huge = std::uint64_t{1} << 50;
    std::memcpy(greedy.data() + 8, &huge, 8);
    std::memcpy(greedy.data() + 48, &huge, 8);
    EXPECT_EQ(frame_reader<float>(read_from(greedy, 1 << 20)).pull(y).error().code(), errc::truncated);
}

TEST(streams, pass_on_what_sinks_and_sources_say) {
    const auto x = make_field<float>("smooth", 5000);
    frame_writer<float> writer(
        bound::abs(1e-3),
        [](auto) {
            return status{errc::io, "disk full"};
        },
        {}, 1000);
    EXPECT_EQ(writer.push(x).code(), errc::io);
    EXPECT_EQ(writer.finish().code(), errc::io);
    frame_reader<float> reader([](auto) -> result<std::size_t> { return status{errc::io, "unplugged"}; });
    std::vector<float> y(10);
    EXPECT_EQ(reader.pull(y).error().code(), errc::io);
}

TEST(streams, refuse_relative_bounds_and_late_values) {
    bytes all;
    frame_writer<float> relative(bound::rel(1e-3), append_to(all));
    EXPECT_EQ(relative.push(std::vector<float>(10)).code(), errc::invalid_bound);
    frame_writer<float> writer(bound::abs(1e-3), append_to(all));
    EXPECT_TRUE(writer.finish().ok());
    EXPECT_EQ(writer.push(std::vector<float>(10)).code(), errc::invalid_argument);
}

}  // namespace
}  // namespace laconic::testing

// SPDX-License-Identifier: BSD-3-Clause
// The golden traces in trace/v1: they are read as pinned, and what this build writes reads the same.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "traces.hpp"

namespace laconic::golden {
namespace {

class golden_traces_test : public testing::TestWithParam<golden_trace> {};

TEST_P(golden_traces_test, says_what_is_pinned) {
    if (const status possible = GetParam().timing.check(); !possible.ok()) GTEST_SKIP() << possible.message();
    const std::string path = LACONIC_GOLDEN_TRACES "/" + GetParam().name + ".trace";
    const auto file = trace_file::open(path);
    ASSERT_TRUE(file.ok()) << path << ": " << file.error().message();
    EXPECT_TRUE(file->facts().complete);
    const auto digest = digest_of(*file);
    ASSERT_TRUE(digest.ok()) << digest.error().message();
    EXPECT_EQ(*digest, GetParam().digest);
    const auto bytes = written(GetParam());
    ASSERT_TRUE(bytes.ok()) << bytes.error().message();
    const auto again = trace_file::parse(*bytes);
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(digest_of(*again).value(), GetParam().digest) << "what is written today reads otherwise";
    std::ifstream in(path, std::ios::binary);
    const std::string kept((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    // libzstd of another version may give a few bytes more or less.
    EXPECT_NEAR(static_cast<double>(bytes->size()), static_cast<double>(kept.size()),
                0.02 * static_cast<double>(kept.size()));
}

INSTANTIATE_TEST_SUITE_P(every_way, golden_traces_test, testing::ValuesIn(golden_traces()), [](const auto& of) {
    std::string name = of.param.name;
    for (char& c : name)
        if (c == '-') c = '_';
    return name;
});

}  // namespace
}  // namespace laconic::golden

// SPDX-License-Identifier: BSD-3-Clause
// What the tests of szx share: values to payloads in memory of exactly their size, and back.
#pragma once

#include <gtest/gtest.h>

#include "codec/szx/szx.hpp"
#include "fields.hpp"

namespace laconic::testing {

using codec::coding_report;
using codec::szx_bound;
using codec::szx_decode;
using codec::szx_encode;

struct encoded_szx {
    std::vector<std::byte> payload;
    coding_report report;
};

/// Encodes into a buffer of exactly the documented size; the payload then lies in one of exactly its own size.
template <class T>
encoded_szx encoded(std::span<const T> x, double e) {
    std::vector<std::byte> out(szx_bound(element_type_of<T>::value, x.size()));
    auto report = szx_encode<T>(x, e, out);
    if (!report) throw bad_result(report.error());
    return {{out.begin(), out.begin() + static_cast<std::ptrdiff_t>(report->bytes)}, *report};
}
template <class T>
encoded_szx encoded(const std::vector<T>& x, double e) {
    return encoded(std::span<const T>(x), e);
}
template <class T>
std::vector<T> decoded(const encoded_szx& from, std::size_t count) {
    std::vector<T> y(count);
    auto report = szx_decode<T>(std::span<const std::byte>(from.payload), std::span<T>(y));
    if (!report) throw bad_result(report.error());
    EXPECT_EQ(report->bytes, from.payload.size());
    EXPECT_EQ(report->raw_blocks, from.report.raw_blocks);
    EXPECT_EQ(report->constant_blocks, from.report.constant_blocks);
    return y;
}

}  // namespace laconic::testing

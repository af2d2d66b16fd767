// SPDX-License-Identifier: BSD-3-Clause
// The signature table: equal bytes, equal terminals; every signature is given back as it was.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "dice.hpp"
#include "trace/signature_table.hpp"

namespace laconic::trace {
namespace {

TEST(signature_table, tells_apart_what_differs_in_one_byte) {
    signature_table table;
    std::vector<bytes> all;
    for (std::size_t size = 1; size <= 80; ++size)
        for (std::size_t at = 0; at <= size; ++at) {
            bytes& signature = all.emplace_back(size, std::byte{7});
            if (at < size) signature[at] = std::byte{8};
        }
    // The second and the third round meet each where it is expected, and then one later than that.
    for (std::size_t round = 0; round < 3; ++round)
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::size_t one = round < 2 ? i : (2 * i + i / (all.size() / 2 + 1)) % all.size();
            ASSERT_EQ(table.number_of(all[one]), one) << "size " << all[one].size() << ", round " << round;
        }
}

TEST(signature_table, numbers_signatures_in_the_order_of_their_first_call) {
    dice random(3);
    signature_table table;
    std::map<std::string, std::uint32_t> expected;
    for (int i = 0; i < 100000; ++i) {
        std::string signature(1 + random(i % 1000 == 0 ? 5000 : 3), ' ');
        for (char& each : signature) each = static_cast<char>(random(20));
        const auto known = expected.emplace(signature, static_cast<std::uint32_t>(expected.size())).first;
        ASSERT_EQ(table.number_of(std::as_bytes(std::span(signature))), known->second);
    }
    ASSERT_EQ(table.size(), expected.size());
    for (const auto& [signature, number] : expected) {
        const view kept = table.signature(number);
        ASSERT_EQ(std::string(reinterpret_cast<const char*>(kept.data()), kept.size()), signature);
    }
}

TEST(signature_table, known_signatures_take_no_memory_and_new_ones_what_is_stated) {
    signature_table table;
    const auto nth = [](std::uint64_t n) {
        bytes signature;
        put_varint(signature, 77);
        put_word(signature, n);
        return signature;
    };
    constexpr std::uint64_t many = 200000;
    for (std::uint64_t n = 0; n < many; ++n) ASSERT_EQ(table.number_of(nth(n)), n);
    const std::size_t used = table.bytes_used();
    EXPECT_LE(used, many * (2 * 27 + 9) + (std::size_t{2} << 20));
    for (std::uint64_t n = 0; n < many; ++n) ASSERT_EQ(table.number_of(nth(n)), n);
    EXPECT_EQ(table.bytes_used(), used);
}

}  // namespace
}  // namespace laconic::trace

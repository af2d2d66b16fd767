// SPDX-License-Identifier: BSD-3-Clause
// Free ids: acquire() gives the lowest one that is not in use, release() takes it back. The first 64 cost no memory of
// their own.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace laconic::record {

template <class Allocator = std::allocator<std::uint64_t>>
class basic_id_pool {
public:
    [[nodiscard]] std::uint32_t acquire() {
        if (~first_ != 0) [[likely]]
            return take(first_, 0);
        for (std::size_t i = 0; i < rest_.size(); ++i) {
            if (~rest_[i] != 0) return take(rest_[i], static_cast<std::uint32_t>(i + 1));
        }
        rest_.push_back(0);
        return take(rest_.back(), static_cast<std::uint32_t>(rest_.size()));
    }

    void release(std::uint32_t id) noexcept {
        std::uint64_t& word = id < 64 ? first_ : rest_[id / 64 - 1];
        word &= ~(std::uint64_t{1} << (id % 64));
    }

private:
    static std::uint32_t take(std::uint64_t& word, std::uint32_t index) noexcept {
        const auto bit = static_cast<std::uint32_t>(std::countr_one(word));
        word |= std::uint64_t{1} << bit;
        return index * 64 + bit;
    }

    std::uint64_t first_ = 0;
    std::vector<std::uint64_t, Allocator> rest_;
};
using id_pool = basic_id_pool<>;

}  // namespace laconic::record

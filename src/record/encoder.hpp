// SPDX-License-Identifier: BSD-3-Clause
// The bytes of a signature (docs/format/trace-signature.md): numbers and texts flow in, varints flow out into memory
// that is kept from call to call and grows only when one call needs more than any before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace laconic::record {

class encoder {
public:
    /// Every call may write this much before it asks for more.
    static constexpr std::size_t headroom = 2048;
    static constexpr std::size_t longest_varint = 10;

    encoder() : memory_(2 * headroom), at_(memory_.data()), limit_(memory_.data() + memory_.size()) {}
    encoder(const encoder&) = delete;
    encoder& operator=(const encoder&) = delete;

    void clear() noexcept { at_ = memory_.data(); }
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
        return {memory_.data(), static_cast<std::size_t>(at_ - memory_.data())};
    }

    /// Room for that many bytes and the headroom behind them.
    void need(std::size_t bytes) {
        if (static_cast<std::size_t>(limit_ - at_) < bytes + headroom) [[unlikely]]
            grow(bytes + headroom);
    }

    void number(std::uint64_t value) noexcept {
        while (value >= 0x80) {
            *at_++ = static_cast<std::byte>(value | 0x80);
            value >>= 7;
        }
        *at_++ = static_cast<std::byte>(value);
    }
    void signed_number(std::int64_t value) noexcept {
        number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
    }
    void text(const char* value) {
        if (!value) return number(0);
        const std::size_t length = std::strlen(value);
        need(length + longest_varint);
        number(length + 1);
        std::memcpy(at_, value, length);
        at_ += length;
    }

private:
    void grow(std::size_t bytes) {
        const auto used = static_cast<std::size_t>(at_ - memory_.data());
        memory_.resize(std::max(memory_.size() * 2, used + bytes));
        at_ = memory_.data() + used;
        limit_ = memory_.data() + memory_.size();
    }

    std::vector<std::byte> memory_;
    std::byte* at_;
    std::byte* limit_;
};

}  // namespace laconic::record

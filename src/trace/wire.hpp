// SPDX-License-Identifier: BSD-3-Clause
// The small change of the trace format: numbers flow in, LEB128 varints and little-endian words flow out into a byte
// vector; and back, from bytes that nobody vouches for: a reader that has failed once stays failed and reads zeros.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace laconic::trace {

using bytes = std::vector<std::byte>;
using view = std::span<const std::byte>;

static_assert(std::endian::native == std::endian::little, "words are written as they lie in memory");

[[nodiscard]] constexpr std::uint64_t zigzag(std::int64_t value) noexcept {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
[[nodiscard]] constexpr std::int64_t unzigzag(std::uint64_t code) noexcept {
    return static_cast<std::int64_t>(code >> 1) ^ -static_cast<std::int64_t>(code & 1);
}

inline void put_varint(bytes& out, std::uint64_t value) {
    while (value >= 0x80) {
        out.push_back(static_cast<std::byte>(value | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<std::byte>(value));
}
inline void put_signed(bytes& out, std::int64_t value) { put_varint(out, zigzag(value)); }
inline void put_bytes(bytes& out, view more) {
    const std::size_t before = out.size();
    out.resize(before + more.size());
    if (!more.empty()) std::memcpy(out.data() + before, more.data(), more.size());
}
/// As a key of a map, or where the bytes are text.
[[nodiscard]] inline std::string text_of(view of) { return {reinterpret_cast<const char*>(of.data()), of.size()}; }
/// A varint length, then the bytes.
inline void put_block(bytes& out, view block) {
    put_varint(out, block.size());
    put_bytes(out, block);
}
template <class Word>
void put_word(bytes& out, Word word) {
    put_bytes(out, std::as_bytes(std::span(&word, 1)));
}

class wire_reader {
public:
    explicit wire_reader(view data) noexcept : data_(data) {}

    [[nodiscard]] bool failed() const noexcept { return failed_; }
    [[nodiscard]] std::size_t left() const noexcept { return data_.size(); }
    /// Everything read, and nothing wrong.
    [[nodiscard]] bool complete() const noexcept { return !failed_ && data_.empty(); }
    void fail() noexcept {
        failed_ = true;
        data_ = {};
    }

    /// Refuses varints that are not the shortest of their value: equal things have equal bytes.
    std::uint64_t varint() noexcept {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (data_.empty()) break;
            const auto byte = static_cast<std::uint64_t>(data_.front());
            data_ = data_.subspan(1);
            if (shift == 63 && byte > 1) break;
            value |= (byte & 0x7f) << shift;
            if (byte < 0x80) {
                if (byte == 0 && shift > 0) break;
                return value;
            }
        }
        fail();
        return 0;
    }
    std::int64_t signed_varint() noexcept { return unzigzag(varint()); }
    /// A varint that must be below `limit`.
    std::uint64_t below(std::uint64_t limit) noexcept {
        const std::uint64_t value = varint();
        if (value < limit) return value;
        fail();
        return 0;
    }
    /// A number of things each of which takes at least `least_bytes` of what is left, so that memory for them may be
    /// taken before they are read.
    std::size_t count(std::size_t least_bytes = 1) noexcept {
        const std::uint64_t value = varint();
        if (value <= left() / least_bytes) return static_cast<std::size_t>(value);
        fail();
        return 0;
    }
    view take(std::size_t size) noexcept {
        if (size > data_.size()) {
            fail();
            return {};
        }
        const view taken = data_.first(size);
        data_ = data_.subspan(size);
        return taken;
    }
    view block() noexcept { return take(count()); }
    template <class Word>
    Word word() noexcept {
        Word value{};
        const view from = take(sizeof(Word));
        if (!from.empty()) std::memcpy(&value, from.data(), sizeof(Word));
        return value;
    }

private:
    view data_;
    bool failed_ = false;
};

}  // namespace laconic::trace

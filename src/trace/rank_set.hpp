// SPDX-License-Identifier: BSD-3-Clause
// Sets of ranks that are regular in a program's eyes (a row, a face, every fourth, the interior of a grid): ascending
// ranks flow in, a few nested runs flow out, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "laconic/status.hpp"
#include "trace/wire.hpp"

namespace laconic::trace {

/// Stretches in ascending order, none overlapping; each is a start and, from the innermost outward, so many copies at
/// such a stride of what lies within.
class rank_set {
public:
    rank_set() = default;
    /// Precondition: strictly ascending.
    explicit rank_set(std::span<const std::uint32_t> ranks);

    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    /// The how-manieth the rank is; nothing when it is not in the set. O(stretches).
    [[nodiscard]] std::optional<std::uint64_t> index_of(std::uint32_t rank) const noexcept;
    [[nodiscard]] bool contains(std::uint32_t rank) const noexcept { return index_of(rank).has_value(); }
    /// Precondition: size() is a number that one wants to have in memory.
    [[nodiscard]] std::vector<std::uint32_t> ranks() const;

    ///   varint stretches; each: varint start (from the end of the one before), varint depth, depth * (varint
    ///   copies - 2, varint stride - extent of what is repeated)
    void write(bytes& out) const;
    /// returns corrupt  not what write() makes, or a rank of `limit` or above
    [[nodiscard]] static result<rank_set> read(wire_reader& in, std::uint64_t limit);

    friend bool operator==(const rank_set&, const rank_set&) = default;

private:
    struct repeat {
        std::uint64_t copies, stride;
        friend bool operator==(const repeat&, const repeat&) = default;
    };
    struct stretch {
        std::uint64_t start;
        std::vector<repeat> repeats;
        friend bool operator==(const stretch&, const stretch&) = default;
        [[nodiscard]] std::uint64_t size() const noexcept;
        /// From its first to behind its last rank.
        [[nodiscard]] std::uint64_t extent() const noexcept;
    };
    [[nodiscard]] static std::vector<stretch> folded(const std::vector<stretch>& flat);

    std::vector<stretch> stretches_;
    std::uint64_t size_ = 0;
};

}  // namespace laconic::trace

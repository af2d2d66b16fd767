// SPDX-License-Identifier: BSD-3-Clause
// Prediction: the integers of successive blocks flow in, the deltas that are stored flow out, and back. Every integer
// is predicted by the one before it; with a row length, every difference so found by the one a row earlier.
#pragma once

#include "codec/generic/block_ops.hpp"

namespace laconic::codec {
namespace {

/// The differences of a chunk, with a row of zeros in front of the first.
class row_history {
public:
    explicit row_history(std::uint32_t row) noexcept : row_(row) { std::memset(differences_, 0, chunk_values * 4); }
    LACONIC_INLINE std::int32_t* at(std::size_t block) noexcept {
        return differences_ + chunk_values + block * block_values;
    }
    /// Rows have at least a block, so these are known when the block comes.
    LACONIC_INLINE const std::int32_t* above(std::size_t block) noexcept { return at(block) - row_; }
    LACONIC_INLINE void clear(std::size_t block) noexcept { std::memset(at(block), 0, block_values * 4); }

private:
    std::uint32_t row_;
    alignas(64) std::int32_t differences_[2 * chunk_values];
};

template <class S, bool Rows>
class delta_maker;
template <class S, bool Rows>
class delta_restorer;

template <class S>
class delta_maker<S, false> {
public:
    using ints = typename S::ints;
    explicit delta_maker(std::uint32_t) noexcept {}
    /// Starts a chunk.
    LACONIC_INLINE void begin() noexcept { carry_ = S::carry_of(0), base_ = 0; }
    LACONIC_INLINE ints next(const ints& q, std::size_t block, std::size_t) noexcept {
        if (block == 0) {
            base_ = S::first(q);
            carry_ = S::carry_of(base_);
        }
        const ints d = S::deltas(q, carry_);
        carry_ = S::last(q);
        return d;
    }
    /// A block without integers.
    LACONIC_INLINE void hold(std::size_t) noexcept {}
    [[nodiscard]] LACONIC_INLINE std::int32_t base() const noexcept { return base_; }

private:
    typename S::carry carry_ = S::carry_of(0);
    std::int32_t base_ = 0;
};

template <class S>
class delta_maker<S, true> {
public:
    using ints = typename S::ints;
    explicit delta_maker(std::uint32_t row) noexcept : history_(row) {}
    LACONIC_INLINE void begin() noexcept { along_.begin(); }
    LACONIC_INLINE ints next(const ints& q, std::size_t block, std::size_t lanes) noexcept {
        const ints d = along_.next(q, block, lanes);
        S::store_ints(history_.at(block), d);
        const ints second = S::subtract(d, S::load_ints(history_.above(block)));
        if (!LACONIC_UNLIKELY(lanes < block_values)) return second;
        alignas(64) std::int32_t lane[block_values];
        S::store_ints(lane, second);
        std::memset(lane + lanes, 0, (block_values - lanes) * 4);
        return S::load_ints(lane);
    }
    LACONIC_INLINE void hold(std::size_t block) noexcept { history_.clear(block); }
    [[nodiscard]] LACONIC_INLINE std::int32_t base() const noexcept { return along_.base(); }

private:
    delta_maker<S, false> along_{0};
    row_history history_;
};

template <class S>
class delta_restorer<S, false> {
public:
    using ints = typename S::ints;
    explicit delta_restorer(std::uint32_t) noexcept {}
    LACONIC_INLINE void begin(std::int32_t base) noexcept { carry_ = S::carry_of(base); }
    /// The integers of a block whose planes start at `at`.
    template <class Ops>
    LACONIC_INLINE ints next(const std::byte* at, unsigned width, std::size_t) noexcept {
        if (width <= prefix16_width) return S::prefix_words(at, width, carry_);
        return S::prefix(Ops::get(at, width), carry_);
    }
    LACONIC_INLINE void hold(std::size_t) noexcept {}

private:
    typename S::carry carry_ = S::carry_of(0);
};

template <class S>
class delta_restorer<S, true> {
public:
    using ints = typename S::ints;
    explicit delta_restorer(std::uint32_t row) noexcept : history_(row) {}
    LACONIC_INLINE void begin(std::int32_t base) noexcept { carry_ = S::carry_of(base); }
    template <class Ops>
    LACONIC_INLINE ints next(const std::byte* at, unsigned width, std::size_t block) noexcept {
        const ints d = S::add(Ops::get(at, width), S::load_ints(history_.above(block)));
        S::store_ints(history_.at(block), d);
        return S::prefix(d, carry_);
    }
    LACONIC_INLINE void hold(std::size_t block) noexcept { history_.clear(block); }

private:
    typename S::carry carry_ = S::carry_of(0);
    row_history history_;
};

}  // namespace
}  // namespace laconic::codec

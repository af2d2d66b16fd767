// SPDX-License-Identifier: BSD-3-Clause
// Where the integers of a chunk come from: values that are quantised and verified block by block, or integers that
// were quantised before. An encoder reads either through next().
#pragma once

#include "codec/generic/block_ops.hpp"

namespace laconic::codec {
namespace {

enum class block_outcome : std::uint8_t {
    integers,  ///< q and signs are set
    raw,       ///< some element misses the bound or is not finite
    patient,   ///< only 64-bit integers can tell
};

template <class S, class T>
class value_source {
public:
    using ops = block_ops<S, T>;
    using ints = typename S::ints;
    static constexpr bool may_be_raw = true;

    value_source(const std::byte* values, std::size_t count, const quantiser<T>& how) noexcept
        : values_(values), count_(count), how_(how), rule_(S::prepare(how)) {}

    [[nodiscard]] LACONIC_INLINE std::size_t lanes(std::size_t block) const noexcept { return lanes_in(count_, block); }
    [[nodiscard]] LACONIC_INLINE const std::byte* at(std::size_t block) const noexcept {
        return values_ + block * block_values * sizeof(T);
    }
    LACONIC_INLINE block_outcome next(std::size_t block, std::size_t lanes, ints& q, std::uint32_t& signs) noexcept {
        const std::byte* const from = at(block);
        ops::fetch_ahead(from);
        const auto x = lanes == block_values ? S::template load<T>(from)
                                             : S::template load<T>(typename ops::padded_block(from, lanes).bytes);
        q = S::quantise(x, rule_);
        const auto real = S::template to_real<real_type<T>>(q);
        signs = 0;
        if (LACONIC_UNLIKELY(S::is_odd(x, real, rule_))) {
            // Either an element misses the bound (or is not finite), or some are -0.0.
            if (S::misses(x, real, rule_))
                return sizeof(T) == 8 && is_quantisable<T>(from, lanes, how_) ? block_outcome::patient
                                                                              : block_outcome::raw;
            signs = ops::negative_zeros(from, lanes);
        }
        S::raise(peak_, q, real);
        return block_outcome::integers;
    }
    /// Largest |q| so far.
    [[nodiscard]] LACONIC_INLINE std::uint64_t highest() const noexcept {
        return S::template highest<real_type<T>>(peak_);
    }
    /// Integers beyond this are not used.
    [[nodiscard]] LACONIC_INLINE std::uint64_t limit() const noexcept {
        const std::uint64_t narrow = narrow_magnitude(how_.row);
        return how_.reach < narrow ? how_.reach : narrow;
    }

private:
    const std::byte* values_;
    std::size_t count_;
    const quantiser<T>& how_;
    decltype(S::prepare(std::declval<quantiser<T>>())) rule_;
    decltype(S::template no_peak<real_type<T>>()) peak_ = S::template no_peak<real_type<T>>();
};

template <class S>
class int_source {
public:
    using ints = typename S::ints;
    static constexpr bool may_be_raw = false;

    int_source(const std::int32_t* q, std::size_t count, std::uint64_t magnitude) noexcept
        : q_(q), count_(count), magnitude_(magnitude) {}

    [[nodiscard]] LACONIC_INLINE std::size_t lanes(std::size_t block) const noexcept { return lanes_in(count_, block); }
    LACONIC_INLINE block_outcome next(std::size_t block, std::size_t lanes, ints& q, std::uint32_t& signs) noexcept {
        const std::int32_t* const from = q_ + block * block_values;
        signs = 0;
        if (!LACONIC_UNLIKELY(lanes < block_values)) {
            q = S::load_ints(from);
            return block_outcome::integers;
        }
        alignas(64) std::int32_t padded[block_values];
        for (std::size_t lane = 0; lane < block_values; ++lane) padded[lane] = from[lane < lanes ? lane : lanes - 1];
        q = S::load_ints(padded);
        return block_outcome::integers;
    }
    [[nodiscard]] LACONIC_INLINE std::uint64_t highest() const noexcept { return magnitude_; }
    [[nodiscard]] LACONIC_INLINE std::uint64_t limit() const noexcept { return magnitude_; }

private:
    const std::int32_t* q_;
    std::size_t count_;
    std::uint64_t magnitude_;
};

}  // namespace
}  // namespace laconic::codec

// SPDX-License-Identifier: BSD-3-Clause
// One number per call (its duration, or the gap before it), coded by where in the program the call stands: bins of a
// logarithmic scale flow in, bits flow out, and back. A loop's body has its own habits at each of its positions; a
// position is known by the signature of the call and of the one before, and what it has not shown yet is taken from the
// signature's, and the program's, habits.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "trace/log_bins.hpp"
#include "trace/range_coder.hpp"

namespace laconic::trace {

/// Where a call stands.
struct call_place {
    std::uint32_t before = 0;  ///< terminal of the call before
    std::uint32_t now = 0;     ///< its own
};

/// What the encoder and the decoder know at a position, and how it changes with each number: the mean of the bins so
/// far is expected, and what differs from it is coded as zero or not, sign, and magnitude in unary, each with the
/// probabilities of the nearest of position, signature and program that has seen enough, and of how far the number
/// before was off there. The longest of the numbers far off get four more bits of precision: they decide the mean
/// square error. A number that no bin is near enough to is kept exactly.
class position_channel {
public:
    explicit position_channel(double relative) : bins_(relative * finer), contexts_(1 + signatures + positions) {}

    void encode(range_encoder& out, const call_place& place, std::uint64_t value) {
        const view_of at = look(place);
        coder<range_encoder> to{out, at};
        const std::uint32_t bin = bins_.bin_of(value);
        const std::int64_t off = bin == log_bins::none ? far : static_cast<std::int64_t>(bin) - at.expected;
        put_off(to, off);
        if (std::llabs(off) < far) return learn(at, bin, off);
        const bool refined = bin != log_bins::none && is_long(bin);
        const std::uint32_t fine = refined ? fine_of(bin, value) : 0;
        const bool exact = bin == log_bins::none || !bins_.near_enough(restored_far(bin, fine, refined), value);
        out.put(common_.exact, exact);
        if (exact) {
            put_number(out, common_.exact_bits, value);
            return;
        }
        put_number(out, common_.excess_bits, static_cast<std::uint64_t>(std::llabs(off) - far));
        if (refined) out.put_plain(fine, fine_bits);
        learn(at, bin, off);
    }

    /// What encode() was given, as far as the error allows.
    std::uint64_t decode(range_decoder& in, const call_place& place) {
        const view_of at = look(place);
        coder<range_decoder> from{in, at};
        std::int64_t off = get_off(from);
        if (std::llabs(off) == far) {
            if (in.get(common_.exact)) return get_number(in, common_.exact_bits);
            const auto excess =
                static_cast<std::int64_t>(std::min<std::uint64_t>(get_number(in, common_.excess_bits), most_bin));
            off += off < 0 ? -excess : excess;
        }
        const auto bin = static_cast<std::uint32_t>(std::clamp<std::int64_t>(at.expected + off, 0, most_bin));
        const bool refined = std::llabs(off) >= far && is_long(bin);
        const auto fine = refined ? static_cast<std::uint32_t>(in.get_plain(fine_bits)) : 0U;
        learn(at, bin, off);
        return restored_far(bin, fine, refined);
    }

private:
    /// Bins are a little narrower than the error allows: the mean square error is then below that of bins half as wide
    /// whose times are rounded up, for a tenth of a bit.
    static constexpr double finer = 0.93;
    static constexpr std::size_t signatures = 2048;
    static constexpr std::size_t positions = 4096;
    static constexpr std::int64_t far = 8;
    static constexpr unsigned fine_bits = 4;
    static constexpr std::int64_t most_bin = std::int64_t{1} << 26;
    /// How many numbers a context must have seen before its own probabilities are used.
    static constexpr std::int64_t enough = 32;
    /// How many bins below the longest so far a number is still long.
    static constexpr std::uint32_t long_bins = 20;

    struct context {
        std::int64_t sum = 0;  ///< of bins, over a window that forgets
        std::int64_t weight = 0;
        unsigned last =
            4;  ///< how far off the number before was: 0 not, 1 and 2 a little below and above, 3 and 4 more
        struct probabilities {
            bit_model zero, negative, more[far];
        } models[5];

        [[nodiscard]] probabilities& now() noexcept { return models[last]; }
        void learn(std::uint32_t bin, std::int64_t off) noexcept {
            sum += bin;
            if (++weight == 64) {
                sum /= 2;
                weight = 32;
            }
            last = off == 0 ? 0U : (std::llabs(off) <= 2 ? 1U : 3U) + (off > 0 ? 1U : 0U);
        }
    };

    struct view_of {
        std::array<context*, 3> levels;  ///< program, signature, position
        std::size_t used;
        std::int64_t expected;
    };

    [[nodiscard]] view_of look(const call_place& place) noexcept {
        const std::uint32_t signature = (place.now * 0x85ebca77U) >> 21;
        const std::uint32_t position = (place.before * 0x9e3779b1U + place.now * 0x85ebca77U) >> 20;
        view_of at{{&contexts_[0], &contexts_[1 + signature], &contexts_[1 + signatures + position]}, 0, 0};
        // In sixteenths of a bin; what is wider counts as one number of what is narrower.
        std::int64_t expected = 0;
        for (std::size_t level = 0; level < at.levels.size(); ++level) {
            const context& of = *at.levels[level];
            if (of.weight == 0) continue;
            const std::int64_t inherited = level == 0 ? 0 : 1;
            expected = (16 * of.sum + inherited * expected) / (of.weight + inherited);
            if (of.weight >= enough) at.used = level;
        }
        at.expected = (expected + 8) / 16;
        return at;
    }

    /// Bits by the probabilities of the level used; the others learn from them.
    template <class Bits>
    struct coder {
        Bits& bits;
        const view_of& at;

        template <class Pick>
        void put(bool bit, Pick pick) {
            for (std::size_t level = 0; level < at.levels.size(); ++level) {
                bit_model& model = pick(at.levels[level]->now());
                if (level == at.used)
                    bits.put(model, bit);
                else
                    model.learn(bit);
            }
        }
        template <class Pick>
        bool get(Pick pick) {
            const bool bit = bits.get(pick(at.levels[at.used]->now()));
            for (std::size_t level = 0; level < at.levels.size(); ++level)
                if (level != at.used) pick(at.levels[level]->now()).learn(bit);
            return bit;
        }
    };

    /// As far as `far`.
    static void put_off(coder<range_encoder>& to, std::int64_t off) {
        to.put(off != 0, [](auto& of) -> bit_model& { return of.zero; });
        if (off == 0) return;
        to.put(off < 0, [](auto& of) -> bit_model& { return of.negative; });
        const std::int64_t magnitude = std::llabs(off);
        for (std::int64_t i = 1; i < far; ++i) {
            to.put(magnitude > i, [i](auto& of) -> bit_model& { return of.more[i]; });
            if (magnitude == i) return;
        }
    }
    static std::int64_t get_off(coder<range_decoder>& from) {
        if (!from.get([](auto& of) -> bit_model& { return of.zero; })) return 0;
        const bool negative = from.get([](auto& of) -> bit_model& { return of.negative; });
        std::int64_t magnitude = 1;
        while (magnitude < far && from.get([magnitude](auto& of) -> bit_model& { return of.more[magnitude]; }))
            ++magnitude;
        return negative ? -magnitude : magnitude;
    }

    /// How many bits, in unary, then the bits below the highest.
    using length_models = std::array<bit_model, 64>;
    static void put_number(range_encoder& out, length_models& models, std::uint64_t value) {
        const auto bits = static_cast<unsigned>(std::bit_width(value));
        for (unsigned i = 0; i < models.size(); ++i) {
            out.put(models[i], bits > i);
            if (bits == i) break;
        }
        if (bits > 1) out.put_plain(value, bits - 1);
    }
    static std::uint64_t get_number(range_decoder& in, length_models& models) {
        unsigned bits = 0;
        while (bits < models.size() && in.get(models[bits])) ++bits;
        if (bits == 0) return 0;
        return std::uint64_t{1} << (bits - 1) | in.get_plain(bits - 1);
    }

    void learn(const view_of& at, std::uint32_t bin, std::int64_t off) noexcept {
        for (context* const each : at.levels) each->learn(bin, off);
        longest_ = std::max(longest_, bin);
    }
    [[nodiscard]] bool is_long(std::uint32_t bin) const noexcept { return bin + long_bins >= longest_; }

    /// Which sixteenth of its bin a value is nearest to.
    [[nodiscard]] std::uint32_t fine_of(std::uint32_t bin, std::uint64_t value) const {
        std::uint32_t best = 0;
        std::uint64_t nearest = ~std::uint64_t{0};
        for (std::uint32_t fine = 0; fine < 1U << fine_bits; ++fine) {
            const std::uint64_t at = restored_far(bin, fine, true);
            const std::uint64_t off = at > value ? at - value : value - at;
            if (off >= nearest) continue;
            nearest = off;
            best = fine;
        }
        return best;
    }
    [[nodiscard]] std::uint64_t restored_far(std::uint32_t bin, std::uint32_t fine, bool refined) const noexcept {
        return refined ? bins_.between(bin, (fine + 0.5) / (1U << fine_bits) - 0.5) : bins_.middle(bin);
    }

    log_bins bins_;
    std::vector<context> contexts_;
    struct {
        bit_model exact;
        length_models exact_bits, excess_bits;
    } common_;
    std::uint32_t longest_ = 0;
};

}  // namespace laconic::trace

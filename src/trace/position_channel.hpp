// SPDX-License-Identifier: BSD-3-Clause
// One number per call (its duration, or the gap before it), coded by where in the program the call stands: bins of a
// logarithmic scale flow in, bits flow out, and back. A loop's body has its own habits at each of its positions, and a
// position is known by the signature of the call and of the one before.
#pragma once

#include <cmath>
#include <cstdlib>
#include <vector>

#include "trace/log_bins.hpp"
#include "trace/range_coder.hpp"

namespace laconic::trace {

/// What the encoder and the decoder know at a position, and how it changes with each number: the mean of the bins so
/// far is expected, and what differs from it is coded as zero or not, sign, and magnitude in unary, each with the
/// probabilities of this position and of how far the number before was off. Numbers far off, which are few, get four
/// more bits of precision, or are kept exactly where no bin is near enough.
class position_channel {
public:
    explicit position_channel(double relative) : bins_(relative * finer), contexts_(positions) {}

    void encode(range_encoder& out, std::uint32_t position, std::uint64_t value) {
        context& at = contexts_[position % positions];
        const std::uint32_t bin = bins_.bin_of(value);
        if (bin == log_bins::none) {
            encode_off(out, at, far, true, value);
            return;
        }
        const std::int64_t off = static_cast<std::int64_t>(bin) - at.expected();
        if (std::llabs(off) < far) {
            encode_near(out, at, off);
            at.learn(bin, off);
            return;
        }
        const std::uint32_t fine = fine_of(bin, value);
        const std::uint64_t restored = restored_far(bin, fine);
        const bool exact = !within(restored, value);
        encode_off(out, at, off, exact, exact ? value : fine);
        if (!exact) at.learn(bin, off);
    }

    /// What encode() was given, as far as the error allows.
    std::uint64_t decode(range_decoder& in, std::uint32_t position) {
        context& at = contexts_[position % positions];
        bool exact = false;
        std::uint64_t extra = 0;
        const std::int64_t off = decode_off(in, at, exact, extra);
        if (exact) return extra;
        const std::int64_t bin = std::max<std::int64_t>(0, at.expected() + off);
        at.learn(static_cast<std::uint32_t>(std::min<std::int64_t>(bin, most_bin)), off);
        if (std::llabs(off) < far)
            return bins_.middle(static_cast<std::uint32_t>(std::min<std::int64_t>(bin, most_bin)));
        return restored_far(static_cast<std::uint32_t>(std::min<std::int64_t>(bin, most_bin)),
                            static_cast<std::uint32_t>(extra));
    }

private:
    /// Bins are a little narrower than the error allows: the mean square error is then below that of bins half as wide
    /// whose times are rounded up, for a tenth of a bit.
    static constexpr double finer = 0.93;
    static constexpr std::size_t positions = 4096;
    static constexpr std::int64_t far = 8;
    static constexpr unsigned fine_bits = 4;
    static constexpr std::int64_t most_bin = std::int64_t{1} << 26;

    struct context {
        std::int64_t sum = 0;  ///< of bins, over a window that forgets
        std::int64_t weight = 0;
        unsigned last =
            4;  ///< how far off the number before was: 0 not, 1 and 2 a little below and above, 3 and 4 more
        struct {
            bit_model zero, negative, more[far], exact;
        } models[5];

        [[nodiscard]] std::int64_t expected() const noexcept { return weight == 0 ? 0 : (sum + weight / 2) / weight; }
        void learn(std::uint32_t bin, std::int64_t off) noexcept {
            sum += bin;
            if (++weight == 64) {
                sum /= 2;
                weight = 32;
            }
            last = off == 0 ? 0U : (std::llabs(off) <= 2 ? 1U : 3U) + (off > 0 ? 1U : 0U);
        }
    };

    void encode_near(range_encoder& out, context& at, std::int64_t off) {
        auto& by = at.models[at.last];
        out.put(by.zero, off != 0);
        if (off == 0) return;
        out.put(by.negative, off < 0);
        const std::int64_t magnitude = std::llabs(off);
        for (std::int64_t i = 1; i < far; ++i) {
            out.put(by.more[i], magnitude > i);
            if (magnitude == i) return;
        }
    }

    void encode_off(range_encoder& out, context& at, std::int64_t off, bool exact, std::uint64_t extra) {
        encode_near(out, at, off);
        out.put(at.models[at.last].exact, exact);
        if (exact) {
            put_gamma(out, extra);
            return;
        }
        put_gamma(out, static_cast<std::uint64_t>(std::llabs(off) - far));
        out.put_plain(extra, fine_bits);
    }

    std::int64_t decode_off(range_decoder& in, context& at, bool& exact, std::uint64_t& extra) {
        auto& by = at.models[at.last];
        if (!in.get(by.zero)) return 0;
        const bool negative = in.get(by.negative);
        std::int64_t magnitude = 1;
        while (magnitude < far && in.get(by.more[magnitude])) ++magnitude;
        if (magnitude == far) {
            exact = in.get(by.exact);
            if (exact) {
                extra = get_gamma(in);
                return 0;
            }
            magnitude += static_cast<std::int64_t>(std::min<std::uint64_t>(get_gamma(in), most_bin));
            extra = in.get_plain(fine_bits);
        }
        return negative ? -magnitude : magnitude;
    }

    static void put_gamma(range_encoder& out, std::uint64_t value) {
        const auto bits = static_cast<unsigned>(std::bit_width(value));
        out.put_plain(bits, 7);
        out.put_plain(value, bits);
    }
    static std::uint64_t get_gamma(range_decoder& in) {
        const auto bits = static_cast<unsigned>(std::min<std::uint64_t>(in.get_plain(7), 64));
        return in.get_plain(bits);
    }

    /// Which sixteenth of its bin a value is nearest to.
    [[nodiscard]] std::uint32_t fine_of(std::uint32_t bin, std::uint64_t value) const {
        std::uint32_t best = 0;
        std::uint64_t nearest = ~std::uint64_t{0};
        for (std::uint32_t fine = 0; fine < 1U << fine_bits; ++fine) {
            const std::uint64_t at = restored_far(bin, fine);
            const std::uint64_t off = at > value ? at - value : value - at;
            if (off >= nearest) continue;
            nearest = off;
            best = fine;
        }
        return best;
    }
    [[nodiscard]] std::uint64_t restored_far(std::uint32_t bin, std::uint32_t fine) const noexcept {
        return bins_.between(bin, (fine + 0.5) / (1U << fine_bits) - 0.5);
    }
    [[nodiscard]] bool within(std::uint64_t restored, std::uint64_t value) const noexcept {
        return bins_.near_enough(restored, value);
    }

    log_bins bins_;
    std::vector<context> contexts_;
};

}  // namespace laconic::trace

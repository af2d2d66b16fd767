// SPDX-License-Identifier: BSD-3-Clause
// A program laid over an array: pieces are cut into cells of whole chunks, and the steps are repeated for all of them.
// Pure arithmetic, the same on every rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "collective/payload.hpp"
#include "collective/program.hpp"

namespace laconic::collective {

/// Where a piece begins in the array it is read from and in the one it ends in, in elements. Pieces that this rank only
/// passes on, or that lie in only one of them, say so by not being touched.
struct place {
    std::size_t in_first = 0;
    std::size_t out_first = 0;
    std::size_t count = 0;
};

/// How finely an array is cut.
struct grain {
    std::size_t cell_values = 1;  ///< elements per message
    int lanes = 1;                ///< messages on their way at a time
    bool bundled = false;         ///< messages travel in the program's bundles; every piece is one message
    bool coalesces = false;       ///< short messages of a pair travel together
    /// Ranks whose messages to the same one are confirmed by it, now and then, before more of them leave; 0: none.
    std::uint32_t converging = 0;
};

class job {
public:
    job() = default;
    /// cut: of choose(), or another one that is the same on all ranks; cells are whole chunks of the codec.
    /// longest: elements of the longest piece of all ranks, or unknown_length.
    job(const program& steps, std::span<const place> pieces, const grain& cut, std::size_t longest) noexcept;
    static constexpr std::size_t unknown_length = ~std::size_t{0};

    /// Elements per message, so that arrays too short for `cuts` full segments are cut finer, but not too fine.
    [[nodiscard]] static std::size_t choose_cell(std::size_t longest_piece, std::size_t segment_values,
                                                 int cuts) noexcept;
    /// What a row does; the same on every rank.
    /// longest_piece: as of the constructor; segment_values: the most elements of a message that travels
    /// alone; pieces of up to twice as many may travel in bundles
    [[nodiscard]] static grain choose(const cell& what, const program& steps, std::size_t longest_piece,
                                      std::size_t segment_values, std::size_t element_bytes) noexcept;

    /// Events in order: time by time, and lane by lane in each.
    [[nodiscard]] std::uint64_t events() const noexcept { return groups_ * steps_->steps.size() * lanes_; }
    [[nodiscard]] std::uint64_t lanes() const noexcept { return lanes_; }
    [[nodiscard]] std::uint64_t lane_of(std::uint64_t event) const noexcept { return event % lanes_; }
    [[nodiscard]] const step& step_of(std::uint64_t event) const noexcept {
        return steps_->steps[event / lanes_ % steps_->steps.size()];
    }
    /// What the event is about; empty when there is nothing to do.
    [[nodiscard]] part part_of(std::uint64_t event) const noexcept;
    /// Tells messages of a pair of ranks apart, the same on both.
    [[nodiscard]] std::uint64_t cell_of(std::uint64_t event) const noexcept;

    /// A step without a message that follows one with a message, of which nothing is sent on, need not wait for the
    /// other lanes: it runs right after that one, in the same lane.
    [[nodiscard]] bool runs_early(std::uint64_t event) const noexcept;

    [[nodiscard]] const program& steps() const noexcept { return *steps_; }
    /// The steps run once, for whole pieces, and their messages travel in bundles.
    [[nodiscard]] bool bundled() const noexcept { return bundled_; }
    /// Messages of a pair travel as coalesced ones.
    [[nodiscard]] bool coalesces() const noexcept { return coalesces_; }
    /// grain::converging
    [[nodiscard]] std::uint32_t converging() const noexcept { return converging_; }
    /// No message of a piece has more elements.
    [[nodiscard]] std::size_t largest() const noexcept { return largest_; }

private:
    [[nodiscard]] static bool is_bundled(const program& steps, std::size_t longest_piece, std::size_t segment_values,
                                         std::size_t element_bytes, bool raw) noexcept;
    [[nodiscard]] std::uint64_t block_of(std::uint64_t event) const noexcept {
        return event / lanes_ / steps_->steps.size() * lanes_ + event % lanes_;
    }

    const program* steps_ = nullptr;
    std::span<const place> pieces_;
    std::size_t cell_values_ = 1;
    std::size_t largest_ = 0;
    std::uint64_t lanes_ = 1;
    std::uint64_t groups_ = 0;
    bool bundled_ = false;
    bool coalesces_ = false;
    std::uint32_t converging_ = 0;
};

}  // namespace laconic::collective

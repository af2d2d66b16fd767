// SPDX-License-Identifier: BSD-3-Clause
// Cells, lanes and groups.
#include "collective/job.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"
#include "codec/fle.hpp"

namespace laconic::collective {

using base::divide_up;

namespace {

/// Short arrays are cut finer than the segment size, but not below this many chunks: there latency costs more than
/// overlap gains.
constexpr std::size_t min_chunks = 2;
/// Messages that wait take memory: lanes are fewer where a program has many.
constexpr std::uint64_t most_messages = 128;
/// Into so many messages a short piece is cut that travels raw, so that they overlap.
constexpr int raw_cuts = 32;
/// In bytes: of a piece that travels in a bundle, compressed, and of all of them: bundles have room for sums of which
/// nothing compresses.
constexpr std::size_t longest_bundled_piece = 128 * 1024, longest_bundled_array = 2 * 1024 * 1024;

}  // namespace

job::job(const program& steps, std::span<const place> pieces, const grain& cut, std::size_t longest) noexcept
    : steps_(&steps),
      pieces_(pieces),
      cell_values_(cut.cell_values),
      bundled_(cut.bundled),
      coalesces_(cut.coalesces),
      converging_(cut.converging) {
    std::size_t mine = 0;
    for (const step& now : steps.steps) mine = std::max(mine, pieces[now.piece].count);
    largest_ = std::min(mine, cell_values_);
    const std::uint64_t roomy = std::max<std::uint64_t>(most_messages / steps.weight, 1);
    const std::uint64_t most = std::min(static_cast<std::uint64_t>(cut.lanes), roomy);
    lanes_ = std::clamp<std::uint64_t>(divide_up(longest, cell_values_), 1, most);
    groups_ = steps.steps.empty() ? 0 : divide_up(divide_up(mine, cell_values_), lanes_);
}

std::size_t job::choose_cell(std::size_t longest_piece, std::size_t segment_values, int cuts) noexcept {
    const std::size_t chunks = divide_up(longest_piece, codec::chunk_values);
    const std::size_t segment = std::max<std::size_t>(segment_values / codec::chunk_values, 1);
    const std::size_t overlapping = divide_up(chunks, static_cast<std::size_t>(cuts));
    const std::size_t most = std::max<std::size_t>(std::min(segment, std::max(overlapping, min_chunks)), 1);
    const std::size_t cells = std::max<std::size_t>(divide_up(chunks, most), 1);
    return std::max<std::size_t>(divide_up(chunks, cells), 1) * codec::chunk_values;
}

grain job::choose(const cell& what, const program& steps, std::size_t longest_piece, std::size_t segment_values,
                  std::size_t element_bytes) noexcept {
    const bool known = longest_piece != unknown_length;
    const bool raw = what.payload == payload_kind::raw;
    if (known && is_bundled(steps, longest_piece, segment_values, element_bytes, raw))
        return {base::round_up(std::max<std::size_t>(longest_piece, 1), codec::chunk_values), 1, true};
    int cuts = raw ? raw_cuts : model::compressed_cuts;
    // Nothing follows a message of a raw piece that is one of several but the next one: finer cuts would only add
    // messages. And where ranks do not know each other's counts, all of them take full segments.
    if (!known || (raw && steps.pieces > 1)) cuts = 1;
    const std::size_t cell_values = choose_cell(known ? longest_piece : segment_values, segment_values, cuts);
    // Raw, as many messages as were cut are meant to travel; compressed they may be much shorter (docs/adr/0019).
    // Long raw messages are announced, so that their receiver decides when they come.
    return {cell_values, model::lanes_of(what.schedule, what.payload, cell_values * element_bytes), false,
            !raw && steps.in_order, raw ? 0 : steps.converging};
}

/// Raw, what travels together must not be longer than one message may be. Compressed it is short, but work on long
/// pieces should overlap with messages (docs/adr/0018).
bool job::is_bundled(const program& steps, std::size_t longest_piece, std::size_t segment_values,
                     std::size_t element_bytes, bool raw) noexcept {
    if (!steps.has_bundles() || steps.pieces <= 2) return false;
    // Sums of half and bfloat16 take as much room as those of float, and parts of a chunk as much as a whole one.
    const std::size_t room = base::round_up(std::max<std::size_t>(longest_piece, 1), codec::chunk_values);
    if (room > longest_bundled_array / std::max(element_bytes, sizeof(float)) / steps.pieces) return false;
    if (raw) return longest_piece <= segment_values / steps.most_bundled;
    return longest_piece <= std::min(2 * segment_values, longest_bundled_piece / element_bytes);
}

part job::part_of(std::uint64_t event) const noexcept {
    const place& where = pieces_[step_of(event).piece];
    const std::uint64_t first = block_of(event) * cell_values_;
    if (first >= where.count) return {};
    const std::size_t count = std::min<std::size_t>(cell_values_, where.count - first);
    return {{where.in_first + first, count}, {where.out_first + first, count}};
}

std::uint64_t job::cell_of(std::uint64_t event) const noexcept {
    const std::uint64_t block = block_of(event);
    return steps_->one_piece_per_pair ? block : block * steps_->pieces + step_of(event).piece;
}

bool job::runs_early(std::uint64_t event) const noexcept {
    if (event < lanes_ || event >= events() || step_of(event).from != nobody) return false;
    // Its receiver may want all that is sent on first, and the oldest send holds up those behind it.
    const step& before = step_of(event - lanes_);
    return before.from != nobody && before.to_count == 0;
}

}  // namespace laconic::collective

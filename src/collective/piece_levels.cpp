// SPDX-License-Identifier: BSD-3-Clause
// Pieces are put into the order of lanes, nodes and ranks before anything moves, so that what a lane moves lies
// together; into the caller's arrays results come last, when nothing is read there any more.
#include "collective/piece_levels.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "collective/elements.hpp"

namespace laconic::collective {

template <class T>
std::span<T> piece_levels<T>::part() const noexcept {
    if (!levels_->has_lane()) return {};
    const auto lane = static_cast<std::size_t>(own_lane());
    if (holds_all()) return all_lanes().subspan(layout().lane_first[lane], length_of(own_lane()));
    return this->scratch(part_length());
}

template <class T>
std::span<T> piece_levels<T>::own_section() const noexcept {
    return levels_->has_lane() ? part().subspan(layout().section.first - part_first(), layout().section.count)
                               : std::span<T>{};
}

/// Who of the node hands what to whom, in the one direction or the other.
template <class T>
void piece_levels<T>::lay_out_hand_over() {
    lane_layout& to = scratch_->layout;
    const int me = levels_->inside.rank;
    to.handed.clear();
    to.arrivals.clear();
    to.longest_handed = 0;
    for (int k = levels_->lanes; k < levels_->inside.size; ++k) {
        const lane_run& piece = to.members[static_cast<std::size_t>(k)];
        to.longest_handed = std::max(to.longest_handed, piece.count);
        if (k == me) to.handed.push_back({piece.lane, 0, 0, piece.count});
        if (piece.lane == me) to.arrivals.push_back({k, piece.first, 0, piece.count});
    }
}

template <class T>
void piece_levels<T>::lay_out(const geometry& shape, std::span<const std::size_t> told) {
    std::vector<place>& pieces = scratch_->places;
    place_pieces(shape, static_cast<std::uint32_t>(shape.ranks), pieces);
    for (std::size_t k = 0; k < told.size(); ++k) pieces[k].count = told[k];
    lane_layout& to = scratch_->layout;
    to.runs.clear();
    to.sections.clear();
    to.lane_first.assign(1, 0);
    to.members.assign(levels_->inside.ranks.size(), {});
    to.longest_lane = to.longest_section = 0;
    int lane = 0;
    int anchor = nobody;
    int local = 0;        // of the ranks of this node
    std::size_t end = 0;  // of what there is of the lane
    std::size_t section_first = 0;
    for (const int rank : levels_->by_lane) {
        const auto at = static_cast<std::size_t>(rank);
        const std::size_t count = pieces[at].count;
        if (levels_->lane_of[at] != lane) {
            to.lane_first.push_back(to.lane_first.back() + end);
            lane = levels_->lane_of[at];
            end = 0;
        }
        const bool is_ours = lane == own_lane();
        if (levels_->anchors[at] != anchor) {
            anchor = levels_->anchors[at];
            section_first = end;
            local = lane;
            if (is_ours) to.sections.push_back({end, 0});
        }
        if (is_ours) to.sections.back().count += count;
        if (levels_->has_inside(rank)) {
            to.members[static_cast<std::size_t>(local)] = {lane, 0, end - section_first, count};
            to.longest_section = std::max(to.longest_section, end - section_first + count);
            local += levels_->lanes;
            if (is_ours) to.section = {section_first, end - section_first + count};
        }
        if (rank == shape.rank) to.own = {end, count};
        const std::size_t whole = spreads() ? pieces[at].in_first : pieces[at].out_first;
        const bool goes_on =
            !to.runs.empty() && to.runs.back().lane == lane && to.runs.back().whole + to.runs.back().count == whole;
        if (goes_on)
            to.runs.back().count += count;
        else if (count > 0 && has_whole())
            to.runs.push_back({lane, whole, end, count});
        end += count;
        to.longest_lane = std::max(to.longest_lane, end);
    }
    to.lane_first.push_back(to.lane_first.back() + end);
    lay_out_hand_over();
}

template <class T>
bool piece_levels<T>::takes_part(level at) const noexcept {
    if (at == level::across) return this->goes_across();
    return this->several_inside() && (is_over_lanes(at) ? near_root() : hands_over());
}

template <class T>
node_request<T> piece_levels<T>::task_of(level at) const noexcept {
    node_request<T> all;
    all.data = request_.data;
    if (is_over_lanes(at)) {
        all.task = reduces()    ? node_task::reduce
                   : spreads()  ? node_task::deal
                   : has_root() ? node_task::collect
                                : node_task::share;
        all.part = part();
        all.root = has_root() ? this->root_inside() : 0;
        all.runs = layout().runs;
        all.longest = layout().longest_lane;
        return all;
    }
    all.part = own_section();
    if (at == level::first) {
        all.task = node_task::exchange;
        all.runs = layout().handed;
        all.arrivals = layout().arrivals;
        all.longest = layout().longest_handed;
        return all;
    }
    // A rank without a lane wants its own piece, the others nothing.
    all.task = node_task::share;
    all.longest = layout().longest_section;
    const auto me = static_cast<std::size_t>(levels_->inside.rank);
    if (!levels_->has_lane()) all.runs = std::span(layout().members).subspan(me, 1);
    return all;
}

/// By messages: what the lanes reduce, or share, or have from the root or for it.
template <class T>
status piece_levels<T>::reserve_lanes(level at) {
    stage_request<T> inside = this->raw_inside(request_.op, has_root() ? schedule_kind::pairwise : schedule_kind::ring);
    if (has_root()) inside.root = this->root_inside();
    inside.data.in = inside.data.out = holds_all() ? all_lanes() : part();
    return this->messages(at).reserve(inside, [&](std::uint32_t pieces, std::vector<place>& places) {
        places.assign(pieces, {});
        for (int lane = 0; lane < levels_->lanes; ++lane) {
            const std::size_t first = holds_all() ? layout().lane_first[static_cast<std::size_t>(lane)] : 0;
            places[static_cast<std::size_t>(lane)] = {first, first, length_of(lane)};
        }
        return layout().longest_lane;
    });
}

/// By messages: pieces between ranks without a lane and those of their lanes.
template <class T>
status piece_levels<T>::reserve_handing_over(level at) {
    stage_request<T> inside = this->raw_inside(operation::alltoall, schedule_kind::pairwise);
    const bool to_lanes = at == level::first;
    if (levels_->has_lane() && to_lanes) inside.data.out = own_section();
    if (levels_->has_lane() && !to_lanes) inside.data.in = own_section();
    return this->messages(at).reserve(inside, [&](std::uint32_t pieces, std::vector<place>& places) {
        places.assign(pieces, {});
        const std::size_t size = pieces / 2;
        const auto me = static_cast<std::size_t>(levels_->inside.rank);
        std::size_t longest = 0;
        for (std::size_t k = static_cast<std::size_t>(levels_->lanes); k < size; ++k) {
            const lane_run& piece = layout().members[k];
            const auto lane = static_cast<std::size_t>(piece.lane);
            longest = std::max(longest, piece.count);
            // Piece r goes to rank r, piece size + r comes from it.
            if (me == k && to_lanes) places[lane] = {0, 0, piece.count};
            if (me == k && !to_lanes) places[size + lane] = {0, 0, piece.count};
            if (me == lane && to_lanes) places[size + k] = {0, piece.first, piece.count};
            if (me == lane && !to_lanes) places[k] = {piece.first, 0, piece.count};
        }
        return longest;
    });
}

template <class T>
status piece_levels<T>::reserve_across() {
    if (!this->goes_across()) return {};
    stage_request<T> across = this->between_nodes();
    if (has_root()) across.what.schedule = schedule_kind::pairwise;
    if (has_root()) across.root = levels_->across_from(request_.root);
    across.data.in = across.data.out = part();
    return this->messages(level::across).reserve(across, [&](std::uint32_t pieces, std::vector<place>& places) {
        places.assign(pieces, {});
        std::size_t longest = 0;
        for (std::size_t node = 0; node < pieces; ++node) {
            const range& one = layout().sections[node];
            longest = std::max(longest, one.count);
            if (!near_root() && static_cast<int>(node) != levels_->across.rank) continue;
            const std::size_t first = one.first - part_first();
            places[node] = {first, first, one.count};
        }
        return longest;
    });
}

template <class T>
status piece_levels<T>::reserve(const stage_request<T>& request, hierarchy& levels, const geometry& shape,
                                std::span<const std::size_t> told) try {
    if (auto bad = this->begin(request, levels); !bad.ok()) return bad;
    lay_out(shape, told);
    const std::size_t kept = holds_all() ? layout().lane_first.back() : levels.has_lane() ? part_length() : 0;
    if (auto bad = scratch_->bytes.reserve(kept * sizeof(T)); !bad.ok()) return bad;
    if (!this->in_memory())
        for (const level at : {level::first, level::last}) {
            if (!takes_part(at)) continue;
            if (auto bad = is_over_lanes(at) ? reserve_lanes(at) : reserve_handing_over(at); !bad.ok()) return bad;
        }
    return reserve_across();
} catch (const std::bad_alloc&) {
    return no_memory();
}

template <class T>
void piece_levels<T>::prepare(level at) noexcept {
    if (at != level::first) return;
    const T* const in = request_.data.in.data();
    if (!spreads()) {
        if (levels_->has_lane() && layout().own.count > 0)
            std::memcpy(part().data() + (layout().own.first - part_first()), in, layout().own.count * sizeof(T));
        return;
    }
    // Through memory every rank reads its array where it is; but what a root has for its own lane stays with it.
    if (!holds_all() && (!is_root() || !levels_->has_lane())) return;
    for (const lane_run& run : layout().runs) {
        if (!holds_all() && run.lane != own_lane()) continue;
        std::memcpy(lane_at(run), in + run.whole, run.count * sizeof(T));
    }
}

template <class T>
void piece_levels<T>::conclude() noexcept {
    const std::span<T> out = request_.data.out;
    if (spreads()) {
        const range own = layout().own;
        if (levels_->has_lane() && own.count > 0)
            std::memcpy(out.data(), part().data() + (own.first - part_first()), own.count * sizeof(T));
        if (request_.data.divisor != 1) divide_elements<T>(out.data(), own.count, request_.data.divisor);
        return;
    }
    for (const lane_run& run : layout().runs) {
        if (!holds_all() && (run.lane != own_lane() || !levels_->has_lane())) continue;
        std::memcpy(out.data() + run.whole, lane_at(run), run.count * sizeof(T));
    }
}

template class piece_levels<float>;
template class piece_levels<double>;
template class piece_levels<half>;
template class piece_levels<bfloat16>;

}  // namespace laconic::collective

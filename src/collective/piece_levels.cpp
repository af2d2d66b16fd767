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
    return this->scratch(length_of(own_lane()));
}

template <class T>
std::span<T> piece_levels<T>::own_section() const noexcept {
    return levels_->has_lane() ? part().subspan(layout().section.first, layout().section.count) : std::span<T>{};
}

template <class T>
void piece_levels<T>::lay_out(const geometry& shape) {
    std::vector<place>& pieces = scratch_->places;
    place_pieces(shape, static_cast<std::uint32_t>(shape.ranks), pieces);
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
        const std::size_t whole = reduces() ? pieces[at].in_first : pieces[at].out_first;
        const bool goes_on =
            !to.runs.empty() && to.runs.back().lane == lane && to.runs.back().whole + to.runs.back().count == whole;
        if (goes_on)
            to.runs.back().count += count;
        else if (count > 0)
            to.runs.push_back({lane, whole, end, count});
        end += count;
        to.longest_lane = std::max(to.longest_lane, end);
    }
    to.lane_first.push_back(to.lane_first.back() + end);
}

template <class T>
bool piece_levels<T>::takes_part(level at) const noexcept {
    if (at == level::across) return this->goes_across();
    return this->several_inside() && (hands_over() || reduces() == (at == level::first));
}

template <class T>
node_request<T> piece_levels<T>::task_of(level at) const noexcept {
    node_request<T> all;
    all.data = request_.data;
    const bool over_lanes = reduces() == (at == level::first);
    all.runs = layout().runs;
    all.part = over_lanes ? part() : own_section();
    all.longest = over_lanes ? layout().longest_lane : layout().longest_section;
    all.task = at == level::last ? node_task::share : reduces() ? node_task::reduce : node_task::hand_in;
    if (over_lanes) return all;
    all.runs = layout().members;
    if (at == level::first) return all;
    // A rank without a lane wants its own piece, the others nothing.
    const auto me = static_cast<std::size_t>(levels_->inside.rank);
    all.runs = levels_->has_lane() ? std::span<const lane_run>{} : all.runs.subspan(me, 1);
    return all;
}

/// By messages: what the lanes reduce, or share.
template <class T>
status piece_levels<T>::reserve_lanes(level at) {
    stage_request<T> inside =
        this->raw_inside(reduces() ? operation::reduce_scatter : operation::allgather, schedule_kind::ring);
    inside.data.in = inside.data.out = all_lanes();
    return this->messages(at).reserve(inside, [&](std::uint32_t pieces, std::vector<place>& places) {
        places.assign(pieces, {});
        for (int lane = 0; lane < levels_->lanes; ++lane) {
            const std::size_t first = layout().lane_first[static_cast<std::size_t>(lane)];
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
    across.data.in = across.data.out = part();
    return this->messages(level::across).reserve(across, [&](std::uint32_t pieces, std::vector<place>& places) {
        places.assign(pieces, {});
        std::size_t longest = 0;
        for (std::size_t node = 0; node < pieces; ++node) {
            const range& one = layout().sections[node];
            places[node] = {one.first, one.first, one.count};
            longest = std::max(longest, one.count);
        }
        return longest;
    });
}

template <class T>
status piece_levels<T>::reserve(const stage_request<T>& request, hierarchy& levels, const geometry& shape) try {
    if (auto bad = this->begin(request, levels); !bad.ok()) return bad;
    lay_out(shape);
    const std::size_t kept = holds_all() ? layout().lane_first.back() : levels.has_lane() ? length_of(own_lane()) : 0;
    if (auto bad = scratch_->bytes.reserve(kept * sizeof(T)); !bad.ok()) return bad;
    if (!this->in_memory())
        for (const level at : {level::first, level::last}) {
            if (!takes_part(at)) continue;
            const bool over_lanes = reduces() == (at == level::first);
            if (auto bad = over_lanes ? reserve_lanes(at) : reserve_handing_over(at); !bad.ok()) return bad;
        }
    return reserve_across();
} catch (const std::bad_alloc&) {
    return {errc::out_of_memory, "no memory for a collective; free some"};
}

template <class T>
void piece_levels<T>::prepare(level at) noexcept {
    if (at != level::first) return;
    const T* const in = request_.data.in.data();
    if (!reduces()) {
        if (levels_->has_lane() && layout().own.count > 0)
            std::memcpy(part().data() + layout().own.first, in, layout().own.count * sizeof(T));
        return;
    }
    // Through memory every rank reads its array where it is.
    if (!holds_all()) return;
    for (const lane_run& run : layout().runs)
        std::memcpy(all_lanes().data() + layout().lane_first[static_cast<std::size_t>(run.lane)] + run.first,
                    in + run.whole, run.count * sizeof(T));
}

template <class T>
void piece_levels<T>::conclude() noexcept {
    const std::span<T> out = request_.data.out;
    if (reduces()) {
        const range own = layout().own;
        if (levels_->has_lane() && own.count > 0)
            std::memcpy(out.data(), part().data() + own.first, own.count * sizeof(T));
        if (request_.data.divisor != 1) divide_elements<T>(out.data(), own.count, request_.data.divisor);
        return;
    }
    for (const lane_run& run : layout().runs) {
        if (!holds_all() && (run.lane != own_lane() || !levels_->has_lane())) continue;
        const T* const from =
            holds_all() ? all_lanes().data() + layout().lane_first[static_cast<std::size_t>(run.lane)] : part().data();
        std::memcpy(out.data() + run.whole, from + run.first, run.count * sizeof(T));
    }
}

template class piece_levels<float>;
template class piece_levels<double>;
template class piece_levels<half>;
template class piece_levels<bfloat16>;

}  // namespace laconic::collective

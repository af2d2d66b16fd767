// SPDX-License-Identifier: BSD-3-Clause
// Where the parts of an array stand at each level, and which way they go.
#include "collective/array_levels.hpp"

#include <algorithm>
#include <new>

#include "collective/elements.hpp"

namespace laconic::collective {

template <class T>
node_task array_levels<T>::kind_of(level at) const noexcept {
    if (at == level::first) return request_.op == operation::bcast ? node_task::deal : node_task::reduce;
    return request_.op == operation::reduce ? node_task::collect : node_task::share;
}

template <class T>
bool array_levels<T>::takes_part(level at) const noexcept {
    if (at == level::across) return this->goes_across();
    const node_task task = kind_of(at);
    return several_inside() && (near_root() || task == node_task::reduce || task == node_task::share);
}

template <class T>
range array_levels<T>::own_part() const noexcept {
    const int lane = levels_->inside.rank;
    return lane < levels_->lanes ? part_of(static_cast<std::size_t>(lane)) : range{};
}

/// Of a reduce, `out` is the root's alone.
template <class T>
bool array_levels<T>::needs_scratch() const noexcept {
    return request_.op == operation::reduce && !is_root() && several_inside() && own_part().count > 0;
}

template <class T>
std::span<T> array_levels<T>::part() const noexcept {
    const range mine = own_part();
    if (needs_scratch()) return this->scratch(mine.count);
    if (request_.op == operation::reduce && !is_root()) return {};
    return request_.data.out.subspan(mine.first, mine.count);
}

/// By messages: the same parts go the same ways.
template <class T>
status array_levels<T>::reserve_inside(level at) {
    if (!takes_part(at)) return {};
    const node_task task = kind_of(at);
    stage_request<T> inside = this->raw_inside(operation::allgather, schedule_kind::ring);
    // A part stands at its place in a whole array, or alone.
    bool alone_in = false;
    bool alone_out = false;
    switch (task) {
        case node_task::reduce:
            inside.op = operation::reduce_scatter;
            alone_out = request_.op == operation::reduce;
            if (alone_out) inside.data.out = part();
            break;
        case node_task::share: inside.data.in = request_.data.out; break;
        case node_task::deal:
        case node_task::collect:
            inside.op = task == node_task::deal ? operation::scatter : operation::gather;
            inside.what.schedule = schedule_kind::pairwise;
            inside.root = this->root_inside();
            if (task == node_task::deal) break;
            inside.data.in = is_root() ? std::span<const T>(request_.data.out) : std::span<const T>(part());
            alone_in = !is_root();
            break;
        case node_task::exchange: break;  // of pieces
    }
    return messages(at).reserve(inside, [&](std::uint32_t pieces, std::vector<place>& places) {
        places.assign(pieces, {});
        const auto lanes = static_cast<std::size_t>(levels_->lanes);
        for (std::size_t k = 0; k < std::min<std::size_t>(lanes, pieces); ++k) {
            const range one = part_of(k);
            places[k] = {alone_in ? 0 : one.first, alone_out ? 0 : one.first, one.count};
        }
        return longest_even_piece(count(), lanes);
    });
}

template <class T>
status array_levels<T>::reserve_across() {
    if (!this->goes_across()) return {};
    const range mine = own_part();
    stage_request<T> across = this->between_nodes();
    across.data.out = part();
    across.data.in = several_inside() || request_.op == operation::bcast
                         ? std::span<const T>(part())
                         : request_.data.in.subspan(mine.first, mine.count);
    if (request_.op != operation::allreduce) across.root = levels_->across_from(request_.root);
    return messages(level::across).reserve(across, [&](std::uint32_t pieces, std::vector<place>& places) {
        place_evenly(mine.count, pieces, places);
        return longest_even_piece(mine.count, pieces);
    });
}

template <class T>
void array_levels<T>::lay_out() {
    lane_layout& layout = scratch_->layout;
    layout.longest_lane = longest_even_piece(count(), static_cast<std::size_t>(levels_->lanes));
    layout.runs.clear();
    for (int lane = 0; lane < levels_->lanes; ++lane) {
        const range where = part_of(static_cast<std::size_t>(lane));
        layout.runs.push_back({lane, where.first, 0, where.count});
    }
}

template <class T>
status array_levels<T>::reserve(const stage_request<T>& request, hierarchy& levels) try {
    if (auto bad = this->begin(request, levels); !bad.ok()) return bad;
    lay_out();
    if (needs_scratch())
        if (auto bad = scratch_->bytes.reserve(own_part().count * sizeof(T)); !bad.ok()) return bad;
    if (several_inside() && !this->in_memory()) {
        if (auto bad = reserve_inside(level::first); !bad.ok()) return bad;
        if (auto bad = reserve_inside(level::last); !bad.ok()) return bad;
    }
    return reserve_across();
} catch (const std::bad_alloc&) {
    return no_memory();
}

template <class T>
node_request<T> array_levels<T>::task_of(level at) const noexcept {
    const lane_layout& layout = scratch_->layout;
    return {kind_of(at), request_.data,      part(), near_root() ? this->root_inside() : 0,
            layout.runs, layout.longest_lane};
}

template <class T>
void array_levels<T>::conclude() noexcept {
    const arrays<T>& data = request_.data;
    if (data.divisor != 1 && (request_.op != operation::reduce || is_root()))
        divide_elements<T>(data.out.data(), data.out.size(), data.divisor);
}

template class array_levels<float>;
template class array_levels<double>;
template class array_levels<half>;
template class array_levels<bfloat16>;

}  // namespace laconic::collective

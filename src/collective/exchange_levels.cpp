// SPDX-License-Identifier: BSD-3-Clause
// Both parts have a section for each node, in the order in which the lane has the nodes; in a section elements stand by
// the ranks that they come from, and then by those that they are for, so that both sides have the same order.
#include "collective/exchange_levels.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <tuple>

namespace laconic::collective {
namespace {

/// The ranks of a lane, node by node: f(number of the node in the lane, rank).
template <class F>
void for_each_of_lane(const hierarchy& levels, int lane, F f) {
    const auto lane_of = [&](int rank) { return levels.lane_of[static_cast<std::size_t>(rank)]; };
    auto one = std::partition_point(levels.by_lane.begin(), levels.by_lane.end(),
                                    [&](int rank) { return lane_of(rank) < lane; });
    int anchor = nobody;
    std::size_t node = 0;
    for (; one != levels.by_lane.end() && lane_of(*one) == lane; ++one) {
        const int its = levels.anchors[static_cast<std::size_t>(*one)];
        if (anchor != nobody && its != anchor) ++node;
        anchor = its;
        f(node, *one);
    }
}

/// Begins every range where the one before it ends. Returns the end of all.
std::size_t put_in_a_row(std::vector<range>& ranges) noexcept {
    std::size_t end = 0;
    for (range& one : ranges) {
        one.first = end;
        end += one.count;
    }
    return end;
}

void add_run(std::vector<lane_run>& runs, const lane_run& next) {
    if (next.count == 0) return;
    if (!runs.empty()) {
        lane_run& last = runs.back();
        if (last.lane == next.lane && last.whole + last.count == next.whole && last.first + last.count == next.first) {
            last.count += next.count;
            return;
        }
    }
    runs.push_back(next);
}

}  // namespace

template <class T>
std::size_t exchange_levels<T>::in_first(int rank) const noexcept {
    const auto at = static_cast<std::size_t>(rank);
    return shape_.varying ? shape_.in_displacements[at] : at * equal();
}

template <class T>
std::size_t exchange_levels<T>::out_first(int rank) const noexcept {
    const auto at = static_cast<std::size_t>(rank);
    return shape_.varying ? shape_.out_displacements[at] : at * equal();
}

template <class T>
void exchange_levels<T>::lay_out_sources() {
    lane_layout& to = scratch_->layout;
    const auto leader_of = [&](int rank) {
        return static_cast<std::size_t>(levels_->leaders[static_cast<std::size_t>(rank)]);
    };
    to.node_of.assign(levels_->leaders.size(), 0);
    for_each_of_lane(*levels_, own_lane(),
                     [&](std::size_t node, int rank) { to.node_of[leader_of(rank)] = static_cast<int>(node); });
    to.sources.resize(levels_->leaders.size());
    std::iota(to.sources.begin(), to.sources.end(), 0);
    std::sort(to.sources.begin(), to.sources.end(), [&](int a, int b) {
        return std::tuple(to.node_of[leader_of(a)], a) < std::tuple(to.node_of[leader_of(b)], b);
    });
}

/// Where what this rank has for each lane stands in its array.
template <class T>
void exchange_levels<T>::lay_out_runs() {
    lane_layout& to = scratch_->layout;
    to.runs.clear();
    to.lane_first.assign(1, 0);
    for (int lane = 0; lane < levels_->lanes; ++lane) {
        std::size_t end = 0;
        for_each_of_lane(*levels_, lane, [&](std::size_t, int rank) {
            const std::size_t count = sent(levels_->inside.rank, rank);
            add_run(to.runs, {lane, in_first(rank), end, count});
            end += count;
        });
        to.lane_first.push_back(to.lane_first.back() + end);
    }
}

template <class T>
void exchange_levels<T>::lay_out_outgoing() {
    lane_layout& to = scratch_->layout;
    to.arrivals.clear();
    to.kept.clear();
    to.sections.assign(static_cast<std::size_t>(levels_->nodes), {});
    to.queue_first.assign(1, 0);
    if (!levels_->has_lane()) return;
    for (int local = 0; local < levels_->inside.size; ++local)
        for_each_of_lane(*levels_, own_lane(),
                         [&](std::size_t node, int rank) { to.sections[node].count += sent(local, rank); });
    put_in_a_row(to.sections);
    // Sections fill up rank by rank: for the time being `first` is where the next one's elements go.
    for (int local = 0; local < levels_->inside.size; ++local) {
        std::size_t end = 0;
        for_each_of_lane(*levels_, own_lane(), [&](std::size_t node, int rank) {
            const std::size_t count = sent(local, rank);
            std::size_t& next = to.sections[node].first;
            add_run(to.arrivals, {local, next, end, count});
            if (local == levels_->inside.rank) add_run(to.kept, {own_lane(), in_first(rank), next, count});
            next += count;
            end += count;
        });
        to.queue_first.push_back(to.queue_first.back() + end);
    }
    put_in_a_row(to.sections);
}

template <class T>
void exchange_levels<T>::lay_out_incoming() {
    lane_layout& to = scratch_->layout;
    to.taken.clear();
    to.incoming.assign(static_cast<std::size_t>(levels_->nodes), {});
    std::size_t end = 0;
    for_each_come([&](int source, int local, std::size_t count) {
        const auto leader = static_cast<std::size_t>(levels_->leaders[static_cast<std::size_t>(source)]);
        to.incoming[static_cast<std::size_t>(to.node_of[leader])].count += count;
        if (local == levels_->inside.rank) add_run(to.taken, {own_lane(), out_first(source), end, count});
        end += count;
    });
    put_in_a_row(to.incoming);
    // By messages: what a lane's rank hands to each of the others, or what such a rank gets.
    to.member_first.assign(1, 0);
    for (int local = own_lane(); local < levels_->inside.size; local += levels_->lanes) {
        if (levels_->has_lane() ? local == own_lane() : local != levels_->inside.rank) continue;
        to.member_first.push_back(to.member_first.back() + all_got(local));
    }
}

template <class T>
std::size_t exchange_levels<T>::all_got(int local) const noexcept {
    if (told_.empty()) return shape_.in_count;
    std::size_t sum = 0;
    for (int rank = 0; rank < shape_.ranks; ++rank) sum += got(local, rank);
    return sum;
}

/// The same on all ranks of the node, and where counts are equal on all ranks of the lane.
template <class T>
void exchange_levels<T>::find_longest() {
    lane_layout& to = scratch_->layout;
    to.longest_handed = to.longest_lane = 0;
    for (int lane = 0; lane < levels_->lanes; ++lane) {
        std::size_t come = 0;
        for (int local = lane; local < levels_->inside.size; local += levels_->lanes) come += all_got(local);
        to.longest_lane = std::max(to.longest_lane, come);
        // Of equal counts each rank of the node has the same for a lane.
        for (int local = 0; local < (told_.empty() ? 1 : levels_->inside.size); ++local) {
            std::size_t handed = 0;
            for_each_of_lane(*levels_, lane, [&](std::size_t, int rank) { handed += sent(local, rank); });
            to.longest_handed = std::max(to.longest_handed, handed);
        }
    }
    if (!told_.empty()) return;
    // Ranks of the largest node, and those that a lane is for in it.
    to.incoming_ranks.assign(static_cast<std::size_t>(levels_->nodes), 0);
    for (const int source : to.sources) {
        const auto leader = static_cast<std::size_t>(levels_->leaders[static_cast<std::size_t>(source)]);
        ++to.incoming_ranks[static_cast<std::size_t>(to.node_of[leader])];
    }
    const std::size_t most = *std::max_element(to.incoming_ranks.begin(), to.incoming_ranks.end());
    const auto lanes = static_cast<std::size_t>(levels_->lanes);
    most_between_ = most * ((most + lanes - 1) / lanes) * equal();
}

/// Whether what comes from each node stands together in this rank's array, in the order in which it comes.
template <class T>
bool exchange_levels<T>::lands_together() const noexcept {
    if (hands_over() || !this->goes_across()) return false;
    const std::vector<lane_run>& taken = layout().taken;
    const auto crosses = [&](const lane_run& one) {
        // A run may span several sections, but no section several runs.
        return std::any_of(layout().incoming.begin(), layout().incoming.end(), [&](const range& section) {
            return one.first > section.first && one.first < section.first + section.count;
        });
    };
    return std::none_of(taken.begin(), taken.end(), crosses);
}

template <class T>
std::size_t exchange_levels<T>::place_of(const range& section) const noexcept {
    if (!lands_ || section.count == 0) return section.first;
    const std::vector<lane_run>& taken = layout().taken;
    const auto after = std::upper_bound(taken.begin(), taken.end(), section.first,
                                        [](std::size_t first, const lane_run& one) { return first < one.first; });
    const lane_run& run = *std::prev(after);
    return run.whole + (section.first - run.first);
}

template <class T>
status exchange_levels<T>::reserve_first() {
    stage_request<T> inside = this->raw_inside(operation::alltoall, schedule_kind::pairwise);
    inside.data.in = packed();
    inside.data.out = queues();
    return this->messages(level::first).reserve(inside, [&](std::uint32_t pieces, std::vector<place>& places) {
        places.assign(pieces, {});
        const std::size_t size = pieces / 2;
        const auto me = static_cast<std::size_t>(levels_->inside.rank);
        const auto lanes = static_cast<std::size_t>(levels_->lanes);
        const auto length = [](const std::vector<std::size_t>& first, std::size_t k) {
            return first[k + 1] - first[k];
        };
        const std::vector<std::size_t>& queue = layout().queue_first;
        for (std::size_t k = 0; k < lanes; ++k)
            places[k] = {layout().lane_first[k], k == me ? queue[k] : 0, length(layout().lane_first, k)};
        for (std::size_t k = 0; k < size && levels_->has_lane(); ++k)
            places[size + k] = {0, queue[k], length(queue, k)};
        return layout().longest_handed;
    });
}

template <class T>
status exchange_levels<T>::reserve_across() {
    if (!this->goes_across()) return {};
    stage_request<T> across = this->between_nodes();
    across.what.schedule = schedule_kind::pairwise;
    across.data.in = outgoing();
    across.data.out = lands_ ? request_.data.out : incoming();
    return this->messages(level::across).reserve(across, [&](std::uint32_t pieces, std::vector<place>& places) {
        places.assign(pieces, {});
        const std::size_t nodes = pieces / 2;
        for (std::size_t node = 0; node < nodes; ++node) {
            const range& out = layout().sections[node];
            const range& in = layout().incoming[node];
            const bool own = static_cast<int>(node) == levels_->across.rank;
            places[node] = {out.first, own ? place_of(in) : 0, out.count};
            places[nodes + node] = {0, place_of(in), in.count};
        }
        return told_.empty() ? most_between_ : job::unknown_length;
    });
}

template <class T>
status exchange_levels<T>::reserve_last() {
    stage_request<T> inside = this->raw_inside(operation::alltoall, schedule_kind::pairwise);
    inside.data.in = inside.data.out = handed_out();
    return this->messages(level::last).reserve(inside, [&](std::uint32_t pieces, std::vector<place>& places) {
        places.assign(pieces, {});
        const std::size_t size = pieces / 2;
        const std::vector<std::size_t>& first = layout().member_first;
        const auto lane = static_cast<std::size_t>(own_lane());
        const auto lanes = static_cast<std::size_t>(levels_->lanes);
        for (std::size_t k = 0; k + 1 < first.size(); ++k) {
            const std::size_t count = first[k + 1] - first[k];
            if (levels_->has_lane())
                places[lane + (k + 1) * lanes] = {first[k], 0, count};
            else
                places[size + lane] = {0, first[k], count};
        }
        return layout().longest_lane;
    });
}

template <class T>
std::size_t exchange_levels<T>::memory_needed() noexcept {
    const lane_layout& has = layout();
    out_length_ = has.queue_first.back();
    packed_length_ = by_messages() ? has.lane_first.back() : 0;
    in_length_ = levels_->has_lane() ? has.incoming.back().first + has.incoming.back().count : 0;
    const bool hands_out = by_messages() && hands_over();
    second_ = std::max(out_length_, hands_out ? has.member_first.back() : 0);
    const std::size_t before = by_messages() ? packed_length_ + has.queue_first.back() : 0;
    const std::size_t behind = levels_->nodes == 1 || lands_ ? 0 : in_length_;
    return second_ + std::max(before, behind);
}

template <class T>
status exchange_levels<T>::reserve(const stage_request<T>& request, hierarchy& levels, const geometry& shape,
                                   std::span<const std::size_t> told) try {
    if (auto bad = this->begin(request, levels); !bad.ok()) return bad;
    shape_ = shape;
    told_ = told;
    lay_out_sources();
    lay_out_runs();
    lay_out_outgoing();
    lay_out_incoming();
    find_longest();
    lands_ = lands_together();
    if (auto bad = scratch_->bytes.reserve(memory_needed() * sizeof(T)); !bad.ok()) return bad;
    if (by_messages()) {
        if (auto bad = reserve_first(); !bad.ok()) return bad;
        if (hands_over())
            if (auto bad = reserve_last(); !bad.ok()) return bad;
    }
    return reserve_across();
} catch (const std::bad_alloc&) {
    return no_memory();
}

template <class T>
bool exchange_levels<T>::takes_part(level at) const noexcept {
    if (at == level::across) return this->goes_across();
    return this->several_inside() && (at == level::first || hands_over());
}

template <class T>
node_request<T> exchange_levels<T>::task_of(level at) const noexcept {
    node_request<T> all;
    all.data = request_.data;
    if (at == level::first) {
        all.task = node_task::exchange;
        all.part = outgoing();
        all.runs = layout().runs;
        all.arrivals = layout().arrivals;
        all.longest = layout().longest_handed;
        return all;
    }
    all.task = node_task::share;
    all.longest = layout().longest_lane;
    if (levels_->has_lane())
        all.part = incoming();
    else
        all.runs = layout().taken;
    return all;
}

template <class T>
void exchange_levels<T>::prepare(level at) noexcept {
    const T* const in = request_.data.in.data();
    if (at == level::first && !by_messages()) {
        for (const lane_run& run : layout().kept)
            std::memcpy(outgoing().data() + run.first, in + run.whole, run.count * sizeof(T));
    } else if (at == level::first) {
        for (const lane_run& run : layout().runs)
            std::memcpy(packed().data() + layout().lane_first[static_cast<std::size_t>(run.lane)] + run.first,
                        in + run.whole, run.count * sizeof(T));
    } else if (at == level::across && by_messages()) {
        for (const lane_run& run : layout().arrivals)
            std::memcpy(outgoing().data() + run.whole,
                        queues().data() + layout().queue_first[static_cast<std::size_t>(run.lane)] + run.first,
                        run.count * sizeof(T));
    } else if (at == level::last && by_messages() && hands_over() && levels_->has_lane()) {
        hand_out();
    }
}

/// What has come in for the ranks without a lane, one after the other.
template <class T>
void exchange_levels<T>::hand_out() noexcept {
    std::size_t from = 0;
    for_each_come([&](int, int local, std::size_t count) {
        if (local != own_lane()) {
            const auto member = static_cast<std::size_t>((local - own_lane()) / levels_->lanes - 1);
            std::size_t& next = scratch_->layout.member_first[member];
            std::memcpy(handed_out().data() + next, incoming().data() + from, count * sizeof(T));
            next += count;
        }
        from += count;
    });
}

template <class T>
void exchange_levels<T>::conclude() noexcept {
    if (lands_) return;
    const T* from = nullptr;
    if (levels_->has_lane())
        from = incoming().data();
    else if (by_messages())
        from = handed_out().data();
    if (from == nullptr) return;
    std::size_t end = 0;
    for (const lane_run& run : layout().taken) {
        std::memcpy(request_.data.out.data() + run.whole, from + (levels_->has_lane() ? run.first : end),
                    run.count * sizeof(T));
        end += run.count;
    }
}

template class exchange_levels<float>;
template class exchange_levels<double>;
template class exchange_levels<half>;
template class exchange_levels<bfloat16>;

}  // namespace laconic::collective

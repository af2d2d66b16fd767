// SPDX-License-Identifier: BSD-3-Clause
// Nested runs of ranks: folding a list into them, membership, bytes.
#include "trace/rank_set.hpp"

namespace laconic::trace {

std::uint64_t rank_set::stretch::size() const noexcept {
    std::uint64_t all = 1;
    for (const repeat& each : repeats) all *= each.copies;
    return all;
}

std::uint64_t rank_set::stretch::extent() const noexcept {
    std::uint64_t span = 1;
    for (const repeat& each : repeats) span += (each.copies - 1) * each.stride;
    return span;
}

/// Neighbours of equal form at equal distances become one stretch with one repeat more.
std::vector<rank_set::stretch> rank_set::folded(const std::vector<stretch>& flat) {
    std::vector<stretch> made;
    for (std::size_t i = 0; i < flat.size();) {
        std::size_t end = i + 1;
        if (end < flat.size() && flat[end].repeats == flat[i].repeats) {
            const std::uint64_t stride = flat[end].start - flat[i].start;
            while (end < flat.size() && flat[end].repeats == flat[i].repeats &&
                   flat[end].start - flat[end - 1].start == stride)
                ++end;
            // Two with a third beyond that is nearer to the second rather leave the second to the third.
            const bool rather_later = end == i + 2 && end < flat.size() && flat[end].repeats == flat[i].repeats &&
                                      flat[end].start - flat[end - 1].start < stride;
            if (!rather_later) {
                made.push_back(flat[i]);
                made.back().repeats.push_back({end - i, stride});
                i = end;
                continue;
            }
        }
        made.push_back(flat[i++]);
    }
    return made;
}

rank_set::rank_set(std::span<const std::uint32_t> ranks) : size_(ranks.size()) {
    stretches_.reserve(ranks.size());
    for (const std::uint32_t rank : ranks) stretches_.push_back({rank, {}});
    for (;;) {
        std::vector<stretch> shorter = folded(stretches_);
        const bool done = shorter.size() == stretches_.size();
        stretches_.swap(shorter);
        if (done) return;
    }
}

std::optional<std::uint64_t> rank_set::index_of(std::uint32_t rank) const noexcept {
    std::uint64_t before = 0;
    for (const stretch& each : stretches_) {
        if (rank < each.start) return {};
        std::uint64_t offset = rank - each.start;
        if (offset < each.extent()) {
            std::uint64_t copies = each.size();
            for (std::size_t level = each.repeats.size(); level-- > 0;) {
                const repeat& outer = each.repeats[level];
                const std::uint64_t copy =
                    offset / outer.stride < outer.copies ? offset / outer.stride : outer.copies - 1;
                offset -= copy * outer.stride;
                copies /= outer.copies;
                before += copy * copies;
            }
            if (offset != 0) return {};
            return before;
        }
        before += each.size();
    }
    return {};
}

std::vector<std::uint32_t> rank_set::ranks() const {
    std::vector<std::uint32_t> all;
    all.reserve(size_);
    for (const stretch& each : stretches_) {
        std::size_t from = all.size();
        all.push_back(static_cast<std::uint32_t>(each.start));
        for (const repeat& outer : each.repeats) {
            const std::size_t inner = all.size() - from;
            for (std::uint64_t copy = 1; copy < outer.copies; ++copy)
                for (std::size_t i = 0; i < inner; ++i)
                    all.push_back(all[from + i] + static_cast<std::uint32_t>(copy * outer.stride));
        }
    }
    return all;
}

void rank_set::write(bytes& out) const {
    put_varint(out, stretches_.size());
    std::uint64_t end = 0;
    for (const stretch& each : stretches_) {
        put_varint(out, each.start - end);
        put_varint(out, each.repeats.size());
        std::uint64_t extent = 1;
        for (const repeat& outer : each.repeats) {
            put_varint(out, outer.copies - 2);
            put_varint(out, outer.stride - extent);
            extent += (outer.copies - 1) * outer.stride;
        }
        end = each.start + extent;
    }
}

result<rank_set> rank_set::read(wire_reader& in, std::uint64_t limit) {
    rank_set made;
    const std::size_t stretches = in.count(2);
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < stretches && !in.failed(); ++i) {
        stretch next{end + in.below(limit), {}};
        const std::size_t depth = in.count(2);
        std::uint64_t extent = 1;
        for (std::size_t level = 0; level < depth && extent <= limit && !in.failed(); ++level) {
            const std::uint64_t copies = in.below(limit) + 2;
            const std::uint64_t stride = in.below(limit) + extent;
            if (copies > limit || stride > limit || (copies - 1) * stride > limit) {
                in.fail();
                break;
            }
            next.repeats.push_back({copies, stride});
            extent += (copies - 1) * stride;
        }
        end = next.start + extent;
        if (in.failed() || end > limit) break;
        made.size_ += next.size();
        made.stretches_.push_back(std::move(next));
    }
    if (in.failed() || end > limit) return status(errc::corrupt, "a set of ranks is damaged");
    return made;
}

}  // namespace laconic::trace

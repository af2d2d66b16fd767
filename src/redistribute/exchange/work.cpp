// SPDX-License-Identifier: BSD-3-Clause
// Every piece is told in bytes from the beginning of its rank's memory; pieces with one peer become one stream.
#include "redistribute/exchange/work.hpp"

#include <algorithm>
#include <string>

namespace laconic::redistribute {
namespace {

piece_place place_of(const box& region, const box& whole, const stored_box& stored, std::int64_t element_bytes) {
    piece_place place;
    std::int64_t first = stored.offset;
    for (std::size_t d = 0; d < region.dimensions; ++d) {
        first += (region.lower[d] - whole.lower[d]) * stored.strides[d];
        place.strides[d] = stored.strides[d] * element_bytes;
    }
    place.first = first * element_bytes;
    return place;
}

/// Transfers in the order of the peers' distances, those with one peer in the order given.
template <class Distance>
std::vector<const transfer*> by_distance(const std::vector<transfer>& transfers, Distance distance) {
    std::vector<const transfer*> sorted;
    sorted.reserve(transfers.size());
    for (const transfer& each : transfers) sorted.push_back(&each);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const transfer* a, const transfer* b) { return distance(a->peer) < distance(b->peer); });
    return sorted;
}

/// A region in parts that MPI's counts reach, whatever the element: alike for sender and receiver, and one behind the
/// other the parts are the region in C order.
template <class Visit>
void for_each_slab(const box& region, std::int64_t element_bytes, Visit visit) {
    const std::int64_t bytes = region.volume() * element_bytes;
    if (bytes <= most_part_bytes) return visit(region);
    std::size_t d = 0;
    while (region.extent(d) == 1) ++d;
    const std::int64_t thickness = std::max<std::int64_t>(most_part_bytes / (bytes / region.extent(d)), 1);
    box slab = region;
    for (; slab.lower[d] < region.upper[d]; slab.lower[d] = slab.upper[d]) {
        slab.upper[d] = std::min(slab.lower[d] + thickness, region.upper[d]);
        for_each_slab(slab, element_bytes, visit);
    }
}

class builder {
public:
    builder(const plan& what, rank_number rank, const storage& in, const storage& out, std::size_t element_bytes,
            std::size_t fields, bool by_field, std::span<const std::span<const stored_box>> seen)
        : plan_(what),
          rank_(rank),
          in_(in),
          out_(out),
          element_bytes_(static_cast<std::int64_t>(element_bytes)),
          by_field_(by_field),
          seen_(seen),
          mine_(what.of_rank(rank)),
          boxes_(what.from().boxes_of(rank)) {
        made_.element_bytes = element_bytes;
        made_.fields = fields;
        made_.in_elements = in.elements;
        made_.out_elements = out.elements;
    }

    work build() {
        for (std::size_t i = 0; i < boxes_.size(); ++i)
            made_.boxes.push_back(
                rows_of<1>(boxes_[i], {place_of(boxes_[i], boxes_[i], in_.boxes[i], element_bytes_)}, element_bytes_));
        add_patches();
        add_kept();
        const std::int64_t ranks = plan_.from().ranks();
        add_streams(made_.outgoing,
                    by_distance(mine_.sends, [&](rank_number p) { return (p - rank_ + ranks) % ranks; }),
                    [&](const transfer& each) { return source(each); });
        add_streams(made_.incoming,
                    by_distance(mine_.receives, [&](rank_number p) { return (rank_ - p + ranks) % ranks; }),
                    [&](const transfer& each) { return target(each); });
        return std::move(made_);
    }

private:
    [[nodiscard]] piece_place source(const transfer& each) const {
        const auto at = static_cast<std::size_t>(each.part);
        return place_of(each.region, boxes_[at], in_.boxes[at], element_bytes_);
    }
    [[nodiscard]] std::uint32_t position(patch_number patch) const {
        const auto found = std::lower_bound(mine_.patches.begin(), mine_.patches.end(), patch);
        return static_cast<std::uint32_t>(found - mine_.patches.begin());
    }
    [[nodiscard]] piece_place target(const transfer& each) const {
        return place_of(each.region, plan_.to().patch(each.patch), out_.boxes[position(each.patch)], element_bytes_);
    }

    void add_patches() {
        const auto fields = static_cast<std::int64_t>(made_.fields);
        for (std::size_t i = 0; i < mine_.patches.size(); ++i) {
            const std::int64_t bytes = plan_.to().patch(mine_.patches[i]).volume() * element_bytes_ * fields;
            made_.patches.push_back(
                {mine_.patches[i], static_cast<std::size_t>(out_.boxes[i].offset), bytes, bytes > 0});
        }
        for (const transfer& each : mine_.receives) made_.patches[position(each.patch)].held = false;
        for (const owned_patch& each : made_.patches) made_.held += each.held ? 1 : 0;
        made_.numbers = mine_.patches;
    }

    void add_kept() {
        for (const bool held : {true, false})
            for (const transfer& each : mine_.copies) {
                const std::uint32_t patch = position(each.patch);
                if (made_.patches[patch].held != held) continue;
                made_.kept.push_back({rows_of<2>(each.region, {source(each), target(each)}, element_bytes_), patch});
                made_.kept_bytes += made_.kept.back().rows.bytes() * static_cast<std::int64_t>(made_.fields);
            }
    }

    template <class Place>
    void add_streams(std::vector<stream>& streams, const std::vector<const transfer*>& transfers, Place place) {
        for (const transfer* each : transfers) {
            if (streams.empty() || streams.back().peer != each->peer) {
                streams.emplace_back();
                streams.back().peer = each->peer;
                streams.back().fields = static_cast<std::int64_t>(made_.fields);
                streams.back().by_field = by_field_;
            }
            stream& to = streams.back();
            const bool arrives = &streams == &made_.incoming;
            const std::uint32_t patch = arrives ? position(each->patch) : 0;
            transfer slab = *each;
            for_each_slab(each->region, element_bytes_, [&](const box& region) {
                slab.region = region;
                to.parts.push_back({rows_of<1>(region, {place(slab)}, element_bytes_), to.field_bytes, patch});
                to.field_bytes += to.parts.back().rows.bytes();
            });
            if (arrives) add_straight(to, *each);
        }
    }

    /// A part once more, from where its sender has it.
    void add_straight(stream& to, const transfer& each) {
        if (seen_.empty() || seen_[static_cast<std::size_t>(each.peer)].empty()) return;
        if (to.straight.empty()) sender_boxes_ = plan_.from().boxes_of(each.peer);
        const auto at = static_cast<std::size_t>(each.part);
        const stored_box& stored = seen_[static_cast<std::size_t>(each.peer)][at];
        const piece_place from = place_of(each.region, sender_boxes_[at], stored, element_bytes_);
        to.straight.push_back({rows_of<2>(each.region, {from, target(each)}, element_bytes_), position(each.patch)});
    }

    const plan& plan_;
    rank_number rank_;
    const storage& in_;
    const storage& out_;
    std::int64_t element_bytes_;
    bool by_field_;
    std::span<const std::span<const stored_box>> seen_;
    rank_plan mine_;
    std::vector<box> boxes_;
    std::vector<box> sender_boxes_;  // of the last stream
    work made_;
};

}  // namespace

work work_of(const plan& what, rank_number rank, const storage& in, const storage& out, std::size_t element_bytes,
             std::size_t fields, bool by_field, std::span<const std::span<const stored_box>> seen) {
    return builder(what, rank, in, out, element_bytes, fields, by_field, seen).build();
}

namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 61;

stored_box dense(const box& region, std::int64_t offset) {
    stored_box made{offset, {}};
    std::int64_t stride = 1;
    for (std::size_t d = region.dimensions; d-- > 0; stride *= region.extent(d)) made.strides[d] = stride;
    return made;
}

/// The last element that a stored box reaches, or why it is none.
result<std::int64_t> check_stored(const box& region, const stored_box& stored, std::int64_t most,
                                  const std::string& name) {
    const auto fault = [&](const std::string& what) {
        return status(errc::invalid_argument, name + " " + region.text() + what);
    };
    if (stored.offset < 0 || stored.offset > most)
        return fault(" begins at element " + std::to_string(stored.offset) + "; give 0 to " + std::to_string(most) +
                     ", which all fields together have 2^61 bytes before");
    if (stored.strides[region.dimensions - 1] != 1)
        return fault(" has stride " + std::to_string(stored.strides[region.dimensions - 1]) +
                     " in its last dimension; only 1 is possible");
    std::int64_t inner = 1, last = stored.offset;
    for (std::size_t d = region.dimensions; d-- > 0;) {
        const std::int64_t stride = stored.strides[d];
        if (stride < inner)
            return fault(" has stride " + std::to_string(stride) + " in dimension " + std::to_string(d) +
                         ", but what is inside it takes " + std::to_string(inner) + " elements; give at least that");
        if (stride > most / region.extent(d) || stride * (region.extent(d) - 1) > most - last)
            return fault(" reaches beyond 2^61 bytes in all fields with stride " + std::to_string(stride) +
                         " in dimension " + std::to_string(d) + "; give a smaller one");
        last += stride * (region.extent(d) - 1);
        inner = stride * region.extent(d);
    }
    return last;
}

}  // namespace

result<storage> storage_of(std::span<const box> boxes, std::span<const stored_box> given, std::size_t bytes,
                           std::string_view what) {
    storage made;
    made.boxes.reserve(boxes.size());
    if (given.empty()) {
        std::int64_t next = 0;
        for (const box& each : boxes) {
            made.boxes.push_back(dense(each, next));
            next += each.volume();
        }
        made.elements = static_cast<std::size_t>(next);
        return made;
    }
    if (given.size() != boxes.size())
        return status(errc::invalid_argument, std::string(what) + " has " + std::to_string(given.size()) +
                                                  " entries; the rank has " + std::to_string(boxes.size()) +
                                                  ": give one for each, or none");
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const auto last = check_stored(boxes[i], given[i], most_bytes / static_cast<std::int64_t>(bytes),
                                       std::string(what) + "[" + std::to_string(i) + "], the box");
        if (!last) return last.error();
        made.boxes.push_back(given[i]);
        made.elements = std::max(made.elements, static_cast<std::size_t>(*last) + 1);
    }
    return made;
}

}  // namespace laconic::redistribute

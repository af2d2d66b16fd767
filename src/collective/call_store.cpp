// SPDX-License-Identifier: BSD-3-Clause
// Caches by linear search: a communicator sees few kinds of calls.
#include "collective/call_store.hpp"

#include <new>

#include "collective/select.hpp"

namespace laconic::collective {
namespace {

/// Programs are small, but a program that uses every rank as a root would keep one for each.
constexpr std::size_t most_programs = 64;

}  // namespace

std::shared_ptr<const program> call_store::program_for(operation op, schedule_kind schedule, int root,
                                                       const team& who) {
    for (const known_program& known : programs_)
        if (known.op == op && known.schedule == schedule && known.root == root && known.rank == who.rank &&
            known.ranks == who.size)
            return known.steps;
    auto made = std::make_shared<const program>(make_program(op, schedule, who.size, who.rank, root));
    if (programs_.size() == most_programs) programs_.erase(programs_.begin());
    programs_.push_back({op, schedule, root, who.rank, who.size, made});
    return made;
}

call_store::known_size& call_store::size_of(const model::question& what, const base::node_sizes& nodes,
                                            const model::machine& where) {
    for (known_size& known : sizes_)
        if (known.op == what.op && known.where == &where && known.nodes == nodes &&
            known.segment_bytes == what.segment_bytes && known.threads == what.threads)
            return known;
    const std::uint64_t asked_from = model::smallest_interesting_bytes(where, what, candidates(what.op, false, false));
    const known_size found{what.op, &where, nodes, what.segment_bytes, what.threads, asked_from, {}};
    try {
        return sizes_.emplace_back(found);
    } catch (const std::bad_alloc&) {
        // Found out anew for each call: what it decides has to be the same on all ranks.
        return spare_size_ = found;
    }
}

std::optional<cell> call_store::unasked(operation op, std::uint64_t bytes, const model::machine& where, int ranks,
                                        const base::node_sizes& nodes, std::size_t segment_bytes, unsigned threads) {
    model::question what;
    what.op = op;
    what.bytes = bytes;
    what.ranks = ranks;
    what.lie_on(nodes);
    what.segment_bytes = segment_bytes;
    what.threads = threads;
    known_size& known = size_of(what, nodes, where);
    if (bytes >= known.asked_from) return {};
    std::optional<cell>& row = known.unasked[model::size_class_of(bytes).number];
    if (!row) row = model::as_run(model::select_unasked(where, what, candidates(op, false, false)).what, bytes);
    return row;
}

status call_store::expect_machine(const std::string& path) try {
    expected_machine_ = path;
    machines_.reserve(machines_.size() + 1);
    return {};
} catch (const std::bad_alloc&) {
    return no_memory();
}

hierarchy* call_store::levels(const mpi::channel& channel, unsigned ranks_per_node, bool may_share) noexcept try {
    for (const known_levels& known : levels_)
        if (known.ranks_per_node == ranks_per_node && known.may_share == may_share) return known.levels.get();
    levels_.push_back(
        {ranks_per_node, may_share, std::make_unique<hierarchy>(make_hierarchy(channel, ranks_per_node, may_share))});
    return levels_.back().levels.get();
} catch (const std::bad_alloc&) {
    return nullptr;
}

}  // namespace laconic::collective

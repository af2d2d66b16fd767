// SPDX-License-Identifier: BSD-3-Clause
// Questions for the cost model, the machine that answers them, and the rows there are.
#include "collective/select.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "collective/call_plan.hpp"
#include "mpi/eager.hpp"

namespace laconic::collective {
namespace {

/// Messages are cut by what this MPI library does, whatever a file says of another one.
model::machine as_cut_here(model::machine where) noexcept {
    where.eager_bytes = mpi::eager_bytes;
    return where;
}

}  // namespace

model::question question_of(const sized_call& call, const collective_options& options,
                            const sampled_ratios& ratio) noexcept {
    model::question asked;
    asked.op = call.op;
    asked.bytes = call.bytes;
    asked.ranks = call.ranks;
    asked.lie_on(call.nodes);
    asked.ratio = ratio.usual;
    asked.worst_ratio = ratio.worst;
    asked.growth_bits = growth_of(call.op, call.combine) == growth::none ? 0 : 1;
    asked.node_step = node_step_of(call.op, call.combine, options, call.ranks, call.nodes.count);
    asked.element_bytes = call.element_bytes;
    asked.segment_bytes = options.segment_bytes;
    asked.threads = call.threads;
    return asked;
}

const known_machine& built_in_machine() noexcept {
    static const known_machine one{as_cut_here(model::default_machine()), 0};
    return one;
}

result<const known_machine*> machine_of(const std::string& path) {
    if (path.empty()) return &built_in_machine();
    static std::mutex mutex;
    static std::map<std::string, known_machine> known;
    const std::scoped_lock lock(mutex);
    if (const auto found = known.find(path); found != known.end()) return &found->second;
    const result<model::machine> read = model::load_machine(path);
    if (!read) return read.error();
    // What the ranks compare is what decides: of the file's digits only those.
    const std::string figures = model::to_toml(*read, "");
    const result<model::machine> compared = model::parse_machine(figures, path);
    if (!compared) return compared.error();
    // Positive as a signed number, and not 0.
    const std::uint64_t digest = (std::hash<std::string>{}(figures) >> 1) | 1;
    return &known.emplace(path, known_machine{as_cut_here(*compared), digest}).first->second;
}

namespace {

enum list : std::size_t { all, fle_and_raw, raw_only, no_trees, no_trees_fle, equal_bits, lists };

/// Not of memory that a rank may lack in its first call.
struct row_list {
    std::array<cell, most_candidates> rows;
    std::size_t count = 0;

    void push_back(const cell& row) { rows.at(count++) = row; }
};

std::span<const cell> rows_in(operation op, list which) {
    using rows_of_operation = std::array<row_list, lists>;
    static const auto tables = [] {
        std::array<rows_of_operation, operation_count> made;
        for (const algorithm& row : algorithms()) {
            if (row.what.schedule == schedule_kind::chosen) continue;
            rows_of_operation& rows = made[static_cast<std::size_t>(row.op)];
            rows[all].push_back(row.what);
            const bool only_fle = takes_16_bit(row.what);
            const bool is_tree = row.what.schedule == schedule_kind::binomial;
            if (only_fle) rows[fle_and_raw].push_back(row.what);
            if (!is_tree) rows[no_trees].push_back(row.what);
            if (!is_tree && only_fle) rows[no_trees_fle].push_back(row.what);
            if (!compresses(row.what)) rows[raw_only].push_back(row.what);
            // Sums of plain integers have lost the sign of a zero, which sums of streams keep.
            const bool keeps_zeros = row.what.payload != payload_kind::quantised;
            if (adds_streams(row.what) && !adds_values(row.op, row.what) && keeps_zeros)
                rows[equal_bits].push_back(row.what);
        }
        return made;
    }();
    const row_list& found = tables[static_cast<std::size_t>(op)][which];
    return std::span(found.rows).first(found.count);
}

}  // namespace

std::span<const cell> candidates(operation op, bool lossless, bool only_fle, bool knows_counts) {
    if (lossless) return rows_in(op, raw_only);
    if (!knows_counts) return rows_in(op, only_fle ? no_trees_fle : no_trees);
    return rows_in(op, only_fle ? fle_and_raw : all);
}

std::span<const cell> rows_of_equal_bits(operation op) { return rows_in(op, equal_bits); }

}  // namespace laconic::collective

// SPDX-License-Identifier: BSD-3-Clause
// What commands that run collectives on a field share: texts of --op, --reduction, --algorithms and sizes flow in, or
// a usage failure out; a field flows in, the arrays of every rank flow out; and the way of a command from its ranks'
// arguments, compared, to its end.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.hpp"
#include "laconic/collective.hpp"

namespace laconic::cli {

/// --bytes and the like: at least 1.
[[nodiscard]] std::size_t byte_size(std::string_view flag, const std::string& text);
[[nodiscard]] std::string_view scope_name(scope what);
[[nodiscard]] reduction reduction_named(const std::string& name);
/// The operation that --op names.
[[nodiscard]] operation operation_named(const std::string& name);

/// Rows of --algorithms, checked; none given: what `algorithm` of the option table says, with stock before it, or all
/// rows of the operation.
[[nodiscard]] std::vector<std::string> chosen_algorithms(operation op, const std::vector<std::string>& given,
                                                         const base::option_set& options);

/// Elements that a rank reads and writes of a buffer of `count`, a multiple of the ranks: of the whole result of
/// (all)gather, of the whole source of scatter.
struct rank_sizes {
    std::size_t in = 0, out = 0;

    rank_sizes(operation op, std::size_t count, int ranks, bool root) noexcept;
};

/// Elements of a buffer of at most so many bytes, but at least one for each rank, with equal parts for all ranks.
[[nodiscard]] std::size_t common_count(std::size_t bytes, std::size_t element_bytes, int ranks) noexcept;
/// Where rank `rank` begins in a field of so many elements.
[[nodiscard]] constexpr std::size_t tile_offset(std::size_t field, int rank, int ranks) noexcept {
    return field / static_cast<std::size_t>(ranks) * static_cast<std::size_t>(rank);
}

/// A command of all ranks.
struct together {
    std::string_view name;                  ///< of the command, for messages
    std::function<void()> prepare;          ///< local; throws a failure
    std::function<std::string()> settings;  ///< everything in which the ranks must not differ
    std::function<int(int rank, int ranks)> run;
};
/// MPI from beginning to end. Ranks that fail, or differ, end together with one message.
[[nodiscard]] int run_together(const together& todo);

}  // namespace laconic::cli
